"""The temperature at which crystal and fluid of one density have the same free energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tasuki.argon.beyond import CUT, FULL, beyond
from tasuki.argon.branch import Branch, Leg, fluid_branch, leg, solid_branch
from tasuki.argon.crossing import Crossing, cross
from tasuki.argon.crystal import Cold, Crystal, cold
from tasuki.argon.folder import Run
from tasuki.argon.lennard_jones import Pair
from tasuki.argon.size import longest_waves, of_fluid, of_solid
from tasuki.argon.stages import FLUID, HOTTEST, SOLID, Stage, System
from tasuki.argon.virial import Virial, coefficients
from tasuki.argon.watch import Watched, frames_between, watch
from tasuki.errors import TasukiError

BULK = "bulk"
GRID = 129  # temperatures of a branch
FEWEST_FRAMES = 4
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
    _expect_both(solid, fluid)
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
    others = _others(system, crystal, runs, watched, lower, upper)
    errors = {"cold crystal": start.error / system.atoms} | {
        part.name: legs[part.name].whole_error for part in parts
    }
    errors["virial series"] = virial.excess(system.atoms, system.atoms / density)[1] / system.atoms
    return FreeEnergies(system, lower, upper, found, others, start, virial, errors, warnings)


def _expect_both(solid: Leg, fluid: Sequence[Leg]) -> None:
    if min(len(each.t) for each in (solid, *fluid)) < 2 or fluid[0].t[0] >= solid.t[-1]:
        raise TasukiError(
            "both phases lasted at no common temperature: the crystal melted, or the fluid froze",
            "choose --tmin and --tmax nearer to the transition, or more atoms",
            1,
        )


def _others(
    system: System,
    crystal: Crystal,
    runs: Mapping[str, Run],
    watched: Mapping[str, Watched],
    lower: Branch,
    upper: Branch,
) -> list[Other]:
    """The same of other pairs, and of many atoms; none where the runs kept too few frames."""
    unit = system.substance.sigma
    low, high = (system.substance.kelvin(float(t)) for t in (lower.t[0], lower.t[-1]))
    frames = {
        phase: [each / unit for each in frames_between(runs[name], watched[phase], low, high)]
        for phase, name in ((SOLID, SOLID), (FLUID, f"{FLUID}-1"))
    }
    if min(len(each) for each in frames.values()) < FEWEST_FRAMES:
        return []
    middle = float(np.median(lower.t))
    far = {phase: beyond(each, crystal.box, crystal.pair, middle) for phase, each in frames.items()}
    found = []
    for name in (CUT, FULL):
        free = far[FLUID][name].free - far[SOLID][name].free
        error = float(np.hypot(far[SOLID][name].error, far[FLUID][name].error))
        found.append(Other(name, free, error, cross(lower, upper, free / lower.t)))
    waves = float(np.mean([longest_waves(each, crystal.box) for each in frames[FLUID]]))
    size = of_fluid(system.atoms, waves) - of_solid(crystal)
    full = found[-1]
    many = cross(lower, upper, full.free / lower.t - size)
    found.append(Other(BULK, full.free - size * (many.t if many else middle), full.error, many))
    return found


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
