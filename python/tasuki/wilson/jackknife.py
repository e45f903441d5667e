"""Errors by the jackknife: leave out one stretch of configurations in turn (Efron, SIAM 1982, chapter 3).

Neighbours of a Markov chain remember each other; stretches (bins) longer than that memory are independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.errors import TasukiError

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Values, their standard errors, and what they were with each of the bins left out. Without two bins
    there are no errors: they are NaN."""

    value: Doubles  # [..]
    error: Doubles  # [..]
    replicates: Doubles  # [bins, ..]

    @property
    def bins(self) -> int:
        """How many were left out in turn."""
        return self.replicates.shape[0]

    def map(self, function: Callable[[Doubles], Doubles]) -> Estimate:
        """A function of the values: the error is that of the function, not of its derivative."""
        replicates = [np.asarray(function(each), dtype=np.float64) for each in self.replicates]
        value = np.asarray(function(self.value), dtype=np.float64)
        return _estimate(value, np.array(replicates).reshape(len(replicates), *value.shape))


def _estimate(value: Doubles, replicates: Doubles) -> Estimate:
    n = len(replicates)
    if n < 2:
        return Estimate(value, np.full(value.shape, np.nan), replicates)
    spread = replicates - replicates.mean(axis=0)
    return Estimate(value, np.sqrt((n - 1) / n * (spread**2).sum(axis=0)), replicates)


def binned(samples: Doubles, size: int) -> Doubles:
    """Means over stretches of `size` samples along the first axis. What is over at the beginning, where a run
    remembers its start, is left out."""
    if size < 1 or size > len(samples):
        raise TasukiError(
            f"bins of {size} configurations cannot be made of {len(samples)}",
            f"choose --bin between 1 and {max(1, len(samples) // 2)}",
        )
    bins = len(samples) // size
    kept = samples[len(samples) - bins * size :]
    return np.asarray(kept.reshape(bins, size, *samples.shape[1:]).mean(axis=1))


def jackknife(
    samples: Doubles, function: Callable[[Doubles], Doubles] = lambda mean: mean, size: int = 1
) -> Estimate:
    """`function` of the mean over the first axis of `samples`, with its error from bins of `size`."""
    means = binned(np.asarray(samples, dtype=np.float64), size)
    n = len(means)
    total = means.sum(axis=0)
    whole = np.asarray(function(total / n), dtype=np.float64)
    without = [] if n < 2 else [np.asarray(function((total - each) / (n - 1))) for each in means]
    return _estimate(whole, np.array(without, dtype=np.float64).reshape(len(without), *whole.shape))
