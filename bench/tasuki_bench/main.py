"""``make bench``: the kernels by themselves and the programs on 1, 2, 4 devices, side by side in one run.

``tasuki-bench`` (Google Benchmark) measures what this machine can stream, and the stencils against loops by
hand; the programs are then run by size and number of devices, each a few times of which the best counts.
``tasuki-bench-steps`` times them by executor at small sizes (steps.GROUPS says what). All records go to
``bench/results/MACHINE/``. programs.CASES is the one place that says which programs are run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from tasuki.errors import TasukiError
from tasuki.launch import cores
from tasuki.machine import gpu_names, machine_name
from tasuki.output import write_text
from tasuki.programs import locate
from tasuki.units import seconds_text
from tasuki_bench import argon, directives, formats, lanes, measured, moves, remote, space, wilson
from tasuki_bench import steps as small
from tasuki_bench import tables as step_tables
from tasuki_bench.kernels import Kernel, recorded_kernels, run_kernels, show_kernels, stream_bandwidth
from tasuki_bench.lines import make_records
from tasuki_bench.programs import (
    CASES,
    Result,
    layouts,
    recorded_results,
    results_table,
    run_case,
    summary,
)
from tasuki_bench.shapes import show_shapes
from tasuki_bench.steps import Group, Row

Measured = list[tuple[Group, list[Row]]]


def groups_measured(rows: Sequence[Row]) -> Measured:
    """The groups that any of the rows are of, in the order of steps.GROUPS."""
    found = [
        (group, [row for row in rows if (row.group, row.device) == (group.name, group.device)])
        for group in small.GROUPS
    ]
    return [(group, mine) for group, mine in found if mine]


def run_steps(
    console: Console,
    device: str,
    devices: int,
    tables: Sequence[str],
    ways: str,
    big: bool,
    effort: small.Effort,
) -> list[Row]:
    """All groups of a device that are in `tables`; `ways` is a pattern for the columns."""
    rows: list[Row] = []
    for group, counts in small.groups_for(device, devices, tables):
        cases = [*group.cases, *(group.big if big else ())]
        for ranks in counts:
            threads = group.threads or (max(1, devices // ranks) if device == "host" else None)
            for way in group.ways:
                if not re.search(ways, way.label):
                    continue
                began = time.monotonic()
                fresh = small.measure(group.name, cases, way, ranks, device, threads, effort)
                rows += fresh
                done = sum(row.measured for row in fresh)
                took = time.monotonic() - began
                if not console.is_terminal:
                    name = f"{group.name} on {device}, {way.label}, {ranks} ranks"
                    print(f"{name}: {done} of {len(cases)} cases ({took:.0f} s)", flush=True)
    return rows


def run_lanes(console: Console, folder: Path, quick: bool) -> bool:
    """What cores of their own and lanes bring to messages of MPI; False where it was not measured."""
    if not locate(lanes.PROGRAM):
        return False
    try:
        rounds, seconds = (1, 0.02) if quick else (3, 0.1)
        lanes.write_record(folder, lanes.measure(2, rounds, seconds))
        lanes.show(console, folder)
    except TasukiError as error:
        console.print(f"lanes: {error}", markup=False, highlight=False)
        return False
    return True


def show_steps(console: Console, folder: Path, rows: Sequence[Row], kernels: Sequence[Kernel]) -> None:
    """The tables of small steps, why some of their places are empty, and their pictures in `folder`."""
    from tasuki_bench.plots import plot_groups  # matplotlib takes its time

    streams = {device: stream_bandwidth(kernels, device) for device in ("host", "cuda")}
    rivals = step_tables.read_rivals(folder / "peers.json")
    found = groups_measured(rows)
    for group, mine in found:
        console.print(step_tables.group_table(group, mine, streams[group.device], rivals))
        extra = step_tables.neighbours_table(group, mine)
        if extra:
            console.print(extra)
        for line in step_tables.refusals(mine):
            console.print(f"  -  {line}", markup=False, highlight=False)
        regret = step_tables.regret_line(group, mine)
        if regret:
            console.print(regret, markup=False, highlight=False)
    for picture in plot_groups(found, folder, streams):
        console.print(f"picture: {picture}", markup=False, highlight=False)


APPS = {
    "argon": argon.run,
    "wilson": wilson.run,
    "directives": directives.run,
    "formats": formats.run,
    "moves": moves.run,
    "space": space.run,
    "remote": remote.run,
}
SHOWN = {
    "lanes": lanes.show,
    "argon": argon.show,
    "wilson": wilson.show,
    "directives": directives.show,
    "formats": formats.show,
    "moves": moves.show,
    "space": space.show,
    "remote": remote.show,
}
TABLES = ("kernels", "programs", *dict.fromkeys(group.name for group in small.GROUPS), "lanes", *APPS)


def _tables(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no table {unknown[0]}; choose of {', '.join(TABLES)}")
    return names


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tasuki_bench", description=__doc__)
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


def show_recorded(console: Console, folder: Path, tables: Sequence[str]) -> int:
    """The tables that are asked for and recorded, and their pictures once more; names the others."""
    try:
        kernels = recorded_kernels(folder)
        rows = [row for row in small.read_record(folder) if row.group in tables]
        found = {row.group for row in rows}
        if "kernels" in tables and kernels:
            show_kernels(console, kernels)
            show_shapes(console, kernels)
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
    effort = small.Effort(0.06, 3) if options.quick else small.Effort()
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
    state, started = measured.state(sys.argv[1:] if arguments is None else arguments), time.time()
    try:
        make_records(folder)
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
        if locate(small.PROGRAM) and not options.only:
            for device in devices:
                count = len(gpus) if device == "cuda" else cores()
                steps += run_steps(console, device, count, options.tables, options.ways, options.big, effort)
    except (TasukiError, OSError, ValueError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1
    if kernels and wanted:
        show_kernels(console, kernels)
        show_shapes(console, kernels)
    if results:
        console.print(results_table(results, kernels))
        write_text(folder / "summary.json", json.dumps(summary(results, kernels), indent=2) + "\n")
    if steps:
        small.write_record(folder, steps)
        show_steps(console, folder, steps, kernels)
    timed = bool(results) or any(row.measured for row in steps)
    if "lanes" in options.tables and "host" in devices and not options.only and cores() > 1:
        timed = run_lanes(console, folder, options.quick) or timed
    for name, run in APPS.items():
        if name in options.tables and not options.only:
            device = devices[0]  # one folder is one machine: its GPUs where they are measured
            count = len(gpus) if device == "cuda" else cores()
            timed = run(console, folder, device, count, options.quick) or timed
    tables = {f"{small.RECORD} {row.group}" for row in steps}
    measured.note(folder, [*measured.fresh(folder, started), *sorted(tables)], state)
    console.print(f"records: {folder}", markup=False, highlight=False)
    return 1 if failures or not timed else 0


if __name__ == "__main__":
    sys.exit(main())
