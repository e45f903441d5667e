#!/usr/bin/env python3
"""Runs other lattice codes beside wilson: seconds of an iteration of even-odd BiCGStab on the same lattice,
and of the operator on a GPU.

    wilson.py run [--ccs-qcd PATH[:RANKS] ..] [--qws PATH ..] [--lattice 16x16x16x16] [--out FILE]
    wilson.py run --device cuda --quda FOLDER [--lattice 32x32x32x64] [--limit 150] [--out FILE]
    wilson.py show RECORD.json

All are given as they were built, QUDA as the folder of its tests; README.md says how, what is the same and
what is not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "python")]

import quda  # noqa: E402
from commands import Tool  # noqa: E402
from outputs import Unread, last_of  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from tasuki.arguments import seconds  # noqa: E402
from tasuki.errors import TasukiError  # noqa: E402
from tasuki.launch import cores, launch_command  # noqa: E402
from tasuki.machine import gpu_names, machine_name  # noqa: E402
from tasuki.units import seconds_text  # noqa: E402
from tasuki_bench.lines import measure_lines  # noqa: E402
from tasuki_bench.wilson import PEERS, PROGRAM  # noqa: E402

# Flops of an iteration by even site: four halves of the operator and 1056 more, and what a clover term adds.
WILSON = 6336
OPERATOR = 2 * quda.HOP  # on both parities
CLOVER = 4 * 576
KAPPA = "0.11"  # of the peers' fields: converges in some twenty iterations
ASKED = ("--columns", "1", "--seconds", "0.5")  # of tasuki-bench-wilson
LONGEST = 300.0  # seconds of a run
LATTICE = {"host": "16x16x16x16", "cuda": "32x32x32x64"}
STACK = "256M"  # of an OpenMP thread: ccs-qcd keeps whole lines of sites there


@dataclass(frozen=True)
class Build:
    """A program that was built for so many ranks."""

    path: Path
    ranks: int = 1


@dataclass(frozen=True)
class Entry:
    """What one code takes for `what` in one way: an ``iteration`` of BiCGStab, one of a solve in ``mixed``
    precision, whose iterations are in `precision` and residuals in double, or the ``operator`` on all sites.
    `flops` are those at an even site; `iterations` those that a mean is of, 0 where it is not known."""

    who: str
    lattice: str
    precision: str
    ranks: int
    threads: int
    seconds: float = 0.0
    flops: int = WILSON
    ours: bool = False
    refused: str = ""
    what: str = "iteration"
    links: int = 18
    iterations: int = 0

    @property
    def rate(self) -> float:
        """Flops a second of all it does; 0 where it was refused."""
        even = math.prod(int(n) for n in self.lattice.split("x")) / 2
        return self.flops * even / self.seconds if self.seconds > 0 else 0.0


def ccs_qcd_seconds(text: str, lattice: str, ranks: int) -> float:
    """Of an iteration, which it counts as two."""
    sites = "x".join(last_of(r"^ *Lattice Size : *(\d+) +(\d+) +(\d+) +(\d+)", text))
    grid = last_of(r"^ *Node Array Size : *(\d+) +(\d+) +(\d+)", text)
    if sites != lattice or math.prod(map(int, grid)) != ranks:
        raise Unread(f"it was built for {sites} on {'x'.join(grid)} ranks")
    if not float(last_of(r"^ *Res = *(\S+)", text)[0]) < 1e-9:
        raise Unread("its solve did not converge")
    halves = int(last_of(r"^ *Iter = *(\d+)", text)[0])
    solver = text[text.index("BiCGStab(CPU:double precision)") :]
    seconds = re.search(r"Elapsed Time \[sec\] : *([\d.]+)", solver)
    if seconds is None:
        raise Unread("it does not say how long it took")
    return 2 * float(seconds[1]) / halves


def qws_seconds(text: str) -> float:
    """Of an iteration, the mean of all of its double precision solve."""
    if not float(last_of(r"^rnorm/bnorm = *(\S+)", text[: text.find("LDDHMC")])[0]) < 1e-9:
        raise Unread("its solve did not converge")
    return float(last_of(r"^ *0\s+bicgstab_iter_\s+\d+\s+\S+\s+(\S+)", text)[0])


def said(command: Sequence[str], ranks: int, threads: int, folder: str) -> str:
    """What a program prints. Its stack is as large as it may be."""
    line, environment = launch_command(command, ranks) if ranks > 1 else (list(command), dict(os.environ))
    environment |= {"OMP_NUM_THREADS": str(threads), "OMP_STACKSIZE": STACK}
    try:
        done = subprocess.run(
            ["sh", "-c", 'ulimit -s unlimited; exec "$@"', "sh", *line],
            env=environment, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unread(f"it took longer than {LONGEST:.0f} s") from None
    return done.stdout or done.stderr


def ccs_qcd(build: Build, lattice: str) -> Entry:
    """Fortran; csw 0, where its clover term is 1 and is multiplied by all the same."""
    threads = max(1, cores() // build.ranks)
    blank = Entry("ccs-qcd", lattice, "double", build.ranks, threads, flops=WILSON + CLOVER)
    try:
        with tempfile.TemporaryDirectory() as folder:
            text = said([str(build.path), "-", KAPPA, "0", "1e-10"], build.ranks, threads, folder)
        return Entry(**asdict(blank) | {"seconds": ccs_qcd_seconds(text, lattice, build.ranks)})
    except Unread as why:
        return Entry(**asdict(blank) | {"refused": str(why)})


def qws(build: Build, lattice: str) -> Entry:
    """C++ with a clover term, whose fields are random numbers; its solvers of other kinds are cut short."""
    blank = Entry("qws", lattice, "double", 1, cores(), flops=WILSON + CLOVER)
    words = [*lattice.split("x"), "1", "1", "1", "1", "-1", "-1", "1", "1"]
    try:
        with tempfile.TemporaryDirectory() as folder:
            text = said([str(build.path), *words], 1, cores(), folder)
        return Entry(**asdict(blank) | {"seconds": qws_seconds(text)})
    except Unread as why:
        return Entry(**asdict(blank) | {"refused": str(why)})


def tasuki(lattice: str, ranks: int) -> list[Entry]:
    """Of tasuki-bench-wilson, its iterations with links of 18 numbers."""
    threads = max(1, cores() // ranks)
    lines = measure_lines(PROGRAM, [lattice, *ASKED], "host", ranks, LONGEST)
    return [
        Entry("Tasuki", lattice, line["precision"], ranks, threads, line["seconds"], ours=True)
        for line in lines
        if line["case"] == "wilson/iteration" and line["links"] == 18 and line.get("columns", 1) == 1
        if line["precision"] in ("double", "single")
    ]


def entry_of(who: str, case: quda.Case, lattice: str, figure: quda.Figure | str) -> Entry:
    """Of a figure on one GPU, or of the reason why there is none."""
    blank = Entry(
        who, lattice, case.precision, 1, 1, flops=OPERATOR if case.what == "operator" else WILSON,
        ours=who == "Tasuki", what=case.what, links=case.links,
    )  # fmt: skip
    changed = {"refused": figure} if isinstance(figure, str) else asdict(figure)
    return Entry(**asdict(blank) | changed)


def on_gpu(lattice: str, left: float) -> dict[quda.Case, quda.Figure | str]:
    """Of tasuki-bench-wilson, what QUDA is asked for as well."""
    found: dict[quda.Case, quda.Figure | str] = {}
    try:
        lines = measure_lines(PROGRAM, [lattice, *ASKED], "cuda", 1, left)
    except TasukiError as error:
        return {case: str(error) for case in quda.CASES}
    for case in quda.CASES:
        name = "wilson/" + ("solve" if case.what == "mixed" else case.what)
        asked = (name, case.precision, case.links, 1)
        for line in lines:
            if (line["case"], line["precision"], line["links"], line.get("columns", 1)) == asked:
                times = int(line.get("iterations", 0))
                found[case] = quda.Figure(line["seconds"] / max(1, times), times)
    return found


def fastest(entries: Sequence[Entry]) -> list[Entry]:
    """Of each code in each way the fastest of its runs, or why there is none."""
    best: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        key = (
            entry.who, entry.lattice, entry.what, entry.precision, entry.links, entry.ranks, entry.threads
        )  # fmt: skip
        if key not in best or entry.rate > best[key].rate:
            best[key] = entry
    return list(best.values())


def table(entries: Sequence[Entry]) -> Table:
    """All that was measured, of each figure the fastest first."""
    title = "wilson beside other codes; flop: of an even site"
    found = Table(title=title, title_justify="left", title_style="bold")
    measured = [entry for entry in entries if not entry.refused]
    spread = any((entry.ranks, entry.threads) != (1, 1) for entry in measured)
    counted = any(entry.iterations for entry in measured)
    for name in ("", "lattice", "precision", "code"):
        found.add_column(name, no_wrap=True)
    maybe = [*(["ranks"] if spread else []), *(["iterations"] if counted else [])]
    for name in ("links", *maybe, "time", "flop", "GFLOP/s"):
        found.add_column(name, justify="right", no_wrap=True)
    for entry in sorted(measured, key=lambda e: (e.lattice, e.what, e.precision, e.links, e.seconds)):
        found.add_row(
            entry.what, entry.lattice, entry.precision, entry.who, str(entry.links),
            *([f"{entry.ranks} x {entry.threads}"] if spread else []),
            *([str(entry.iterations or "")] if counted else []),
            seconds_text(entry.seconds), str(entry.flops), f"{entry.rate * 1e-9:.4g}",
            style="green" if entry.ours else "",
        )  # fmt: skip
    return found


def refusals(entries: Sequence[Entry]) -> list[str]:
    """A line for each figure that there is not."""
    return [
        f"{entry.who}, {entry.what}, {entry.precision}, {entry.links} numbers a link: {entry.refused}"
        for entry in entries
        if entry.refused
    ]


def show_record(record: dict[str, Any], console: Console) -> None:
    """Prints the table of a record."""
    console.print(f"{record['machine']}, load {record['load_average']:.1f}. {record['note']}")
    entries = [Entry(**entry) for entry in record["entries"]]
    console.print(table(entries))
    for line in refusals(entries):
        console.print(f"  -  {line}", markup=False, highlight=False)


def kept(path: Path) -> list[dict[str, Any]]:
    """The entries of a record; none where there is none."""
    return json.loads(path.read_text(encoding="utf-8"))["entries"] if path.is_file() else []


def on_host_entries(options: argparse.Namespace, lattice: str) -> list[Entry]:
    """All that was asked for, in turns, as a machine may be busy."""
    entries: list[Entry] = []
    for _ in range(options.turns):
        for ranks in dict.fromkeys((1, cores())):
            entries += tasuki(lattice, ranks)
        entries += [ccs_qcd(build, lattice) for build in options.ccs_qcd]
        entries += [qws(build, lattice) for build in options.qws]
    return entries


def on_gpu_entries(options: argparse.Namespace, lattice: str) -> list[Entry]:
    """Ours, and QUDA's in the time that is left."""
    end = time.monotonic() + options.limit
    entries = [
        entry_of("Tasuki", case, lattice, figure)
        for case, figure in on_gpu(lattice, end - time.monotonic()).items()
    ]
    if options.quda:
        found = quda.measure(options.quda, lattice, end, options.keep)
        entries += [entry_of("QUDA", case, lattice, figure) for case, figure in found.items()]
    return entries


