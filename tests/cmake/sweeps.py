"""Which objects hold sweeps, settlements or groups, held against the lists of tests/CMakeLists.txt.

sweeps.py OBJECTS SWEEPS

OBJECTS: a file with a path of an object a line. SWEEPS: a file with a source a line, of those that are
compiled for every device, as CMakeLists.txt names it. A source with sweeps that is not among them would
throw on a GPU; one without them wastes nvcc's time. g++ leaves the message of the first in each object
that it concerns, so that is looked for.
"""

from __future__ import annotations

import sys
from pathlib import Path

MESSAGE = b"compiled without CUDA"


def main() -> int:
    objects, sweeps = (Path(name).read_text().split() for name in sys.argv[1:3])
    found = []
    for name in objects:
        source = Path(name.partition(".dir/")[2]).as_posix().removesuffix(".o")
        holds = MESSAGE in Path(name).read_bytes()
        if holds and source not in sweeps:
            found.append(f"{source} holds sweeps: put it among SWEEPS in its CMakeLists.txt")
        if source in sweeps and not holds:
            found.append(f"{source} holds no sweep: put it among SOURCES in its CMakeLists.txt")
    if not objects:
        found.append(f"{sys.argv[1]} names no object")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
