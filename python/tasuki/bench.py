"""``make bench``: the kernels by themselves and the programs on 1, 2, 4 devices, side by side in one run.

``tasuki-bench`` (Google Benchmark) measures what this machine can stream, and the stencils against loops by
hand; the programs are then run by size and number of devices, each a few times of which the best counts.
``tasuki-bench-steps`` times them by executor at small sizes (bench_steps.GROUPS says what). All records go to
``bench/results/MACHINE/``. CASES below is the one place that says which programs are run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tasuki import bench_argon, bench_lanes, bench_steps, bench_tables, bench_wilson
from tasuki.bench_steps import Group, Row
from tasuki.cli import execute
from tasuki.errors import TasukiError
from tasuki.launch import cores, launch_command
from tasuki.machine import gpu_names, machine_name
from tasuki.programs import locate
from tasuki.record import Record, read_record
from tasuki.units import seconds_text


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

# Benchmarks of tasuki-bench are named WHAT/.../DEVICE/...; those that begin with STREAM tell the bandwidth.
STREAM = "stream"
# A name with the part `plain` is the loop by hand for the same name with `tasuki` in its place.
BY_HAND, OURS = "plain", "tasuki"


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
class Kernel:
    """One line of tasuki-bench: seconds for a repetition, bytes/s where it counts them."""

    name: str
    seconds: float
    bandwidth: float

    @property
    def device(self) -> str:
        """host or cuda, by the parts of its name."""
        return "cuda" if "cuda" in re.split(r"[/_:<>, ]", self.name.lower()) else "host"


def read_kernels(path: Path) -> list[Kernel]:
    """The measurements in Google Benchmark's JSON at `path`; of repetitions, the fastest one."""
    data = json.loads(path.read_text(encoding="utf-8"))
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    best: dict[str, Kernel] = {}
    for entry in data.get("benchmarks", []):
        if entry.get("run_type", "iteration") != "iteration" or entry.get("error_occurred"):
            continue
        name = re.sub(r"/(real_time|manual_time|process_time|iterations:\d+|repeats:\d+)", "", entry["name"])
        seconds = float(entry["real_time"]) * scale[entry.get("time_unit", "ns")]
        kernel = Kernel(name, seconds, float(entry.get("bytes_per_second", 0.0)))
        if name not in best or seconds < best[name].seconds:
            best[name] = kernel
    return list(best.values())


def stream_bandwidth(kernels: Sequence[Kernel], device: str) -> float | None:
    """The most bytes/s that a streaming benchmark reached on `device`."""
    found = [k.bandwidth for k in kernels if k.name.lower().startswith(STREAM) and k.device == device]
    return max(found, default=None) if found else None


def pairs(kernels: Sequence[Kernel]) -> Iterator[tuple[str, Kernel, Kernel]]:
    """Each stencil by hand and by Tasuki: what they have in common, the one, the other."""
    by_name = {kernel.name: kernel for kernel in kernels}
    for name, plain in by_name.items():
        parts = name.split("/")
        if BY_HAND in parts:
            ours = by_name.get("/".join(OURS if part == BY_HAND else part for part in parts))
            if ours:
                yield "/".join(part for part in parts if part != BY_HAND), plain, ours


def run_kernels(folder: Path, pattern: str | None) -> list[Kernel]:
    """Runs tasuki-bench, where it was built, and reads what it measured."""
    program = locate("bench")
    if program is None:
        return []
    out = folder / "kernels.json"
    words = [str(program), f"--benchmark_out={out}", "--benchmark_out_format=json"]
    words += [f"--benchmark_filter={pattern}"] if pattern else []
    command, environment = launch_command(words, 1)
    status = subprocess.run(command, env=environment, check=False, stdin=subprocess.DEVNULL).returncode
    if status != 0 or not out.is_file():
        raise TasukiError(f"tasuki-bench ended with status {status}", "see what it says above", 1)
    return read_kernels(out)


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


def _share(value: float | None) -> str:
    return f"{100 * value:.1f} %" if value is not None else ""


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
            _share(result.bandwidth / (stream * result.layout.devices) if stream else None),
            _share(efficiency(result, one)),
        )
    return table


def kernels_table(kernels: Sequence[Kernel]) -> Table:
    """What tasuki-bench measured by itself."""
    table = Table(title="kernels", title_justify="left", title_style="bold")
    table.add_column("benchmark")
    for column in ("time", "GB/s", "of stream"):
        table.add_column(column, justify="right")
    for kernel in kernels:
        stream = stream_bandwidth(kernels, kernel.device)
        share = kernel.bandwidth / stream if stream and kernel.bandwidth else None
        bandwidth = f"{kernel.bandwidth / 1e9:.1f}" if kernel.bandwidth else ""
        table.add_row(kernel.name, seconds_text(kernel.seconds), bandwidth, _share(share))
    return table


