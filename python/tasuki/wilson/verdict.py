"""Warnings: reasons not to trust the results of a run."""

from __future__ import annotations

import math

import numpy as np

from tasuki.wilson.folder import Run
from tasuki.wilson.jackknife import jackknife
from tasuki.wilson.mass import Mass, cosh_mass, fold_meson, usable

FEW_BINS = 10
GROWS = {4: 1.8, 2: 1.4}  # bins so many times as large: what errors may grow by at most
FEWEST_GROWN = 4  # of those larger bins
APART = 6.0  # times the median: a correlator that stands out
LEAVES = 3.0  # errors that an effective mass behind a plateau may be away from it
SMALL_BOX = 4.0  # mass times length below which a pion feels its images


def _errors(run: Run, bins: int, size: int) -> list[str]:
    if bins < 2:
        what = (
            "one configuration"
            if run.configurations == 1
            else f"{bins} bin of {run.configurations} configurations"
        )
        return [f"{what}: there are no errors; run more configurations (--configurations)"]
    said = []
    if bins < FEW_BINS:
        share = 100 / math.sqrt(2 * (bins - 1))
        said.append(f"errors of {bins} bins have an error of {share:.0f} % or more; run more configurations")
    samples = fold_meson(run.pion)
    for times, growth in GROWS.items():
        if bins < times * FEWEST_GROWN:
            continue
        one = jackknife(samples, cosh_mass, size).error[1:]
        more = jackknife(samples, cosh_mass, times * size).error[1:]
        known = np.isfinite(one) & np.isfinite(more) & (one > 0)
        found = float(np.median(more[known] / one[known])) if known.any() else 0.0
        if found > growth:
            said.append(
                f"errors grow {found:.2f}-fold with bins of {times * size}: configurations are "
                "correlated; use larger bins (--bin) or more sweeps between them (--separation)"
            )
            break
    return said


def _solves(run: Run) -> list[str]:
    bad = ~run.solves.converged
    if not bad.any():
        return []
    worst = float(run.solves.residual[bad].max())
    where = sorted({run.names[k] for k in np.flatnonzero(bad.any(axis=1))})
    names = ", ".join(where[:4]) + (", .." if len(where) > 4 else "")
    return [
        f"{bad.sum()} of {bad.size} solves did not converge (residual up to {worst:.1e}; configurations "
        f"{names}): their correlators are wrong"
    ]


def _standing_out(run: Run) -> list[str]:
    if run.configurations < 5:
        return []
    middle = fold_meson(run.pion)[:, -1]
    ratio = middle / np.median(middle)
    return [
        f"configuration {run.names[k]} has a pion {ratio[k]:.1f} times the median in the middle of time: it "
        "dominates the mean (an exceptional configuration, or a chain that is not thermalised)"
        for k in np.flatnonzero(ratio > APART)
    ]


def _after(mass: Mass) -> list[str]:
    """Effective masses after a plateau, before noise dominates, must agree with it."""
    plateau, effective = mass.plateau, mass.effective
    if plateau is None:
        return []
    behind = slice(plateau.last + 1, usable(effective))
    error = np.hypot(effective.error[behind], plateau.error)
    off = np.abs(effective.value[behind] - plateau.mass) / np.where(error > 0, error, np.inf)
    if not (off > LEAVES).any():
        return []
    return [
        f"{mass.channel}: behind the plateau effective masses are up to {off.max():.1f} errors away from it: "
        "errors are too small, or the plateau is none (larger --bin, more configurations)"
    ]


def _plateau(mass: Mass, run: Run) -> list[str]:
    if mass.plateau is None:
        value, error = mass.effective.value, mass.effective.error
        known = np.flatnonzero(np.isfinite(value[1:]) & np.isfinite(error[1:])) + 1
        if not len(known):
            return [f"{mass.channel}: the correlator does not fall, so it has no mass"]
        return [
            f"{mass.channel}: no plateau: effective masses do not agree over three slices (heavier states "
            "or noise), so no mass is given; more configurations, a smeared source or a longer lattice help"
        ]
    said = _after(mass)
    if mass.channel != "pion":
        return said
    length = mass.plateau.mass * min(run.extents[:3])
    if length >= SMALL_BOX:
        return said
    return [
        *said,
        f"the pion's mass times the shortest edge is {length:.1f}, below {SMALL_BOX:g}: "
        "the pion interacts with its own images",
    ]


def warnings(run: Run, masses: dict[str, Mass], size: int) -> list[str]:
    """All warnings about the results of a run, one line each."""
    bins = next(iter(masses.values())).effective.bins
    bins = run.configurations // size if bins == 0 else bins
    said = _solves(run) + _errors(run, bins, size)
    if bins >= 2:
        for mass in masses.values():
            said += _plateau(mass, run)
    return said + _standing_out(run)
