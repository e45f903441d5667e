"""What other treatments of far pairs would do to the transition: a perturbation from the atoms' places.

A run samples the pair that is shifted to 0 at the cut-off. F of another pair differs by
<dU> - var(dU)/2T + .., dU the difference of the two energies of the same places: what is left out is small
and smooth, so the first two terms are enough [Frenkel and Smit, chapter 7]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles, Run
from tasuki.argon.lennard_jones import Pair, Substance, plain, tail
from tasuki.argon.watch import Watched

CUT, FULL, BULK = "cut", "full", "bulk"
MOST = 120  # frames


@dataclass(frozen=True)
class Beyond:
    """F of one atom with another pair less that of the shifted one, epsilon, and its standard error."""

    free: float
    error: float


def differences(places: Doubles, box: float, pair: Pair) -> tuple[float, float]:
    """Of one configuration, all atoms: U of the pair cut but not shifted, and of the whole pair, less U of
    the shifted one. Units of the pair. The whole one is summed up to one and a half edges, and spread evenly
    beyond."""
    n = len(places)
    first, second = np.triu_indices(n, 1)
    d = places[first] - places[second]
    d -= box * np.round(d / box)
    near = (d**2).sum(axis=1) < pair.cutoff**2
    cut = -pair.shift * float(near.sum())
    reach = 1.5 * box
    whole = n / 2 * _images_of_itself(box, reach)
    steps = (-box, 0.0, box)
    squares = [[(d[:, axis] + step) ** 2 for step in steps] for axis in range(3)]
    for x in squares[0]:
        for y in squares[1]:
            xy = x + y
            for z in squares[2]:
                r2 = xy + z
                chosen = r2[r2 < reach**2]
                whole += float(np.sum(plain(chosen)))
    whole += n * tail(n / box**3, reach)
    inside = (d[near] ** 2).sum(axis=1)
    return cut, whole - float(np.sum(plain(inside))) + cut


def _images_of_itself(box: float, reach: float) -> float:
    """Energy of an atom with its own images, each counted from both ends."""
    n = np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    r2 = (n[(n != 0).any(axis=1)] ** 2).sum(axis=1) * box**2
    return float(np.sum(plain(r2[r2 < reach**2])))


def beyond(
    run: Run, watched: Watched, substance: Substance, pair: Pair, between: tuple[float, float]
) -> dict[str, Beyond]:
    """By name, from frames of the phase on rungs `between` two temperatures in K, from the second half of the
    run; empty where there are none."""
    jobs = []
    for number, track in enumerate(watched.tracks):
        t = run.ladder.temperature[track.state]
        good = watched.frames[number] & (t >= between[0]) & (t <= between[1])
        jobs += [(number, frame) for frame in np.flatnonzero(good) if frame >= len(good) // 2]
    if len(jobs) < 4:
        return {}
    chosen = [jobs[k] for k in np.unique(np.linspace(0, len(jobs) - 1, min(MOST, len(jobs))).astype(int))]
    rows = []
    for number, frame in chosen:
        track = watched.tracks[number]
        places = track.positions([frame])[0].astype(np.float64) / substance.sigma
        rows.append(differences(places, run.box / substance.sigma, pair))
    t = sum(between) / 2 / substance.kelvin(1.0)
    values = np.asarray(rows)
    return {name: _mean(values[:, k], run.atoms, t) for k, name in enumerate((CUT, FULL))}


def _mean(values: Doubles | Sequence[float], atoms: int, t: float) -> Beyond:
    array = np.asarray(values)
    free = float(array.mean() - array.var() / (2 * t))
    return Beyond(free / atoms, float(array.std()) / math.sqrt(len(array)) / atoms)
