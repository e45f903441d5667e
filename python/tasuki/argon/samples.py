"""Samples of energy by rung, and how many of them count as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles, Ints, Run
from tasuki.argon.needs import need

BLOCKS = 12  # of time; errors are made by leaving one out


@dataclass(frozen=True)
class Samples:
    """Samples of one pressure: `value` U or U + p V in kJ/mol, taken on `rung` (its place in `rungs`), in
    `row`."""

    rungs: Ints  # [K] of the ladder, in order of temperature
    temperature: Doubles  # [K] of these
    value: Doubles  # [n]
    rung: Ints  # [n]
    row: Ints  # [n]
    replica: Ints  # [n]
    rows: int  # of the run

    @property
    def block(self) -> Ints:
        """[n]: of BLOCKS stretches of time."""
        return np.asarray(self.row * BLOCKS // max(1, self.rows), dtype=np.int64)


def rung_means(run: Run) -> tuple[Doubles, Doubles, Ints]:
    """Mean and standard deviation [S] of U (U + p V) by rung, NaN where none was taken, and their number."""
    rungs = len(run.ladder)
    good = np.isfinite(run.conjugate)
    held, values = run.held[good], run.conjugate[good]
    count = np.bincount(held, minlength=rungs)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(held, weights=values, minlength=rungs) / count
        squares = np.bincount(held, weights=(values - mean[held]) ** 2, minlength=rungs)
        deviation = np.sqrt(squares / np.maximum(1, count - 1))
    return np.asarray(mean), np.where(count > 1, deviation, np.nan), np.asarray(count)


def samples_of(run: Run, rungs: Ints) -> Samples:
    """All samples of `rungs`, which have one pressure."""
    place = np.full(len(run.ladder), -1, dtype=np.int64)
    place[rungs] = np.arange(len(rungs))
    held = place[run.held]
    row, replica = np.nonzero((held >= 0) & np.isfinite(run.conjugate))
    return Samples(
        rungs=rungs,
        temperature=run.ladder.temperature[rungs],
        value=run.conjugate[row, replica],
        rung=held[row, replica],
        row=row,
        replica=replica,
        rows=run.rows,
    )


def standardised(run: Run) -> Doubles:
    """[T, R]: U less the mean of its rung, in the rung's standard deviations: what a replica remembers of
    itself."""
    mean, deviation, _ = rung_means(run)
    scale = np.where(deviation > 0, deviation, 1.0)
    return np.asarray((run.conjugate - mean[run.held]) / scale[run.held])


def inefficiency(run: Run, most: int = 32) -> float:
    """Rows of a replica that count as one independent sample [Chodera et al., J. Chem. Theory Comput. 3, 26
    (2007)], of `standardised` along at most `most` replicas."""
    timeseries = need("pymbar.timeseries")
    chosen = np.unique(np.linspace(0, run.replicas - 1, min(most, run.replicas)).astype(int))
    values = standardised(run)[:, chosen]
    series = [column[np.isfinite(column)] for column in values.T]
    series = [column for column in series if len(column) >= 8]
    if not series or not any(np.ptp(column) > 0 for column in series):
        return 1.0
    fast = len(series[0]) > 2000
    return float(max(1.0, timeseries.statistical_inefficiency_multiple(series, fast=fast)))
