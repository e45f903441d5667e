"""Ranks that differ in options, program, grid, fields or steps end within seconds; one line says in what.

unlike_ranks.py BIN [--no-files]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ranks import ENVIRONMENT, LAUNCHER, end_of

SECONDS = 20  # for launcher and ranks, on a machine that is busy

# What rank 1 is given beside what both have, and what the line has to say.
OPTIONS = (
    ("--ranks 2x1", "rank 0 starts without --ranks, rank 1 with --ranks 2x1; "),
    ("--precision double", "rank 0 starts with --precision float, rank 1 with --precision double; "),
    ("--nx 80", "rank 0 starts with --nx 1024, rank 1 with --nx 80; "),
    ("--times 6", "rank 0 starts with --times 1000, rank 1 with --times 6; "),
    ("--halo 2", "rank 0 starts without --halo, rank 1 with --halo 2; "),
    ("--executor overlapped", "rank 0 starts with --executor auto, rank 1 with --executor overlapped; "),
    ("--channel mpi", "rank 0 starts without --channel, rank 1 with --channel mpi; "),
    ("--checkpoint {folder}/a.h5", "rank 0 starts without --checkpoint, rank 1 with --checkpoint "),
    ("--boundary linear", "rank 0 starts with --boundary hot-top, rank 1 with --boundary linear; "),
    ("--until 0.5", "rank 0 starts without --until, rank 1 with --until 0.5; "),
    ("--tuning {folder}/none.json", "rank 1 with --tuning "),
    ("--sums fast", "rank 0 starts with --sums auto, rank 1 with --sums fast; "),
    ("--nx abc", "--nx"),
)
# What rank 1 of the C++ program does otherwise, and what is said of it.
CASES = (
    ("extent", "makes a grid with extents 64x64, rank 1 with extents 48x64; "),
    ("halo", "makes a grid with halo 1:1,1:1, rank 1 with halo 2:2,2:2; "),
    ("periodic", "makes a grid with periodic "),
    ("type", "makes a field with values float[1] of 4 bytes, rank 1 with values double[1] of 8 bytes; "),
    ("name", "makes a field with name u, rank 1 with name w; "),
    ("fields", "begins a run ("),
    ("touched", "rank 1 with the halo of v stale; "),
    ("order", "begins a run with item 1 Relax over "),
    ("reads", "reads u star(1)"),
    ("region", "begins a run with item 3 Total over "),
    ("reduction", "begins a run with item 3 Total over "),
    ("every", "begins a run with item 4 swap u, v, rank 1 with item 4 swap u, v in every 2 steps; "),
    ("call", "begins a run without item 5, rank 1 with item 5 call; "),
    ("times", "begins a run with times 6, rank 1 with times 5; "),
    ("until", "begins a run without until, rank 1 with until "),
    ("threshold", "total below -2, rank 1 with until every 2 steps, 0 late, total below -1; "),
    ("again", "rank 0 asks for a reduction (name total), rank 1 begins a run ("),
    ("value", "rank 1 asks for a reduction (name total); "),
    ("gather", "rank 1 gathers a field (name u); "),
    ("save", "rank 1 writes a file (path unlike.h5); "),
    ("swapped", "begins a run with the halo of u stale, rank 1 with the halo of u "),
    ("leaves", "rank 0 asks for a reduction (name total), rank 1 drops a "),
    ("halves", "one half is wrong; look at it"),
    ("subset", "makes a subset of ranks 0, 1, rank 1 another one, of 3 ranks; "),
    ("longer", "rank 0 ends its world, rank 1 makes a grid (extents 64); "),
)


def run_unlike(first: list[str], second: list[str], folder: Path, others: int = 1) -> tuple[int, float, str]:
    """Rank 0 does one, the others do the other: status, seconds, all that was written."""
    command = [*LAUNCHER, "1", *first, ":", *LAUNCHER[-1:], str(others), *second]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**ENVIRONMENT, "TASUKI_PROGRESS": "none"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    result = end_of(process, SECONDS)
    return result.status, result.seconds, result.text


def fault_of(status: int, seconds: float, text: str, says: str) -> str:
    """What is wrong with the end of such a run, or nothing."""
    told = [line for line in text.splitlines() if line.startswith("tasuki: ")]
    if seconds >= SECONDS:
        return f"it hung:\n{text}"
    if status == 0:
        return f"its status is 0:\n{text}"
    if len(told) != 1:
        return f"{len(told)} lines begin with 'tasuki: ':\n{text}"
    if says not in told[0] or "; " not in told[0]:
        return f"its line does not say {says!r}:\n{text}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--no-files", action="store_true", help="the build has no HDF5")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    with tempfile.TemporaryDirectory(prefix="tasuki-unlike-") as name:
        folder = Path(name)
        laplace, cases = str(binary / "tasuki-laplace"), str(binary / "unlike_ranks")
        runs = []
        for options, says in OPTIONS:
            if not (arguments.no_files and "{folder}/a.h5" in options):
                words = options.format(folder=folder).split()
                runs.append((f"laplace {options}", [laplace], [laplace, *words], says))
        runs.append(
            (
                "himeno beside laplace",
                [laplace],
                [str(binary / "tasuki-himeno")],
                "with program tasuki-laplace, rank 1 with program tasuki-himeno; ",
            )
        )
        runs.append(
            (
                "other arguments of a program of its own",
                [cases, "--r", "0.5", "like"],
                [cases, "--r", "0.6", "like"],
                "rank 0 starts with --r 0.5, rank 1 with --r 0.6; give every rank the same options",
            )
        )
        for case, says in CASES:
            if not (arguments.no_files and case == "save"):
                runs.append((case, [cases, case], [cases, case], says))

        failures = 0
        # What ranks may have each for itself.
        alike = ["--nx", "64", "--ny", "64", "--times", "4"]
        own = [*alike, "--threads", "2", "--progress", "lines", "--share-devices"]
        status, _, text = run_unlike([laplace, *alike], [laplace, *own], folder)
        failures += status != 0
        print(f"{'ok' if status == 0 else 'FAILED'}: laplace {' '.join(own[6:])}", flush=True)
        if status != 0:
            print(text)

        def check(run: tuple[str, list[str], list[str], str]) -> tuple[str, str]:
            what, first, second, says = run
            others = 3 if what == "subset" else 1  # two sets, of which neither is the world
            return what, fault_of(*run_unlike(first, second, folder, others), says)

        with ThreadPoolExecutor(max_workers=2) as pool:
            for what, fault in pool.map(check, runs):
                failures += fault != ""
                print(f"{'FAILED' if fault else 'ok'}: {what}{fault and ': ' + fault}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
