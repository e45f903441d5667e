"""The temperature at which crystal and fluid of one density have the same free energy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasuki.argon.beyond import BULK, CUT, FULL, Beyond, beyond
from tasuki.argon.branch import Branch, Leg, fluid_branch, leg, solid_branch
from tasuki.argon.crossing import Crossing, cross
from tasuki.argon.crystal import Cold, Crystal, cold
from tasuki.argon.folder import Doubles, Run
from tasuki.argon.lennard_jones import Pair
from tasuki.argon.stages import FLUID, HOTTEST, SOLID, Stage, System
from tasuki.argon.virial import Virial, coefficients
from tasuki.argon.watch import Watched, watch

GRID = 129  # temperatures of a branch
FEWEST_SHARE = 0.01  # of the samples of the cold crystal's perturbation


@dataclass(frozen=True)
class Other:
    """What another treatment of far pairs does, and a larger system: F of fluid less that of solid changes
    by `free`, of one atom, where the phases have the same; where they cross then."""

    name: str
    free: float
    error: float
    crossing: Crossing | None


@dataclass(frozen=True)
class FreeEnergies:
    """Both branches at the same temperatures, units of the pair, and where they cross."""

    system: System
    solid: Branch
    fluid: Branch
    crossing: Crossing | None
    others: list[Other]
    cold: Cold
    virial: Virial
    parts: dict[str, float]  # standard error of the difference by what it is of
    warnings: list[str]


def free_energies(system: System, parts: Sequence[Stage], runs: Mapping[str, Run]) -> FreeEnergies:
    """From runs of all stages, by name."""
    pair, density, substance = Pair(system.cutoff), system.reduced, system.substance
    crystal = Crystal(round((system.atoms / 4) ** (1 / 3)), density, pair)
    virial = coefficients(lambda r: np.expm1(-pair.energy(r * r) / HOTTEST), pair.cutoff)
    watched: dict[str, Watched] = {}
    legs: dict[str, Leg] = {}
    warnings: list[str] = []
    for part in parts:
        run = runs[part.name]
        if part.watched:
            watched[part.phase] = watch(run, part.phase)
        kept = watched[part.phase].kept if part.watched else None
        legs[part.name] = leg(run, substance, kept, part.phase == FLUID)
        warnings += _of_leg(part, legs[part.name], watched[part.phase].left if part.watched else 0, system)
    solid = legs[SOLID]
    fluid = [legs[part.name] for part in parts if part.phase == FLUID]
    start = cold(crystal, float(solid.t[0]))
    if start.share < FEWEST_SHARE:
        warnings.append(
            f"the crystal at {substance.kelvin(start.t):.3g} K is far from harmonic: {100 * start.share:.1g} "
            "% of the samples count"
        )
    t = np.linspace(fluid[0].t[0], solid.t[-1], GRID)
    lower = solid_branch(crystal, start, solid, t)
    upper = fluid_branch(system.atoms, density, virial, fluid, t)
    found = cross(lower, upper)
    if found is None:
        warnings.append("the free energies do not cross between these temperatures: choose others")
    others = []
    window = (float(substance.kelvin(t[0])), float(substance.kelvin(t[-1])))
    far = {phase: beyond(runs[name], watched[phase], substance, pair, window)
           for phase, name in ((SOLID, SOLID), (FLUID, f"{FLUID}-1"))}  # fmt: skip
    for name in (CUT, FULL):
        if name in far[SOLID] and name in far[FLUID]:
            others.append(_other(name, far[SOLID][name], far[FLUID][name], lower, upper))
    if others:
        others.append(_of_bulk(others[-1], lower, upper, system.atoms))
    errors = {"cold crystal": start.error / system.atoms} | {
        part.name: legs[part.name].whole_error for part in parts
    }
    errors["virial series"] = virial.excess(system.atoms, system.atoms / density)[1] / system.atoms
    return FreeEnergies(system, lower, upper, found, others, start, virial, errors, warnings)


def _other(name: str, solid: Beyond, fluid: Beyond, lower: Branch, upper: Branch) -> Other:
    free = fluid.free - solid.free
    error = float(np.hypot(solid.error, fluid.error))
    more: Doubles = free / lower.t
    return Other(name, free, error, cross(lower, upper, more))


def _of_bulk(full: Other, lower: Branch, upper: Branch, atoms: int) -> Other:
    """Without ln N/N, by which F/T of the fluid lies higher above that of the solid in a box of N atoms: half
    of it is the fluid's Stirling formula, half the solid's modes [Polson et al. 2000]. What is left is of
    order 1/N."""
    size = math.log(atoms) / atoms
    found = cross(lower, upper, full.free / lower.t - size)
    at = found.t if found else float(np.median(lower.t))
    return Other(BULK, full.free - size * at, full.error, found)


def _of_leg(part: Stage, found: Leg, left: int, system: System) -> list[str]:
    what = "melted" if part.phase == SOLID else "froze"
    warnings = []
    if left:
        warnings.append(
            f"{left} of {len(part.temperatures)} replicas of {part.name} {what} for a time: what they did "
            "then does not count"
        )
    if len(found.lost):
        low, high = (system.substance.kelvin(float(t)) for t in (found.lost[0], found.lost[-1]))
        warnings.append(
            f"{len(found.lost)} rungs of {part.name}, {low:.5g} to {high:.5g} K, do not count: most of their "
            f"samples {what}"
        )
    return warnings
