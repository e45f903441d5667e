"""What an analysis says, as tables of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.argon.analysis import Analysis, Isobar
from tasuki.argon.compare import Difference
from tasuki.argon.verdict import number_of
from tasuki.tables import PLAIN, with_error

MOST_LINES = 24  # of a table; a longer one is thinned


def _number(value: float, form: str = ".3g") -> str:
    return format(value, form) if math.isfinite(value) else "-"


def _some(values: Sequence[Any], most: int = MOST_LINES) -> list[Any]:
    if len(values) <= most:
        return list(values)
    return [values[k] for k in np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))]


def _summary(analysis: Analysis) -> Table:
    run, counted = analysis.run, analysis.counted
    pairs = [pair.measured for pair in analysis.pairs if pair.attempted]
    table = Table(show_header=False, **PLAIN)  # type: ignore[arg-type]
    table.add_column(style="dim")
    table.add_column()
    rungs = run.ladder.temperature
    shape = "" if run.ladder.pressure is None else f" x {run.ladder.shape[1]} pressures"
    table.add_row(
        "system",
        f"{run.atoms} atoms, {run.about.get('density_g_cm3', '?')} g/cm3, {run.about.get('correction', '')}",
    )
    table.add_row(
        "ladder", f"{run.ladder.shape[0]} temperatures{shape}, {rungs.min():.5g} to {rungs.max():.5g} K"
    )
    table.add_row("exchanges", f"{run.rows}, the last {counted.rows} counted, {run.times[-1]:.5g} ps in all")
    if pairs:
        table.add_row("acceptance", f"{100 * np.mean(pairs):.3g} %, least {100 * min(pairs):.3g} %")
    trips = analysis.travel.trips
    table.add_row(
        "round trips",
        f"{trips.sum()} by {np.count_nonzero(trips)} of {len(trips)} replicas; "
        f"a replica held {np.median(analysis.travel.visited):.0f} rungs (median)",
    )
    table.add_row(
        "memory",
        f"{analysis.inefficiency:.3g} exchanges of energy, {_number(analysis.relaxation)} of the rung",
    )
    if analysis.kinetic is not None:
        ratio = analysis.kinetic / rungs
        table.add_row(
            "kinetic T",
            f"{np.nanmean(ratio):.5f} of the ladder's ({np.nanmin(ratio):.4f} to {np.nanmax(ratio):.4f})",
        )
    return table


def _acceptance(analysis: Analysis) -> Table:
    table = Table(title="exchange of neighbours", **PLAIN)  # type: ignore[arg-type]
    for name in ("low", "high", "tried", "accepted", "erfc", "down"):
        table.add_column(name, justify="right")
    for pair in _some([pair for pair in analysis.pairs if pair.attempted]):
        table.add_row(
            analysis.run.ladder.name(pair.low),
            analysis.run.ladder.name(pair.high),
            str(pair.attempted),
            with_error(pair.measured, pair.error),
            _number(pair.predicted),
            _number(float(analysis.travel.down[pair.low]), ".2f"),
        )
    table.caption = "erfc: from the heat capacity; down: share of the replicas that come from the hot end"
    table.caption_justify = "left"
    return table


def _energies(analysis: Analysis, isobar: Isobar) -> Table:
    at = "" if isobar.pressure is None else f", {isobar.pressure:.5g} bar"
    heat = "C_V" if isobar.pressure is None else "C_p"
    table = Table(title=f"energy and heat capacity of one atom{at}", **PLAIN)  # type: ignore[arg-type]
    energy = "U" if isobar.pressure is None else "U + pV"
    for name in ("T (K)", f"{energy} (kJ/mol)", f"{heat} (k)", "liquid"):
        table.add_column(name, justify="right")
    liquid = _liquid_by_rung(isobar)
    rungs = isobar.samples.temperature
    for point in _some([point for point in isobar.points if np.any(np.isclose(point.temperature, rungs))]):
        share = liquid[int(np.argmin(np.abs(rungs - point.temperature)))] if liquid is not None else math.nan
        table.add_row(
            f"{point.temperature:.5g}",
            with_error(point.energy, point.energy_error),
            with_error(point.heat, point.heat_error),
            "" if math.isnan(share) else f"{100 * share:.0f} %",
        )
    return table


def _liquid_by_rung(isobar: Isobar) -> np.ndarray | None:  # type: ignore[type-arg]
    if isobar.phases is None:
        return None
    samples = isobar.samples
    liquid = isobar.phases.liquid[samples.row, samples.replica]
    count = np.bincount(samples.rung, minlength=len(samples.temperature))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.bincount(samples.rung, weights=liquid, minlength=len(count)) / count


def _transition(isobar: Isobar) -> Table | None:
    found, phases = isobar.transition, isobar.phases
    if found is None or (found.peak is None and phases is None):
        return None
    at = "" if isobar.pressure is None else f", {isobar.pressure:.5g} bar"
    table = Table(title=f"change of phase{at}", show_header=False, **PLAIN)  # type: ignore[arg-type]
    table.add_column(style="dim")
    table.add_column()
    if found.peak is not None:
        table.add_row(
            "heat capacity peaks",
            f"at {with_error(found.peak.temperature, found.peak.error)} K with "
            f"{with_error(found.height, found.height_error)} k",
        )
    if found.equal is not None and math.isfinite(found.equal.temperature):
        table.add_row(
            "phases have equal weight", f"at {with_error(found.equal.temperature, found.equal.error)} K"
        )
    if phases is not None:
        melted, froze = (int(each.sum()) for each in phases.changes)
        table.add_row(
            "latent energy",
            f"{phases.step:.3g} kJ/mol per atom; standard deviation within a phase {phases.scatter:.2g}",
        )
        seen = [f"solid up to {found.solid_to:.5g} K"] if found.solid_to is not None else []
        seen += [f"liquid down to {found.liquid_to:.5g} K"] if found.liquid_to is not None else []
        table.add_row("seen", ", ".join(seen))
        table.add_row("phase changes", f"{number_of(melted, 'melting')}, {number_of(froze, 'freezing')}")
    return table


def _slopes(isobar: Isobar) -> Table | None:
    if not isobar.slopes:
        return None
    table = Table(title="ln[P1(U)/P2(U)]: slope in mol/kJ", **PLAIN)  # type: ignore[arg-type]
    for name in ("T1 (K)", "T2 (K)", "measured", "1/kT2 - 1/kT1", "errors off"):
        table.add_column(name, justify="right")
    for slope in isobar.slopes:
        table.add_row(
            f"{slope.temperatures[0]:.5g}", f"{slope.temperatures[1]:.5g}",
            with_error(slope.slope, slope.error), f"{slope.expected:.5g}", f"{slope.off:+.1f}",
        )  # fmt: skip
    return table


def _structures(analysis: Analysis) -> Table | None:
    if not analysis.structures:
        return None
    table = Table(title="structure", **PLAIN)  # type: ignore[arg-type]
    for name in ("of", "frames", "T (K)", "Q6 first", "Q6 last", "displacement (nm^2)"):
        table.add_column(name, justify="right")
    for each in analysis.structures:
        tail = each.q6[len(each.q6) * 4 // 5 :]
        moved = f"{each.displacement[-1]:.3g} in {each.lag[-1]:.4g} ps" if len(each.displacement) else "-"
        cold, mean, hot = each.temperatures
        t = f"{mean:.4g}" if hot - cold < 1e-6 else f"{mean:.4g} ({cold:.4g} to {hot:.4g})"
        table.add_row(each.name, str(each.frames), t, f"{each.q6[0]:.3f}", f"{tail.mean():.3f}", moved)
    table.caption = "Q6: 0.575 in perfect fcc, about 0.5 in a warm crystal, near 0 in a liquid"
    table.caption_justify = "left"
    return table


def warning_lines(warnings: Sequence[str]) -> list[Text]:
    """Each warning as a line that is seen."""
    return [Text.assemble(("warning: ", "bold yellow"), warning) for warning in warnings]


def tables(analysis: Analysis) -> RenderableType:
    """All tables of an analysis, and its warnings below them."""
    parts: list[RenderableType | None] = [_summary(analysis), _acceptance(analysis)]
    for isobar in analysis.isobars:
        parts += [
            _energies(analysis, isobar) if isobar.points else None,
            _transition(isobar),
            _slopes(isobar),
        ]
    parts.append(_structures(analysis))
    shown: list[RenderableType] = []
    for part in parts:
        if part is not None:
            shown += [part, Text("")]
    return Group(*shown, *warning_lines(analysis.warnings))


def difference_table(found: Sequence[Difference], names: tuple[str, str]) -> Table:
    """Energies of two runs, side by side."""
    table = Table(title="energy of one atom (kJ/mol)", **PLAIN)  # type: ignore[arg-type]
    for name in ("T (K)", *names, "difference", "errors off"):
        table.add_column(name, justify="right")
    for each in _some(found):
        table.add_row(
            f"{each.temperature:.5g}", f"{each.first:.5g}", f"{each.second:.5g}",
            with_error(each.second - each.first, each.error), f"{each.off:+.1f}",
        )  # fmt: skip
    return table
