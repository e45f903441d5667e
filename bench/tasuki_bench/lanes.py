"""What cores kept free for communication threads, and lanes, bring to messages through MPI: measured by
``tasuki-bench-lanes`` on the host, as mean, smallest and largest over repetitions.

``python -m tasuki_bench.lanes`` measures, prints the tables and keeps them with this machine's records;
``--show`` prints what was kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.arguments import seconds
from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.machine import gpu_names, machine_name
from tasuki.programs import find_program
from tasuki.row_file import read_row_file, write_row_file
from tasuki.units import bytes_text, seconds_text
from tasuki_bench.lines import make_records
from tasuki_bench.steps import reason_of, run_quietly

PROGRAM = "bench-lanes"
RECORD = "lanes.json"


@dataclass(frozen=True)
class Times:
    """Seconds over so many repetitions, of which the slowest rank counts."""

    mean: float
    smallest: float
    largest: float
    repetitions: int

    def __str__(self) -> str:
        return f"{seconds_text(self.mean)} ({seconds_text(self.smallest)} .. {seconds_text(self.largest)})"


@dataclass(frozen=True)
class Row:
    """An exchange of messages of `bytes` with so many progress cores a rank and so many lanes: by itself, and
    what it adds to arithmetic beside it. `refused` says why there are no times."""

    cores: int
    lanes: int
    bytes: int
    ranks: int
    alone: Times | None = None
    beside: Times | None = None
    refused: str = ""


def row_of(data: dict[str, Any]) -> Row:
    """A row of a line that tasuki-bench-lanes wrote, or of a record."""
    times = {name: Times(**data[name]) if data.get(name) else None for name in ("alone", "beside")}
    return Row(
        data["cores"],
        data["lanes"],
        data["bytes"],
        data["ranks"],
        times["alone"],
        times["beside"],
        data.get("refused") or "",
    )


def measure(
    ranks: int = 2, rounds: int = 3, seconds: float = 0.1, options: Sequence[str] = (), timeout: float = 900.0
) -> list[Row]:
    """All settings, measured on so many ranks of this host."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "lanes.jsonl"
        words = [str(find_program(PROGRAM)), "--device", "host", "--out", str(out)]
        words += ["--rounds", str(rounds), "--seconds", str(seconds), *options]
        command, environment = launch_command(words, ranks)
        status, said = run_quietly(command, environment, timeout)
        if status != 0 or not out.is_file():
            raise TasukiError(f"{PROGRAM}: {reason_of(status, said)}", "run it by hand to see more")
        return [row_of(json.loads(line)) for line in out.read_text(encoding="utf-8").splitlines()]


def write_record(folder: Path, rows: Sequence[Row]) -> None:
    """Keeps the rows with the other records of this machine."""
    write_row_file(folder / RECORD, rows)


def read_record(folder: Path) -> list[Row]:
    """The rows of the record in `folder`; none where there is no record."""
    return read_row_file(folder / RECORD, row_of)


def _times(times: Times | None) -> list[str]:
    if times is None:
        return ["-"] * 3
    return [seconds_text(value) for value in (times.mean, times.smallest, times.largest)]


def table(rows: Sequence[Row]) -> Table:
    """A line for each setting, by size. Beside work of its own length an exchange takes no time where all of
    it is hidden."""
    ranks = rows[0].ranks if rows else 0
    found = Table(
        title=f"messages through MPI on {ranks} ranks of the host, by progress cores a rank and lanes"
    )
    for name in ("bytes", "cores", "lanes", "alone: mean", "smallest", "largest", "beside work: mean"):
        found.add_column(name, justify="right")
    found.add_column("smallest", justify="right")
    found.add_column("largest", justify="right")
    ordered = sorted(rows, key=lambda row: (row.bytes, row.cores, row.lanes))
    for row, after in zip(ordered, [*ordered[1:], None], strict=True):
        times = [row.refused] if row.refused else [*_times(row.alone), *_times(row.beside)]
        last = after is None or after.bytes != row.bytes
        found.add_row(bytes_text(row.bytes), str(row.cores), str(row.lanes), *times, end_section=last)
    return found


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    rows = read_record(folder)
    if rows:
        console.print(table(rows))
    return bool(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, keeps and prints; or prints what was kept."""
    parser = argparse.ArgumentParser(prog="python -m tasuki_bench.lanes", description=__doc__)
    parser.add_argument("-n", "--ranks", type=int, default=2, help="[2]")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all settings [3]")
    parser.add_argument("--seconds", type=seconds, default=0.1, help="of a measurement [0.1]")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is recorded")
    parser.add_argument("--out", type=Path, default=Path("bench/results"), help="[bench/results]")
    parser.add_argument("--machine", help="the name of the folder in it [from GPU or processor]")
    options, more = parser.parse_known_args(arguments)
    folder = options.out / (options.machine or machine_name(gpu_names()))
    console = Console(width=None if sys.stdout.isatty() else 120)
    try:
        if not options.show:
            make_records(folder)
            write_record(folder, measure(options.ranks, options.rounds, options.seconds, more))
        show(console, folder)
    except (TasukiError, OSError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
