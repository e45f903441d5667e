"""The harmonic crystal against lattice sums, finite differences, and how it depends on its size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tasuki.argon.crystal import Crystal, cold
from tasuki.argon.folder import Doubles
from tasuki.argon.lennard_jones import Pair, tail

DENSITY = 0.98195


def energy_of(places: Doubles, box: float, pair: Pair) -> float:
    first, second = np.triu_indices(len(places), 1)
    d = places[first] - places[second]
    d -= box * np.round(d / box)
    return float(pair.energy((d**2).sum(axis=1)).sum())


def test_the_lattice_sum_of_fcc() -> None:
    """-8.6102 epsilon an atom at its least, where neighbours are 1.0902 sigma apart: sums 12.13188 and
    14.45392 [Kittel, Introduction to Solid State Physics, chapter 3]."""
    nearest = (2 * 12.13188 / 14.45392) ** (1 / 6)
    crystal = Crystal(8, math.sqrt(2) / nearest**3, Pair(6.0))
    near = len(crystal._neighbours)
    whole = crystal.energy / crystal.atoms - crystal.pair.shift * near / 2 + tail(crystal.density, 6.0)
    assert whole == pytest.approx(-8.6102, abs=2e-3)


def test_second_derivatives() -> None:
    crystal, h = Crystal(2, DENSITY, Pair(1.5)), 1e-3
    n = crystal.atoms
    places, box, pair = crystal.places, crystal.box, crystal.pair
    assert energy_of(places, box, pair) == pytest.approx(crystal.energy, rel=1e-12)
    rows = np.zeros((3, 3 * n))
    step = np.eye(3 * n).reshape(3 * n, n, 3) * h

    def at(i: int, j: int, a: int, b: int) -> float:
        return energy_of(places + a * step[i] + b * step[j], box, pair)

    for i in range(3):
        for j in range(3 * n):
            rows[i, j] = (at(i, j, 1, 1) - at(i, j, 1, -1) - at(i, j, -1, 1) + at(i, j, -1, -1)) / (4 * h * h)
    values = crystal._modes[0]
    assert np.all(crystal.stiffness > 0)
    assert rows[0, 0] * 3 * n == pytest.approx(values.sum(), rel=3e-4)
    assert (rows**2).sum() * n == pytest.approx((values**2).sum(), rel=3e-4)


def test_displacements_are_of_the_harmonic_crystal() -> None:
    crystal, t, number = Crystal(2, DENSITY, Pair(1.5)), 1e-7, 200
    moved, energy = crystal.draw(t, number, seed=7)
    assert np.abs(moved.mean(axis=1)).max() < 1e-12  # the whole stands still
    assert crystal.energies(moved) - crystal.energy == pytest.approx(energy, rel=1e-3)
    modes = 3 * crystal.atoms - 3
    assert energy.mean() == pytest.approx(modes / 2 * t, abs=4 * t * math.sqrt(modes / 2 / number))
    assert energy.var() == pytest.approx(modes / 2 * t**2, rel=0.5)


def test_a_cold_crystal_is_harmonic() -> None:
    crystal = Crystal(3, DENSITY, Pair(2.2))
    found = cold(crystal, 1e-5, 100)
    assert found.share > 0.95
    assert found.free == pytest.approx(found.harmonic, abs=0.1)


def test_two_temperatures_of_the_cold_crystal_agree() -> None:
    """F/T at one temperature follows from that at another and the energies between, all by perturbation."""
    crystal, t = Crystal(2, DENSITY, Pair(1.5)), np.array([0.01, 0.014, 0.02])
    energies = []
    for each in t:
        moved, harmonic = crystal.draw(float(each), 4000, seed=11)
        energy = crystal.energies(moved)
        weight = np.exp(-(energy - crystal.energy - harmonic) / each)
        energies.append(float((weight @ energy) / weight.sum()))
    first, last = cold(crystal, 0.01, 4000), cold(crystal, 0.02, 4000)
    beta = 1 / t
    curve = np.polyfit(beta, energies, 2)
    whole = np.polyval(np.polyint(curve), beta)
    assert first.share > 0.3
    assert last.free - first.free == pytest.approx(
        whole[2] - whole[0], abs=5 * math.hypot(first.error, last.error) + 0.1
    )


def test_size() -> None:
    """F/NT + ln N/2N goes to its limit as 1/N does [Polson et al. 2000]."""
    sizes, left = [], []
    for cells in (4, 5, 6, 7, 8):
        crystal = Crystal(cells, DENSITY, Pair(2.2))
        n = crystal.atoms
        sizes.append(1 / n)
        left.append(crystal.harmonic(1.0) / n + 0.5 * math.log(n) / n)
    slope, limit = np.polyfit(sizes, left, 1)
    assert np.abs(np.polyval((slope, limit), sizes) - left).max() < 3e-5
    assert abs(left[0] - limit) < 0.02  # while ln N/2N is 0.011 at 256, and would not be straight
