"""Builds with and without CUDA make an object of the host by the same words, so that ccache has it for both.

alike.py BUILD OTHER   two build folders of Ninja; ends with 77 where OTHER is not there
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def commands(build: Path) -> dict[str, list[str]]:
    """The words that make each object of the host's compiler, by the object; the folder itself is BUILD."""
    done = subprocess.run(
        ["ninja", "-C", str(build), "-t", "commands"], capture_output=True, text=True, check=True
    )
    found = {}
    for line in done.stdout.splitlines():
        made = re.search(r" -o (\S+\.o) -c \S+$", line)
        if made and "nvcc" not in line:
            found[made[1]] = line.replace(str(build), "BUILD").split()
    return found


def main() -> int:
    """Compares them, and names what differs."""
    build, other = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if not (other / "build.ninja").exists():
        print(f"skipped: there is no build in {other}")
        return SKIPPED
    here, there = commands(build), commands(other)
    both = here.keys() & there.keys()
    if len(both) < 100:
        print(f"{build.name} and {other.name} have {len(both)} objects in common: this test looks at nothing")
        return 1
    unlike = 0
    for name in sorted(both):
        differ = sorted(set(here[name]) ^ set(there[name]))
        if here[name] != there[name]:
            unlike += 1
            print(f"{name} is made by other words: {' '.join(differ) or 'in another order'}")
    print(f"{len(both) - unlike} of {len(both)} objects are made by the same words")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
