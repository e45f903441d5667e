"""The kernels by themselves: what ``tasuki-bench`` (Google Benchmark) measures, and its tables."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import locate
from tasuki.units import seconds_text

# Benchmarks of tasuki-bench are named WHAT/.../DEVICE/...; those that begin with STREAM tell the bandwidth.
STREAM = "stream"

# A name with the part `plain` is the loop by hand for the same name with `tasuki` in its place.
BY_HAND, OURS = "plain", "tasuki"


# Shapes are named shape_3d_box1_double/WHO/cuda/512x512x512.
SHAPE = "shape_"


def percent(value: float | None) -> str:
    return f"{100 * value:.1f} %" if value is not None else ""


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


def recorded_kernels(folder: Path) -> list[Kernel]:
    """What tasuki-bench measured on this machine before, for the bandwidth of its memory."""
    path = folder / "kernels.json"
    return read_kernels(path) if path.is_file() else []


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
        table.add_row(kernel.name, seconds_text(kernel.seconds), bandwidth, percent(share))
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


def show_kernels(console: Console, kernels: Sequence[Kernel]) -> None:
    """The tables of tasuki-bench, but that of the shapes (shapes.py)."""
    others = [kernel for kernel in kernels if not kernel.name.startswith(SHAPE)]
    if others:
        console.print(kernels_table(others))
    if any(pairs(others)):
        console.print(pairs_table(others))
