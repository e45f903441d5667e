"""The free energy of a hot, thin fluid: virial coefficients by quadrature, for any number of atoms.

With f = exp(-u/T) - 1 and c(r) = (f * f)(r), the convolution [Hansen and McDonald, Theory of Simple Liquids,
chapter 3]:

    B2 = -1/2 int f,   B3 = -1/3 int f c,   B4 = -1/8 (3 int c^2 + 6 int f c^2 + int f (all six bonds)).

The first two terms of B4 are integrals over one distance, too; the last, whose weight is small, is taken at
random points, the same ones each time.

Of N atoms in a periodic box of volume V, <exp(-U/T)> over all places is expanded in what pairs, triples and
quadruples have to themselves [J. E. and M. G. Mayer, Statistical Mechanics, chapter 13]. With x = -2 B2/V,

    F_ex/T = -C(N,2) ln(1 + x) + C(N,3) 3 B3/V^2 + C(N,4) 8 B4/V^3,

which is N (B2 rho + B3 rho^2/2 + B4 rho^3/3) where N is large."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles

_POINTS = 2048  # of a distance
_RANDOM = 400_000
_SEED = 1

Mayer = Callable[[Doubles], Doubles]  # f of distances


@dataclass(frozen=True)
class Virial:
    """Coefficients in powers of sigma^3, and the standard error of the fourth."""

    second: float
    third: float
    fourth: float
    fourth_error: float

    def excess(self, atoms: int, volume: float) -> tuple[float, float]:
        """F_ex/T of so many atoms, and what it may be wrong by: the fourth term's error, and a fifth term
        as much smaller than the fourth as that is than the third."""
        n = float(atoms)
        pairs = -n * (n - 1) / 2 * math.log1p(-2 * self.second / volume)
        triples = n * (n - 1) * (n - 2) / 2 * self.third / volume**2
        four = n * (n - 1) * (n - 2) * (n - 3) / 3 / volume**3
        last = abs(four * self.fourth)
        fifth = last * min(1.0, last / abs(triples)) if triples else last
        return pairs + triples + four * self.fourth, math.hypot(four * self.fourth_error, fifth)


def coefficients(f: Mayer, reach: float) -> Virial:
    """Of a fluid whose f is 0 beyond `reach`; a core may be infinite, f = -1."""
    r = (np.arange(_POINTS) + 0.5) * (reach / _POINTS)
    step = reach / _POINTS
    values = f(r)
    second = -0.5 * float(np.sum(4 * math.pi * r**2 * values)) * step
    # c(r) = 2 pi/r int ds s f(s) int_|r-s|^(r+s) t f(t) dt, the inner integral from its sum G.
    far = (np.arange(2 * _POINTS) + 0.5) * step
    summed = np.concatenate([[0.0], np.cumsum(r * values) * step])
    place = np.arange(2 * _POINTS)
    upper = np.minimum(place[:, None] + np.arange(_POINTS)[None, :] + 1, _POINTS)
    lower = np.minimum(np.abs(place[:, None] - np.arange(_POINTS)[None, :]), _POINTS)
    c = 2 * math.pi / far * ((summed[upper] - summed[lower]) @ (r * values)) * step
    shell = 4 * math.pi * r**2 * step
    third = -float(np.sum(shell * values * c[:_POINTS])) / 3
    ring = float(np.sum(4 * math.pi * far**2 * step * c**2))
    crossed = float(np.sum(shell * values * c[:_POINTS] ** 2))
    full, error = _all_bonds(f, r, values, shell)
    return Virial(second, third, -(3 * ring + 6 * crossed + full) / 8, error / 8)


def _all_bonds(f: Mayer, r: Doubles, values: Doubles, shell: Doubles) -> tuple[float, float]:
    """The integral of all six bonds of four atoms, and its standard error: distances from the first atom are
    drawn in proportion to |f|, directions evenly."""
    rng = np.random.default_rng(_SEED)
    weight = np.abs(values) * shell
    total = float(weight.sum())
    rows = np.cumsum(weight) / total
    step = float(r[1] - r[0])
    places, sign = [], np.ones(_RANDOM)
    for _ in range(3):
        k = np.minimum(np.searchsorted(rows, rng.random(_RANDOM)), len(r) - 1)
        distance = r[k] + (rng.random(_RANDOM) - 0.5) * step
        direction = rng.normal(size=(_RANDOM, 3))
        places.append(distance[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None])
        sign = sign * np.sign(values[k])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        sign = sign * f(np.linalg.norm(places[i] - places[j], axis=1))
    scale = total**3
    return float(sign.mean()) * scale, float(sign.std()) / math.sqrt(_RANDOM) * scale
