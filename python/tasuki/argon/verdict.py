"""Warnings: reasons not to trust the results of a run, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tasuki.argon.ensemble import DOUBTFUL, Slope
from tasuki.argon.folder import Doubles, Run
from tasuki.argon.mixing import PairAcceptance, Travel
from tasuki.argon.phases import Phases
from tasuki.argon.samples import BLOCKS, samples_of
from tasuki.argon.thermo import thinned
from tasuki.argon.transition import Transition

FEW_ROWS = 100
FEW_CHANGES = 10
BOTTLENECK = 0.05
_METASTABLE = {
    "fcc": "a solid superheats far above its melting point",
    "liquid": "a liquid supercools far below it, and may never freeze",
}


def number_of(count: int, what: str) -> str:
    """``number_of(2, "melting")`` is "2 meltings"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def block_means(run: Run, rungs: np.ndarray) -> Doubles:  # type: ignore[type-arg]
    """[BLOCKS, K]: mean energy an atom by stretch of time and rung, NaN where there was no sample."""
    samples = samples_of(run, rungs)
    shape = (BLOCKS, len(rungs))
    number = samples.block * len(rungs) + samples.rung
    count = np.bincount(number, minlength=BLOCKS * len(rungs))
    total = np.bincount(number, weights=samples.value, minlength=BLOCKS * len(rungs))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((total / count / run.atoms).reshape(shape))


def halves_differ(run: Run) -> tuple[int, int, float, float]:
    """Rungs whose energy differs between the run's halves by more than DOUBTFUL errors, rungs that were
    looked at, and where the difference is largest: K, kJ/mol an atom. Errors are of the stretches that a half
    is made of."""
    bad = looked = 0
    worst = (0.0, math.nan, math.nan)
    for isobar in run.ladder.isobars():
        rungs = thinned(isobar, 256)
        means = block_means(run, rungs)
        halves = means[: BLOCKS // 2], means[BLOCKS // 2 :]
        enough = [np.isfinite(half).sum(axis=0) >= 3 for half in halves]
        chosen = np.flatnonzero(enough[0] & enough[1])
        if len(chosen) == 0:
            continue
        difference = np.nanmean(halves[1][:, chosen], axis=0) - np.nanmean(halves[0][:, chosen], axis=0)
        square = sum(
            np.nanvar(half[:, chosen], axis=0, ddof=1) / np.isfinite(half[:, chosen]).sum(axis=0)
            for half in halves
        )
        # Six stretches are few, and some errors come out far too small: half of each is what is usual.
        error = np.sqrt((square + np.median(square)) / 2)
        off = np.abs(difference) / np.where(error > 0, error, np.inf)
        looked += len(chosen)
        bad += int((off > DOUBTFUL).sum())
        k = int(np.argmax(off))
        if off[k] > worst[0]:
            worst = (float(off[k]), float(run.ladder.temperature[rungs[chosen[k]]]), float(difference[k]))
    return bad, looked, worst[1], worst[2]


def warnings_of(
    run: Run,
    pairs: Sequence[PairAcceptance],
    trips: Travel,
    g: float,
    phases: Sequence[Phases | None],
    transitions: Sequence[Transition | None],
    slopes: Sequence[Slope],
) -> list[str]:
    """All warnings about the results of a run."""
    found: list[str] = []
    if run.rows < FEW_ROWS:
        found.append(f"only {run.rows} exchanges are counted: the error bars are themselves uncertain")
    found += _of_mixing(run, pairs, trips)
    if g > run.rows / BLOCKS:
        found.append(
            f"replicas are correlated over {g:.0f} exchanges, more than a twelfth of the run: "
            "error bars are too small"
        )
    bad, looked, where, difference = halves_differ(run)
    if bad > max(1, looked // 100):
        found.append(
            f"the halves of the run disagree on {bad} of {looked} rungs, most at {where:.5g} K "
            f"({difference:+.3g} kJ/mol an atom): the run was not in equilibrium yet"
        )
    for isobar, phase, transition in zip(run.ladder.isobars(), phases, transitions, strict=True):
        found += _of_phases(run, isobar, phase, transition)
    doubtful = [slope for slope in slopes if abs(slope.off) > DOUBTFUL]
    for slope in doubtful[:2]:
        cold, hot = slope.temperatures
        found.append(
            f"energies at {cold:.5g} and {hot:.5g} K do not belong to one density of states: "
            f"slope {slope.slope:.4g} instead of {slope.expected:.4g} mol/kJ ({slope.off:+.1f} errors): the "
            "run is not in equilibrium, or its thermostat is wrong"
        )
    if not np.all(np.isfinite(run.potential)):
        rows, replicas = np.nonzero(~np.isfinite(run.potential))
        found.append(
            f"replica {replicas[0]} has no finite energy from step {run.step[rows[0]]} on "
            f"({len(np.unique(replicas))} such replicas in all); they are left out"
        )
    return found


def _of_mixing(run: Run, pairs: Sequence[PairAcceptance], trips: Travel) -> list[str]:
    found = []
    if run.replicas > 1 and trips.total == 0:
        found.append("no replica made a round trip: the two ends of the ladder are not connected by exchange")
    elif run.replicas > 1 and trips.total < run.replicas:
        still = int((trips.trips == 0).sum())
        found.append(f"{still} of {run.replicas} replicas made no round trip")
    poor = [pair for pair in pairs if pair.attempted >= 20 and pair.measured < BOTTLENECK]
    if poor:
        worst = min(poor, key=lambda pair: pair.measured)
        found.append(
            f"{len(poor)} pairs exchange less than {100 * BOTTLENECK:.0f} % of the time, the worst "
            f"{run.ladder.name(worst.low)} and {run.ladder.name(worst.high)} "
            f"({100 * worst.measured:.2g} %): put rungs between them"
        )
    return found


def _of_phases(
    run: Run,
    isobar: np.ndarray,  # type: ignore[type-arg]
    phases: Phases | None,
    transition: Transition | None,
) -> list[str]:
    at = "" if run.ladder.pressure is None else f" at {run.ladder.pressure[isobar[0]]:.5g} bar"
    start = str(run.about.get("start", ""))
    if phases is None or transition is None:
        if transition is not None and transition.at_end:
            return [f"the heat capacity rises to an end of the ladder{at}: its peak is outside the ladder"]
        if transition is not None and transition.peak is not None:
            return [
                f"the heat capacity has a peak{at}, but energies do not distinguish two phases: it is not "
                "known whether replicas crossed the peak often enough"
            ]
        if start in _METASTABLE:
            return [
                f"only one phase occurred{at}, and all replicas began in it: {_METASTABLE[start]}, so there "
                "may still be a transition; compare with a run of another --start"
            ]
        return []
    found = []
    melted, froze = (int(each.sum()) for each in phases.changes)
    if min(melted, froze) < FEW_CHANGES:
        found.append(
            f"there were {number_of(melted, 'melting')} and {number_of(froze, 'freezing')} of replicas{at}: "
            "the phases were sorted along the ladder, not equilibrated, so the transition temperature only "
            "tells how many replicas are solid"
        )
    if froze == 0 and start == "fcc":
        found.append(
            "all replicas began as a solid and none froze again: a solid superheats, so they melt above the "
            "transition"
        )
    if melted == 0 and start == "liquid":
        found.append(
            "all replicas began as a liquid and none melted: a liquid supercools, so they freeze below the "
            "transition"
        )
    return found
