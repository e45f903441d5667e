"""Pictures of an analysis, PNG."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tasuki.plot import save_figure
from tasuki.style import BLUE, GREEN, RED, STYLE
from tasuki.wilson.analysis import Analysis
from tasuki.wilson.jackknife import Estimate
from tasuki.wilson.mass import CHANNELS

COLOURS = {"pion": BLUE, "rho": RED, "nucleon": GREEN}
MARKERS = {"pion": "o", "rho": "s", "nucleon": "^"}  # told apart in a print in grey
_WIDTH = 0.12  # by which channels stand beside each other


def _points(axis: Axes, times: np.ndarray, estimate: Estimate, channel: str, shift: float) -> None:
    known = np.isfinite(estimate.value)
    error = np.where(np.isfinite(estimate.error), estimate.error, 0)
    axis.errorbar(
        times[known] + shift, estimate.value[known], yerr=error[known] if estimate.bins > 1 else None,
        fmt=MARKERS[channel], ms=3.5, lw=1, capsize=2, color=COLOURS[channel], label=channel,
    )  # fmt: skip


def mass_figure(analysis: Analysis) -> Figure:
    """Effective masses by t, with their plateaus."""
    figure, axis = plt.subplots(figsize=(8, 4.4))
    highest = 0.0
    for place, channel in enumerate(CHANNELS):
        mass = analysis.masses[channel]
        _points(axis, mass.times, mass.effective, channel, (place - 1) * _WIDTH)
        value = mass.effective.value[1:]
        if np.isfinite(value).any():
            highest = max(highest, float(np.nanpercentile(value, 90)))
        if mass.plateau:
            p = mass.plateau
            ends = (p.first + 0.3, p.last + 0.7)
            axis.fill_between(
                ends, p.mass - p.error, p.mass + p.error, color=COLOURS[channel], alpha=0.25, lw=0
            )
            axis.plot(ends, [p.mass, p.mass], color=COLOURS[channel], lw=1.2)
    if highest > 0:
        axis.set_ylim(0, 1.3 * highest)
    axis.set_xlabel("$t/a$")
    axis.set_ylabel("effective mass, $a m$")
    figure.legend(loc="outside lower center", frameon=False, ncols=3)
    found = [channel for channel in CHANNELS if analysis.masses[channel].plateau]
    axis.set_title(f"bands: plateaus of {', '.join(found)}" if found else "no plateau", loc="left")
    figure.suptitle(analysis.run.title)
    return figure


def correlator_figure(analysis: Analysis) -> Figure:
    """Folded correlators by t."""
    figure, axis = plt.subplots(figsize=(8, 4.4))
    for place, channel in enumerate(CHANNELS):
        correlator = analysis.masses[channel].correlator
        times = np.arange(len(correlator.value), dtype=np.float64)
        positive = correlator.value > 0
        shown = Estimate(
            np.where(positive, correlator.value, np.nan), correlator.error, correlator.replicates
        )
        _points(axis, times, shown, channel, (place - 1) * _WIDTH)
    axis.set_yscale("log")
    axis.set_xlabel("$t/a$")
    axis.set_ylabel("correlator, summed over space (lattice units)")
    figure.legend(loc="outside lower center", frameon=False, ncols=3)
    figure.suptitle(f"{analysis.run.title}, {analysis.run.configurations} configurations")
    return figure


def residual_figure(analysis: Analysis) -> Figure:
    """The residual of every solve against its iterations."""
    run = analysis.run
    figure, axis = plt.subplots(figsize=(8, 4.4))
    colours = mpl.colormaps["viridis"](np.linspace(0.05, 0.9, run.configurations))
    for configuration in range(run.configurations):
        for column in range(12):
            iterations, residual = run.solves.path(configuration, column)
            axis.plot(
                iterations[residual > 0],
                residual[residual > 0],
                lw=0.6,
                alpha=0.7,
                color=colours[configuration],
            )
    tolerance = float(run.about.get("tolerance", np.nan))
    if np.isfinite(tolerance):
        axis.axhline(tolerance, color="#888888", lw=0.8, ls="--")
    axis.set_yscale("log")
    axis.set_xlabel("iteration")
    axis.set_ylabel("$|b - Mx| / |b|$, as the solver estimates it")
    about = run.about
    method = f"{about.get('method', '')}, {about.get('inner', '')} inside {about.get('precision', '')}"
    axis.set_title(f"{method}; a line per column, a colour per configuration; dashed: tolerance", loc="left")
    figure.suptitle(run.title)
    return figure


def plaquette_figure(analysis: Analysis) -> Figure:
    """Plaquette and Polyakov loop by configuration."""
    run = analysis.run
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), width_ratios=(2, 1))
    k = np.arange(run.configurations)
    left.plot(k, run.plaquette_space, "^-", ms=2.5, lw=0.7, color=RED, alpha=0.7, label="spatial")
    left.plot(k, run.plaquette_time, "s-", ms=2.5, lw=0.7, color=GREEN, alpha=0.7, label="temporal")
    left.plot(k, run.plaquette, "o-", ms=3.5, lw=1.2, color=BLUE, label="mean")
    left.set_xlabel("configuration")
    left.set_ylabel("plaquette")
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(loc="outside lower center", frameon=False, ncols=3)
    right.set_xlabel("real part")
    right.set_ylabel("imaginary part")
    right.plot(run.polyakov.real, run.polyakov.imag, "o", ms=3.5, color=BLUE)
    reach = 1.2 * float(np.abs(run.polyakov).max()) or 1.0
    right.set_xlim(-reach, reach)
    right.set_ylim(-reach, reach)
    right.set_aspect("equal")
    right.locator_params(nbins=3)
    right.axhline(0, color="#cccccc", lw=0.6)
    right.axvline(0, color="#cccccc", lw=0.6)
    right.set_title("Polyakov loop", loc="left")
    figure.suptitle(run.title)
    return figure


FIGURES = {
    "masses": mass_figure,
    "correlators": correlator_figure,
    "residuals": residual_figure,
    "plaquette": plaquette_figure,
}


FILES = " ".join(f"{name}.png" for name in FIGURES)


def draw(analysis: Analysis, folder: Path) -> list[Path]:
    """Draws all pictures into `folder`."""
    drawn = []
    with mpl.rc_context(STYLE):
        for name, make in FIGURES.items():
            drawn.append(save_figure(make(analysis), folder / f"{name}.png"))
    return drawn
