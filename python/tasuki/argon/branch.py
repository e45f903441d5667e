"""F/T of a phase along temperature, from where it is known through the energies of runs.

    d(F/T)/d(1/T) = <U>, so F/T changes by -(<U>/T) d ln T,

all in units of the pair. Momenta, 3/2 ln T and a constant a mass sets, are left out of both phases alike.
Errors are made by leaving out one of BLOCKS stretches of time of a run in turn, and added in squares over
runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.argon.crystal import Cold, Crystal
from tasuki.argon.folder import Doubles, Run
from tasuki.argon.integral import interpolation, weights
from tasuki.argon.lennard_jones import Substance, edge
from tasuki.argon.samples import BLOCKS
from tasuki.argon.virial import Virial

DISCARD = 0.2  # of a run's beginning
SETTLED = 2000  # steps that do not count at least, or half of the run: a hot fluid begins as a cold one
ENOUGH = 0.5  # share of a rung's samples that must be of the phase


@dataclass(frozen=True)
class Leg:
    """What one ladder adds. Rows: all samples, then without each block; of one atom."""

    t: Doubles  # [K], T* of the rungs that count, rising
    energy: Doubles  # [1 + BLOCKS, K]
    lost: Doubles  # T* of rungs that do not count, for too few of their samples are of the phase

    def integral(self, to: Doubles, known: Doubles | float = 0.0) -> Doubles:
        """[1 + BLOCKS, G]: of <U>/T less `known` at its rungs over ln T, from the coldest rung to each of
        `to`."""
        return np.asarray((self.energy / self.t - known) @ weights(np.log(self.t), np.log(to)).T)

    @property
    def whole_error(self) -> float:
        """Standard error of the integral over all of it."""
        return float(np.sqrt(_spread(self.integral(self.t[-1:]))[0]))


@dataclass(frozen=True)
class Branch:
    """A phase at temperatures `t` [G], T*: F/T and <U> of one atom and their standard errors."""

    t: Doubles
    free: Doubles
    error: Doubles
    energy: Doubles
    energy_error: Doubles


def leg(run: Run, substance: Substance, kept: NDArray[np.bool_] | None, hot_end: bool) -> Leg:
    """Of a run at constant volume, from samples that are `kept` [T, R]. Rungs count up to the first that has
    too few, from the hot end or from the cold one."""
    first = min(run.rows // 2, max(int(run.rows * DISCARD), int(np.searchsorted(run.step, SETTLED, "right"))))
    held, energy = run.held[first:], run.potential[first:] / (substance.epsilon * run.atoms)
    good = np.isfinite(energy) & (True if kept is None else kept[first:])
    rungs = len(run.ladder)
    block = np.broadcast_to((np.arange(len(held)) * BLOCKS // max(1, len(held)))[:, None], held.shape)
    number = block[good] * rungs + held[good]
    count = np.bincount(number, minlength=BLOCKS * rungs).reshape(BLOCKS, rungs).astype(np.float64)
    total = np.bincount(number, energy[good], BLOCKS * rungs).reshape(BLOCKS, rungs)
    counts = np.concatenate([count.sum(axis=0)[None], count.sum(axis=0) - count])
    totals = np.concatenate([total.sum(axis=0)[None], total.sum(axis=0) - total])
    order = np.argsort(run.ladder.temperature)
    fine = (counts > ENOUGH * len(held) * (1 - 1 / BLOCKS)).all(axis=0)[order]
    bad = np.flatnonzero(~fine)
    if hot_end:
        chosen = order[bad[-1] + 1 :] if len(bad) else order
    else:
        chosen = order[: bad[0]] if len(bad) else order
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals / counts
    t = run.ladder.temperature / substance.kelvin(1.0)
    return Leg(t[chosen], mean[:, chosen], np.setdiff1d(t, t[chosen]))


def _spread(sets: Doubles) -> Doubles:
    """Variance of a quantity, its first row, from those without each block."""
    without = sets[1:]
    return np.asarray((len(without) - 1) * ((without - without.mean(axis=0)) ** 2).mean(axis=0))


def solid_branch(crystal: Crystal, cold: Cold, ladder: Leg, t: Doubles) -> Branch:
    """Upwards from the cold crystal; the harmonic part is taken as what it is, the rest integrated."""
    n = crystal.atoms
    harmonic = crystal.energy / n / ladder.t + 1.5 * (n - 1) / n
    rest = ladder.integral(t, harmonic)
    free = np.array([crystal.harmonic(float(each)) for each in t]) / n
    free += (cold.free - cold.harmonic) / n - rest[0]
    return _branch(t, free, _spread(rest) + (cold.error / n) ** 2, ladder)


def fluid_branch(atoms: int, density: float, virial: Virial, legs: Sequence[Leg], t: Doubles) -> Branch:
    """Downwards from the hot end of the last of `legs`, whose first holds all of `t`."""
    excess, error = virial.excess(atoms, edge(atoms, density) ** 3)
    ideal = math.lgamma(atoms + 1) - atoms * math.log(edge(atoms, density) ** 3)
    free = np.full(len(t), (ideal + excess) / atoms)
    variance = np.full(len(t), (error / atoms) ** 2)
    for number, each in enumerate(legs):
        whole = each.integral(each.t[-1:])
        part = whole - each.integral(t) if number == 0 else whole
        free += part[0]
        variance += _spread(part)
    return _branch(t, free, variance, legs[0])


def _branch(t: Doubles, free: Doubles, variance: Doubles, ladder: Leg) -> Branch:
    energy = ladder.energy @ interpolation(np.log(ladder.t), np.log(t)).T
    return Branch(t, free, np.sqrt(variance), energy[0], np.sqrt(_spread(energy)))
