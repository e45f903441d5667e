"""The Wilson-Dirac operator and its solvers by lattice, precision and number of devices: measured by
``tasuki-bench-wilson``, which counts flops and bytes.

``python -m tasuki.bench --tables wilson`` measures, prints the table and keeps the lines with this machine's
records. Beside them stand other codes where bench/peers/wilson.py ran on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.programs import locate
from tasuki.units import seconds_text
from tasuki_bench.lines import measure_lines, read_lines, rows_of, write_lines

PROGRAM = "bench-wilson"
RECORD = "wilson.jsonl"
PEERS = "wilson-peers.json"
# The study's lattices, and one that is small on four devices.
LATTICES = {"cuda": ("32x32x32x64", "16x16x16x32", "48x48x48x96"), "host": ("16x16x16x16", "8x8x8x16")}


@dataclass(frozen=True)
class Row:
    """One figure: an operator on all sites, an iteration of BiCGStab, or a solve to a residual of 1e-10."""

    what: str
    lattice: str
    precision: str
    links: int
    ranks: int
    device: str
    seconds: float
    flops: float  # a second
    share: float | None  # of what memory streams, by the count of bytes without reuse
    iterations: int | None
    columns: int  # right-hand sides at once; seconds are those of one

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What it has to be compared with on another number of devices."""
        return self.what, self.lattice, self.precision, self.links, self.columns


def row_of(line: dict[str, Any]) -> Row:
    """A line that tasuki-bench-wilson wrote."""
    moved = line.get("bytes_per_second")
    return Row(
        str(line["case"]).removeprefix("wilson/"),
        "x".join(str(n) for n in line["extents"]),
        str(line["precision"]),
        int(line["links"]),
        int(line["ranks"]),
        str(line["device"]),
        float(line["seconds"]),
        float(line["flops_per_second"]),
        float(moved) / float(line["stream_bytes_per_second"]) if moved is not None else None,
        int(line["iterations"]) if "iterations" in line else None,
        int(line.get("columns", 1)),
    )


Peers = dict[tuple[str, str, str, int], tuple[str, float]]


def best_peers(path: Path, device: str) -> Peers:
    """By figure, lattice, precision and links, who of the others was the fastest on such a device, and
    seconds."""
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        best: Peers = {}
        for entry in data["entries"] if data["device"] == device else []:
            what, links = str(entry.get("what", "iteration")), int(entry.get("links", 18))
            key = (what, str(entry["lattice"]), str(entry["precision"]), links)
            seconds = float(entry["seconds"])
            if not entry["ours"] and 0 < seconds < best.get(key, ("", float("inf")))[1]:
                best[key] = (str(entry["who"]), seconds)
    except (ValueError, KeyError, TypeError) as error:
        raise TasukiError(f"{path} holds no figures of peers ({error})", "measure again") from None
    return best


def table(rows: Sequence[Row], peers: Peers | None = None) -> Table:
    """A line for each figure. `columns`: right-hand sides at once, time of one. `efficiency`: of so many
    devices, against one."""
    title = (
        "wilson: operator (1320 flop a site), iteration of BiCGStab, solve to 1e-10; bytes: links + 8 spinors"
    )
    found = Table(title=title, title_justify="left", title_style="bold")
    for name in ("", "lattice", "precision"):
        found.add_column(name)
    for name in (
        "links",
        "columns",
        "devices",
        "time",
        "GFLOP/s",
        "of streaming",
        "iterations",
        "efficiency",
        "best other",
    ):
        found.add_column(name, justify="right")
    ones = {row.key: row for row in rows if row.ranks == 1}
    ordered = sorted(rows, key=lambda row: (*row.key, row.ranks))
    for row, after in zip(ordered, [*ordered[1:], None], strict=True):
        one = ones.get(row.key)
        other = (
            (peers or {}).get((row.what, row.lattice, row.precision, row.links)) if row.columns == 1 else None
        )
        found.add_row(
            row.what,
            row.lattice,
            row.precision,
            str(row.links),
            str(row.columns),
            str(row.ranks),
            seconds_text(row.seconds),
            f"{row.flops * 1e-9:.4g}",
            f"{100 * row.share:.1f} %" if row.share is not None else "",
            str(row.iterations) if row.iterations is not None else "",
            f"{100 * one.seconds / (row.seconds * row.ranks):.1f} %" if one and row.ranks > 1 else "",
            f"{seconds_text(other[1])} ({other[0]})" if other else "",
            end_section=after is None or (after.what, after.lattice) != (row.what, row.lattice),
        )
    return found


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    path = folder / RECORD
    rows = rows_of(read_lines(path), row_of, "wilson", path)
    if rows:
        device = "cuda" if any("nvidia" in row.device.lower() for row in rows) else "host"
        console.print(table(rows, best_peers(folder / PEERS, device)))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Measures on 1, 2, 4 .. devices (on the host: ranks that share its cores), keeps and prints; False where
    it could not be measured."""
    if not locate(PROGRAM):
        return False
    lines: list[dict[str, Any]] = []
    lattices = LATTICES[device][-1:] if quick and device == "host" else LATTICES[device][: 2 if quick else 3]
    try:
        for ranks in (1, 2, 4, 8):
            if ranks > devices:
                break
            words = [*lattices, "--seconds", "0.2" if quick else "1"]
            lines += measure_lines(PROGRAM, words, device, ranks, 1800)
    except TasukiError as error:
        console.print(f"wilson: {error}", markup=False, highlight=False)
    if lines:
        write_lines(folder / RECORD, lines)
        show(console, folder)
    return bool(lines)