def pairs_table(kernels: Sequence[Kernel]) -> Table:
    """What the abstraction costs."""
    table = Table(title="against a loop by hand", title_justify="left", title_style="bold")
    table.add_column("stencil")
    for column in ("by hand", "tasuki", "costs"):
        table.add_column(column, justify="right")
    for name, plain, ours in pairs(kernels):
        cost = 100 * (ours.seconds / plain.seconds - 1)
        table.add_row(name, seconds_text(plain.seconds), seconds_text(ours.seconds), f"{cost:+.1f} %")
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


Measured = list[tuple[Group, list[Row]]]


def groups_measured(rows: Sequence[Row]) -> Measured:
    """The groups that any of the rows are of, in the order of bench_steps.GROUPS."""
    found = [
        (group, [row for row in rows if (row.group, row.device) == (group.name, group.device)])
        for group in bench_steps.GROUPS
    ]
    return [(group, mine) for group, mine in found if mine]


def run_steps(
    console: Console,
    device: str,
    devices: int,
    tables: Sequence[str],
    ways: str,
    big: bool,
    effort: bench_steps.Effort,
) -> list[Row]:
    """All groups of a device that are in `tables`; `ways` is a pattern for the columns."""
    rows: list[Row] = []
    for group, counts in bench_steps.groups_for(device, devices, tables):
        cases = [*group.cases, *(group.big if big else ())]
        for ranks in counts:
            threads = group.threads or (max(1, devices // ranks) if device == "host" else None)
            for way in group.ways:
                if not re.search(ways, way.label):
                    continue
                began = time.monotonic()
                fresh = bench_steps.measure(group.name, cases, way, ranks, device, threads, effort)
                rows += fresh
                done = sum(row.measured for row in fresh)
                took = time.monotonic() - began
                if not console.is_terminal:
                    name = f"{group.name} on {device}, {way.label}, {ranks} ranks"
                    print(f"{name}: {done} of {len(cases)} cases ({took:.0f} s)", flush=True)
    return rows


def run_lanes(console: Console, folder: Path, quick: bool) -> bool:
    """What cores of their own and lanes bring to messages of MPI; False where it was not measured."""
    if not locate(bench_lanes.PROGRAM):
        return False
    try:
        rounds, seconds = (1, 0.02) if quick else (3, 0.1)
        bench_lanes.write_record(folder, bench_lanes.measure(2, rounds, seconds))
        bench_lanes.show(console, folder)
    except TasukiError as error:
        console.print(f"lanes: {error}", markup=False, highlight=False)
        return False
    return True


def show_steps(console: Console, folder: Path, rows: Sequence[Row], kernels: Sequence[Kernel]) -> None:
    """The tables of small steps, why some of their places are empty, and their pictures in `folder`."""
    from tasuki.bench_plots import plot_groups  # matplotlib takes its time

    streams = {device: stream_bandwidth(kernels, device) for device in ("host", "cuda")}
    rivals = bench_tables.read_rivals(folder / "peers.json")
    measured = groups_measured(rows)
    for group, mine in measured:
        console.print(bench_tables.group_table(group, mine, streams[group.device], rivals))
        extra = bench_tables.neighbours_table(group, mine)
        if extra:
            console.print(extra)
        for line in bench_tables.refusals(mine):
            console.print(f"  -  {line}", markup=False, highlight=False)
    for picture in plot_groups(measured, folder, streams):
        console.print(f"picture: {picture}", markup=False, highlight=False)


APPS = {"argon": bench_argon.run, "wilson": bench_wilson.run}
SHOWN = {"lanes": bench_lanes.show, "argon": bench_argon.show, "wilson": bench_wilson.show}
TABLES = ("kernels", "programs", *dict.fromkeys(group.name for group in bench_steps.GROUPS), "lanes", *APPS)


def _tables(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no table {unknown[0]}; choose of {', '.join(TABLES)}")
    return names


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tasuki.bench", description=__doc__)
    parser.add_argument(
        "--device", choices=("host", "cuda", "all"), default="all", help="[all that there are]"
    )
    parser.add_argument("--only", metavar="REGEX", help="only the cases whose name matches")
    parser.add_argument("--filter", metavar="REGEX", help="only these benchmarks of tasuki-bench")
    parser.add_argument("--tables", type=_tables, default=list(TABLES), help=f"of {','.join(TABLES)} [all]")
    parser.add_argument("--ways", metavar="REGEX", default="", help="only these columns of the small steps")
    parser.add_argument("--big", action="store_true", help="sizes that take long as well: himeno XL")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what is recorded")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each case, the best counts [3]")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the steps, one repeat, no tasuki-bench"
    )
    parser.add_argument("--out", type=Path, default=Path("bench/results"), help="[bench/results]")
    parser.add_argument("--machine", help="the name of the folder in it [from GPU or processor]")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error("--repeats must be 1 or more")
    return options


def recorded_kernels(folder: Path) -> list[Kernel]:
    """What tasuki-bench measured on this machine before, for the bandwidth of its memory."""
    path = folder / "kernels.json"
    return read_kernels(path) if path.is_file() else []


def show_kernels(console: Console, kernels: Sequence[Kernel]) -> None:
    """The tables of tasuki-bench."""
    console.print(kernels_table(kernels))
    if any(pairs(kernels)):
        console.print(pairs_table(kernels))


def show_recorded(console: Console, folder: Path, tables: Sequence[str]) -> int:
    """The tables that are asked for and recorded, and their pictures once more; names the others."""
    try:
        kernels = recorded_kernels(folder)
        rows = [row for row in bench_steps.read_record(folder) if row.group in tables]
        found = {row.group for row in rows}
        if "kernels" in tables and kernels:
            show_kernels(console, kernels)
            found.add("kernels")
        results = recorded_results(folder) if "programs" in tables else []
        if results:
            console.print(results_table(results, kernels))
            found.add("programs")
        if rows:
            show_steps(console, folder, rows, kernels)
        found |= {name for name, show in SHOWN.items() if name in tables and show(console, folder)}
        missing = ", ".join(name for name in tables if name not in found)
        if not found:
            raise TasukiError(f"{folder} has no record of {missing}", "measure first, or name --machine")
    except (TasukiError, OSError, ValueError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1
    if missing:
        console.print(f"no record of {missing}", markup=False, highlight=False)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all cases that this machine can run, prints the tables and writes the records."""
    options = _options(arguments)
    console = Console(width=None if sys.stdout.isatty() else 120)
    gpus = gpu_names()
    devices = ["cuda", "host"] if options.device == "all" else [options.device]
    if options.device == "all" and not gpus:
        devices = ["host"]
    folder = options.out / (options.machine or machine_name(gpus if "cuda" in devices else []))
    shorten, repeats = (10, 1) if options.quick else (1, options.repeats)
    effort = bench_steps.Effort(0.06, 3) if options.quick else bench_steps.Effort()
    if options.show:
        return show_recorded(console, folder, options.tables)
    work = [
        (case, layout)
        for case in CASES
        if "programs" in options.tables
        and case.device in devices
        and (not options.only or re.search(options.only, case.name))
        for layout in layouts(case.device, len(gpus), cores())
    ]
    results: list[Result] = []
    failures = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        wanted = "kernels" in options.tables and not options.quick
        kernels = run_kernels(folder, options.filter) if wanted else recorded_kernels(folder)
        columns = (*Progress.get_default_columns(), TimeElapsedColumn(), TextColumn("{task.fields[now]}"))
        with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task("programs", total=len(work), now="")
            for case, layout in work:
                name = f"{case.name} on {case.device}, {layout} ranks"
                bar.update(task, now=name)
                began = time.monotonic()
                try:
                    results.append(run_case(case, layout, folder, repeats, shorten))
                    done = f"{seconds_text(results[-1].step)} a step"
                except TasukiError as error:
                    failures += 1
                    done = f"failed: {error}"
                if not console.is_terminal:
                    print(f"{name}: {done} ({time.monotonic() - began:.0f} s)", flush=True)
                bar.advance(task)
        steps: list[Row] = []
        if locate(bench_steps.PROGRAM) and not options.only:
            for device in devices:
                count = len(gpus) if device == "cuda" else cores()
                steps += run_steps(console, device, count, options.tables, options.ways, options.big, effort)
    except (TasukiError, OSError, ValueError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1
    if kernels and wanted:
        show_kernels(console, kernels)
    if results:
        console.print(results_table(results, kernels))
        (folder / "summary.json").write_text(json.dumps(summary(results, kernels), indent=2) + "\n")
    if steps:
        bench_steps.write_record(folder, steps)
        show_steps(console, folder, steps, kernels)
    timed = bool(results) or any(row.measured for row in steps)
    if "lanes" in options.tables and "host" in devices and not options.only and cores() > 1:
        timed = run_lanes(console, folder, options.quick) or timed
    for name, run in APPS.items():
        if name in options.tables and not options.only:
            device = devices[0]  # one folder is one machine: its GPUs where they are measured
            count = len(gpus) if device == "cuda" else cores()
            timed = run(console, folder, device, count, options.quick) or timed
    console.print(f"records: {folder}", markup=False, highlight=False)
    return 1 if failures or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
