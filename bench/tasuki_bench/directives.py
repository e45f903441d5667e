"""C programs of directives against the same passes by hand, and against programs of the core: seconds a step.

By hand they are ``bench/directives/plain.c``, on one thread and two, and ``bench/directives_plain.cu``, both
with extents known at run time. ``tasuki-laplace`` and ``tasuki-himeno`` do the same steps as programs of the
core. A step's time is the difference of a long and a short run, so what a program does around its steps does
not count. Runs whose output differs from the first are no measurement.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.lang.cuda import find as find_nvcc
from tasuki.lang.runtime import has_library
from tasuki.launch import launch_command
from tasuki.programs import find_program
from tasuki.units import seconds_text
from tasuki_bench.lines import read_lines, rows_of, write_lines

RECORD = "directives.jsonl"
ROOT = Path(__file__).resolve().parents[2]
# For both: products and sums stay two operations, so that both print the same.
OPTIONS = ("-O2", "-march=native", "-ffp-contract=off")
WAYS = {"loop by loop": ["--no-lift"], "as a whole": []}  # of a time loop: options of tasuki cc
REPEATS = 2
BY_HAND = {
    "cuda": ROOT / "bench" / "directives_plain.cu",
    "host": ROOT / "bench" / "directives" / "plain.c",
}


@dataclass(frozen=True)
class Case:
    """A program of tests/lang/programs at a size. ``plain`` are the extents of the program by hand: rows,
    columns, planes; ``core`` is the program of the core with its words.
    """

    name: str
    program: str
    size: tuple[str, ...]
    plain: tuple[int, ...]
    steps: tuple[int, int]  # of a short run and of a long one
    core: tuple[str, ...]


def _laplace(n: int, short: int, long: int) -> Case:
    core = ("laplace", "--size", f"{n}x{n}", "--precision", "double")
    return Case(f"laplace {n}^2 fp64", "laplace", (f"-DN={n}",), (n, n, 1), (short, long), core)


def _himeno(name: str, n: int, short: int, long: int) -> Case:
    size = (f"-DMI={n}", f"-DMJ={n}", f"-DMK={2 * n - 1}")
    core = ("himeno", "--size", f"{2 * n - 1}x{n}x{n}", "--gosa", "last")
    return Case(f"himeno {name}, gosa in every step", "himeno", size, (n, 2 * n - 1, n), (short, long), core)


CASES = {
    "cuda": (
        _laplace(4096, 200, 10200),
        _laplace(16384, 100, 900),
        _himeno("M", 129, 100, 20100),
        _himeno("L", 257, 100, 3100),
    ),
    "host": (
        _laplace(4096, 5, 35),
        _laplace(16384, 1, 6),
        _himeno("M", 129, 5, 35),
        _himeno("L", 257, 1, 6),
    ),
}


@dataclass(frozen=True)
class Row:
    """One figure, in seconds a step; ``ranks`` 0 is the program by hand. ``way``: of WAYS, or a program of
    the core; ``threads``: of each rank, or of the program by hand.
    """

    case: str
    device: str
    ranks: int
    seconds: float
    way: str = ""
    threads: int = 1


def _output(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise TasukiError(
            f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}", "run it by hand"
        )
    return done.stdout


def _a_step(
    commands: Sequence[Sequence[str]], settings: Mapping[str, str], case: Case
) -> tuple[float, list[str]]:
    """Seconds a step of the short and the long run, the best of each, and what both printed."""
    best, said = [], []
    for command in commands:
        times = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            text = _output(command, settings)
            times.append(time.perf_counter() - began)
        best.append(min(times))
        said.append(text)
    return (best[1] - best[0]) / (case.steps[1] - case.steps[0]), said


def _compiled(case: Case, device: str, folder: Path) -> dict[str, list[Path]]:
    """The short and the long program by tasuki cc, each way; all at once, since nvcc takes seconds."""
    source = ROOT / "tests" / "lang" / "programs" / f"{case.program}.c"
    made: dict[str, list[Path]] = {way: [] for way in WAYS}
    running = []
    for way, options in WAYS.items():
        for steps in case.steps:
            target = folder / f"{case.program}-{way.replace(' ', '-')}-{steps}"
            words = [*OPTIONS, *options, *case.size, f"-DSTEPS={steps}", "--device", device]
            command = [sys.executable, "-m", "tasuki", "cc", *words, str(source), "-o", str(target), "-lm"]
            running.append(subprocess.Popen(command))
            made[way].append(target)
    ended = [each.wait() for each in running]
    if any(ended):
        raise TasukiError(f"{source} was not compiled", "look at what tasuki cc says")
    return made


def _by_hand(case: Case, device: str, threads: Sequence[int], folder: Path) -> tuple[list[Row], str]:
    """Its times, and what it prints on a host."""
    plain = folder / "plain"
    compiler = ["cc", "-w", *OPTIONS, "-fopenmp"]
    if device == "cuda":
        compiler = [*find_nvcc("cuda").nvcc, "-w", "-O3", "-arch=native"]
    _output([*compiler, str(BY_HAND[device]), "-o", str(plain)])
    words = [str(plain), case.program, *(str(n) for n in case.plain), str(case.steps[1])]
    rows, text = [], ""
    for count in threads:
        settings = {**os.environ, "OMP_NUM_THREADS": str(count)}
        said = [_output(words, settings).splitlines() for _ in range(REPEATS)]
        text = "".join(f"{line}\n" for line in said[0][:-1])
        rows.append(Row(case.name, device, 0, 1e-6 * min(float(each[-1]) for each in said), "", count))
    return rows, text


def _by_core(case: Case, device: str, ranks: int, threads: int) -> Row:
    """The program of the core that does the same steps."""
    name, *words = case.core
    program = [str(find_program(name)), *words, "--device", device, "--progress", "none"]
    program += ["--threads", str(threads)] if device == "host" else []
    launched = [launch_command([*program, "--times", str(steps)], ranks) for steps in case.steps]
    seconds, _ = _a_step([command for command, _ in launched], launched[0][1], case)
    return Row(case.name, device, ranks, seconds, f"tasuki-{name}", threads)


def measure(case: Case, device: str, shares: Sequence[tuple[int, int]]) -> list[Row]:
    """The case by hand, from directives and by the core; `shares`: ranks, and threads of each."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hand = sorted({threads for ranks, threads in shares if ranks == 1} or {1})
        rows, right = _by_hand(case, device, hand, folder)
        for way, made in _compiled(case, device, folder).items():
            for ranks, threads in shares:
                launched = [launch_command([str(program)], ranks) for program in made]
                settings = {**launched[0][1], "TASUKI_DEVICE": device, "OMP_NUM_THREADS": str(threads)}
                seconds, said = _a_step([command for command, _ in launched], settings, case)
                right = right or said[1]
                if said[1] != right:
                    what = f"{case.name} on {ranks} ranks prints {said[1]!r}, not {right!r}"
                    raise TasukiError(what, "it is wrong: report it")
                rows.append(Row(case.name, device, ranks, seconds, way, threads))
        rows += [_by_core(case, device, *share) for share in shares]
    return rows


