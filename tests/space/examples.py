"""The examples of the SMS library print what they print as sequential C, on any processes, nodes and pages.

examples.py FOLDER: where the programs sms-* lie.

Each runs on 1, 2 and 4 processes, as one node and as several; ways to fault, pages and threads are dealt out
so that some run has any two settings together. What they cost is counted where it has to be a certain number.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from pairs import runs

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "lang/sms/examples"
MPIEXEC = shlex.split(os.environ["TASUKI_MPIEXEC"])
SHAPES = [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4)]  # processes and nodes
PAGES = ["4KiB", "16KiB", "256KiB", "2MiB"]
THREADS = ["1", "3"]
# Programs and their words, and words that change nothing of what is printed.
PROGRAMS = [
    ("sms-matrix_vector", ""),
    ("sms-matrix_vector", "--preload"),
    ("sms-stencil", ""),
    ("sms-stencil", "--sections"),
    ("sms-stencil --27 --bt 3", ""),
    ("sms-stencil --27 --bt 3", "--sections"),
    ("sms-stencil_acc --27", ""),
    ("sms-stencil_acc --bt 3", "--sections"),
    ("sms-stencil_cuda --27 --planes 200", ""),
    ("sms-stencil_cuda --bt 3", ""),
    ("sms-fdtd", ""),
    ("sms-heat", ""),
    ("sms-barnes_hut", ""),
    ("sms-hash_table", ""),
    ("sms-work_queue", ""),
]
# The source of a program whose name is not its own.
SOURCES = {"sms-stencil_acc": "stencil", "sms-stencil_cuda": "stencil"}
# What a program must print, beside the same everywhere.
SAYS = {
    "sms-fdtd": "duct: is the plane wave",
    "sms-barnes_hut": "all are the direct sum",
    "sms-hash_table": " 0 wrong",
    "sms-work_queue": "is the integral",
}
PLANE = 32 * 64 * 8  # bytes of a plane of the stencil


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, **environment}
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False, timeout=120)


def uffd_serves(folder: Path) -> bool:
    """Whether userfaultfd can be asked for by name here."""
    command = [*MPIEXEC, "2", str(folder / "sms-matrix_vector"), "--subclusters", "2", "--faults", "uffd"]
    return run(command).returncode == 0


def sequential(title: str, folder: Path) -> str:
    """What a program prints as sequential C: without the library, compiled by plain cc."""
    program, *words = title.split()
    name = SOURCES.get(program, program.removeprefix("sms-"))
    made = folder / name
    if not made.exists():
        options = ["-std=gnu11", "-O2", "-w", "-ffp-contract=off", f"-I{ROOT / 'tests/lang/shared'}"]
        command = ["cc", *options, str(EXAMPLES / f"{name}.c"), "-o", str(made), "-lm"]
        subprocess.run(command, check=True)
    return run([str(made), *words]).stdout


def wrongly_counted(folder: Path, ways: list[str]) -> list[str]:
    """Stencils whose steps behind the first cost something else than a halo of bt planes.

    With sections nothing is touched that is not there, and first writes are none, since parts are their
    owners'. Each neighbour's planes come once in a block of bt steps, in one message.
    """
    wrong = []
    for way in ways:
        for ranks in (2, 4):
            for bt in (2, 4):
                words = ["--27", "--sections", "--counts", "--bt", str(bt), "--subclusters", str(ranks)]
                command = [*MPIEXEC, str(ranks), str(folder / "sms-stencil"), *words, "--faults", way]
                done = run(command)
                counted = dict(re.findall(r"([a-z ]+) (\d+)(?:,|$)", done.stdout, re.M))
                told = {name.strip(): int(number) for name, number in counted.items()}
                blocks = 24 // bt - 2
                planes = 2 * (ranks - 1) * bt * blocks
                fine = done.returncode == 0 and told.get("touches") == told.get("first writes") == 0
                fine = fine and told.get("bytes out") == 0
                fine = fine and 0.9 * planes * PLANE < told.get("bytes in", 0) <= planes * PLANE
                fine = fine and told.get("messages") == planes // bt
                if not fine:
                    wrong.append(f"{shlex.join(command)}: planes: {planes}, and\n{done.stdout}{done.stderr}")
    return wrong


def main() -> int:
    """Runs all of them, and says which differ."""
    folder, wrong = Path(sys.argv[1]), []
    ways = ["uffd", "signal"] if uffd_serves(folder) else ["signal"]
    programs = [each for each in PROGRAMS if (folder / each[0].split()[0]).exists()]
    with tempfile.TemporaryDirectory(prefix="tasuki-examples-") as scratch:
        expected = {title: sequential(title, Path(scratch)) for title, _ in programs}
    for (title, more), (ranks, nodes), way, page, threads in runs(programs, SHAPES, ways, PAGES, THREADS):
        program, *words = title.split()
        options = ["--subclusters", str(nodes), "--faults", way, "--page", page]
        command = [*MPIEXEC, str(ranks), str(folder / program), *words, *more.split(), *options]
        done = run(command, OMP_NUM_THREADS=threads)
        says = SAYS.get(program, "digest") in done.stdout
        if done.returncode != 0 or not says or done.stdout != expected[title]:
            wrong.append(
                f"{shlex.join(command)} with {threads} threads ended with {done.returncode}:\n"
                f"{done.stdout}{done.stderr}not:\n{expected[title]}"
            )
    wrong += wrongly_counted(folder, ways)
    print("\n".join(wrong or [f"{title}: {said.strip()}" for title, said in expected.items()]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
