"""Where a solid melts, as far as a run can tell: the peak of the heat capacity, and where both phases weigh
the same.

Both are properties of equilibrium, and right only where replicas melt and freeze many times. Replicas that
keep their phase are merely sorted by it: exchange moves the solid ones down and the liquid ones up, so the
share of liquid jumps at a rung, with a fine peak of C_V there, but at the rung that the NUMBER of solid
replicas sets. `verdict` warns of that."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles, Run
from tasuki.argon.phases import Phases
from tasuki.argon.samples import Samples
from tasuki.argon.thermo import Point, Window, jackknife, nearest_window

SEEN = 0.1  # share of a rung's samples: fewer may be energies far from their mean
STANDS_OUT = 0.5  # k an atom, above the curve's median, and five errors


@dataclass(frozen=True)
class Estimate:
    """A temperature in K and its standard error; NaN: not to be had."""

    temperature: float
    error: float


@dataclass(frozen=True)
class Transition:
    """Of one pressure. `peak`: where the heat capacity stands out by `STANDS_OUT`, `height` k an atom there;
    `at_end` where that is an end of the ladder, and no peak. `equal`: where both phases weigh the same.
    `solid_to`: hottest rung of which a share `SEEN` is solid; `liquid_to`: coldest one with as much liquid,
    K."""

    peak: Estimate | None
    height: float
    height_error: float
    at_end: bool
    equal: Estimate | None
    solid_to: float | None
    liquid_to: float | None


def _peak(temperatures: Doubles, heat: Doubles) -> float:
    """Of the parabola through the highest point and its neighbours."""
    k = int(np.argmax(heat))
    if k in (0, len(heat) - 1):
        return float(temperatures[k])
    x, y = temperatures[k - 1 : k + 2], heat[k - 1 : k + 2]
    a, b, _ = np.polyfit(x - x[1], y, 2)
    return float(x[1] - b / (2 * a)) if a < 0 else float(x[1])


def _crossing(temperatures: Doubles, share: Doubles) -> float:
    """Where `share` first exceeds a half; NaN where it does not."""
    above = np.flatnonzero((share[:-1] < 0.5) & (share[1:] >= 0.5))
    if len(above) == 0:
        return math.nan
    k = int(above[0])
    part = (0.5 - share[k]) / (share[k + 1] - share[k])
    return float(temperatures[k] + part * (temperatures[k + 1] - temperatures[k]))


def find_transition(
    run: Run, samples: Samples, points: list[Point], phases: Phases | None
) -> Transition | None:
    """From the curve of one pressure; None where there is no curve."""
    if len(points) < 5:
        return None
    highest = max(points, key=lambda point: point.heat)
    window = nearest_window(samples, highest.temperature)
    grid = _fine(window, highest.temperature)
    heats = [window.heat(grid, run.atoms, which) for which in range(len(window.kept))]
    peaks = [_peak(grid, heat) for heat in heats]
    tops = [float(heat.max()) for heat in heats]
    ends = (points[0].temperature, points[-1].temperature)
    # A quantity that rises or falls all the way is highest at an end, and is no peak.
    error = jackknife(tops[0], tops[1:])
    usual = float(np.median([point.heat for point in points]))
    stands_out = tops[0] - usual > STANDS_OUT + 5 * error
    at_end = min(abs(peaks[0] - ends[0]), abs(peaks[0] - ends[1])) < 1e-6 * peaks[0]
    peak = Estimate(peaks[0], jackknife(peaks[0], peaks[1:])) if stands_out and not at_end else None
    equal = solid_to = liquid_to = None
    if phases is not None:
        liquid = phases.liquid[samples.row, samples.replica].astype(np.float64)
        meets = [
            float(run.ladder.temperature[samples.rungs][k])
            for k in range(len(samples.rungs))
            if _mixed(liquid[samples.rung == k])
        ]
        near = nearest_window(samples, float(np.median(meets)) if meets else phases.meet)
        wide = np.linspace(near.temperature[0], near.temperature[-1], 401)
        found = [
            _crossing(wide, near.expectation(wide, near.mean_of(liquid, which), which))
            for which in range(len(near.kept))
        ]
        equal = Estimate(found[0], jackknife(found[0], found[1:]))
        share = np.bincount(samples.rung, weights=liquid, minlength=len(samples.rungs))
        share = share / np.maximum(1, np.bincount(samples.rung, minlength=len(samples.rungs)))
        solid, molten = samples.temperature[share < 1 - SEEN], samples.temperature[share > SEEN]
        solid_to = float(solid.max()) if len(solid) else None
        liquid_to = float(molten.min()) if len(molten) else None
    return Transition(peak, tops[0], error, at_end and bool(stands_out), equal, solid_to, liquid_to)


def _mixed(liquid: Doubles) -> bool:
    return len(liquid) > 0 and 0.02 < float(liquid.mean()) < 0.98


def _fine(window: Window, middle: float) -> Doubles:
    low, high = float(window.temperature[0]), float(window.temperature[-1])
    width = max((high - low) / 4, 1e-6)
    return np.linspace(max(low, middle - width), min(high, middle + width), 201)
