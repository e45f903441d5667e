"""What calls of a CUDA program cost on remote GPUs: ``tests/remote/programs/latency.cu`` at the GPU itself
and by each way to a server on the same machine, in the same run.

``python -m tasuki_bench --tables remote`` starts a server, measures, prints the table and keeps the lines
with this machine's records. On a machine without a GPU the server interprets kernels, and no program has a
GPU of its own to be compared with.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.programs import find_program, locate
from tasuki_bench.lines import read_lines, rows_of, write_lines

SERVER = "gpus-serve"
RECORD = "remote.jsonl"
SOURCE = Path(__file__).resolve().parents[2] / "tests/remote/programs/latency.cu"
ITSELF = "the GPU itself"
# Of a server's hosts: {here} by shared memory, {tcp} by TCP; by devices that it must have.
WAYS: dict[str, tuple[int, tuple[str, ...]]] = {
    "shared memory": (1, ("--hosts", "{here}[0]")),
    "TCP, 4 lanes": (1, ("--hosts", "{tcp}[0]")),
    "TCP, 1 lane": (1, ("--hosts", "{tcp}[0]", "--lanes", "1")),
    "a log and a spare": (2, ("--hosts", "{here}[0]", "--spare", "{here}[1]")),
    "two replicas": (2, ("--hosts", "{here}[0],{tcp}[1]", "--redundant", "2", "--same-host")),
}
# What latency.cu prints: words, unit, number. Of the wait after a rest the median.
FIGURE = re.compile(r"^(.+?) (us|GB/s) ([0-9.]+)( median.*)?$")
SECONDS = 300


@dataclass(frozen=True)
class Row:
    """One figure of a way: microseconds of a call, or GB/s of a copy of 256 MiB."""

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
        raise TasukiError(f"{SOURCE.name} printed no figures: {text.strip()!r}", "run it by hand")
    return rows


@contextlib.contextmanager
def _served(device: str, folder: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """A server's port, and the environment in which its programs are started."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "XDG_CONFIG_HOME": str(folder)}
    key = [sys.executable, "-m", "tasuki", "gpus", "key"]
    subprocess.run(key, env=environment, check=True, stdout=subprocess.DEVNULL)
    words = [str(find_program(SERVER)), "--device", device, "--port", str(port)]
    words += ["--per-gpu", "2"] if device == "host" else []
    words += ["--allow-root"] if os.geteuid() == 0 else []
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            if not line.startswith("serving "):
                raise TasukiError(f"the server says {line.strip()!r}", "start `tasuki gpus serve` by hand")
            yield port, environment
        finally:
            server.terminate()


def _output(way: str, command: Sequence[str], environment: Mapping[str, str]) -> list[Row]:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    if done.returncode:
        raise TasukiError(f"{way}: status {done.returncode}: {done.stderr.strip()}", "run it by hand")
    return figures(way, done.stdout)


def measure(device: str, devices: int) -> list[Row]:
    """All ways that so many devices allow."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = str(folder / "latency")
        words = ["nvcc", "-w", "-O3", "-arch=sm_90" if device == "host" else "-arch=native"]
        subprocess.run([*words, "-cudart", "shared", str(SOURCE), "-o", program], check=True)
        rows = _output(ITSELF, [program], os.environ) if device == "cuda" else []
        with _served(device, folder) as (port, environment):
            at = {"here": f"localhost@{port}", "tcp": f"127.0.0.1@{port}"}
            for way, (needs, options) in WAYS.items():
                if needs > devices:
                    continue
                given = [option.format(**at) for option in options]
                run = [sys.executable, "-m", "tasuki", "gpus", "run", "--quiet", *given, "--", program]
                rows += _output(way, run, environment)
        return rows


def table(rows: Sequence[Row]) -> Table:
    """A line for each call, a column for each way."""
    ways = list(dict.fromkeys(row.way for row in rows))
    found = Table(title="calls of remote GPUs", title_justify="left", title_style="bold")
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
    if not locate(SERVER) or not shutil.which("nvcc"):
        return False
    try:
        rows = measure(device, devices if device == "cuda" else 2)
    except (TasukiError, OSError, subprocess.SubprocessError) as error:
        console.print(f"remote: {error}", markup=False, highlight=False)
        return False
    write_lines(folder / RECORD, [vars(row) for row in rows])
    show(console, folder)
    return True
