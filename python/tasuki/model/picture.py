"""The picture of a forecast: stacked parts and efficiency over the number of devices, dots where measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasuki.errors import TasukiError
from tasuki.model.forecast import PARTS, Forecast, Row
from tasuki.plot import save_figure
from tasuki.style import STYLE

_COLOURS = {"compute": "#3b6fb6", "latency": "#d9813b", "bandwidth": "#c2a83e", "host": "#8d6cab"}


def _scale(seconds: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return factor, unit
    return 1e-9, "ns"


def _bars(axis: Axes, rows: Sequence[Row], measured: Sequence[Row]) -> None:
    factor, unit = _scale(max([row.seconds for row in rows] + [row.measured for row in measured]))
    places = np.arange(len(rows))
    below = np.zeros(len(rows))
    for part in PARTS:
        heights = np.array([row.parts[part] for row in rows]) / factor
        axis.bar(places, heights, 0.7, bottom=below, color=_COLOURS[part], label=part)
        below += heights
    where = {row.devices: place for place, row in enumerate(rows)}
    dots = [(where[row.devices], row.measured / factor) for row in measured]
    if dots:
        axis.plot(*zip(*dots, strict=True), "o", color="black", ms=6, label="measured", zorder=3)
    axis.set_ylim(0, 1.06 * max([*below, *(height for _, height in dots)]))
    axis.set_ylabel(f"time a step ({unit})")


def _panels(forecast: Forecast) -> dict[str, list[Row]]:
    """The rows by executor or case; in one panel where each number of devices stands there once."""
    rows = [row for row in forecast.rows if not row.not_here]
    if len({row.devices for row in rows}) == len(rows):
        return {" / ".join(dict.fromkeys(row.series for row in rows)): rows}
    return {
        name: [row for row in rows if row.series == name] for name in dict.fromkeys(r.series for r in rows)
    }


def _efficiencies(axis: Axes, rows: Sequence[Row], measured: Sequence[Row]) -> None:
    axis.plot(
        range(len(rows)), [100 * row.efficiency for row in rows], "o-", color="black", label="predicted"
    )
    ones = [row.measured for row in measured if row.devices == 1]
    if ones:
        where = {row.devices: place for place, row in enumerate(rows)}
        told = [(where[row.devices], 100 * ones[0] / (row.measured * row.devices)) for row in measured]
        axis.plot(*zip(*told, strict=True), "o", color="#b04a5a", label="measured")
        axis.legend(frameon=False)
    axis.set_ylim(0, max(105.0, *(105 * row.efficiency for row in rows)))
    axis.set_ylabel("efficiency (%)")
    axis.set_xlabel("devices")
    axis.set_xticks(range(len(rows)), [str(row.devices) for row in rows], rotation=45 if len(rows) > 8 else 0)
    axis.grid(alpha=0.3)


def model_figure(forecast: Forecast, measured: Sequence[Row] = ()) -> Figure:
    """Stacked parts and, below, the efficiency: a column for each executor or case."""
    panels = _panels(forecast)
    if not panels:
        raise TasukiError(
            "no executor can run this case, so there is nothing to draw", "forecast another case"
        )
    figure, axes = plt.subplots(
        2, len(panels), figsize=(max(6.5, 4.2 * len(panels)), 6.4), squeeze=False, sharex="col"
    )
    for column, (name, rows) in enumerate(panels.items()):
        series, devices = {row.series for row in rows}, {row.devices for row in rows}
        dots = [
            row for row in measured if row.devices in devices and (len(panels) == 1 or row.series in series)
        ]
        _bars(axes[0][column], rows, dots)
        axes[0][column].set_title(name)
        _efficiencies(axes[1][column], rows, dots)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(forecast.name)
    return figure


def plot_forecast(forecast: Forecast, measured: Sequence[Row], path: Path) -> Path:
    """Draws it into the file `path`."""
    with mpl.rc_context(STYLE):
        return save_figure(model_figure(forecast, measured), path, "--plot")
