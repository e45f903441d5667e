"""The runs that the free energies of both phases take: ladders from where a free energy is known to the
transition.

A crystal is known where it is cold, a fluid where it is hot, four decades above; a time step that suits
the hot end would move nothing at the cold one, so the fluid's way is cut into ladders that share a
temperature."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tasuki.argon.lennard_jones import ARGON, Substance, edge
from tasuki.errors import TasukiError

FLUID, SOLID = "fluid", "solid"
ACCEPTED = 0.9  # of neighbours: erfc of this, 20 %
EVERY = 50  # steps between exchanges
FRAMES = 40  # of a trajectory
HOTTEST = 1e4  # T*, where four virial coefficients are all there is, but for 0.0003 of F/T

_USUAL_CUTOFF = 3.0  # sigma
_COLD = 3.0  # over N: T* of a crystal that is a small perturbation of the harmonic one
_SOLID_STEP = 8.0  # fs
_STEP = 16.0  # fs, of a fluid at T* = 1
_DAMPING = 0.03  # friction times time step
# Upper ends of the fluid's ladders, T*, and the heat capacity there in k an atom, without the kinetic part.
_DECADES = ((3.2, 1.1), (10.0, 0.8), (100.0, 0.55), (1e3, 0.3), (HOTTEST, 0.16))
_SOLID_HEAT = 1.5


@dataclass(frozen=True)
class System:
    """What all runs have in common. `cutoff` in sigma."""

    atoms: int
    density: float  # g/cm3
    cutoff: float
    substance: Substance = ARGON

    @property
    def reduced(self) -> float:
        """rho*."""
        return self.substance.reduced_density(self.density)


def system_of(atoms: int, density: float, cutoff: float | None) -> System:
    """4 a^3 atoms of argon; a cut-off of None is 3 sigma, or half of the box's edge where that is less. A
    TasukiError says what does not go."""
    cells = round((atoms / 4) ** (1 / 3))
    if cells < 3 or 4 * cells**3 != atoms:
        raise TasukiError(
            f"{atoms} atoms do not make a cube of an fcc crystal", "choose 108, 256, 500 or 864"
        )
    half = edge(atoms, ARGON.reduced_density(density)) / 2
    widest = math.floor(1e6 * half) / 1e6  # as the program takes it, whose half may be a bit less
    if cutoff is not None and not 0 < cutoff <= half:
        raise TasukiError(
            f"--cutoff {cutoff:g} is more than half of the box's edge, {half:.4f} sigma",
            "choose a smaller one, or more atoms",
        )
    return System(atoms, density, cutoff or min(_USUAL_CUTOFF, widest))


@dataclass(frozen=True)
class Stage:
    """One ladder of `phase`: temperatures in K, rising; time step in fs, friction in 1/ps. `watched`: its
    atoms are looked at, whether they are still in the phase that they began in."""

    name: str
    phase: str
    temperatures: tuple[float, ...]
    timestep: float
    friction: float
    steps: int
    watched: bool

    def arguments(self, system: System, seed: int) -> list[str]:
        """Of `tasuki run argon`, without --folder."""
        options = {
            "--atoms": system.atoms,
            "--density": system.density,
            "--cutoff": repr(system.cutoff),
            "--epsilon": system.substance.epsilon,
            "--sigma": system.substance.sigma,
            "--mass": system.substance.mass,
            "--correction": "shifted",
            "--start": "fcc" if self.phase == SOLID else "liquid",
            "--temperatures": ",".join(f"{t:.10g}" for t in self.temperatures),
            "--dt": f"{self.timestep:.6g}",
            "--friction": f"{self.friction:.6g}",
            "--exchange-every": EVERY,
            "--steps": self.steps,
            "--seed": seed,
        }
        if self.watched:
            options |= {"--trajectory": "replicas:all", "--trajectory-every": self.steps // FRAMES}
        return [str(word) for pair in options.items() for word in pair]


def _ladder(low: float, high: float, atoms: int, heat: float) -> tuple[float, ...]:
    """Geometric, neighbours as far apart as ACCEPTED allows, five rungs at least."""
    widest = 2 * ACCEPTED / math.sqrt(atoms * heat)
    rungs = max(5, math.ceil(math.log(high / low) / widest) + 1)
    return tuple(float(t) for t in np.geomspace(low, high, rungs))


def stages(system: System, low: float, high: float, steps: int) -> Iterator[Stage]:
    """All runs for free energies between `low` and `high` K, the solid's first; of `steps` steps each, a
    multiple of EVERY * FRAMES or rounded up to one. A TasukiError where the temperatures are none."""
    if not low < high:
        raise TasukiError(f"--tmin {low:g} is not below --tmax {high:g}", "give a --tmax above --tmin")
    steps = -(-steps // (EVERY * FRAMES)) * EVERY * FRAMES
    kelvin = system.substance.kelvin(1.0)
    cold = kelvin * _COLD / system.atoms
    rungs = _ladder(cold, high, system.atoms, _SOLID_HEAT)
    yield Stage(SOLID, SOLID, rungs, _SOLID_STEP, 1e3 * _DAMPING / _SOLID_STEP, steps, True)
    if not high < _DECADES[0][0] * kelvin:
        raise TasukiError(f"--tmax {high:g} is too hot for a crystal", f"give one below {2 * kelvin:.0f}")
    below = low
    for number, (top, heat) in enumerate(_DECADES):
        timestep = _STEP * top ** (-7 / 12)  # speed, and the core that is left at that speed
        rungs = _ladder(below, top * kelvin, system.atoms, heat)
        damping = 1e3 * _DAMPING / timestep
        yield Stage(f"{FLUID}-{number + 1}", FLUID, rungs, timestep, damping, steps, number == 0)
        below = top * kelvin
