"""Pictures of an analysis, PNG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasuki.argon.analysis import Analysis, Isobar
from tasuki.argon.compare import Difference
from tasuki.argon.folder import Run
from tasuki.plot import save_figure
from tasuki.style import BLUE, ORANGE, RED, STYLE, colours

_MEASURED, _THEORY, _LIQUID = BLUE, ORANGE, RED
_PATHS = 4  # replicas whose path is drawn
_PIXELS = 800  # rows of a map
_HISTOGRAMS = 8  # more of them hide each other


def _system(run: Run) -> str:
    density = float(run.about.get("density_g_cm3", np.nan))
    return f"{run.atoms} atoms" + (f" at {density:.4g} g/cm³" if np.isfinite(density) else "")


def _title(analysis: Analysis, what: str) -> str:
    run = analysis.run
    return f"{what}: {run.replicas} replicas of {run.atoms} atoms, {run.rows} exchanges"


def acceptance_figure(analysis: Analysis) -> Figure:
    """Acceptance by pair against theory, and the flow of replicas from the hot end."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
    ladder = analysis.run.ladder
    pairs = [
        p for p in analysis.pairs if p.attempted and ladder.temperature[p.low] != ladder.temperature[p.high]
    ]
    middle = [(ladder.temperature[p.low] + ladder.temperature[p.high]) / 2 for p in pairs]
    few = len(pairs) <= 200
    left.errorbar(
        middle, [p.measured for p in pairs], yerr=[p.error for p in pairs] if few else None,
        fmt="o", ms=3.5 if few else 1.2, color=_MEASURED, label="measured",
    )  # fmt: skip
    order = np.argsort(middle)
    left.plot(
        np.asarray(middle)[order], np.asarray([p.predicted for p in pairs])[order],
        color=_THEORY, lw=1.2, label="predicted from the heat capacity",
    )  # fmt: skip
    left.set_ylim(0, 1)
    left.set_xlabel("temperature (K)")
    left.set_ylabel("acceptance")
    figure.legend(loc="outside lower center", frameon=False, ncols=2)
    known = np.isfinite(analysis.travel.down)
    right.plot(
        ladder.temperature[known], analysis.travel.down[known], "o", ms=3.5, color=_MEASURED, clip_on=False
    )
    ends = [ladder.temperature.min(), ladder.temperature.max()]
    right.plot(np.sort(ladder.temperature), np.linspace(0, 1, len(ladder)), color=_THEORY, lw=1.2)
    right.set_xlim(ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1)
    right.set_ylim(0, 1)
    right.set_xlabel("temperature (K)")
    right.set_ylabel("fraction from the hot end")
    right.set_title("flow of replicas; line: no barrier", loc="left")
    figure.suptitle(_title(analysis, "exchange"))
    return figure


