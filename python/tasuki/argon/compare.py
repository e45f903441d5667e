"""Two runs of one system that began otherwise: what they agree on does not depend on the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Run
from tasuki.argon.samples import BLOCKS
from tasuki.argon.verdict import block_means
from tasuki.errors import TasukiError

DOUBTFUL = 4.0  # errors


@dataclass(frozen=True)
class Difference:
    """Of energies an atom at one temperature, kJ/mol, second run less the first."""

    temperature: float
    first: float
    second: float
    error: float

    @property
    def off(self) -> float:
        """The difference in errors."""
        return (self.second - self.first) / self.error if self.error > 0 else 0.0


def _means(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    isobar = run.ladder.isobars()[0]
    blocks = block_means(run, isobar)
    number = np.isfinite(blocks).sum(axis=0)
    keep = number >= 3
    mean = np.nanmean(blocks[:, keep], axis=0)
    error = np.nanstd(blocks[:, keep], axis=0, ddof=1) / np.sqrt(number[keep])
    return run.ladder.temperature[isobar][keep], mean, error


def differences(first: Run, second: Run) -> list[Difference]:
    """At the rungs of `first` that lie within the ladder of `second`, whose energies are interpolated."""
    if first.atoms != second.atoms:
        raise TasukiError(
            f"{first.name} has {first.atoms} atoms, {second.name} {second.atoms}",
            "compare runs of one system",
        )
    if first.ladder.pressure is not None or second.ladder.pressure is not None:
        raise TasukiError(
            "runs at several pressures are not compared", "analyze each, and compare runs at constant volume"
        )
    density = [float(run.about.get("density_g_cm3", np.nan)) for run in (first, second)]
    if np.isfinite(density).all() and abs(density[0] - density[1]) > 1e-6 * density[0]:
        raise TasukiError(
            f"{first.name} has {density[0]:g} g/cm3, {second.name} {density[1]:g}",
            "compare runs of one system",
        )
    t_a, e_a, s_a = _means(first)
    t_b, e_b, s_b = _means(second)
    if len(t_a) == 0 or len(t_b) == 0:
        raise TasukiError(f"a run has fewer than {BLOCKS} exchanges for its errors", "run longer")
    inside = (t_a >= t_b.min() - 1e-9) & (t_a <= t_b.max() + 1e-9)
    if not inside.any():
        raise TasukiError("the ladders have no temperature in common", "run both over the same range")
    other, other_error = np.interp(t_a, t_b, e_b), np.interp(t_a, t_b, s_b)
    both = np.sqrt(s_a**2 + other_error**2)
    usual = float(np.median(both[inside]))  # of few stretches, an error may come out far too small
    return [
        Difference(
            float(t_a[k]), float(e_a[k]), float(other[k]), float(np.sqrt((both[k] ** 2 + usual**2) / 2))
        )
        for k in np.flatnonzero(inside)
    ]


def warning_of(found: list[Difference], first: Run, second: Run) -> str | None:
    """Says where the answers depend on the start; None where they agree."""
    bad = [each for each in found if abs(each.off) > DOUBTFUL]
    if len(bad) <= max(1, len(found) // 100):
        return None
    low, high = min(each.temperature for each in bad), max(each.temperature for each in bad)
    starts = [str(run.about.get("start", "unknown")) for run in (first, second)]
    told = f" ({starts[0]} and {starts[1]})" if starts[0] != starts[1] else ""
    return (
        f"the answers depend on the start{told}: energies differ on {len(bad)} of {len(found)} rungs, from "
        f"{low:.5g} to {high:.5g} K; if there is a transition it lies in there, and neither run has found it"
    )
