"""C programs of directives against the same passes by hand: seconds a step, by program and number of ranks.

On a host the hand-written program is the same C file compiled by cc, which ignores the directives, on one
core; on GPUs it is ``bench/directives_plain.cu``. A step's time is the difference of a long and a short run,
so what a program does around its steps does not count. Runs whose output differs are no measurement.
"""

from __future__ import annotations

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
from tasuki.units import seconds_text
from tasuki_bench.lines import read_lines, rows_of, write_lines

RECORD = "directives.jsonl"
ROOT = Path(__file__).resolve().parents[2]
# For both: products and sums stay two operations, so that both print the same.
OPTIONS = ("-O2", "-march=native", "-ffp-contract=off")
WAYS = {"loop by loop": ["--no-lift"], "as a whole": []}  # of a time loop: options of tasuki cc
REPEATS = 2
BY_HAND = ROOT / "bench" / "directives_plain.cu"


@dataclass(frozen=True)
class Case:
    """A program of tests/lang/programs at a size. ``plain`` are the extents of the program by hand."""

    name: str
    program: str
    size: tuple[str, ...]
    plain: tuple[int, ...]
    steps: tuple[int, int]  # of a short run and of a long one


def _laplace(n: int, short: int, long: int) -> Case:
    return Case(f"laplace {n}^2 fp64", "laplace", (f"-DN={n}",), (n, n, 1), (short, long))


def _himeno(name: str, n: int, short: int, long: int) -> Case:
    size = (f"-DMI={n}", f"-DMJ={n}", f"-DMK={2 * n - 1}")
    return Case(f"himeno {name}, gosa in every step", "himeno", size, (n, 2 * n - 1, n), (short, long))


CASES = {
    "cuda": (
        _laplace(4096, 200, 10200),
        _laplace(16384, 100, 900),
        _himeno("M", 129, 100, 20100),
        _himeno("L", 257, 100, 3100),
    ),
    "host": (_laplace(2048, 20, 120), _himeno("S", 65, 10, 60)),
}


@dataclass(frozen=True)
class Row:
    """One figure, in seconds a step; ``ranks`` 0 is the program by hand. ``way``: of WAYS."""

    case: str
    device: str
    ranks: int
    seconds: float
    way: str = ""


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


def measure(case: Case, device: str, ranks: Sequence[int]) -> list[Row]:
    """The case by hand and from directives on so many ranks."""
    rows, wanted = [], None
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if device == "cuda":
            nvcc = find_nvcc("cuda")
            plain = folder / "plain"
            _output([*nvcc.nvcc, "-w", "-O3", "-arch=native", str(BY_HAND), "-o", str(plain)])
            extents = [str(n) for n in case.plain]
            said = _output([str(plain), case.program, *extents, str(case.steps[1])])
            rows.append(Row(case.name, device, 0, float(said) * 1e-6))
        else:
            source = str(ROOT / "tests" / "lang" / "programs" / f"{case.program}.c")
            commands = []
            for steps in case.steps:
                target = str(folder / f"plain-{steps}")
                _output(
                    [
                        "cc",
                        "-w",
                        *OPTIONS,
                        *case.size,
                        f"-DSTEPS={steps}",
                        source,
                        "-o",
                        target,
                        "-lm",
                    ]
                )
                commands.append([target])
            seconds, wanted = _a_step(commands, {}, case)
            rows.append(Row(case.name, device, 0, seconds))
        for way, made in _compiled(case, device, folder).items():
            for count in ranks:
                launched = [launch_command([str(program)], count) for program in made]
                settings = {**launched[0][1], "TASUKI_DEVICE": device, "OMP_NUM_THREADS": "1"}
                seconds, said = _a_step([command for command, _ in launched], settings, case)
                if wanted is not None and said != wanted:
                    raise TasukiError(
                        f"{case.name} on {count} ranks prints {said}, not {wanted}", "it is wrong: report it"
                    )
                wanted = said
                rows.append(Row(case.name, device, count, seconds, way))
    return rows


def table(rows: Sequence[Row]) -> Table:
    """A line for each case and number of ranks, with its share of what a device does by hand."""
    found = Table(title="programs of directives", title_justify="left", title_style="bold")
    for name in ("program", "time loop", "ranks", "by hand", "directives", "of by hand, a device"):
        found.add_column(name, justify="left" if name in ("program", "time loop") else "right")
    by_hand = {row.case: row.seconds for row in rows if row.ranks == 0}
    for row in rows:
        if row.ranks == 0:
            continue
        plain = by_hand.get(row.case)
        share = f"{100 * plain / (row.seconds * row.ranks):.0f} %" if plain and row.seconds > 0 else ""
        found.add_row(
            row.case,
            row.way,
            str(row.ranks),
            seconds_text(plain) if plain else "",
            seconds_text(row.seconds),
            share,
        )
    return found


def row_of(line: Mapping[str, Any]) -> Row:
    """A line of the record."""
    ranks, seconds, way = int(line["ranks"]), float(line["seconds"]), str(line["way"])
    return Row(str(line["case"]), str(line["device"]), ranks, seconds, way)


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
    ranks = [count for count in (1, 2, 4, 8) if count <= devices]
    rows: list[Row] = []
    try:
        for case in CASES[device][:: 2 if quick else 1]:
            rows += measure(case, device, ranks)
    except TasukiError as error:
        console.print(f"directives: {error}", markup=False, highlight=False)
    if rows:
        write_lines(folder / RECORD, [row.__dict__ for row in rows])
        show(console, folder)
    return bool(rows)
