"""The examples of the SMS library: the same text on any processes, nodes, pages and ways to fault.

examples.py FOLDER: where the programs sms-* lie.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

MPIEXEC = shlex.split(os.environ["TASUKI_MPIEXEC"])
SHAPES = [
    (1, []),
    (2, []),
    (2, ["--subclusters", "2", "--faults", "uffd"]),
    (2, ["--subclusters", "2", "--faults", "signal", "--page", "16KiB"]),
    (4, ["--subclusters", "4"]),
    (4, ["--subclusters", "2", "--faults", "signal"]),
]
# Each program with the words that it is run with: all runs of one line print the same.
PROGRAMS = {
    "sms-matrix_vector": [[], ["--preload"]],
    "sms-stencil": [[], ["--sections"]],
    "sms-stencil --27 --bt 3": [[], ["--sections"]],
    "sms-fdtd": [[]],
    "sms-heat": [[]],
    "sms-barnes_hut": [[]],
    "sms-hash_table": [[]],
}
# What a program must print, beside the same everywhere.
SAYS = {
    "sms-fdtd": "duct: is the plane wave",
    "sms-barnes_hut": "all are the direct sum",
    "sms-hash_table": " 0 wrong",
}


def uffd_serves(folder: Path) -> bool:
    """Whether userfaultfd can be asked for by name here."""
    command = [*MPIEXEC, "2", str(folder / "sms-matrix_vector"), "--subclusters", "2", "--faults", "uffd"]
    return subprocess.run(command, capture_output=True, check=False, timeout=120).returncode == 0


def main() -> int:
    """Runs all of them, and says which differ."""
    folder, wrong = Path(sys.argv[1]), 0
    shapes = SHAPES if uffd_serves(folder) else [shape for shape in SHAPES if "uffd" not in shape[1]]
    for title, words in PROGRAMS.items():
        program, *same = title.split()
        expected = ""
        for ranks, options in shapes:
            for own in words:
                command = [*MPIEXEC, str(ranks), str(folder / program), *same, *own, *options]
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
                expected = expected or done.stdout
                says = SAYS.get(program, "digest") in done.stdout
                if done.returncode != 0 or not says or done.stdout != expected:
                    wrong += 1
                    print(f"{' '.join(command)} ended with {done.returncode}:")
                    print(f"{done.stdout}{done.stderr}not:\n{expected}")
        print(f"{title}: {expected.strip()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
