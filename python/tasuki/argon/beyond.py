"""What other treatments of far pairs would do to the transition: a perturbation from the atoms' places.

A run samples the pair that is shifted to 0 at the cut-off. F of another pair differs by
<dU> - var(dU)/2T + .., dU the difference of the two energies of the same places: what is left out is small
and smooth, so the first two terms are enough [Frenkel and Smit, chapter 7]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles
from tasuki.argon.lennard_jones import Pair, plain, tail

CUT, FULL = "cut", "full"


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


def beyond(frames: Sequence[Doubles], box: float, pair: Pair, t: float) -> dict[str, Beyond]:
    """By name, from places of one phase near T* = `t`, units of the pair."""
    values = np.array([differences(places, box, pair) for places in frames])
    atoms = len(frames[0])
    return {name: _mean(values[:, k], atoms, t) for k, name in enumerate((CUT, FULL))}


def _mean(values: Doubles, atoms: int, t: float) -> Beyond:
    free = float(values.mean() - values.var() / (2 * t))
    return Beyond(free / atoms, float(values.std()) / math.sqrt(len(values)) / atoms)
