"""clang++ reads sources that g++ compiles here, without a warning: users have it, and it knows less of C++20.
What users write in cells becomes vectors by it, as by g++.

clang.py BUILD SOURCE_FOLDER [--all]

The longest source of each folder of the library, the programs and the run times, and with --all every one,
by the words of a build of Ninja. Nothing is made. Ends with 77 where there is no clang++.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
ROOMS = ("apps", "lang", "remote", "tasuki", "tools")
CELLS = "tests/device/user_cells.cpp"
# What CMake asks of g++ alone, and what is clang's: a loop that does not become vectors is no fault.
GNU = re.compile(r"--param=|-Wno-(restrict|maybe-uninitialized)$|-M[DTF]$")
OWN = ["-fsyntax-only", "-Werror", "-Wno-pass-failed", "-Wno-unknown-warning-option"]


def sources(build: Path, root: Path) -> dict[Path, list[str]]:
    """The words that compile each C++ source of the rooms, without its object."""
    done = subprocess.run(
        ["ninja", "-C", str(build), "-t", "commands"], capture_output=True, text=True, check=True
    )
    found = {}
    for line in done.stdout.splitlines():
        made = re.search(r"(?:ccache )?(\S*\+\+) (.*) -o \S+\.o -c (\S+\.cpp)$", line)
        if made and Path(made[3]).is_relative_to(root) and not Path(made[3]).is_relative_to(build):
            words = [word for word in shlex.split(made[2]) if not GNU.match(word)]
            found[Path(made[3])] = [word for word in words if not word.endswith((".o", ".d"))]
    return found


def longest(paths: list[Path]) -> list[Path]:
    """The longest of each folder."""
    folders: dict[Path, list[Path]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)
    return [max(those, key=lambda path: path.stat().st_size) for those in folders.values()]


def main() -> int:
    """Reads them, and shows what clang++ says."""
    build, root = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    clang = shutil.which("clang++")
    if clang is None:
        print("skipped: there is no clang++")
        return SKIPPED
    commands = sources(build, root)
    words = {path: of for path, of in commands.items() if path.relative_to(root).parts[0] in ROOMS}
    asked = sorted(words) if "--all" in sys.argv else sorted(longest(list(words)))
    if len(asked) < len(ROOMS):
        print(f"{build} compiles {len(asked)} of the sources: this test looks at nothing")
        return 1

    def read(path: Path) -> str:
        done = subprocess.run(
            [clang, *words[path], *OWN, str(path)], cwd=build, capture_output=True, text=True, check=False
        )
        return done.stderr if done.returncode else ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(read, asked) if text]
    print(*said, f"clang++ reads {len(asked) - len(said)} of {len(asked)} sources", sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        made, cells = Path(folder) / "cells.o", root / CELLS
        if cells in commands:  # a build whose objects are fast
            compiled = [clang, *commands[cells], "-w", "-c", str(cells), "-o", made]
            subprocess.run(compiled, cwd=build, check=True)
            packed = [sys.executable, root / "tests/device/packed.py", made]
            if subprocess.run(packed, check=False).returncode not in (0, SKIPPED):
                print(f"clang++ makes no vectors of cells in {CELLS}")
                return 1
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