def measure(options: argparse.Namespace) -> tuple[dict[str, Any], Path]:
    """Measures all; other lattices stay in the record."""
    names = gpu_names()[:1] if options.device == "cuda" else []
    if options.device == "cuda" and not names:
        raise TasukiError("there is no GPU here", "leave --device cuda away, or run it where there is one")
    lattice: str = options.lattice or LATTICE[options.device]
    entries = (on_gpu_entries if options.device == "cuda" else on_host_entries)(options, lattice)
    out: Path = options.out or Path("bench/results") / machine_name(names) / PEERS
    record = {
        "schema": 1,
        "machine": machine_name(names),
        "device": options.device,
        "load_average": os.getloadavg()[0],
        "note": options.note,
        "entries": [
            *(entry for entry in kept(out) if entry["lattice"] != lattice),
            *(asdict(entry) for entry in fastest(entries)),
        ],
    }
    return record, out


def _build(text: str) -> Build:
    path, _, ranks = text.partition(":")
    if not Path(path).is_file() or not (ranks or "1").isdigit():
        raise argparse.ArgumentTypeError(f"{text} names no program and ranks: give PATH or PATH:RANKS")
    return Build(Path(path).resolve(), int(ranks or "1"))


def _tests(text: str) -> Path:
    folder = Path(text).resolve()
    for name in ("dslash_test", "invert_test"):
        if not (folder / name).is_file():
            raise argparse.ArgumentTypeError(f"there is no {name} in {text}: give the folder of QUDA's tests")
    return folder


def add_options(part: argparse.ArgumentParser) -> None:
    """Of run."""
    part.add_argument("--device", choices=("host", "cuda"), default="host")
    part.add_argument("--ccs-qcd", type=_build, nargs="*", default=[], metavar="PATH[:RANKS]")
    part.add_argument("--qws", type=_build, nargs="*", default=[], metavar="PATH")
    part.add_argument("--quda", type=_tests, metavar="FOLDER", help="of its tests; with --device cuda")
    part.add_argument("--keep", type=Path, metavar="FOLDER", help="for what QUDA's tests print and tune")
    part.add_argument("--lattice", help=" or ".join(f"[{LATTICE[name]} on {name}]" for name in LATTICE))
    part.add_argument(
        "--turns", type=int, default=3, help="on the host, of each, of which the fastest counts [3]"
    )
    part.add_argument("--limit", type=seconds, default=300, help="seconds of all together, on a GPU [300]")
    part.add_argument("--note", default="", help="kept with the record: what else the machine did")


TOOL = Tool("wilson.py", __doc__, add_options, measure, show_record)


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the words ask for; returns the exit status."""
    return TOOL.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
