"""Whether two temperatures sample one density of states: ln[P1(U)/P2(U)] must be a line of slope 1/kT2 -
1/kT1.

Whatever the system is, this holds where thermostat, energies and exchange are right, and hardly by accident
[Shirts, J. Chem. Theory Comput. 9, 909 (2013)]. The slope is the one that makes the samples likeliest, which
needs no histogram; pairs of rungs are taken whose energies lie about two deviations apart, where it is known
best."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import BOLTZMANN, Doubles
from tasuki.argon.samples import BLOCKS, Samples
from tasuki.argon.thermo import jackknife

PAIRS = 8
APART = 2.0  # deviations
DOUBTFUL = 4.0  # errors


@dataclass(frozen=True)
class Slope:
    """Of ln[P1(U)/P2(U)] between two rungs (places in the samples' list), in mol/kJ, with its error."""

    low: int
    high: int
    temperatures: tuple[float, float]
    expected: float  # 1/kT2 - 1/kT1, negative where T2 is the hotter
    slope: float
    error: float

    @property
    def off(self) -> float:
        """Errors by which the slope is off."""
        return (self.slope - self.expected) / self.error if self.error > 0 else math.nan


def chosen_pairs(samples: Samples) -> list[tuple[int, int]]:
    """At most PAIRS pairs of rungs, spread over the ladder, whose mean energies lie about APART deviations
    apart."""
    rungs = len(samples.temperature)
    count = np.bincount(samples.rung, minlength=rungs)
    mean = np.bincount(samples.rung, weights=samples.value, minlength=rungs) / np.maximum(1, count)
    spread = np.bincount(samples.rung, weights=(samples.value - mean[samples.rung]) ** 2, minlength=rungs)
    deviation = np.sqrt(spread / np.maximum(1, count))
    pairs = []
    for low in np.unique(np.linspace(0, rungs - 2, min(PAIRS, rungs - 1)).astype(int)) if rungs > 1 else []:
        above = np.arange(low + 1, rungs)
        width = np.maximum((deviation[above] + deviation[low]) / 2, 1e-300)
        high = int(above[np.argmin(np.abs((mean[above] - mean[low]) / width - APART))])
        if count[low] >= 2 * BLOCKS and count[high] >= 2 * BLOCKS and deviation[low] > 0:
            pairs.append((int(low), high))
    return pairs


def _likeliest(x: Doubles, first: Doubles, second: Doubles, guess: float) -> float:
    """The slope b of P(first | x) = 1/(1 + exp(-(a + b x))) for counts of two origins at `x`, by Newton's
    way."""
    total = first + second
    a, b = (
        math.log(first.sum() / second.sum())
        - guess * float(first @ x / first.sum() + second @ x / second.sum()) / 2,
        guess,
    )
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(a + b * x, -700, 700)))
        rest = first - total * p
        weight = total * p * (1 - p)
        g = np.array([rest.sum(), rest @ x])
        h = np.array([[weight.sum(), weight @ x], [weight @ x, weight @ (x * x)]])
        if np.linalg.det(h) <= 0:
            return math.nan
        move = np.linalg.solve(h, g)
        a, b = a + move[0], b + move[1]
        if abs(move[1]) < 1e-10 * abs(guess):
            break
    return float(b)


def slope_between(samples: Samples, low: int, high: int, bins: int = 20000) -> Slope:
    """The slope between two rungs, its error by leaving out stretches of time."""
    keep = (samples.rung == low) | (samples.rung == high)
    value, rung, block = samples.value[keep], samples.rung[keep], samples.block[keep]
    t_low, t_high = float(samples.temperature[low]), float(samples.temperature[high])
    expected = 1 / (BOLTZMANN * t_high) - 1 / (BOLTZMANN * t_low)
    scaled = (value - value.mean()) / value.std()
    number = np.floor((scaled - scaled.min()) / (np.ptp(scaled) or 1.0) * bins).astype(np.int64)
    _, place = np.unique(number, return_inverse=True)
    x = np.bincount(place, weights=scaled) / np.bincount(place)
    counts = np.zeros((2, BLOCKS, len(x)))
    np.add.at(counts, ((rung == high).astype(int), block, place), 1.0)
    guess = expected * float(value.std())

    def of(kept: np.ndarray) -> float:  # type: ignore[type-arg]
        return _likeliest(x, counts[0][kept].sum(axis=0), counts[1][kept].sum(axis=0), guess) / float(
            value.std()
        )

    everything = np.ones(BLOCKS, dtype=bool)
    slope = of(everything)
    without = [of(np.arange(BLOCKS) != b) for b in range(BLOCKS) if np.any(block == b)]
    return Slope(low, high, (t_low, t_high), expected, slope, jackknife(slope, without))


def check(samples: Samples) -> list[Slope]:
    """Slopes over the ladder; empty where there are too few samples."""
    return [slope_between(samples, low, high) for low, high in chosen_pairs(samples)]
