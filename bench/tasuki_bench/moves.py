"""reflect_do and gmove of directives by themselves, beside the core's halo and a block of as many bytes.

``bench/directives/moves.c`` and ``tasuki-bench-moves`` take turns, and of each the best of three counts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.lang.cuda import find as find_nvcc
from tasuki.lang.driver import compile_line
from tasuki.lang.runtime import has_library
from tasuki.launch import launch_command
from tasuki.units import bytes_text, seconds_text
from tasuki_bench.lines import measure_lines, read_lines, rows_of, write_lines
from tasuki_bench.steps import reason_of, run_quietly

PROGRAM = "bench-moves"
RECORD = "moves.jsonl"
SOURCE = Path(__file__).resolve().parents[1] / "directives" / "moves.c"
BESIDE = {"reflect_do": "halo", "gmove": "block"}  # what of the core each is compared with
TURNS = 3
LIMIT = 120  # seconds of a run


@dataclass(frozen=True)
class Row:
    """What directives do (``what`` of BESIDE), the bytes that a rank sends, and seconds of both."""

    what: str
    device: str
    ranks: int
    bytes: float
    seconds: float
    core: float


def _of_directives(program: Path, device: str, ranks: int) -> dict[str, tuple[float, float]]:
    """Bytes and seconds by what was done."""
    command, environment = launch_command([str(program)], ranks)
    settings = {**environment, "TASUKI_DEVICE": device, "OMP_NUM_THREADS": "1"}
    status, said = run_quietly(command, settings, LIMIT)
    if status != 0:
        raise TasukiError(f"moves.c: {reason_of(status, said)}", "run it by hand to see more")
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {line["what"]: (line["bytes"], line["seconds"]) for line in lines}


def measure(device: str, ranks: int, cells: int, rounds: int) -> list[Row]:
    """Both, of arrays of so many cells a side."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "moves"
        words = ["-O2", f"-DN={cells}", f"-DROUNDS={rounds}", "--device", device, str(SOURCE)]
        if compile_line([*words, "-o", str(program)]):
            raise TasukiError(f"{SOURCE} was not compiled", "look at what tasuki cc says")
        best: dict[str, tuple[float, float]] = {}
        core: dict[str, float] = {}
        for _ in range(TURNS):
            for what, (moved, seconds) in _of_directives(program, device, ranks).items():
                best[what] = (moved, min(seconds, best.get(what, (0, seconds))[1]))
            options = ["--cells", str(cells), "--rounds", str(rounds)]
            for line in measure_lines(PROGRAM, options, device, ranks, LIMIT):
                what, seconds = line["what"], line["seconds"]
                core[what] = min(seconds, core.get(what, seconds))
    return [
        Row(what, device, ranks, *best[what], core[beside])
        for what, beside in BESIDE.items()
        if what in best and beside in core
    ]


def table(rows: list[Row]) -> Table:
    """A line for each of them."""
    found = Table(title="what directives move", title_justify="left", title_style="bold")
    for name in ("what", "ranks", "a rank sends", "directives", "GB/s", "the core's", "of the core's"):
        found.add_column(name, justify="left" if name == "what" else "right")
    for row in rows:
        found.add_row(
            row.what,
            str(row.ranks),
            bytes_text(row.bytes),
            seconds_text(row.seconds),
            f"{1e-9 * row.bytes / row.seconds:.1f}",
            f"{seconds_text(row.core)} ({BESIDE[row.what]})",
            f"{100 * row.core / row.seconds:.0f} %",
        )
    return found


def row_of(line: Mapping[str, Any]) -> Row:
    """A line of the record."""
    what = str(line["what"])
    if what not in BESIDE:
        raise ValueError(f"{what} is not known")
    figures = (float(line[name]) for name in ("bytes", "seconds", "core"))
    return Row(what, str(line["device"]), int(line["ranks"]), *figures)


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    path = folder / RECORD
    rows = rows_of(read_lines(path), row_of, "moves", path)
    if rows:
        console.print(table(rows))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Measures on two devices, or two cores of the host; keeps and prints. False where it could not."""
    if devices < 2 or not has_library("tasuki_xmp") or (device == "cuda" and find_nvcc("") is None):
        return False
    cells = {"host": 1024, "cuda": 2048}[device] if quick else {"host": 4096, "cuda": 11584}[device]
    try:
        rows = measure(device, 2, cells, 5 if quick else 20)
    except TasukiError as error:
        console.print(f"moves: {error}", markup=False, highlight=False)
        return False
    write_lines(folder / RECORD, [row.__dict__ for row in rows])
    return show(console, folder)
