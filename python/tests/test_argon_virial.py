"""Virial coefficients against those that are known exactly or published."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tasuki.argon.folder import Doubles
from tasuki.argon.lennard_jones import Pair
from tasuki.argon.virial import Virial, coefficients

B0 = 2 * math.pi / 3  # of hard spheres of diameter 1
FAR = 20.0  # sigma: a cut-off that is none


def spheres(r: Doubles) -> Doubles:
    return np.where(r < 1, -1.0, 0.0)


def lennard_jones(t: float) -> Virial:
    pair = Pair(FAR)
    return coefficients(lambda r: np.expm1(-pair.energy(r * r) / t), FAR)


def test_hard_spheres() -> None:
    found = coefficients(spheres, 1.0)
    assert found.second == pytest.approx(B0, rel=1e-6)
    assert found.third == pytest.approx(5 / 8 * B0**2, rel=1e-5)
    assert found.fourth / B0**3 == pytest.approx(0.286950, abs=4 * found.fourth_error / B0**3)
    assert found.fourth_error / B0**3 < 1e-3


def test_lennard_jones() -> None:
    """Hirschfelder, Curtiss and Bird, Molecular Theory of Gases and Liquids, its tables of B* and C*; Boyle's
    temperature is 3.417928."""
    boyle = lennard_jones(3.417928)
    assert abs(boyle.second / B0) < 1e-3
    for t, second, third in ((1.0, -2.5381, 0.42966), (5.0, 0.24334, 0.31508), (10.0, 0.46088, 0.28610)):
        found = lennard_jones(t)
        assert found.second / B0 == pytest.approx(second, abs=2e-3)
        assert found.third / B0**2 == pytest.approx(third, abs=3e-4)


def test_two_spheres_in_a_box() -> None:
    """Two of them have one excluded volume, exactly; one has none."""
    found = coefficients(spheres, 1.0)
    assert found.excess(2, 50.0)[0] == pytest.approx(-math.log1p(-2 * B0 / 50), rel=1e-6)
    assert found.excess(1, 50.0)[0] == 0


def test_many_atoms() -> None:
    """F_ex/NT is B2 rho + B3 rho^2/2 + B4 rho^3/3, and the error covers the term after that, B5 = 0.1103 b0^4
    of hard spheres."""
    found, n, density = coefficients(spheres, 1.0), 10**6, 0.1
    excess, error = found.excess(n, n / density)
    series = found.second * density + found.third * density**2 / 2 + found.fourth * density**3 / 3
    assert excess / n == pytest.approx(series, rel=1e-5)
    assert 0.1103 * B0**4 * density**4 / 4 < error / n < 10 * series * 1e-3
