"""The PTX of this folder is what nvcc makes of the .cu beside it.

current.py [--write] compares, or writes; ends with 77 where there is no nvcc, or one of another version
than the one that wrote the texts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VERSION = re.compile(r"release [\d.]+, V([\d.]+)")


def made(source: Path) -> str:
    """What nvcc makes of a source."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "made.ptx"
        subprocess.run(
            ["nvcc", "-ptx", "-arch=compute_90", "-o", to, source.name], cwd=source.parent, check=True
        )
        return to.read_text()


def main() -> int:
    """Compares all of them."""
    if not shutil.which("nvcc"):
        print("no nvcc")
        return 77
    here = VERSION.search(
        subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    )
    stale = []
    for source in sorted(FOLDER.glob("*.cu")):
        text = source.with_suffix(".ptx")
        if "--write" in sys.argv:
            text.write_text(made(source))
            continue
        there = VERSION.search(text.read_text())
        if not here or not there or here[1] != there[1]:
            print(f"{text.name} is of nvcc {there[1] if there else '?'}, here is {here[1] if here else '?'}")
            return 77
        if made(source) != text.read_text():
            stale.append(text.name)
    for name in stale:
        print(f"{name} is not what nvcc makes of its source; run current.py --write")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
