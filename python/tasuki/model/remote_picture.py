"""The picture of the model of remote GPUs: costs of a call, time of an interval, efficiency over devices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasuki.model.forecast import Forecast, Row
from tasuki.model.remote import Costs
from tasuki.model.study import Study
from tasuki.plot import save_figure
from tasuki.style import BLACK, BLUE, GREEN, ORANGE, RED, STYLE, colours

_COLOURS = {"LH": BLUE, "LD": RED, "LK": GREEN, "BH": BLUE, "BD": RED}


def _logarithmic(axis: Axes, what: str) -> None:
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_ylabel(what)
    axis.set_xlabel("devices")
    axis.xaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%d"))
    axis.grid(alpha=0.3)


def _costs(axis: Axes, costs: Costs, names: Sequence[str], scale: float, study: Study | None) -> None:
    devices = sorted(costs.by_devices)
    for name in names:
        seen = [n for n in devices if costs.by_devices[n][name] > 0]
        values = [scale * costs.by_devices[n][name] for n in seen]
        axis.plot(seen, values, "o-", color=_COLOURS[name], label=name)
        if study and name in study.constants:
            axis.axhline(
                scale * study.constants[name],
                color=_COLOURS[name],
                ls="--",
                lw=1,
                label=f"{name}, {study.label}",
            )


def _lines(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {name: [row for row in rows if row.series == name] for name in {row.series: 0 for row in rows}}


def _intervals(axis: Axes, forecast: Forecast, study: Study | None, efficiency: bool) -> None:
    def value(row: Row) -> float:
        return 100 * row.efficiency if efficiency else 1e3 * row.seconds

    def points(measured: dict[int, float]) -> tuple[list[int], list[float]]:
        one = measured.get(1)
        if efficiency:
            return list(measured), [100 * one / (n * t) for n, t in measured.items()] if one else []
        return list(measured), [1e3 * t for t in measured.values()]

    def draw(
        rows: Sequence[Row], measured: dict[int, float], colour: object, name: str, dashed: bool
    ) -> None:
        axis.plot(
            [row.devices for row in rows],
            [value(row) for row in rows],
            ls="--" if dashed else "-",
            lw=1 if dashed else 1.6,
            color=colour,
            label=f"{name}, predicted",
        )
        where, what = points(measured)
        if what:
            axis.plot(where, what, "x" if dashed else "o", color=colour, label=f"{name}, measured")

    series = _lines(forecast.rows)
    for colour, (name, rows) in zip(colours(len(series)), series.items(), strict=True):
        draw(rows, {row.devices: row.measured for row in rows if row.measured}, colour, name, dashed=False)
    if study is None:
        return
    for colour, (name, rows) in zip((ORANGE, BLACK), _lines(study.forecast.rows).items(), strict=False):
        measured = {run.devices: run.seconds for run in study.runs if run.case == name}
        draw(rows, measured, colour, f"{name}, {study.label}", dashed=True)


def remote_figure(costs: Costs, forecast: Forecast, study: Study | None = None) -> Figure:
    """Latencies and bandwidths of calls above; below, the time of an interval and its efficiency."""
    figure, axes = plt.subplots(2, 2, figsize=(10, 7.4))
    _costs(axes[0][0], costs, ("LH", "LD", "LK"), 1e6, study)
    axes[0][0].axhline(1e6 * costs.trip, color=BLACK, lw=1, ls=":", label="R, once a round")
    if costs.latency > 0:
        axes[0][0].axhline(1e6 * costs.latency, color=RED, lw=1, ls=":", label="LD, in a round")
    _logarithmic(axes[0][0], "latency of a call (us)")
    _costs(axes[0][1], costs, ("BH", "BD"), 1e-9, study)
    _logarithmic(axes[0][1], "bandwidth (GB/s)")
    _intervals(axes[1][0], forecast, study, efficiency=False)
    _logarithmic(axes[1][0], "time of an interval (ms)")
    _intervals(axes[1][1], forecast, study, efficiency=True)
    _logarithmic(axes[1][1], "efficiency (%)")
    axes[1][1].set_yscale("linear")
    axes[1][1].set_ylim(0, 105)
    for axis in axes.flat:
        axis.legend(frameon=False, fontsize=7)
    figure.suptitle(forecast.name)
    return figure


def plot_remote(costs: Costs, forecast: Forecast, study: Study | None, path: Path) -> Path:
    """Draws it into the file `path`."""
    with mpl.rc_context(STYLE):
        return save_figure(remote_figure(costs, forecast, study), path, "--plot")
