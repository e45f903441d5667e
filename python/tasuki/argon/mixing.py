"""How replicas move along the ladder: acceptance, round trips, flow, the transition matrix.

A replica that has been at the bottom goes up until it reaches the top, and down until it is at the bottom
again; once there and back is a round trip. The share of replicas on their way down at a rung falls along a
straight line where diffusion meets no obstacle [Katzgraber, Trebst, Huse, Troyer, J. Stat. Mech. P03018
(2006)]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.argon.folder import BOLTZMANN, Doubles, Ints, Run


@dataclass(frozen=True)
class PairAcceptance:
    """Exchanges of two rungs: how many were offered and taken, and what theory says of the share."""

    low: int
    high: int
    attempted: int
    accepted: int
    predicted: float  # erfc[(dT/T) sqrt(N c_ex)/2]; NaN where the heat capacity is not known

    @property
    def measured(self) -> float:
        """Accepted over attempted; NaN where nothing was attempted."""
        return self.accepted / self.attempted if self.attempted else math.nan

    @property
    def error(self) -> float:
        """Standard error of `measured` for independent attempts (Wilson, so that none is 0)."""
        n = self.attempted
        if n == 0:
            return math.nan
        p = (self.accepted + 0.5) / (n + 1)
        return math.sqrt(p * (1 - p) / (n + 1))


def predicted_acceptance(t_low: float, t_high: float, excess_heat: float) -> float:
    """erfc[(dT/T) sqrt(C_ex/k)/2], for two Gaussians of energy of equal width.

    `excess_heat`: configurational heat capacity of the whole replica over k, Var(U)/(kT)^2. The mean exponent
    of the exchange is d = (dT/T)^2 C_ex/k, its variance 2d, and <min(1, exp(-x))> of such an x is
    erfc(sqrt(d)/2) [Kofke, J. Chem. Phys. 117, 6911 (2002)]."""
    mean = math.sqrt(t_low * t_high)
    return math.erfc(abs(t_high - t_low) / mean * math.sqrt(max(0.0, excess_heat)) / 2)


def excess_heat(run: Run) -> Doubles:
    """[S]: Var(U)/(kT)^2 by rung, of the whole replica, from the samples of that rung alone; NaN where there
    are fewer than two."""
    rungs = len(run.ladder)
    energy = run.conjugate
    good = np.isfinite(energy)
    held, values = run.held[good], energy[good]
    count = np.bincount(held, minlength=rungs)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(held, weights=values, minlength=rungs) / count
        squares = np.bincount(held, weights=(values - mean[held]) ** 2, minlength=rungs)
        variance = np.where(count > 1, squares / (count - 1), np.nan)
    return np.asarray(variance / (BOLTZMANN * run.ladder.temperature) ** 2)


def acceptance(run: Run) -> list[PairAcceptance]:
    """Of every pair of rungs that was offered an exchange. A prediction is made of pairs of one pressure."""
    heat = excess_heat(run)
    rows = []
    for (low, high), attempted, accepted in zip(run.pairs, run.attempted, run.accepted, strict=True):
        same = run.ladder.pressure is None or run.ladder.pressure[low] == run.ladder.pressure[high]
        expected = math.nan
        middle = (heat[low] + heat[high]) / 2
        if same and np.isfinite(middle):
            t_low, t_high = run.ladder.temperature[low], run.ladder.temperature[high]
            expected = predicted_acceptance(float(t_low), float(t_high), float(middle))
        rows.append(PairAcceptance(int(low), int(high), int(attempted), int(accepted), expected))
    return rows


@dataclass(frozen=True)
class Travel:
    """Round trips between the coldest and the hottest temperature.

    `trips` by replica; `down` by rung: the share of those replicas that have been at an end and came from the
    hot one; NaN where no such replica was seen."""

    trips: Ints  # [R]
    down: Doubles  # [S]
    visited: Ints  # [R]: rungs that the replica held at least once

    @property
    def total(self) -> int:
        """Of all replicas."""
        return int(self.trips.sum())


def travel(run: Run) -> Travel:
    """Follows every replica along the ladder of temperatures, whatever its pressure."""
    rungs = len(run.ladder)
    bottom = run.ladder.temperature == run.ladder.temperature.min()
    top = run.ladder.temperature == run.ladder.temperature.max()
    trips = np.zeros(run.replicas, dtype=np.int64)
    from_end = np.zeros(run.replicas, dtype=np.int8)  # -1: from the cold end, 1: from the hot one, 0: neither
    been = np.zeros(run.replicas, dtype=bool)  # began at the cold end and has been at the hot one since
    downward = np.zeros(rungs, dtype=np.int64)
    moving = np.zeros(rungs, dtype=np.int64)
    visited = np.zeros((run.replicas, rungs), dtype=bool) if run.replicas * rungs <= 1 << 28 else None
    replica = np.arange(run.replicas)
    for row in range(run.rows):
        state = run.state[row]
        cold, hot = bottom[state], top[state]
        trips[cold & been] += 1
        been = (been | (hot & (from_end == -1))) & ~cold
        from_end[cold] = -1
        from_end[hot] = 1
        known = from_end != 0
        moving += np.bincount(state[known], minlength=rungs)
        downward += np.bincount(state[from_end == 1], minlength=rungs)
        if visited is not None:
            visited[replica, state] = True
    with np.errstate(invalid="ignore", divide="ignore"):
        down = np.where(moving > 0, downward / moving, np.nan)
    seen = visited.sum(axis=1) if visited is not None else np.array([len(np.unique(c)) for c in run.state.T])
    return Travel(trips, np.asarray(down), np.asarray(seen, dtype=np.int64))


def transition_matrix(run: Run, groups: int = 64) -> NDArray[np.float64]:
    """[G, G]: how often a replica in one of at most `groups` groups of rungs is in another one row later.
    Made symmetric, as detailed balance in the long run makes it; every row sums to 1."""
    order = np.argsort(run.ladder.temperature, kind="stable")
    count = min(groups, len(run.ladder))
    group_of = np.empty(len(run.ladder), dtype=np.int64)
    group_of[order] = np.arange(len(order)) * count // len(order)
    matrix = np.zeros((count, count))
    for before, after in zip(run.held, run.state, strict=True):
        np.add.at(matrix, (group_of[before], group_of[after]), 1.0)
    matrix = matrix + matrix.T
    total = matrix.sum(axis=1, keepdims=True)
    return np.divide(matrix, total, out=np.eye(count), where=total > 0)


def relaxation(run: Run) -> float:
    """Rows in which a replica forgets its rung, from the second eigenvalue of the transition matrix; infinite
    where the ladder falls into parts. No more than an estimate: a replica that keeps its phase forgets
    later."""
    values = np.sort(np.linalg.eigvals(transition_matrix(run)).real)[::-1]
    if len(values) < 2 or values[1] <= 0:
        return 0.0
    return math.inf if values[1] >= 1 - 1e-12 else -1 / math.log(values[1])
