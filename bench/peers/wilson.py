#!/usr/bin/env python3
"""Runs other lattice codes beside wilson: seconds of an iteration of even-odd BiCGStab on the same lattice.

    wilson.py run [--ccs-qcd PATH[:RANKS] ..] [--qws PATH ..] [--lattice 16x16x16x16] [--out FILE]
    wilson.py show RECORD.json

Both are given as they were built; README.md says how, what is the same and what is not.
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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "python")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from tasuki.bench import machine_name  # noqa: E402
from tasuki.bench_lines import measure_lines  # noqa: E402
from tasuki.bench_wilson import PEERS, PROGRAM  # noqa: E402
from tasuki.errors import TasukiError  # noqa: E402
from tasuki.launch import cores, launch_command  # noqa: E402
from tasuki.units import seconds_text  # noqa: E402

# Flops of an iteration by even site: four halves of the operator and 1056 more, and what a clover term adds.
WILSON = 6336
CLOVER = 4 * 576
KAPPA = "0.11"  # of the peers' fields: converges in some twenty iterations
LONGEST = 300.0  # seconds of a run
STACK = "256M"  # of an OpenMP thread: ccs-qcd keeps whole lines of sites there


@dataclass(frozen=True)
class Build:
    """A program that was built for so many ranks."""

    path: Path
    ranks: int = 1


@dataclass(frozen=True)
class Entry:
    """An iteration of BiCGStab by one code in one way; `flops` are those it does at an even site."""

    who: str
    lattice: str
    precision: str
    ranks: int
    threads: int
    seconds: float = 0.0
    flops: int = WILSON
    ours: bool = False
    refused: str = ""

    @property
    def rate(self) -> float:
        """Flops a second of all it does; 0 where it was refused."""
        even = math.prod(int(n) for n in self.lattice.split("x")) / 2
        return self.flops * even / self.seconds if self.seconds > 0 else 0.0


class Unread(Exception):
    """A program's output does not say what is asked for."""


