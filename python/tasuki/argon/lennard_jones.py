"""The pair that replicas are made of, in its own units: epsilon, sigma, T* = kT/epsilon, rho* = rho sigma^3.

A run follows the forces of pairs nearer than the cut-off. Whatever is done to the energy of a pair beyond it,
these are the forces of the pair whose energy is shifted to 0 there, so that is the pair whose Boltzmann
weights a run samples, and the one that free energies are of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import BOLTZMANN, Doubles

AVOGADRO_NM3 = 602.214076  # atoms in a nm^3 at 1 mol/cm3, exact


@dataclass(frozen=True)
class Substance:
    """What turns units of the pair into others: argon's, as the program has them."""

    epsilon: float = 0.9661  # kJ/mol
    sigma: float = 0.3405  # nm
    mass: float = 39.948  # g/mol

    def reduced_density(self, density: float) -> float:
        """rho* of `density` g/cm3."""
        return density / self.mass * AVOGADRO_NM3 * self.sigma**3

    def kelvin(self, reduced: float) -> float:
        """T of T*."""
        return reduced * self.epsilon / BOLTZMANN


ARGON = Substance()


@dataclass(frozen=True)
class Pair:
    """4 (r^-12 - r^-6) less its value at the cut-off, 0 beyond it."""

    cutoff: float  # sigma

    @property
    def shift(self) -> float:
        """What is added to a pair inside of the cut-off."""
        return -plain(self.cutoff**2)

    def energy(self, r2: Doubles) -> Doubles:
        """Of pairs at these squared distances."""
        return np.where(r2 < self.cutoff**2, plain(r2) + self.shift, 0.0)


def plain(r2: Doubles | float) -> Doubles | float:
    """4 (r^-12 - r^-6) of squared distances, without a cut-off."""
    u3 = 1 / (r2 * r2 * r2)
    return 4 * u3 * (u3 - 1)


def edge(atoms: int, density: float) -> float:
    """Of the cube that holds them, sigma."""
    return (atoms / density) ** (1 / 3)


def tail(density: float, cutoff: float) -> float:
    """Energy of one atom with all that lies beyond the cut-off, spread evenly [Frenkel and Smit,
    Understanding Molecular Simulation, eq. 3.2.5]."""
    return 8 / 3 * math.pi * density * (cutoff**-9 / 3 - cutoff**-3)
