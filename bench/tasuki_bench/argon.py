"""Replica-steps a second of argon by size and number of devices: measured by ``tasuki-bench-argon``.

``python -m tasuki_bench.argon`` measures, prints the table and keeps the lines with this machine's records,
where ``tasuki model argon --speeds FILE`` takes them from; ``--show`` prints what was kept, beside other
engines where bench/peers/argon.py ran on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.launch import cores
from tasuki.machine import gpu_names, machine_name
from tasuki.programs import locate
from tasuki.units import seconds_text
from tasuki_bench.lines import make_records, measure_lines, read_lines, rows_of, write_lines

PROGRAM = "bench-argon"
RECORD = "argon.jsonl"
PEERS = "argon-peers.json"
STUDY = {256: 38.7e3, 2048: 2.97e3}  # replica-steps a second of a GPU of the study of 2014

# Atoms x replicas. The standard jobs, and few replicas: what a device does that is not full.
SIZES = {
    "cuda": ("256x14336", "2048x14336", "256x1056", "256x132", "256x16", "2048x1056", "2048x132", "2048x16"),
    "host": ("108x16", "256x16", "256x1", "2048x4", "2048x1"),
}


@dataclass(frozen=True)
class Row:
    """An interval between exchanges: `every` steps of all replicas on `ranks` devices; `data` is the whole
    line."""

    atoms: int
    replicas: int
    ranks: int
    every: int
    seconds: float
    device: str
    data: dict[str, Any]

    @property
    def rate(self) -> float:
        """Replica-steps a second in all."""
        return self.replicas * self.every / self.seconds


def row_of(data: dict[str, Any]) -> Row:
    """A line that tasuki-bench-argon wrote."""
    return Row(
        int(data["atoms"]),
        int(data["replicas"]),
        int(data["ranks"]),
        int(data["steps_per_exchange"]),
        float(data["seconds"]),
        str(data["device"]),
        data,
    )


def measure(
    device: str, ranks: int, sizes: Iterable[str], seconds: float, timeout: float = 900.0
) -> list[Row]:
    """All sizes on so many devices."""
    words = [*sizes, "--seconds", str(seconds)]
    return rows_of(measure_lines(PROGRAM, words, device, ranks, timeout), row_of, "argon", PROGRAM)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; none where there is none."""
    return rows_of(read_lines(path), row_of, "argon", path)


def write_record(folder: Path, rows: Sequence[Row]) -> None:
    """Keeps the rows with the other records of this machine."""
    write_lines(folder / RECORD, [row.data for row in rows])


def best_peers(path: Path, device: str) -> dict[int, tuple[str, float]]:
    """By atoms, who of the others was the fastest on such a device and its replica-steps a second."""
    if not path.is_file():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    if data.get("device") != device:
        return {}
    best: dict[int, tuple[str, float]] = {}
    for entry in data["entries"]:
        if entry["ours"] or not entry["seconds"]:
            continue
        rate = entry["replicas"] * entry["steps"] / entry["seconds"]
        if rate > best.get(entry["atoms"], ("", 0.0))[1]:
            best[entry["atoms"]] = (entry["who"], rate)
    return best


def table(rows: Sequence[Row], peers: dict[int, tuple[str, float]] | None = None) -> Table:
    """A line for each size and number of devices. `efficiency`: of so many devices, against one."""
    found = Table(
        title="argon: molecular dynamics of many replicas", title_justify="left", title_style="bold"
    )
    found.add_column("device")
    columns = ("atoms", "replicas", "devices", "replica-steps/s", "atom-steps/s", "an interval", "efficiency")
    for name in (*columns, "of 2014's GPU", "best other"):
        found.add_column(name, justify="right")
    ones = {(row.device, row.atoms, row.replicas): row for row in rows if row.ranks == 1}
    ordered = sorted(rows, key=lambda row: (row.device, row.atoms, -row.replicas, row.ranks))
    for row, after in zip(ordered, [*ordered[1:], None], strict=True):
        one = ones.get((row.device, row.atoms, row.replicas))
        who = (peers or {}).get(row.atoms)
        found.add_row(
            row.device,
            str(row.atoms),
            str(row.replicas),
            str(row.ranks),
            f"{row.rate:.4g}",
            f"{row.rate * row.atoms:.3g}",
            seconds_text(row.seconds),
            f"{100 * row.rate / (one.rate * row.ranks):.1f} %" if one and row.ranks > 1 else "",
            f"{row.rate / STUDY[row.atoms]:.3g} x" if row.atoms in STUDY else "",
            f"{who[1]:.4g} ({who[0]})" if who else "",
            end_section=after is None or after.atoms != row.atoms,
        )
    return found


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    rows = read_rows(folder / RECORD)
    if rows:
        device = "cuda" if any("nvidia" in row.device.lower() for row in rows) else "host"
        console.print(table(rows, best_peers(folder / PEERS, device)))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Measures on 1, 2, 4 .. devices (on the host: ranks that share its cores), keeps and prints; False where
    it could not be measured."""
    if not locate(PROGRAM):
        return False
    rows: list[Row] = []
    try:
        for ranks in (1, 2, 4, 8):
            if ranks > devices:
                break
            sizes = SIZES[device] if ranks == 1 else SIZES[device][:2]
            rows += measure(device, ranks, sizes[:2] if quick else sizes, 0.3 if quick else 2.0)
    except TasukiError as error:
        console.print(f"argon: {error}", markup=False, highlight=False)
    if rows:
        write_record(folder, rows)
        show(console, folder)
    return bool(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, keeps and prints; or prints what was kept."""
    parser = argparse.ArgumentParser(prog="python -m tasuki_bench.argon", description=__doc__)
    parser.add_argument("--device", choices=("host", "cuda"), help="[cuda where there is a GPU]")
    parser.add_argument("--quick", action="store_true", help="the first two sizes, and shortly")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is recorded")
    parser.add_argument("--out", type=Path, default=Path("bench/results"), help="[bench/results]")
    parser.add_argument("--machine", help="the name of the folder in it [from GPU or processor]")
    options = parser.parse_args(arguments)
    gpus = gpu_names()
    device = options.device or ("cuda" if gpus else "host")
    folder = options.out / (options.machine or machine_name(gpus if device == "cuda" else []))
    console = Console(width=None if sys.stdout.isatty() else 140)
    try:
        if options.show:
            show(console, folder)
            return 0
        make_records(folder)
        return 0 if run(console, folder, device, len(gpus) if gpus else cores(), options.quick) else 1
    except (TasukiError, OSError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
