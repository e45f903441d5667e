"""What a space costs between nodes, and the same by hand with MPI beside it: measured by
``tasuki-bench-space``, in the same run.

``python -m tasuki_bench --tables space`` measures by each way to fault that works here, prints the table and
keeps the lines with this machine's records. Where bench/peers/space.py has run Global Arrays on this machine,
its figures stand below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.programs import locate
from tasuki.units import seconds_text
from tasuki_bench.lines import measure_lines, read_lines, rows_of, write_lines

PROGRAM = "bench-space"
RECORD = "space.jsonl"
PEERS = "space-peers.jsonl"
# By figure: the seconds that it may take, from those of what stands beside it.
GOALS: dict[str, Callable[[float], float]] = {
    "a touch of another node's page": lambda mpi: mpi + 15e-6,
    "the same by four threads, each": lambda one: one / 2.5,
    "read in order by touches": lambda mpi: mpi / 0.5,
    "read by a preload": lambda mpi: mpi / 0.9,
    "a synchronisation, nothing written": lambda barrier: 2 * barrier + 20e-6,
    "a synchronisation that sends home": lambda mpi: mpi / 0.8,
    "27 points, 4 steps, by sections": lambda mpi: mpi / 0.95,
    "27 points, 4 steps, by touches": lambda mpi: mpi / 0.7,
    "a step of fields in the space": lambda outside: outside / 0.99,
}


@dataclass(frozen=True)
class Row:
    """One figure of a space, median and least in seconds, and that of what stands beside it. ``bytes``
    travelled, 0 where a rate is of no interest."""

    case: str
    faults: str
    ranks: int
    seconds: float
    least: float
    beside: str
    beside_seconds: float
    beside_least: float
    bytes: float


def row_of(line: Mapping[str, Any]) -> Row:
    """A line that tasuki-bench-space wrote."""
    texts = {name: str(line[name]) for name in ("case", "faults", "beside")}
    numbers = {
        name: float(line[name]) for name in ("seconds", "least", "beside_seconds", "beside_least", "bytes")
    }
    return Row(ranks=int(line["ranks"]), **texts, **numbers)


def table(rows: Sequence[Row]) -> Table:
    """A line for each figure; its goal, where it has one, is that of the median, which meets it or not."""
    found = Table(title="a space between nodes of one host", title_justify="left", title_style="bold")
    for name in ("", "faults", "beside it"):
        found.add_column(name)
    for name in ("time", "least", "GB/s", "beside: time", "least", "goal"):
        found.add_column(name, justify="right")
    for row in rows:
        goal = GOALS[row.case](row.beside_seconds) if row.case in GOALS else None
        met = "" if goal is None else f"{seconds_text(goal)} {'met' if row.seconds <= goal else 'missed'}"
        found.add_row(
            row.case,
            row.faults,
            row.beside,
            seconds_text(row.seconds),
            seconds_text(row.least),
            f"{1e-9 * row.bytes / row.seconds:.2f}" if row.bytes else "",
            seconds_text(row.beside_seconds),
            seconds_text(row.beside_least),
            met,
        )
    return found


def _rows(path: Path) -> list[Row]:
    return rows_of(read_lines(path), row_of, "a space", path)


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the records in `folder`; False where there are none."""
    rows = [*_rows(folder / RECORD), *_rows(folder / PEERS)]
    if rows:
        console.print(table(rows))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Measures on two ranks of the host, keeps and prints; False where it could not be measured, or
    where GPUs are."""
    if device != "host" or not locate(PROGRAM):
        return False
    words = (
        ["--mib", "16", "--dirty", "16", "--planes", "8", "--width", "64", "--cells", "32"] if quick else []
    )
    lines: list[dict[str, Any]] = []
    for faults in ("uffd", "signal"):
        try:
            lines += measure_lines(PROGRAM, [*words, "--faults", faults], device, 2, 1800)
        except TasukiError as error:  # userfaultfd may be refused here
            console.print(f"space: {error}", markup=False, highlight=False)
    if lines:
        write_lines(folder / RECORD, lines)
        show(console, folder)
    return bool(lines)
