"""What the preloaded library shows to a program: the names of CUDA's runtime, and no other. Its own C++
library is inside of it, so the program goes on using another.

symbols.py LIBRARY
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXPORTS = Path(__file__).resolve().parents[2] / "remote/runtime/exports.txt"
VERSION = "libcudart.so.13"


def listed(library: str, which: str) -> list[str]:
    """Names in its dynamic table, with their versions."""
    done = subprocess.run(["nm", "-D", which, library], check=True, capture_output=True, text=True)
    return [line.split()[-1] for line in done.stdout.splitlines()]


def main() -> None:
    """Prints each that is too much, too little, or of the library of C++."""
    library = sys.argv[1]
    shown = {name for name in listed(library, "--defined-only") if name != VERSION}
    expected = {f"{name}@@{VERSION}" for name in EXPORTS.read_text().split()}
    wrong = [f"is shown: {name}" for name in sorted(shown - expected)]
    wrong += [f"is not there: {name}" for name in sorted(expected - shown)]
    wrong += [
        f"is the program's: {name}"  # taken from wherever the program has it
        for name in listed(library, "--undefined-only")
        if name.startswith(("_ZNS", "_ZNKS", "_ZSt", "__cxa_throw", "__cxa_begin", "__gxx"))
    ]
    print("\n".join(wrong) or f"{len(shown)} names of CUDA's runtime, and no other")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
