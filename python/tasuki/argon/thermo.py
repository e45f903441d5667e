"""U(T) and C_V(T) by multistate reweighting (MBAR), with error bars.

All rungs of one pressure share one density of states, so each sample says something about every temperature
near its own [Shirts and Chodera, J. Chem. Phys. 129, 124105 (2008)]. Between temperatures a sample is known
by its energy alone, so energies that differ by less than `BIN` in all exponents are counted together: the
equations are those of MBAR, with as many terms as bins, and a million samples are no more work than a
thousand. (pymbar, which takes them one by one, agrees; see `mbar_check`.)

Rungs far apart tell each other nothing: windows of `WINDOW` neighbours that overlap by half are solved one by
one, of a ladder of more than `RUNGS` rungs thinned evenly. A temperature is taken from the window in whose
middle it lies. Errors are made by leaving out each of BLOCKS stretches of time in turn (jackknife), so they
hold what correlation there is within a stretch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tasuki.argon.folder import BOLTZMANN, Doubles, Ints
from tasuki.argon.samples import BLOCKS, Samples

RUNGS = 768
WINDOW = 32
POINTS = 400  # of a curve
BIN = 0.02  # widest bin times the widest difference of 1/kT
_AT_ONCE = 1 << 22  # weights that are held in memory


@dataclass(frozen=True)
class Point:
    """A temperature in K: U (U + p V) in kJ/mol without kinetic part, heat capacity in k with it, both of one
    atom; standard errors behind them."""

    temperature: float
    energy: float
    energy_error: float
    heat: float
    heat_error: float


def jackknife(full: float, without: Sequence[float] | Doubles) -> float:
    """Standard error of an estimate from those without each block; NaN where one is."""
    values = np.asarray(without, dtype=np.float64)
    if len(values) < 2 or not math.isfinite(full):
        return math.nan
    return float(np.sqrt((len(values) - 1) * np.mean((values - values.mean()) ** 2)))


class Window:
    """MBAR over neighbouring rungs of one pressure: free energies, and weights of energies at any
    temperature.

    Energies are kept relative to `centre`; `x` [B] are the bins' means, kJ/mol."""

    def __init__(self, samples: Samples, first: int, end: int) -> None:
        """Of rungs first <= k < end of `samples`."""
        self.chosen = np.flatnonzero((samples.rung >= first) & (samples.rung < end))
        value = samples.value[self.chosen]
        self.centre = float(value.mean())
        shifted = value - self.centre
        self.temperature = samples.temperature[first:end]
        self.beta = 1 / (BOLTZMANN * self.temperature)
        spread = float(np.ptp(self.beta)) or float(self.beta[0])
        number = np.floor((shifted - shifted.min()) / (BIN / spread)).astype(np.int64)
        _, self.bin = np.unique(number, return_inverse=True)
        self.block = samples.block[self.chosen]
        bins = int(self.bin.max()) + 1
        self.x = np.bincount(self.bin, weights=shifted) / np.bincount(self.bin)
        rung = samples.rung[self.chosen] - first
        self._counts = np.zeros((BLOCKS, bins))
        np.add.at(self._counts, (self.block, self.bin), 1.0)
        self._taken = np.zeros((BLOCKS, end - first))
        np.add.at(self._taken, (self.block, rung), 1.0)
        self._mean = np.bincount(rung, weights=shifted, minlength=end - first)
        self._mean /= np.maximum(1, np.bincount(rung, minlength=end - first))
        # Weights of the whole, then without each block: a row a set.
        self.kept = [np.ones(BLOCKS, dtype=bool)]
        self.kept += [np.arange(BLOCKS) != b for b in range(BLOCKS) if self._taken[b].any()]
        self.free = [self._solve(self.kept[0], self._first_guess())]
        self.free += [self._solve(kept, self.free[0]) for kept in self.kept[1:]]

    def _first_guess(self) -> Doubles:
        steps = np.diff(self.beta) * (self._mean[1:] + self._mean[:-1]) / 2
        return np.concatenate([[0.0], np.cumsum(steps)])

    def _log_mixture(self, free: Doubles, taken: Doubles) -> Doubles:
        with np.errstate(divide="ignore"):
            terms = (np.log(taken) + free)[:, None] - self.beta[:, None] * self.x[None, :]
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))

    def _solve(self, kept: np.ndarray[Any, Any], guess: Doubles) -> Doubles:
        """Free energies over kT by rung, the first 0: Newton's way down a convex function, halved where too
        long."""
        taken, counts = self._taken[kept].sum(axis=0), self._counts[kept].sum(axis=0)
        there = np.flatnonzero(taken)
        free = guess.copy()

        def cost(f: Doubles) -> float:
            return float(counts @ self._log_mixture(f, taken) - taken @ f)

        now = cost(free)
        for _ in range(60):
            mixture = self._log_mixture(free, taken)
            share = np.exp(free[:, None] - self.beta[:, None] * self.x[None, :] - mixture) * taken[:, None]
            gradient = share @ counts - taken
            if np.abs(gradient[there] / taken[there]).max() < 1e-9:
                break
            curvature = -(share * counts) @ share.T
            curvature[np.diag_indices_from(curvature)] += share @ counts
            rest = there[1:]
            if len(rest) == 0:
                break
            reduced = curvature[np.ix_(rest, rest)]
            reduced[np.diag_indices_from(reduced)] *= 1 + 1e-12
            move = np.zeros_like(free)
            move[rest] = np.linalg.lstsq(reduced, -gradient[rest], rcond=1e-14)[0]
            size = 1.0
            while size > 1e-6 and not cost(free + size * move) <= now + 1e-9 * abs(now):
                size /= 2
            free = free + size * move
            now = cost(free)
        return free

    def weights(self, temperatures: Sequence[float] | Doubles, which: int = 0) -> Doubles:
        """[P, B]: of the bins at each temperature, each row adding up to 1; `which`: 0 of all, else without
        block which - 1."""
        kept = self.kept[which]
        taken, counts = self._taken[kept].sum(axis=0), self._counts[kept].sum(axis=0)
        with np.errstate(divide="ignore"):
            log = np.log(counts) - self._log_mixture(self.free[which], taken)
        beta = 1 / (BOLTZMANN * np.asarray(temperatures, dtype=np.float64))
        exponent = log[None, :] - beta[:, None] * self.x[None, :]
        weight = np.exp(exponent - exponent.max(axis=1, keepdims=True))
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def mean_of(self, values: Doubles, which: int = 0) -> Doubles:
        """[B]: the mean in each bin of what `values` [n] says of each of the samples that the window was made
        of."""
        kept = self.kept[which][self.block]
        inside = values[self.chosen][kept]
        bins = len(self.x)
        count = np.bincount(self.bin[kept], minlength=bins)
        return np.asarray(np.bincount(self.bin[kept], weights=inside, minlength=bins) / np.maximum(1, count))

    def expectation(
        self, temperatures: Sequence[float] | Doubles, values: Doubles, which: int = 0
    ) -> Doubles:
        """[P]: at each temperature the mean of what `values` [B] says of the bins."""
        t = np.asarray(temperatures, dtype=np.float64)
        pieces = np.array_split(t, max(1, len(t) * len(self.x) // _AT_ONCE))
        return np.concatenate([self.weights(piece, which) @ values for piece in pieces])

    def moments(self, temperatures: Sequence[float] | Doubles, which: int = 0) -> tuple[Doubles, Doubles]:
        """Mean and variance [P] of the energy of the whole replica, kJ/mol."""
        t = np.asarray(temperatures, dtype=np.float64)
        means, variances = [], []
        for piece in np.array_split(t, max(1, len(t) * len(self.x) // _AT_ONCE)):
            weight = self.weights(piece, which)
            mean = weight @ self.x
            means.append(mean)
            variances.append(np.einsum("pb,pb->p", weight, (self.x[None, :] - mean[:, None]) ** 2))
        return np.concatenate(means) + self.centre, np.concatenate(variances)

    def heat(self, temperatures: Sequence[float] | Doubles, atoms: int, which: int = 0) -> Doubles:
        """[P]: heat capacity of one atom in k, kinetic part included."""
        thermal = BOLTZMANN * np.asarray(temperatures, dtype=np.float64)
        return np.asarray(1.5 + self.moments(temperatures, which)[1] / thermal**2 / atoms)

    def points(self, temperatures: Sequence[float] | Doubles, atoms: int) -> list[Point]:
        """U and heat capacity at each temperature, with errors."""
        sets = range(len(self.kept))
        energies = np.stack([self.moments(temperatures, which)[0] / atoms for which in sets])
        heats = np.stack([self.heat(temperatures, atoms, which) for which in sets])
        return [
            Point(
                float(t), float(energies[0, k]), jackknife(float(energies[0, k]), energies[1:, k]),
                float(heats[0, k]), jackknife(float(heats[0, k]), heats[1:, k]),
            )
            for k, t in enumerate(temperatures)
        ]  # fmt: skip


def windows(count: int, width: int = WINDOW) -> list[tuple[int, int]]:
    """Windows [first, end) over `count` rungs, each half in the next one."""
    if count <= width * 3 // 2:
        return [(0, count)]
    firsts = list(range(0, count - width, width // 2))
    return [(first, first + width) for first in firsts] + [(count - width, count)]


def thinned(rungs: Ints, most: int = RUNGS) -> Ints:
    """At most so many of the rungs, evenly spread, both ends among them."""
    if len(rungs) <= most:
        return rungs
    return rungs[np.unique(np.linspace(0, len(rungs) - 1, most).round().astype(int))]


def temperatures(rungs: Sequence[float] | Doubles, between: int = 3) -> Doubles:
    """The rungs' temperatures and `between` others in each gap, at most about POINTS in all."""
    values = np.unique(np.asarray(rungs, dtype=np.float64))
    between = max(0, min(between, POINTS // max(1, len(values)) - 1))
    place = np.arange(len(values), dtype=np.float64)
    fine = np.linspace(0, len(values) - 1, (len(values) - 1) * (between + 1) + 1)
    return np.asarray(np.interp(fine, place, values))


def nearest_window(samples: Samples, temperature: float) -> Window:
    """The window in whose middle `temperature` lies."""
    cuts = windows(len(samples.temperature))
    middles = [abs(samples.temperature[first:end].mean() - temperature) for first, end in cuts]
    return Window(samples, *cuts[int(np.argmin(middles))])


def curve(samples: Samples, atoms: int, between: int = 3) -> list[Point]:
    """U(T) and C_V(T) at the rungs and at `between` temperatures between each two of them; empty where there
    are fewer than two samples a rung."""
    rungs = len(samples.temperature)
    if rungs == 0 or len(samples.value) < 2 * rungs:
        return []
    grid = temperatures(samples.temperature, between)
    cuts = windows(rungs)
    middles = np.array([samples.temperature[first:end].mean() for first, end in cuts])
    nearest = np.abs(grid[:, None] - middles[None, :]).argmin(axis=1)
    points: list[Point] = []
    for number, (first, end) in enumerate(cuts):
        mine = grid[nearest == number]
        if len(mine) and np.any((samples.rung >= first) & (samples.rung < end)):
            points += Window(samples, first, end).points(mine, atoms)
    return points
