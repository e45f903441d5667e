"""How far F/T of one atom in a box of N atoms is from that of endlessly many, without momenta.

**Fluid.** A box of fixed N holds no fluctuations of N: F_N/T - N f is ln(2 pi <dN^2>)/2, <dN^2> = N S(0) that
of an open part of the fluid [Hansen and McDonald, Theory of Simple Liquids, chapter 2]. S(0) = 1 of an ideal
gas, Stirling's formula; a dense fluid has a few hundredths. The longest wave that fits into the box is near
enough to 0, S being under a logarithm.

**Solid.** The sum over modes that fit into the box, less the integral over all [Polson, Trizac, Pronk and
Frenkel, J. Chem. Phys. 112, 5339 (2000)]: -ln(N)/2N and a term in 1/N, both of the harmonic crystal, taken
from larger boxes. What anharmonic terms add to that in 1/N is left."""

from __future__ import annotations

import math

import numpy as np

from tasuki.argon.crystal import Crystal
from tasuki.argon.folder import Doubles

_LARGE = (8, 9, 10)  # cells along an edge


def of_fluid(atoms: int, structure_factor: float) -> float:
    """F/T of one atom in the box less its limit."""
    return math.log(2 * math.pi * atoms * structure_factor) / (2 * atoms)


def of_solid(crystal: Crystal) -> float:
    """F/T of one atom in the box less its limit."""
    large = [Crystal(cells, crystal.density, crystal.pair) for cells in _LARGE]
    known = [_modes(each) + math.log(each.atoms) / (2 * each.atoms) for each in large]
    _, limit = np.polyfit([1 / each.atoms for each in large], known, 1)
    return _modes(crystal) - float(limit)


def _modes(crystal: Crystal) -> float:
    """F/T of one atom at T* = 1, without its energy at rest, which knows no size."""
    return (crystal.harmonic(1.0) - crystal.energy) / crystal.atoms


def longest_waves(places: Doubles, box: float) -> float:
    """S(k) of one configuration [N, 3], mean over the three waves that are as long as the box."""
    waves = np.exp(2j * math.pi / box * places)
    return float((np.abs(waves.sum(axis=0)) ** 2).mean() / len(places))