def find(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of the last line that is like this."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if not found:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        raise Unread(lines[-1] if lines else "it said nothing")
    return found[-1].groups()


def ccs_qcd_seconds(text: str, lattice: str, ranks: int) -> float:
    """Of an iteration, which it counts as two."""
    sites = "x".join(find(r"^ *Lattice Size : *(\d+) +(\d+) +(\d+) +(\d+)", text))
    grid = find(r"^ *Node Array Size : *(\d+) +(\d+) +(\d+)", text)
    if sites != lattice or math.prod(map(int, grid)) != ranks:
        raise Unread(f"it was built for {sites} on {'x'.join(grid)} ranks")
    if not float(find(r"^ *Res = *(\S+)", text)[0]) < 1e-9:
        raise Unread("its solve did not converge")
    halves = int(find(r"^ *Iter = *(\d+)", text)[0])
    solver = text[text.index("BiCGStab(CPU:double precision)") :]
    seconds = re.search(r"Elapsed Time \[sec\] : *([\d.]+)", solver)
    if seconds is None:
        raise Unread("it does not say how long it took")
    return 2 * float(seconds[1]) / halves


def qws_seconds(text: str) -> float:
    """Of an iteration, the mean of all of its double precision solve."""
    if not float(find(r"^rnorm/bnorm = *(\S+)", text[: text.find("LDDHMC")])[0]) < 1e-9:
        raise Unread("its solve did not converge")
    return float(find(r"^ *0\s+bicgstab_iter_\s+\d+\s+\S+\s+(\S+)", text)[0])


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
    lines = measure_lines(PROGRAM, [lattice, "--seconds", "0.5"], "host", ranks, LONGEST)
    return [
        Entry("Tasuki", lattice, line["precision"], ranks, threads, line["seconds"], ours=True)
        for line in lines
        if line["case"] == "wilson/iteration" and line["links"] == 18 and line.get("columns", 1) == 1
        if line["precision"] in ("double", "single")
    ]


def fastest(entries: Sequence[Entry]) -> list[Entry]:
    """Of each code in each way the fastest of its runs, or why there is none."""
    best: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        key = (entry.who, entry.lattice, entry.precision, entry.ranks, entry.threads)
        if key not in best or entry.rate > best[key].rate:
            best[key] = entry
    return list(best.values())


def table(entries: Sequence[Entry]) -> Table:
    """All that was measured, the fastest first."""
    found = Table(title="an iteration of even-odd BiCGStab", title_justify="left", title_style="bold")
    for name in ("code", "lattice", "precision"):
        found.add_column(name)
    for name in ("ranks x threads", "time", "flop a site", "GFLOP/s"):
        found.add_column(name, justify="right")
    for entry in sorted(entries, key=lambda e: (e.lattice, e.precision, e.seconds or math.inf)):
        found.add_row(
            entry.who, entry.lattice, entry.precision, f"{entry.ranks} x {entry.threads}",
            seconds_text(entry.seconds) if entry.seconds else entry.refused, str(entry.flops),
            f"{entry.rate * 1e-9:.3g}" if entry.rate else "",
            style="dim" if entry.refused else "green" if entry.ours else "",
        )  # fmt: skip
    return found


def show_record(record: dict[str, Any], console: Console) -> None:
    """Prints the table of a record."""
    console.print(f"{record['machine']}, load {record['load_average']:.1f}. {record['note']}")
    console.print(table([Entry(**entry) for entry in record["entries"]]))


def kept(path: Path) -> list[dict[str, Any]]:
    """The entries of a record; none where there is none."""
    return json.loads(path.read_text(encoding="utf-8"))["entries"] if path.is_file() else []


def run(options: argparse.Namespace) -> int:
    """Measures all, in turns, as a machine may be busy; other lattices stay in the record."""
    entries: list[Entry] = []
    for _ in range(options.turns):
        for ranks in dict.fromkeys((1, cores())):
            entries += tasuki(options.lattice, ranks)
        entries += [ccs_qcd(build, options.lattice) for build in options.ccs_qcd]
        entries += [qws(build, options.lattice) for build in options.qws]
    out: Path = options.out or Path("bench/results") / machine_name([]) / PEERS
    record = {
        "schema": 1,
        "machine": machine_name([]),
        "device": "host",
        "load_average": os.getloadavg()[0],
        "note": options.note,
        "entries": [
            *(entry for entry in kept(out) if entry["lattice"] != options.lattice),
            *(asdict(entry) for entry in fastest(entries)),
        ],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    show_record(record, Console())
    print(f"record: {out}")
    return 0


def show(options: argparse.Namespace) -> int:
    """Prints a record again."""
    show_record(json.loads(options.record.read_text(encoding="utf-8")), Console())
    return 0


def _build(text: str) -> Build:
    path, _, ranks = text.partition(":")
    if not Path(path).is_file() or not (ranks or "1").isdigit():
        raise argparse.ArgumentTypeError(f"{text} names no program and ranks: give PATH or PATH:RANKS")
    return Build(Path(path).resolve(), int(ranks or "1"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the words ask for; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("run", help="measure, print, keep")
    part.add_argument("--ccs-qcd", type=_build, nargs="*", default=[], metavar="PATH[:RANKS]")
    part.add_argument("--qws", type=_build, nargs="*", default=[], metavar="PATH")
    part.add_argument("--lattice", default="16x16x16x16", help="[16x16x16x16]")
    part.add_argument("--turns", type=int, default=3, help="of each, of which the fastest counts [3]")
    part.add_argument("--note", default="", help="kept with the record: what else the machine did")
    part.add_argument("--out", type=Path)
    part.set_defaults(do=run)
    part = parts.add_parser("show", help="print a record")
    part.add_argument("record", type=Path)
    part.set_defaults(do=show)
    options = parser.parse_args(arguments)
    try:
        return int(options.do(options))
    except TasukiError as error:
        print(f"wilson.py: {error}", file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
