"""Which of two phases a replica is in, from its energy.

Less the harmonic 3/2 kT an atom, the energy of a solid hardly depends on T, and neither does that of a
liquid, but they differ by the latent heat. Two lines over T are fitted, and how many samples of each rung
belong to either, by expectation and maximisation [Dempster, Laird, Rubin, J. R. Stat. Soc. B 39, 1 (1977)]:
energies scatter about their line in proportion to T. They are taken for two phases where the step from one
line to the other is `CLEAR` times that scatter; a smooth curve, cut in two, has none. That is a matter of
size: the energies of 32 atoms scatter too much to tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.argon.folder import BOLTZMANN, Doubles, Ints, Run

CLEAR = 3.0
SMOOTH = 10  # rows
_FEWEST = 0.005  # share of samples that makes a phase
_STEEPEST = 0.75 * BOLTZMANN  # of a line, kJ/(mol K): no phase is so far from harmonic
_ROUNDS = 60

Line = tuple[float, float]  # value at 0 K and slope


@dataclass(frozen=True)
class Phases:
    """Two phases: energies an atom less 3/2 kT along lines over T, kJ/mol. `liquid` [T, R] is the one of more
    energy; `changes` are crossings from well inside of one phase to well inside of the other, by replica."""

    low: Line
    high: Line
    step: float  # between them where they change places, kJ/mol an atom
    scatter: float  # of the samples about their line, there
    meet: float  # K: colder, most samples are in the low phase
    liquid: NDArray[np.bool_]
    changes: tuple[Ints, Ints]  # [R] melted, froze


@dataclass(frozen=True)
class _Mixture:
    """Two Gaussians about lines, of width `width` times T, and the share [K] of the high one by rung."""

    low: Line
    high: Line
    width: tuple[float, float]
    share: Doubles

    def step(self, t: float) -> float:
        return self.high[0] - self.low[0] + (self.high[1] - self.low[1]) * t

    def logs(self, t: Doubles, e: Doubles, rung: Ints) -> tuple[Doubles, Doubles]:
        """Of the density of samples, in the low and in the high phase."""
        with np.errstate(divide="ignore"):
            weight = np.log(1 - self.share[rung]), np.log(self.share[rung])
        return (
            weight[0] + _log_gauss(e, self.low, self.width[0], t),
            weight[1] + _log_gauss(e, self.high, self.width[1], t),
        )

    def high_of(self, t: Doubles, e: Doubles, rung: Ints) -> Doubles:
        """The probability of the high phase of each sample."""
        low, high = self.logs(t, e, rung)
        return np.asarray(1 / (1 + np.exp(np.clip(low - high, -700, 700))))


def _log_gauss(e: Doubles, line: Line, width: float, t: Doubles) -> Doubles:
    return np.asarray(-0.5 * ((e - line[0] - line[1] * t) / (width * t)) ** 2 - np.log(width * t))


def excess(run: Run) -> Doubles:
    """[T, R]: energy an atom less 3/2 kT of the rung, kJ/mol."""
    return np.asarray(run.conjugate / run.atoms - 1.5 * BOLTZMANN * run.ladder.temperature[run.held])


def find_phases(run: Run, rungs: Ints, most: int = 15_000) -> Phases | None:
    """The two phases of a run on `rungs`, which have one pressure; None where its energies show but one."""
    place = np.full(len(run.ladder), -1, dtype=np.int64)
    place[rungs] = np.arange(len(rungs))
    rung = place[run.held]
    energy = np.where(rung >= 0, excess(run), np.nan)
    temperature = run.ladder.temperature[run.held]
    good = np.isfinite(energy)
    if run.rows < 2 or len(rungs) < 3 or good.sum() < 100:
        return None
    stride = max(1, int(good.sum()) // most)
    t, e, k = temperature[good][::stride], energy[good][::stride], rung[good][::stride]
    fits = [found for upper in _first_guesses(t, e) if (found := _fit(t, e, k, upper, len(rungs)))]
    if not fits:
        return None
    best, _ = max(fits, key=lambda fit: fit[1])
    high = best.high_of(t, e, k)
    if (
        t @ high / high.sum() < t @ (1 - high) / (1 - high).sum()
    ):  # the phase of more energy is the hotter one
        return None
    # They change places where as many of the high phase lie below as of the low one above.
    meet = float(np.sort(t)[min(len(t) - 1, int((1 - high).sum()))])
    scatter = max(best.width) * meet
    if best.step(meet) < CLEAR * scatter:
        return None
    liquid = np.zeros(energy.shape, dtype=bool)
    liquid[good] = best.high_of(temperature[good], energy[good], rung[good]) > 0.5
    position = _position(temperature, energy, best.low, best.high)
    return Phases(best.low, best.high, best.step(meet), scatter, meet, liquid, _changes(position))


def _line(t: Doubles, e: Doubles, weight: Doubles) -> Line:
    """The straight line of least squares, its slope within bounds; each sample counts `weight` / T^2."""
    w = weight / t**2
    w = w / w.sum()
    mean_t, mean_e = float(w @ t), float(w @ e)
    spread = float(w @ (t - mean_t) ** 2)
    slope = float(w @ ((t - mean_t) * (e - mean_e))) / spread if spread > 1e-9 else 0.0
    slope = min(_STEEPEST, max(-_STEEPEST, slope))
    return mean_e - slope * mean_t, slope


def _width(t: Doubles, e: Doubles, line: Line, weight: Doubles) -> float:
    square = float(weight @ ((e - line[0] - line[1] * t) / t) ** 2 / weight.sum())
    return max(square**0.5, 1e-9)


def _first_guesses(t: Doubles, e: Doubles) -> list[Doubles]:
    """How likely samples are of the high phase: those near what the hottest rungs go on to rather than the
    coldest; or those above the middle of all."""
    guesses = [(e > np.mean(np.quantile(e, [0.05, 0.95]))).astype(np.float64)]
    for share in (0.15, 0.3, 0.45):
        below, above = t <= np.quantile(t, share), t >= np.quantile(t, 1 - share)
        low = _line(t[below], e[below], np.ones(int(below.sum())))
        high = _line(t[above], e[above], np.ones(int(above.sum())))
        nearer = np.abs(e - high[0] - high[1] * t) < np.abs(e - low[0] - low[1] * t)
        guesses.append(np.where(below, 0.0, np.where(above, 1.0, nearer)))
    return guesses


def _fit(t: Doubles, e: Doubles, rung: Ints, high: Doubles, rungs: int) -> tuple[_Mixture, float] | None:
    """The mixture that makes the samples likeliest from here, and their mean log density."""
    count = np.maximum(1, np.bincount(rung, minlength=rungs))
    found: _Mixture | None = None
    density = 0.0
    for _ in range(_ROUNDS):
        if not _FEWEST < high.mean() < 1 - _FEWEST:
            return None
        lines = _line(t, e, 1 - high), _line(t, e, high)
        widths = _width(t, e, lines[0], 1 - high), _width(t, e, lines[1], high)
        found = _Mixture(*lines, widths, np.bincount(rung, weights=high, minlength=rungs) / count)
        before, logs = density, found.logs(t, e, rung)
        density = float(np.logaddexp(*logs).mean())
        high = np.asarray(1 / (1 + np.exp(np.clip(logs[0] - logs[1], -700, 700))))
        if abs(density - before) < 1e-6:
            break
    return (found, density) if found else None


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
