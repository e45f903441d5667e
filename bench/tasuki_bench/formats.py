"""A loop over arrays of each format of distribution beside block, and the time that `tasuki cc` takes.

``bench/directives/formats.c`` is compiled for each format; formats take turns, and of each the best counts.
What ``tasuki cc`` compiles is tests/lang/programs/himeno.c, to a program, kernels included on a device.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.lang.cuda import find as find_nvcc
from tasuki.lang.runtime import has_library
from tasuki.launch import launch_command
from tasuki.units import seconds_text
from tasuki_bench.lines import read_lines, rows_of, write_lines
from tasuki_bench.steps import reason_of, run_quietly

RECORD = "formats.jsonl"
ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "bench/directives/formats.c"
COMPILED = ROOT / "tests/lang/programs/himeno.c"
FORMATS = ("block", "gblock(sizes)", "cyclic(64)", "cyclic")  # block is what the others are compared with
COMPILING = "tasuki cc himeno.c"
TURNS = 3
LIMIT = 120  # seconds of a run


@dataclass(frozen=True)
class Row:
    """Seconds of a loop over a format, or of COMPILING, on so many ranks of so many threads."""

    what: str
    device: str
    ranks: int
    threads: int
    seconds: float


def _compile(words: Sequence[str]) -> float:
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "tasuki", "cc", *words], check=False)
    if done.returncode:
        raise TasukiError(f"{words[-1]} was not compiled", "look at what tasuki cc says")
    return time.perf_counter() - began


def compiling(device: str) -> Row:
    """The best time of a compilation."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-O2", "--device", device, "-o", str(Path(folder) / "himeno"), "-lm", str(COMPILED)]
        return Row(COMPILING, device, 1, 1, min(_compile(words) for _ in range(TURNS)))


def measure(ranks: int, threads: int, elements: int) -> list[Row]:
    """Each format on 1 or 2 ranks of a host; an error where two give another sum."""
    best: dict[str, float] = {}
    sums = set()
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            words = ["-O3", "-march=native", f"-DN={elements}L", f"-DR={ranks}", f"-DFORMAT={name}"]
            words += ["--device", "host", "-o", str(Path(folder) / name), str(SOURCE)]
            _compile(words)
        for _ in range(TURNS):
            for name in FORMATS:
                command, environment = launch_command([str(Path(folder) / name)], ranks)
                settings = {**environment, "TASUKI_DEVICE": "host", "OMP_NUM_THREADS": str(threads)}
                status, said = run_quietly(command, settings, LIMIT)
                if status != 0:
                    raise TasukiError(f"formats.c, {name}: {reason_of(status, said)}", "run it by hand")
                line = json.loads(next(each for each in said.splitlines() if each.startswith("{")))
                best[name] = min(line["seconds"], best.get(name, line["seconds"]))
                sums.add(line["sum"])
    if len(sums) != 1:
        raise TasukiError(f"formats give different sums: {sorted(sums)}", "it is wrong: report it")
    return [Row(name, "host", ranks, threads, best[name]) for name in FORMATS]


def table(rows: Sequence[Row]) -> Table:
    """A line for each, with its share of the speed of block."""
    found = Table(title="loops over formats", title_justify="left", title_style="bold")
    for name in ("what", "ranks", "threads", "seconds", "of block"):
        found.add_column(name, justify="left" if name == "what" else "right")
    block = {(row.ranks, row.threads): row.seconds for row in rows if row.what == FORMATS[0]}
    for row in rows:
        plain = block.get((row.ranks, row.threads)) if row.what in FORMATS[1:] else None
        share = f"{100 * plain / row.seconds:.0f} %" if plain else ""
        found.add_row(row.what, str(row.ranks), str(row.threads), seconds_text(row.seconds), share)
    return found


def row_of(line: Mapping[str, Any]) -> Row:
    """A line of the record."""
    what = str(line["what"])
    if what not in (*FORMATS, COMPILING):
        raise ValueError(f"{what} is not known")
    ranks, threads = int(line["ranks"]), int(line["threads"])
    return Row(what, str(line["device"]), ranks, threads, float(line["seconds"]))


def show(console: Console, folder: Path) -> bool:
    """Prints the table of the record in `folder`; False where there is none."""
    path = folder / RECORD
    rows = rows_of(read_lines(path), row_of, "formats", path)
    if rows:
        console.print(table(rows))
    return bool(rows)


def run(console: Console, folder: Path, device: str, devices: int, quick: bool) -> bool:
    """Loops on one core of a host and two, and compiling for the device. False where it could not."""
    if not has_library("tasuki_xmp") or (device == "cuda" and find_nvcc("") is None):
        return False
    shares = [(1, 1), (1, 2), (2, 1)] if devices > 1 else [(1, 1)]
    try:
        rows = [compiling(device)]
        for share in shares if device == "host" else ():
            rows += measure(*share, 1 << (20 if quick else 24))
    except TasukiError as error:
        console.print(f"formats: {error}", markup=False, highlight=False)
        return False
    write_lines(folder / RECORD, [row.__dict__ for row in rows])
    return show(console, folder)
