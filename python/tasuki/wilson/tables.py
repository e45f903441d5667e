"""What an analysis says, as tables of text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.tables import PLAIN, with_error
from tasuki.wilson.analysis import Analysis, Comparison
from tasuki.wilson.mass import CHANNELS


def _summary(analysis: Analysis) -> Table:
    run, solves = analysis.run, analysis.run.solves
    table = Table(show_header=False, **PLAIN)  # type: ignore[arg-type]
    table.add_column(style="dim")
    table.add_column()
    table.add_row("lattice", run.title)
    binned = f", {analysis.bins} bins of {analysis.size}" if analysis.size > 1 else ""
    table.add_row("configurations", f"{run.configurations}{binned}")
    table.add_row(
        "plaquette",
        f"{with_error(float(analysis.plaquette.value), float(analysis.plaquette.error))} "
        f"({run.plaquette_space.mean():.4f} in space, {run.plaquette_time.mean():.4f} with time)",
    )
    loop = run.polyakov.mean()
    table.add_row("Polyakov loop", f"{abs(loop):.4f} (mean of its size {np.abs(run.polyakov).mean():.4f})")
    table.add_row("links", f"within {run.unitarity.max():.1e} of SU(3)")
    seconds = solves.seconds.sum()
    rate = f", {1e-9 * solves.flops.sum() / seconds:.3g} GFLOP/s" if seconds > 0 else ""
    table.add_row(
        "solves",
        f"{solves.converged.sum()} of {solves.converged.size} converged, {solves.iterations.mean():.4g} "
        f"iterations each, residual up to {solves.residual.max():.1e}{rate}",
    )
    return table


def _masses(analysis: Analysis) -> Table:
    table = Table(title="mass, 1/a", **PLAIN)  # type: ignore[arg-type]
    for name in ("", "plateau", "from t", "to t"):
        table.add_column(name, justify="left" if not name else "right")
    for channel in CHANNELS:
        plateau = analysis.masses[channel].plateau
        if plateau:
            table.add_row(
                channel, with_error(plateau.mass, plateau.error), str(plateau.first), str(plateau.last + 1)
            )
        else:
            table.add_row(channel, "none", "", "")
    return table


def _effective(analysis: Analysis) -> Table:
    table = Table(title="effective mass, t to t + 1", **PLAIN)  # type: ignore[arg-type]
    table.add_column("t", justify="right")
    for channel in CHANNELS:
        table.add_column(channel, justify="right")
    columns = [analysis.masses[channel].effective for channel in CHANNELS]
    for t in range(max(len(column.value) for column in columns)):
        cells = [
            with_error(float(c.value[t]), float(c.error[t])) if t < len(c.value) else "" for c in columns
        ]
        table.add_row(str(t), *cells)
    return table


def warning_lines(warnings: Sequence[str]) -> list[Text]:
    """Each in a line of its own."""
    return [Text(f"warning: {warning}", style="yellow") for warning in warnings]


def tables(analysis: Analysis) -> RenderableType:
    """All tables, and what to doubt."""
    parts: list[RenderableType] = [_summary(analysis), _masses(analysis), _effective(analysis)]
    return Group(*parts, *warning_lines(analysis.warnings))


def comparison_table(lines: Sequence[Comparison], names: tuple[str, str]) -> Table:
    """Two runs beside each other."""
    table = Table(title="the two runs", **PLAIN)  # type: ignore[arg-type]
    for name in ("", names[0], names[1], "errors off", "correlators differ by"):
        table.add_column(name, justify="left" if not name else "right")
    for line in lines:
        off = line.errors_off
        table.add_row(
            line.channel,
            with_error(*line.first) if line.first else "-",
            with_error(*line.second) if line.second else "-",
            f"{off:+.1f}" if off is not None and math.isfinite(off) else "-",
            f"{line.relative:.1e}" if line.relative is not None else "-",
        )
    return table
