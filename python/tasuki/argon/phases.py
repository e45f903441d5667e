"""Which of two phases a replica is in, from its energy.

Less the harmonic 3/2 kT an atom, the energy of a solid hardly depends on T, and neither does that of a
liquid, but they differ by the latent heat. Two lines over T are fitted, each to the samples nearest to it.
They are taken for two phases where few samples lie half-way between them: a smooth curve, cut in two, has
most there. That is a matter of size: the energies of 32 atoms scatter too much to tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.argon.folder import BOLTZMANN, Doubles, Ints, Run

CLEAR = 2.5  # step over scatter, at least
VALLEY = 0.75  # density half-way between the lines over the lower of those on them, at most
SMOOTH = 10  # rows
REFITS = 2  # more of them let the lines drift into one phase, half of its samples to each
_FEWEST = 0.002  # share of samples that makes a phase
_STEEPEST = 0.75 * BOLTZMANN  # of a line, kJ/(mol K): no phase is so far from harmonic

Line = tuple[float, float]  # value at 0 K and slope


@dataclass(frozen=True)
class Phases:
    """Two phases: energies an atom less 3/2 kT along lines over T, kJ/mol. `liquid` [T, R] is the one of more
    energy; `changes` are crossings from well inside of one phase to well inside of the other, by replica."""

    low: Line
    high: Line
    step: float  # between them where they change places, kJ/mol an atom
    scatter: float  # of the samples about their line
    meet: float  # K: colder, most samples are in the low phase
    liquid: NDArray[np.bool_]
    changes: tuple[Ints, Ints]  # [R] melted, froze


def excess(run: Run) -> Doubles:
    """[T, R]: energy an atom less 3/2 kT of the rung, kJ/mol."""
    return np.asarray(run.conjugate / run.atoms - 1.5 * BOLTZMANN * run.ladder.temperature[run.held])


def find_phases(run: Run, rungs: Ints, most: int = 200_000) -> Phases | None:
    """The two phases of a run on `rungs`, which have one pressure; None where its energies show but one."""
    inside = np.isin(np.arange(len(run.ladder)), rungs)[run.held]
    energy = np.where(inside, excess(run), np.nan)
    temperature = run.ladder.temperature[run.held]
    good = np.isfinite(energy)
    if run.rows < 2 or len(rungs) < 3 or good.sum() < 100:
        return None
    stride = max(1, int(good.sum()) // most)
    t, e = temperature[good][::stride], energy[good][::stride]
    fits = [fit for upper in _first_guesses(t, e) if (fit := _fit(t, e, upper)) is not None]
    if not fits:
        return None
    low, high, upper, _ = min(fits, key=lambda fit: fit[3])
    meet = _meet(t, upper)
    near = _near(t, meet)
    rest = (e - np.where(upper, high[0] + high[1] * t, low[0] + low[1] * t))[near]
    scatter, step = float(rest.std()), high[0] - low[0] + (high[1] - low[1]) * meet
    if step < CLEAR * scatter:
        return None
    position = _position(temperature, energy, low, high)
    return Phases(low, high, step, scatter, meet, position > 0.5, _changes(position))


def _line(t: Doubles, e: Doubles) -> Line:
    if len(t) < 3 or np.ptp(t) < 1e-9:
        return float(e.mean()), 0.0
    slope = float(np.clip(np.polyfit(t - t.mean(), e, 1)[0], -_STEEPEST, _STEEPEST))
    return float(e.mean() - slope * t.mean()), slope


def _first_guesses(t: Doubles, e: Doubles) -> list[NDArray[np.bool_]]:
    """Which samples may be of the high phase: those near what the hottest rungs go on to, not the coldest; or
    those above the middle of all."""
    guesses = [e > np.mean(np.quantile(e, [0.05, 0.95]))]
    for share in (0.15, 0.3, 0.45):
        below, above = t <= np.quantile(t, share), t >= np.quantile(t, 1 - share)
        low, high = _line(t[below], e[below]), _line(t[above], e[above])
        guesses.append(np.abs(e - high[0] - high[1] * t) < np.abs(e - low[0] - low[1] * t))
    return guesses


def _fit(
    t: Doubles, e: Doubles, upper: NDArray[np.bool_]
) -> tuple[Line, Line, NDArray[np.bool_], float] | None:
    """The lines of the low and of the high phase, which samples are of the latter, and how dense they are
    between the lines (see VALLEY); None where that is not two phases."""
    for _ in range(REFITS):
        if not _FEWEST < upper.mean() < 1 - _FEWEST:
            return None
        low, high = _line(t[~upper], e[~upper]), _line(t[upper], e[upper])
        moved = np.abs(e - high[0] - high[1] * t) < np.abs(e - low[0] - low[1] * t)
        if np.array_equal(moved, upper):
            break
        upper = moved
    if t[upper].mean() < t[~upper].mean():  # the phase of more energy is the hotter one
        return None
    near = _near(t, _meet(t, upper))
    place = _position(t[near], e[near], low, high)
    density = [float(np.mean(np.abs(place - middle) < 0.1)) for middle in (0.0, 0.5, 1.0)]
    valley = density[1] / max(min(density[0], density[2]), 1e-12)
    return (low, high, upper, valley) if valley < VALLEY else None


def _meet(t: Doubles, upper: NDArray[np.bool_]) -> float:
    """Where the phases change places: as many of the upper lie below as of the lower above."""
    return float(np.sort(t)[min(len(t) - 1, int((~upper).sum()))])


def _near(t: Doubles, meet: float) -> NDArray[np.bool_]:
    return np.asarray(np.abs(t - meet) <= 0.15 * meet)


def _position(t: Doubles, e: Doubles, low: Line, high: Line) -> Doubles:
    """0 on the low line, 1 on the high one."""
    bottom, top = low[0] + low[1] * t, high[0] + high[1] * t
    gap = top - bottom
    with np.errstate(invalid="ignore"):
        return np.asarray((e - bottom) / np.maximum(gap, 0.2 * np.nanmax(gap)))


def _changes(position: Doubles) -> tuple[Ints, Ints]:
    """Crossings by replica from below 0.25 to above 0.75, and back, of the mean over SMOOTH rows: one sample
    may be far off by chance."""
    replicas = position.shape[1]
    melted, froze = np.zeros(replicas, dtype=np.int64), np.zeros(replicas, dtype=np.int64)
    phase = np.zeros(replicas, dtype=np.int8)
    width = min(SMOOTH, len(position))
    total = np.cumsum(np.concatenate([np.zeros((1, replicas)), np.nan_to_num(position, nan=0.5)]), axis=0)
    for mean in (total[width:] - total[:-width]) / width:
        up, down = mean > 0.75, mean < 0.25
        melted += up & (phase == -1)
        froze += down & (phase == 1)
        phase[up] = 1
        phase[down] = -1
    return melted, froze