def table(rows: Sequence[Row]) -> Table:
    """A line for each case, ranks and threads, with its share of what as many devices or cores do by hand."""
    found = Table(title="programs of directives", title_justify="left", title_style="bold")
    for name in ("program", "time loop", "ranks", "threads", "by hand", "a step", "of by hand"):
        found.add_column(name, justify="left" if name in ("program", "time loop") else "right")
    by_hand = {(row.case, row.threads): row.seconds for row in rows if row.ranks == 0}
    for row in rows:
        if row.ranks == 0:
            continue
        # By hand on as many cores where that was measured, else on one, shared out.
        cores = row.ranks * row.threads
        plain = by_hand.get((row.case, cores))
        if plain is None and (row.case, 1) in by_hand:
            plain = by_hand[row.case, 1] / cores
        found.add_row(
            row.case,
            row.way,
            str(row.ranks),
            str(row.threads),
            seconds_text(plain) if plain else "",
            seconds_text(row.seconds),
            f"{100 * plain / row.seconds:.0f} %" if plain and row.seconds > 0 else "",
        )
    return found


def row_of(line: Mapping[str, Any]) -> Row:
    """A line of the record."""
    ranks, seconds, way = int(line["ranks"]), float(line["seconds"]), str(line["way"])
    threads = int(line.get("threads", 1))  # records of GPUs have none
    return Row(str(line["case"]), str(line["device"]), ranks, seconds, way, threads)


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    path = folder / RECORD
    rows = rows_of(read_lines(path), row_of, "directives", path)
    if rows:
        console.print(table(rows))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Measures on 1, 2, 4 .. devices, or cores of the host; keeps and prints. False where it could not."""
    if not has_library("tasuki_xmp") or (device == "cuda" and find_nvcc("") is None):
        return False
    shares = [(count, 1) for count in (1, 2, 4, 8) if count <= devices]
    if device == "host" and devices > 1:
        shares.insert(1, (1, 2))
    rows: list[Row] = []
    try:
        for case in CASES[device][:: 2 if quick else 1]:
            rows += measure(case, device, shares)
    except TasukiError as error:
        console.print(f"directives: {error}", markup=False, highlight=False)
    if rows:
        write_lines(folder / RECORD, [row.__dict__ for row in rows])
        show(console, folder)
    return bool(rows)
