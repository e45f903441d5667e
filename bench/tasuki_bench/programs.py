"""The programs by size and number of devices: which are run, how each is spread, the best run of each."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.execute import execute
from tasuki.record import Record, read_record
from tasuki.units import seconds_text
from tasuki_bench.kernels import Kernel, pairs, percent, stream_bandwidth


@dataclass(frozen=True)
class Case:
    """One program at one size. `bytes_a_cell` is the least traffic to memory for a cell and step; the cells
    that are updated are those of the grid less `rim` at either end of each axis."""

    name: str
    device: str
    program: str
    arguments: tuple[str, ...]
    steps: int
    bytes_a_cell: int
    rim: int = 0


# Read and written a cell: 2 x 4 bytes (laplace), 2 x 8 (diffusion), 13 + 1 arrays x 4 (himeno).
CASES = (
    Case("himeno S", "host", "himeno", ("--size", "S", "--gosa", "last"), 600, 56, rim=1),
    Case("himeno M", "host", "himeno", ("--size", "M", "--gosa", "last"), 100, 56, rim=1),
    Case("laplace 4096^2 fp32", "host", "laplace", ("--nx", "4096", "--ny", "4096"), 200, 8),
    Case("diffusion 256^3 fp64", "host", "diffusion", ("--n", "256", "--precision", "double"), 60, 16),
    Case("laplace 16384^2 fp32", "cuda", "laplace", ("--nx", "16384", "--ny", "16384"), 2000, 8),
    Case("himeno L", "cuda", "himeno", ("--size", "L", "--gosa", "last"), 2000, 56, rim=1),
    Case("diffusion 512^3 fp64", "cuda", "diffusion", ("--n", "512", "--precision", "double"), 2000, 16),
)


@dataclass(frozen=True)
class Layout:
    """How a case is spread: `ranks` of `threads` each. `share` is the part of a device that a rank has."""

    ranks: int
    threads: int
    devices: int

    def __str__(self) -> str:
        return f"{self.ranks} x {self.threads}" if self.threads else str(self.ranks)


def layouts(device: str, gpus: int, host_cores: int) -> list[Layout]:
    """1, 2, 4, ... GPUs; on the host always all cores, shared by 1, 2, 4, ... ranks."""
    if device == "cuda":
        return [Layout(count, 0, count) for count in (1, 2, 4, 8) if count <= gpus]
    return [
        Layout(count, host_cores // count, 1)
        for count in (1, 2, 4)
        if count <= host_cores and host_cores % count == 0
    ]


@dataclass(frozen=True)
class Result:
    """The best run of a case in a layout."""

    case: Case
    layout: Layout
    record: Record

    @property
    def step(self) -> float:
        """Seconds a step."""
        return self.record.seconds / max(1, self.record.steps)

    @property
    def bandwidth(self) -> float:
        """bytes/s to memory, of all devices together, if each cell moves only what it must."""
        cells = math.prod(extent - 2 * self.case.rim for extent in self.record.extents)
        return cells * self.case.bytes_a_cell / self.step


def efficiency(result: Result, one: Result | None) -> float | None:
    """Of strong scaling: the time on one device over the time on n, by n."""
    return one.step / (result.step * result.layout.devices) if one else None


def slug(what: Case | Layout) -> str:
    """Its part of a record's name."""
    text = f"{what.name} {what.device}" if isinstance(what, Case) else str(what)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def recorded_results(folder: Path) -> list[Result]:
    """What was kept of the programs, as far as they are in CASES."""
    found = []
    for case in CASES:
        for path in sorted(folder.glob(f"{slug(case)}-*.json")):
            layout = re.fullmatch(r"(\d+)(?:-x-(\d+))?", path.stem.removeprefix(f"{slug(case)}-"))
            if layout:
                ranks, threads = int(layout[1]), int(layout[2] or 0)
                devices = ranks if case.device == "cuda" else 1
                found.append(Result(case, Layout(ranks, threads, devices), read_record(path)))
    return found


def run_case(case: Case, layout: Layout, folder: Path, repeats: int, shorten: int) -> Result:
    """Runs `case` in `layout` `repeats` times and keeps the record of the fastest."""
    words = [*case.arguments, "--device", case.device, "--times", str(max(1, case.steps // shorten))]
    words += ["--threads", str(layout.threads)] if layout.threads else []
    best: Record | None = None
    target, trial = folder / f"{slug(case)}-{slug(layout)}.json", folder / f"{slug(case)}.part.json"
    for _ in range(repeats):
        status, record = execute(case.program, words, layout.ranks, trial, progress="none", echo=False)
        if record is None or status != 0:
            trial.unlink(missing_ok=True)
            raise TasukiError(f"{case.name} on {layout} failed with status {status}", "see above", 1)
        if best is None or record.seconds < best.seconds:
            best = record
            os.replace(trial, target)  # noqa: PTH105
    trial.unlink(missing_ok=True)
    return Result(case, layout, read_record(target))


def results_table(results: Sequence[Result], kernels: Sequence[Kernel]) -> Table:
    """The programs side by side."""
    table = Table(title="programs", title_justify="left", title_style="bold")
    columns = ("program", "device", "ranks", "step", "merit", "GB/s", "of stream", "efficiency")
    for column in columns:
        table.add_column(column, justify="left" if column in ("program", "device") else "right")
    ones = {(r.case.name, r.case.device): r for r in results if r.layout.ranks == 1}
    last = None
    for result in results:
        if last is not None and last != result.case:
            table.add_section()
        last = result.case
        stream = stream_bandwidth(kernels, result.case.device)
        merit = result.record.merit
        one = ones.get((result.case.name, result.case.device))
        table.add_row(
            result.case.name,
            result.case.device,
            str(result.layout),
            seconds_text(result.step),
            f"{merit.value:.4g} {merit.name}" if merit else "",
            f"{result.bandwidth / 1e9:.1f}",
            percent(result.bandwidth / (stream * result.layout.devices) if stream else None),
            percent(efficiency(result, one)),
        )
    return table


def summary(results: Sequence[Result], kernels: Sequence[Kernel]) -> dict[str, Any]:
    """The same numbers as JSON."""
    ones = {(r.case.name, r.case.device): r for r in results if r.layout.ranks == 1}
    rows = []
    for result in results:
        stream = stream_bandwidth(kernels, result.case.device)
        rows.append(
            {
                "case": result.case.name,
                "device": result.case.device,
                "ranks": result.layout.ranks,
                "threads": result.layout.threads or None,
                "seconds_a_step": result.step,
                "merit": vars(result.record.merit) if result.record.merit else None,
                "bytes_per_second": result.bandwidth,
                "of_stream": result.bandwidth / (stream * result.layout.devices) if stream else None,
                "efficiency": efficiency(result, ones.get((result.case.name, result.case.device))),
                "record": result.record.path.name,
            }
        )
    costs = {name: ours.seconds / plain.seconds - 1 for name, plain, ours in pairs(kernels)}
    streams = {device: stream_bandwidth(kernels, device) for device in ("host", "cuda")}
    return {"schema": 1, "stream_bytes_per_second": streams, "cost_of_abstraction": costs, "programs": rows}
