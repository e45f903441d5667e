"""`tasuki tune`: measures the channels of this machine natively, keeps the constants and draws them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tasuki.errors import TasukiError
from tasuki.failure import explain_failure
from tasuki.launch import launch_command
from tasuki.programs import find_program
from tasuki.runner import ERROR, Outcome

_WRITTEN = "written: "


@dataclass(frozen=True)
class Line:
    """One channel and shape: an exchange of b bytes takes latency + b / bandwidth seconds."""

    channel: str
    mode: str
    pair: str
    shape: str
    row_bytes: int
    latency: float
    bandwidth: float
    rms: float
    points: tuple[tuple[float, float], ...]

    @property
    def way(self) -> str:
        """The channel with its mode and pair: ``peer:pack, node``."""
        name = f"{self.channel}:{self.mode}" if self.mode else self.channel
        return name if self.pair == "self" else f"{name}, {self.pair}"

    @property
    def rows(self) -> str:
        """The shape in words: ``block``, ``rows of 512 B``, ``8 B a row``."""
        if self.shape == "block":
            return "block"
        return f"{self.row_bytes} B a row" if self.shape == "stride" else f"rows of {self.row_bytes} B"


@dataclass(frozen=True)
class Tuning:
    """A file of constants."""

    path: Path
    machine: dict[str, Any]
    lines: tuple[Line, ...]
    device: dict[str, float]


def read_tuning(path: Path) -> Tuning:
    """Reads the file at `path`; a TasukiError says what is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        lines = tuple(
            Line(
                channel=str(line["channel"]),
                mode=str(line.get("mode", "")),
                pair=str(line["pair"]),
                shape=str(line["shape"]),
                row_bytes=int(line["row_bytes"]),
                latency=float(line["latency"]),
                bandwidth=float(line["bandwidth"]),
                rms=float(line.get("rms", 0.0)),
                points=tuple((float(size), float(seconds)) for size, seconds in line.get("points", [])),
            )
            for line in data["channels"]
        )
        return Tuning(path, dict(data["machine"]), lines, dict(data["device"]))
    except OSError as error:
        raise TasukiError(f"cannot read {path}: {error.strerror}", "run `tasuki tune` first") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TasukiError(
            f"{path} is not a tuning file ({type(error).__name__}: {error})", "run `tasuki tune` again"
        ) from None


def _keep(stream: IO[str], lines: list[str]) -> None:
    lines.extend(line.rstrip("\n") for line in stream)


def measure(options: Sequence[str], ranks: int, mpi_args: str = "") -> tuple[int, Path | None]:
    """Runs ``tasuki-tune`` with `options`, passing on its table as it comes; its exit status and its file."""
    command, environment = launch_command([str(find_program("tune")), *options], ranks, mpi_args)
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise TasukiError(f"cannot start {command[0]}: {error.strerror}", "check the installation") from None
    assert child.stdout is not None and child.stderr is not None
    told: list[str] = []
    reader = threading.Thread(target=_keep, args=(child.stderr, told), daemon=True)
    reader.start()
    file: Path | None = None
    try:
        for line in child.stdout:
            if line.startswith(_WRITTEN):
                file = Path(line.removeprefix(_WRITTEN).rstrip("\n"))
            print(line, end="", flush=True)
        status = child.wait()
    except KeyboardInterrupt:
        child.terminate()
        child.wait()
        raise
    reader.join(timeout=5)
    own = list(dict.fromkeys(line for line in told if line.startswith(ERROR)))
    for line in own:
        print(line, file=sys.stderr)
    status = status if status >= 0 else 128 - status
    why = explain_failure("tasuki-tune", Outcome(status, errors=own, noise=told), command[0])
    if why:
        print(why.replace("add --verbose", "run it by itself"), file=sys.stderr)
    return status, file


def plot_tuning(tuning: Tuning, picture: Path) -> Path:
    """Draws time over size, a panel a channel: what was measured as dots, what was fitted as lines."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    import numpy as np

    from tasuki.plot import save_figure

    ways = list(dict.fromkeys(line.way for line in tuning.lines))
    if not ways:
        raise TasukiError(f"{tuning.path} holds nothing to draw", "run `tasuki tune` again")
    shapes = list(dict.fromkeys(line.rows for line in tuning.lines))
    colours = {shape: mpl.colormaps["tab10"](k % 10) for k, shape in enumerate(shapes)}
    columns = min(3, len(ways))
    rows = -(-len(ways) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(4.4 * columns, 3.6 * rows),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for axis, way in zip(axes.flat, ways, strict=False):
        for line in (line for line in tuning.lines if line.way == way):
            size, seconds = np.array(line.points).T if line.points else (np.array([64.0, 1e6]), np.array([]))
            colour = colours[line.rows]
            if line.points:
                axis.plot(size, seconds * 1e6, "o", ms=4, color=colour)
            axis.plot(
                size, (line.latency + size / line.bandwidth) * 1e6, "-", lw=1.2, color=colour, label=line.rows
            )
        axis.set_title(way)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    for axis in axes.flat[len(ways) :]:
        axis.set_visible(False)
    figure.supxlabel("bytes")
    figure.supylabel("microseconds an exchange")
    figure.suptitle(f"{tuning.machine.get('device_name', '?')}: measured (dots) and fitted (lines)")
    return save_figure(figure, picture)
