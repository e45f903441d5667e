"""Free energies of two phases as a table, a picture and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.argon.crossing import Crossing
from tasuki.argon.free_energy import FreeEnergies
from tasuki.argon.stages import System
from tasuki.argon.tables import warning_lines
from tasuki.output import write_text
from tasuki.plot import save_figure
from tasuki.style import BLUE, RED, STYLE
from tasuki.tables import PLAIN, with_error

LINES = 9  # of the table
LEFT = ("transition.json", "transition.png")
_SOLID, _FLUID = BLUE, RED
OTHERS = {
    "cut": "cut there instead, energies not shifted, with or without a tail spread evenly",
    "full": "no cut-off: all images up to 1.5 edges, spread evenly beyond",
    "bulk": "no cut-off, and endlessly many atoms, as far as harmonic modes and Stirling's formula know",
}


def kelvin_text(found: Crossing | None, system: System) -> str:
    """A crossing's temperature with its error."""
    if found is None:
        return "none"
    kelvin = system.substance.kelvin
    return f"{with_error(float(kelvin(found.t)), float(kelvin(found.error)))} K"


def free_table(found: FreeEnergies) -> RenderableType:
    """F and U along temperature, where they cross, what the error is of, and what to doubt."""
    system, unit = found.system, found.system.substance.epsilon
    table = Table(
        title=f"free energy of one atom without momenta (kJ/mol): {system.atoms} atoms at "
        f"{system.density:.5g} g/cm3, shifted at {system.cutoff:.4g} sigma",
        **PLAIN,  # type: ignore[arg-type]
    )
    for name in ("T (K)", "F solid", "F fluid", "fluid less solid", "U solid", "U fluid"):
        table.add_column(name, justify="right")
    lower, upper = found.solid, found.fluid
    for k in np.linspace(0, len(lower.t) - 1, LINES).round().astype(int):
        scale = unit * lower.t[k]
        apart, error = upper.free[k] - lower.free[k], np.hypot(upper.error[k], lower.error[k])
        table.add_row(
            f"{system.substance.kelvin(lower.t[k]):.1f}",
            with_error(scale * lower.free[k], scale * lower.error[k]),
            with_error(scale * upper.free[k], scale * upper.error[k]),
            with_error(scale * apart, scale * error),
            with_error(unit * lower.energy[k], unit * lower.energy_error[k]),
            with_error(unit * upper.energy[k], unit * upper.energy_error[k]),
        )
    lines: list[RenderableType] = [table, Text("")]
    if found.crossing:
        lines.append(
            Text.assemble(
                "both phases have the same free energy at ",
                (kelvin_text(found.crossing, system), "bold"),
                f", {unit * found.crossing.latent:.3g} kJ/mol an atom apart in energy",
            )
        )
    for other in found.others:
        lines.append(Text(f"  {kelvin_text(other.crossing, system)}: {OTHERS[other.name]}"))
    shares = ", ".join(f"{name} {1e3 * error:.2g}" for name, error in found.parts.items())
    lines.append(Text(f"standard errors of F/kT, in thousandths: {shares}"))
    return Group(*lines, *warning_lines(found.warnings))


def to_json(found: FreeEnergies) -> dict[str, Any]:
    """Temperatures in K, energies of one atom in kJ/mol."""
    system, unit = found.system, found.system.substance.epsilon
    kelvin = system.substance.kelvin

    def crossing(each: Crossing | None) -> dict[str, float] | None:
        if each is None:
            return None
        return {
            "temperature_K": float(kelvin(each.t)),
            "error_K": float(kelvin(each.error)),
            "latent_kJ_mol": unit * each.latent,
        }

    lower, upper = found.solid, found.fluid
    return {
        "schema": 1,
        "atoms": system.atoms,
        "density_g_cm3": system.density,
        "cutoff_sigma": system.cutoff,
        "transition": crossing(found.crossing),
        "other_pairs": {
            other.name: {"free_kJ_mol": unit * other.free, "transition": crossing(other.crossing)}
            for other in found.others
        },
        "points": [
            {
                "temperature_K": float(kelvin(lower.t[k])),
                **{
                    f"{phase}_{name}_kJ_mol": float(scale * getattr(branch, field)[k])
                    for phase, branch in (("solid", lower), ("fluid", upper))
                    for name, field, scale in (
                        ("free", "free", unit * lower.t[k]), ("free_error", "error", unit * lower.t[k]),
                        ("energy", "energy", unit), ("energy_error", "energy_error", unit),
                    )
                },
            }
            for k in range(len(lower.t))
        ],
        "errors_kT": found.parts,
        "warnings": found.warnings,
    }  # fmt: skip


def free_figure(found: FreeEnergies) -> Figure:
    """Both branches, each minus a straight line between the ends of the solid's, and their difference."""
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 6.4), sharex=True)
    system, unit = found.system, found.system.substance.epsilon
    t = np.asarray(system.substance.kelvin(1.0) * found.solid.t)
    scale = unit * found.solid.t
    solid = scale * found.solid.free
    line = solid[0] + (solid[-1] - solid[0]) * (t - t[0]) / (t[-1] - t[0])
    for branch, colour, name in ((found.solid, _SOLID, "solid"), (found.fluid, _FLUID, "fluid")):
        value, error = scale * branch.free - line, 2 * scale * branch.error
        upper.fill_between(t, value - error, value + error, color=colour, alpha=0.25, lw=0)
        upper.plot(t, value, color=colour, lw=1.4, label=name)
    upper.set_ylabel("$F$ minus a straight line (kJ/mol)")
    upper.legend(frameon=False)
    apart = scale * (found.fluid.free - found.solid.free)
    error = 2 * scale * np.hypot(found.fluid.error, found.solid.error)
    lower.fill_between(t, apart - error, apart + error, color="#808080", alpha=0.3, lw=0)
    lower.plot(t, apart, color="#404040", lw=1.4)
    lower.axhline(0, color="#404040", lw=0.8, ls=":")
    lower.set_ylabel("$F$(fluid) − $F$(solid) (kJ/mol)")
    lower.set_xlabel("temperature (K)")
    if found.crossing:
        for axis in (upper, lower):
            axis.axvline(float(system.substance.kelvin(found.crossing.t)), color="#404040", lw=0.9, ls="--")
    upper.set_title(
        f"{system.atoms} atoms at {system.density:.4g} g/cm³: the same free energy at "
        f"{kelvin_text(found.crossing, system)}\nper atom, without momenta; shaded: two standard errors",
        loc="left",
    )
    return figure


def leave(found: FreeEnergies, folder: Path) -> list[Path]:
    """Writes transition.json and transition.png."""
    write_text(folder / LEFT[0], json.dumps(to_json(found), indent=1) + "\n", "--output")
    with mpl.rc_context(STYLE):
        return [save_figure(free_figure(found), folder / LEFT[1], "--output")]
