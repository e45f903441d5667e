"""All that `tasuki wilson analyze` says of a run, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tasuki.errors import TasukiError
from tasuki.wilson.folder import Run
from tasuki.wilson.jackknife import Estimate, jackknife
from tasuki.wilson.mass import Mass, masses
from tasuki.wilson.verdict import warnings


@dataclass(frozen=True)
class Analysis:
    """A run, its masses, and what to doubt. `size`: configurations a bin."""

    run: Run
    size: int
    plaquette: Estimate
    masses: dict[str, Mass]
    warnings: list[str]

    @property
    def bins(self) -> int:
        """Of the jackknife."""
        return self.run.configurations // self.size


def analyze(run: Run, size: int = 1, discard: int = 0) -> Analysis:
    """Looks at a run without its first `discard` configurations."""
    if run.configurations == 0:
        raise TasukiError(f"{run.path} has no finished configuration yet", "wait, or resume the run")
    if discard >= run.configurations:
        raise TasukiError(
            f"--discard {discard} leaves none of {run.configurations} configurations",
            "choose a smaller --discard",
        )
    counted = run.chosen(np.arange(discard, run.configurations))
    found = masses(counted, size)
    plaquette = jackknife(counted.plaquette, size=size)
    return Analysis(counted, size, plaquette, found, warnings(counted, found, size))


@dataclass(frozen=True)
class Comparison:
    """Two runs beside each other."""

    channel: str
    relative: float | None  # greatest difference of the correlators over themselves, of runs of one shape
    first: tuple[float, float] | None  # mass and error
    second: tuple[float, float] | None
    errors_off: float | None


def compare(a: Analysis, b: Analysis) -> list[Comparison]:
    """Correlators of the same configurations, and masses."""
    lines = []
    for channel, one in a.masses.items():
        other = b.masses[channel]
        x, y = getattr(a.run, channel), getattr(b.run, channel)
        relative = float(np.max(np.abs(x - y) / np.abs(y))) if x.shape == y.shape else None
        p, q = one.plateau, other.plateau
        off = None
        if p and q and math.hypot(p.error, q.error) > 0:
            off = (p.mass - q.mass) / math.hypot(p.error, q.error)
        lines.append(Comparison(channel, relative, p and (p.mass, p.error), q and (q.mass, q.error), off))
    return lines


def _finite(values: np.ndarray) -> list[float | None]:
    return [float(v) if math.isfinite(v) else None for v in np.asarray(values, dtype=np.float64)]


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": _finite(estimate.value), "error": _finite(estimate.error)}


def to_json(analysis: Analysis) -> dict[str, Any]:
    """For programs; numbers that are not known are null."""
    run = analysis.run
    value, error = float(analysis.plaquette.value), float(analysis.plaquette.error)
    return {
        "schema": 1,
        "folder": str(run.path),
        "extents": list(run.extents),
        "kappa": run.kappa,
        "configurations": run.configurations,
        "bin": analysis.size,
        "plaquette": {"value": value, "error": error if math.isfinite(error) else None},
        "channels": {
            name: {
                "correlator": _estimate(mass.correlator),
                "effective_mass": _estimate(mass.effective),
                "plateau": vars(mass.plateau) if mass.plateau else None,
            }
            for name, mass in analysis.masses.items()
        },
        "solves": {
            "converged": int(run.solves.converged.sum()),
            "of": int(run.solves.converged.size),
            "iterations": float(run.solves.iterations.mean()),
            "worst_residual": float(run.solves.residual.max()),
        },
        "warnings": analysis.warnings,
    }


def comparison_to_json(lines: list[Comparison]) -> list[dict[str, Any]]:
    """For programs."""
    return [vars(line) for line in lines]
