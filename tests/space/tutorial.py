"""What the tutorial of one address space shows is what its programs are, and all of them compute the same.

tutorial.py ROOT FOLDER: the sources; where the programs sms-heat_0 to sms-heat lie.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

MPIEXEC = shlex.split(os.environ["TASUKI_MPIEXEC"])
PAGE = "docs/tutorial/06-one-address-space.md"
STEPS = "7"
# Each program, and how it is run: all print the same.
RUNS = {
    "heat_0": [(1, [])],
    "heat_1": [(1, []), (2, []), (3, ["--subclusters", "3"])],
    "heat_2": [(2, []), (3, ["--subclusters", "3"])],
    "heat_3": [(2, []), (3, ["--subclusters", "3"])],
    "heat": [(2, []), (3, ["--subclusters", "3"])],
}


def untrue(root: Path) -> list[str]:
    """Blocks of C on the page that stand in none of the programs; ".." leaves lines out."""
    examples = root / "lang" / "sms" / "examples"
    programs = {path: path.read_text() for path in [*examples.glob("heat*.c"), examples / "smint" / "heat.c"]}
    blocks = re.findall(r"^```c\n(.*?)^```", (root / PAGE).read_text(), re.M | re.S)
    missing = [block for block in blocks if not any(shows(block, text) for text in programs.values())]
    wrong = [f"{PAGE} shows what is in no program:\n{block}" for block in missing]
    if programs[examples / "heat_0.c"] not in blocks:
        wrong.append(f"{PAGE} does not show heat_0.c as it is")
    return wrong


def shows(block: str, program: str) -> bool:
    """Whether the lines of a block stand in a program, in their order."""
    at = 0
    for part in re.split(r"^\s*\.\.\n", block, flags=re.M):
        found = ("\n" + program).find("\n" + part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def unequal(folder: Path) -> list[str]:
    """Runs that do not print what the sequential program prints."""
    wrong, expected = [], ""
    for program, runs in RUNS.items():
        for ranks, options in runs:
            start = [] if program == "heat_0" else [*MPIEXEC, str(ranks)]
            command = [*start, str(folder / f"sms-{program}"), STEPS, *options]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            expected = expected or done.stdout
            if done.returncode != 0 or "digest" not in done.stdout or done.stdout != expected:
                said = f"{done.stdout}{done.stderr}not:\n{expected}"
                wrong.append(f"{shlex.join(command)} ended with {done.returncode}:\n{said}")
    return wrong


def main() -> int:
    """Prints what went wrong."""
    wrong = untrue(Path(sys.argv[1])) + unequal(Path(sys.argv[2]))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
