"""What calls and programs cost on remote GPUs: ``tests/remote/programs/latency.cu``, and programs that
compute, at the GPU itself and by each way to a server on the same machine, in the same run; copies between
two devices; how soon a spare is in.

``python -m tasuki_bench --tables remote`` starts a server, measures, prints the table and keeps the lines
with this machine's records. On a machine without a GPU the server interprets kernels, and no program has a
GPU of its own to be compared with.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.programs import find_program, locate
from tasuki_bench import remote_faults, remote_programs
from tasuki_bench.lines import read_lines, rows_of, write_lines
from tasuki_bench.remote_served import SERVER, Served, output, served

RECORD = "remote.jsonl"
SOURCES = Path(__file__).resolve().parents[2] / "tests/remote/programs"
ITSELF = "the GPU itself"
LOGGED, TWICE = "a log and a spare", "two replicas"
# Of a server's hosts: {here} by shared memory, {tcp} by TCP.
WAYS: dict[str, tuple[str, ...]] = {
    "shared memory": ("--hosts", "{here}[0]"),
    "TCP, 4 lanes": ("--hosts", "{tcp}[0]"),
    "TCP, 1 lane": ("--hosts", "{tcp}[0]", "--lanes", "1"),
    "UCX": ("--hosts", "{tcp}[0]", "--ucx"),
    LOGGED: ("--hosts", "{here}[0]", "--spare", "{here}[1]"),
    TWICE: ("--hosts", "{here}[0],{tcp}[1]", "--redundant", "2", "--same-host"),
}
# From the first device to the second.
PAIRS: dict[str, tuple[str, ...]] = {
    "shared memory": ("--hosts", "{here}[0,1]"),
    "TCP, 4 lanes": ("--hosts", "{tcp}[0,1]"),
    "UCX": ("--hosts", "{tcp}[0,1]", "--ucx"),
}
# What latency.cu prints: words, unit, number. Of the wait after a rest the median.
FIGURE = re.compile(r"^(.+?) (us|GB/s) ([0-9.]+)( median.*)?$")


@dataclass(frozen=True)
class Row:
    """One figure of a way: microseconds of a call or a program's step, GB/s of 256 MiB, seconds."""

    way: str
    call: str
    unit: str
    value: float


def row_of(line: Mapping[str, Any]) -> Row:
    """A line of the record."""
    return Row(str(line["way"]), str(line["call"]), str(line["unit"]), float(line["value"]))


def figures(way: str, text: str) -> list[Row]:
    """What the program printed."""
    found = [FIGURE.match(line) for line in text.splitlines()]
    rows = [Row(way, m[1], m[2], float(m[3])) for m in found if m]
    if not rows:
        raise TasukiError(f"latency.cu printed no figures: {text.strip()!r}", "run it by hand")
    return rows


def built_program(source: str) -> Path:
    """As the tests' build has made it, for the GPU's driver to compile."""
    return find_program(SERVER).parent.parent / "remote-programs" / source


def program_of(source: str, device: str, folder: Path) -> str:
    """A program of the tests, compiled as a user does; where there is no nvcc, that of the build."""
    if not shutil.which("nvcc"):
        return str(built_program(source))
    program = str(folder / source)
    words = ["nvcc", "-w", "-O3", "-arch=sm_90" if device == "host" else "-arch=native"]
    subprocess.run([*words, "-cudart", "shared", str(SOURCES / f"{source}.cu"), "-o", program], check=True)
    return program


Part = tuple[str, Callable[[], list[Row]]]


def parts(server: Served, device: str, devices: int) -> list[Part]:
    """What is measured, one after another."""
    latency, many, rounds = (
        program_of(name, device, server.folder) for name in ("latency", "many", "rounds")
    )

    def costs(way: str, start: Callable[[Sequence[str]], str]) -> list[Row]:
        rows = figures(way, start([latency]))
        found = remote_programs.steps(many, start, device, server.folder)
        return [*rows, *(Row(way, call, "us", value) for call, value in found.items())]

    def pairs(way: str, command: Sequence[str], environment: Mapping[str, str]) -> list[Row]:
        return figures(way, output(way, command, environment))

    def spare(how: str) -> list[Row]:
        mib = 1024 if device == "cuda" else 16
        took = remote_faults.replaced(server, rounds, mib, how)
        return [Row(LOGGED, f"a spare comes in, {mib} MiB, its worker {how}", "s", took)]

    found: list[Part] = []
    if device == "cuda":
        own = {**os.environ, "CUDA_VISIBLE_DEVICES": "0"}
        found.append((ITSELF, lambda: costs(ITSELF, lambda words: output(ITSELF, words, own))))
        if devices > 1:
            found.append((ITSELF, lambda: pairs(ITSELF, [latency, "pairs"], os.environ)))
    for way, options in WAYS.items():
        name = f"{way}, one GPU" if way == TWICE and devices == 1 else way

        def started(words: Sequence[str], name: str = name, options: Sequence[str] = options) -> str:
            return output(name, server.run(options, words), server.environment)

        found.append((name, functools.partial(costs, name, started)))
    for way, options in PAIRS.items():
        command = server.run(options, [latency, "pairs"])
        found.append((f"two devices, {way}", functools.partial(pairs, way, command, server.environment)))
    found += [(f"a worker is {how}", functools.partial(spare, how)) for how in remote_faults.HITS]
    return found


def measure(console: Console, device: str, devices: int) -> list[Row]:
    """All parts, on so many devices; one is served as two. What fails is said, and the others are kept."""
    rows: list[Row] = []
    with served(device, 1 if devices > 1 else 2) as server:
        for name, part in parts(server, device, devices):
            began = time.monotonic()
            try:
                rows += part()
                said = f"{time.monotonic() - began:.0f} s"
            except (TasukiError, OSError, subprocess.SubprocessError) as error:
                said = str(error)
            console.print(f"remote, {name}: {said}", markup=False, highlight=False)
    return rows


def table(rows: Sequence[Row]) -> Table:
    """A line for each call, a column for each way."""
    ways = list(dict.fromkeys(row.way for row in rows))
    found = Table(title="calls and programs on remote GPUs", title_justify="left", title_style="bold")
    found.add_column("")
    for way in ways:
        found.add_column(way, justify="right")
    value = {(row.call, row.unit, row.way): f"{row.value:.2f}" for row in rows}
    for call, unit in dict.fromkeys((row.call, row.unit) for row in rows):
        found.add_row(f"{call}, {unit}", *(value.get((call, unit, way), "") for way in ways))
    return found


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    rows = rows_of(read_lines(folder / RECORD), row_of, "remote GPUs", folder / RECORD)
    if rows:
        console.print(table(rows))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, _quick: bool) -> bool:
    """Measures, keeps and prints; False where it could not be measured."""
    if not locate(SERVER) or not (shutil.which("nvcc") or built_program("latency").is_file()):
        return False
    try:
        rows = measure(console, device, devices if device == "cuda" else 1)
    except (TasukiError, OSError, subprocess.SubprocessError) as error:
        console.print(f"remote: {error}", markup=False, highlight=False)
        return False
    if not rows:
        return False
    write_lines(folder / RECORD, [vars(row) for row in rows])
    show(console, folder)
    return True