def states_figure(analysis: Analysis) -> Figure:
    """Temperature of some replicas against time, or, where a phase is known, which phase every replica is
    in."""
    run = analysis.run
    stride = max(1, run.rows // _PIXELS)
    phases = next((isobar.phases for isobar in analysis.isobars if isobar.phases), None)
    figure, axes = plt.subplots(1, 2 if phases else 1, figsize=(10.5 if phases else 8, 4), squeeze=False)
    axis: Axes = axes[0][0]
    chosen = np.unique(np.linspace(0, run.replicas - 1, min(_PATHS, run.replicas)).astype(int))
    for colour, replica in zip(colours(len(chosen)), chosen, strict=True):
        axis.plot(
            run.times[::stride], run.ladder.temperature[run.state[::stride, replica]],
            lw=0.7, color=colour, alpha=0.85, label=f"replica {replica}",
        )  # fmt: skip
    axis.set_xlabel("time (ps)")
    axis.set_ylabel("temperature (K)")
    figure.legend(loc="outside lower center", frameon=False, fontsize=8, ncols=_PATHS)
    axis.set_title(
        f"{len(chosen)} of {run.replicas} replicas" if len(chosen) < run.replicas else "replicas", loc="left"
    )
    if phases:
        counted = analysis.counted
        stride = max(1, counted.rows // _PIXELS)
        image = np.zeros((len(run.ladder), len(range(0, counted.rows, stride))))
        for column, row in enumerate(range(0, counted.rows, stride)):
            image[counted.held[row], column] = phases.liquid[row]
        order = np.argsort(run.ladder.temperature, kind="stable")
        right: Axes = axes[0][1]
        right.imshow(
            image[order], aspect="auto", origin="lower", cmap="RdBu_r", vmin=0, vmax=1,
            interpolation="nearest",
            extent=(float(counted.times[0]), float(counted.times[-1]), 0, len(order)),
        )  # fmt: skip
        right.set_xlabel("time (ps)")
        right.set_ylabel("rung, coldest at the bottom")
        right.set_title("red: liquid, blue: solid", loc="left")
    figure.suptitle(_title(analysis, "states against time"))
    return figure


def histogram_figure(analysis: Analysis, isobar: Isobar) -> Figure:
    """Histograms of the energy per atom, a rung each."""
    figure, axis = plt.subplots(figsize=(8, 4))
    samples, atoms = isobar.samples, analysis.run.atoms
    value = samples.value / atoms
    each = len(value) / max(1, len(samples.temperature))  # few samples: wide bins, that a shape is seen
    edges = np.linspace(value.min(), value.max() + 1e-12, int(np.clip(5 * np.sqrt(each), 40, 160)) + 1)
    rungs = np.unique(
        np.linspace(0, len(samples.temperature) - 1, min(_HISTOGRAMS, len(samples.temperature))).astype(int)
    )
    for rung in rungs:
        inside = value[samples.rung == rung]
        if len(inside) == 0:
            continue
        share = (samples.temperature[rung] - samples.temperature[0]) / max(1e-12, np.ptp(samples.temperature))
        height, colour = np.histogram(inside, edges, density=True)[0], mpl.colormaps["viridis"](0.95 * share)
        axis.stairs(height, edges, fill=True, alpha=0.3, lw=0, color=colour)
        axis.stairs(height, edges, lw=1.2, color=colour, label=f"{samples.temperature[rung]:.4g} K")
    axis.set_xlabel(
        "potential energy per atom (kJ/mol)" if isobar.pressure is None else "U + pV per atom (kJ/mol)"
    )
    axis.set_ylabel("probability density (mol/kJ)")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    axis.set_title(_title(analysis, "energies by temperature"), loc="left")
    return figure


def heat_figure(analysis: Analysis, isobar: Isobar) -> Figure:
    """U(T) and C_V(T) with error bars, and where a transition was found."""
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(7.5, 6), sharex=True)
    t = np.array([point.temperature for point in isobar.points])
    for axis, name, label in (
        (upper, "energy", f"{'$U$' if isobar.pressure is None else '$U + pV$'} per atom (kJ/mol)"),
        (lower, "heat", f"{'$C_V/k$' if isobar.pressure is None else '$C_p/k$'} per atom"),
    ):
        value = np.array([getattr(point, name) for point in isobar.points])
        error = np.nan_to_num([getattr(point, f"{name}_error") for point in isobar.points])
        axis.fill_between(t, value - 2 * error, value + 2 * error, color=_MEASURED, alpha=0.25, lw=0)
        axis.plot(t, value, color=_MEASURED, lw=1.3)
        axis.set_ylabel(label)
    found = isobar.transition
    if found and found.equal and np.isfinite(found.equal.temperature):
        for axis in (upper, lower):
            axis.axvline(found.equal.temperature, color=_LIQUID, lw=0.9, ls="--")
        lower.set_title(
            f"dashed: both phases have the same weight, {found.equal.temperature:.2f} K", loc="left"
        )
    lower.set_xlabel("temperature (K)")
    few = "; not reliable: see the warnings" if analysis.warnings else ""
    upper.set_title(
        _title(analysis, "energy and heat capacity") + "\nshaded: two standard errors" + few, loc="left"
    )
    return figure


def structure_figure(analysis: Analysis) -> Figure:
    """Q6 against time, g(r), displacement."""
    figure, (order, pairs, moved) = plt.subplots(1, 3, figsize=(11, 3.6))
    for colour, each in zip(colours(len(analysis.structures)), analysis.structures, strict=True):
        label = f"{each.name.replace('_', ' ')}, {each.temperatures[1]:.4g} K"
        order.plot(each.time, each.q6, lw=0.9, color=colour, label=label)
        pairs.plot(each.r, each.g, lw=1.1, color=colour)
        if len(each.displacement):
            moved.plot(each.lag, each.displacement, lw=1.1, color=colour)
    order.axhline(0.575, color="#808080", lw=0.8, ls=":")
    order.set_ylim(0, 0.62)
    order.set_xlabel("time (ps)")
    order.set_ylabel("Q6 (dotted: perfect fcc)")
    figure.legend(loc="outside lower center", frameon=False, fontsize=8, ncols=4)
    pairs.set_xlabel("r (nm)")
    pairs.set_ylabel("g(r)")
    moved.set_xlabel("lag (ps)")
    moved.set_ylabel("mean-square displacement (nm²)")
    figure.suptitle(_title(analysis, "structure"))
    return figure


def comparison_figure(found: Sequence[Difference], runs: tuple[Run, Run]) -> Figure:
    """Energies of two runs against temperature: where they part, the start decides."""
    figure, axis = plt.subplots(figsize=(7.5, 4))
    t = [each.temperature for each in found]
    axis.plot(t, [each.first for each in found], "o-", ms=3, lw=1, color=_MEASURED, label=runs[0].name)
    axis.plot(t, [each.second for each in found], "s-", ms=3, lw=1, color=_LIQUID, label=runs[1].name)
    axis.set_xlabel("temperature (K)")
    axis.set_ylabel("potential energy per atom (kJ/mol)")
    axis.legend(frameon=False)
    starts = " and ".join(str(run.about.get("start", "?")) for run in runs)
    axis.set_title(f"energies from two starts, {starts}: {_system(runs[0])}", loc="left")
    return figure


FILES = "exchange.png states.png energies*.png heat*.png structure.png"  # that draw() makes


def draw(analysis: Analysis, folder: Path) -> list[Path]:
    """All pictures of an analysis, in `folder`."""
    jobs: list[tuple[str, Callable[[], Figure]]] = [
        ("exchange", lambda: acceptance_figure(analysis)),
        ("states", lambda: states_figure(analysis)),
    ]
    for number, isobar in enumerate(analysis.isobars):
        tag = "" if isobar.pressure is None else f"-p{number}"
        if len(isobar.samples.value):
            jobs.append((f"energies{tag}", lambda isobar=isobar: histogram_figure(analysis, isobar)))  # type: ignore[misc]
        if isobar.points:
            jobs.append((f"heat{tag}", lambda isobar=isobar: heat_figure(analysis, isobar)))  # type: ignore[misc]
    if analysis.structures:
        jobs.append(("structure", lambda: structure_figure(analysis)))
    with mpl.rc_context(STYLE):
        return [save_figure(make(), folder / f"{name}.png") for name, make in jobs]


def draw_comparison(found: Sequence[Difference], runs: tuple[Run, Run], path: Path) -> Path:
    """The picture of two runs."""
    with mpl.rc_context(STYLE):
        return save_figure(comparison_figure(found, runs), path)
