"""The free energy of a cold fcc crystal of N = 4 a^3 atoms in a periodic cube, units of the pair.

**Harmonic.** Every translation of the lattice maps the crystal on itself, so its 3N modes are N wave vectors
with a 3 x 3 matrix D(k) = sum_R K(R) (1 - cos k.R) each [Ashcroft and Mermin, Solid State Physics, chapter
22], K the second derivatives of a pair. Three of them, k = 0, move the whole crystal. Of the classical
partition function, without momenta,

    F/T = U_0/T - ln(V/N) - 3/2 ln N - 1/2 sum' ln(2 pi T/kappa),

kappa the 3N - 3 eigenvalues: the crystal as a whole is anywhere in V, N of these places are the same crystal
with atoms renamed, and N^(3/2) is the Jacobian of the centre of mass [Polson, Trizac, Pronk and Frenkel, J.
Chem. Phys. 112, 5339 (2000)]. The fluid's V^N/N! is counted in the same way, so that the two may be compared
at any N.

**Exact at one temperature.** Displacements of the harmonic crystal are drawn as what they are, Gaussian
numbers; F - F_harmonic = -T ln <exp(-(U - U_harmonic)/T)> over them [Zwanzig, J. Chem. Phys. 22, 1420
(1954)]. Where T is low this is exact, also where a shell of neighbours lies next to the cut-off and no
expansion would do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tasuki.argon.folder import Doubles, Ints
from tasuki.argon.lennard_jones import Pair, edge

_MARGIN = 0.6  # sigma beyond the cut-off, of pairs that may come inside of it
_SEED = 1


@dataclass(frozen=True)
class Crystal:
    """4 a^3 atoms at a density rho*, with a pair whose cut-off is at most half of the box."""

    cells: int  # a
    density: float
    pair: Pair

    @property
    def atoms(self) -> int:
        """How many there are."""
        return 4 * self.cells**3

    @property
    def box(self) -> float:
        """The cube's edge, sigma."""
        return edge(self.atoms, self.density)

    @cached_property
    def places(self) -> Doubles:
        """[N, 3], sigma."""
        basis = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
        cell = np.stack(np.meshgrid(*[np.arange(self.cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
        return np.asarray((cell + basis).reshape(-1, 3) * (self.box / self.cells))

    @cached_property
    def _neighbours(self) -> Doubles:
        """[M, 3]: from an atom to all within the cut-off."""
        d = self.places[1:] - self.places[0]
        d -= self.box * np.round(d / self.box)
        return np.asarray(d[(d**2).sum(axis=1) < self.pair.cutoff**2])

    @cached_property
    def energy(self) -> float:
        """Of the crystal at rest, all atoms."""
        return self.atoms / 2 * float(self.pair.energy((self._neighbours**2).sum(axis=1)).sum())

    @cached_property
    def _waves(self) -> Doubles:
        """[N, 3]: the wave vectors that fit into the box, each once; the first is 0."""
        a = self.cells
        n = np.stack(np.meshgrid(np.arange(2 * a), np.arange(2 * a), np.arange(a), indexing="ij"), axis=-1)
        return np.asarray(n.reshape(-1, 3) * (2 * math.pi / self.box))

    @cached_property
    def _modes(self) -> tuple[Doubles, Doubles]:
        """Eigenvalues [N, 3] and eigenvectors [N, 3, 3] of D(k)."""
        d = self._neighbours
        r2 = (d**2).sum(axis=1)
        along = 4 * (156 * r2**-7 - 42 * r2**-4)  # u''
        across = 4 * (-12 * r2**-7 + 6 * r2**-4)  # u'/r
        unit = d[:, :, None] * d[:, None, :] / r2[:, None, None]
        stiff = across[:, None, None] * np.eye(3) + (along - across)[:, None, None] * unit
        d_of_k = np.einsum("km,mij->kij", 1 - np.cos(self._waves @ d.T), stiff)
        values, vectors = np.linalg.eigh(d_of_k)
        return np.asarray(values), np.asarray(vectors)

    @property
    def stiffness(self) -> Doubles:
        """[3N - 3]: the eigenvalues that are not of the crystal as a whole; not above 0 where the crystal
        does not hold."""
        return self._modes[0][1:].reshape(-1)

    def harmonic(self, t: float) -> float:
        """F/T of the harmonic crystal, all atoms, without momenta."""
        n = self.atoms
        modes = 0.5 * float(np.log(2 * math.pi * t / self.stiffness).sum())
        return self.energy / t - math.log(self.box**3 / n) - 1.5 * math.log(n) - modes

    def draw(self, t: float, number: int, seed: int = _SEED) -> tuple[Doubles, Doubles]:
        """Displacements [number, N, 3] of the harmonic crystal at `t`, and its energies [number] above
        rest."""
        values, vectors = self._modes
        n = self.atoms
        soft = np.zeros_like(values)
        soft[1:] = 1 / np.sqrt(values[1:])
        root = np.einsum("kia,ka,kja->kij", vectors, soft, vectors)  # D(k)^(-1/2)
        wave = np.exp(-1j * (self._waves @ self.places.T))  # [k, R]
        noise = np.random.default_rng(seed).normal(size=(number, n, 3))
        spectrum = np.einsum("kr,sri->ski", wave, noise, optimize=True)
        energy = t / 2 / n * (np.abs(spectrum[:, 1:]) ** 2).sum(axis=(1, 2))
        spectrum = np.einsum("kij,skj->ski", root, spectrum, optimize=True)
        moved = np.einsum("kr,ski->sri", wave.conj(), spectrum, optimize=True).real / n
        return np.asarray(math.sqrt(t) * moved), np.asarray(energy)

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints, Doubles]:
        """Of atoms whose sites are near enough for their energy to count: both, and from one to the other."""
        near = self.pair.cutoff + _MARGIN
        first, second = np.triu_indices(self.atoms, 1)
        d = self.places[second] - self.places[first]
        d -= self.box * np.round(d / self.box)
        chosen = (d**2).sum(axis=1) < near**2
        return first[chosen], second[chosen], d[chosen]

    def energies(self, moved: Doubles) -> Doubles:
        """[S]: of the crystal with displacements `moved` [S, N, 3], all atoms. These are small; a pair
        beyond half of the box has its nearest image."""
        first, second, d = self._pairs
        found = np.empty(len(moved))
        for s, each in enumerate(moved):
            apart = d + each[second] - each[first]
            apart -= self.box * np.round(apart / self.box)
            found[s] = self.pair.energy((apart**2).sum(axis=1)).sum()
        return found


@dataclass(frozen=True)
class Cold:
    """F/T of a crystal at T* = `t`, all atoms, its standard error; and the share of the samples that count:
    near 1 where the crystal is nearly harmonic."""

    t: float
    free: float
    error: float
    harmonic: float
    share: float


def cold(crystal: Crystal, t: float, samples: int = 1000) -> Cold:
    """By perturbation from the harmonic crystal."""
    moved, harmonic = crystal.draw(t, samples)
    work = (crystal.energies(moved) - crystal.energy - harmonic) / t
    least = float(work.min())
    weight = np.exp(least - work)
    mean = float(weight.mean())
    error = float(weight.std()) / mean / math.sqrt(samples)
    share = mean**2 / float((weight**2).mean())
    base = crystal.harmonic(t)
    return Cold(t, base + least - math.log(mean), error, base, share)
