"""Everything that is asked of a run, in one record."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tasuki.argon import ensemble
from tasuki.argon.ensemble import Slope
from tasuki.argon.folder import BOLTZMANN, Doubles, Run
from tasuki.argon.mixing import PairAcceptance, Travel, acceptance, relaxation, travel
from tasuki.argon.phases import Phases, find_phases
from tasuki.argon.samples import Samples, inefficiency, rung_means, samples_of
from tasuki.argon.structure import Structure, look_at_atoms
from tasuki.argon.thermo import Point, curve, thinned
from tasuki.argon.transition import Transition, find_transition
from tasuki.argon.verdict import warnings_of
from tasuki.errors import TasukiError


@dataclass(frozen=True)
class Isobar:
    """What is found at one pressure, or at constant volume (`pressure` None)."""

    pressure: float | None
    samples: Samples
    points: list[Point]
    phases: Phases | None
    transition: Transition | None
    slopes: list[Slope]


@dataclass(frozen=True)
class Analysis:
    """A run, what it says, and what about it does not convince. `counted`: the run without its beginning."""

    run: Run
    counted: Run
    pairs: list[PairAcceptance]
    travel: Travel
    relaxation: float
    inefficiency: float  # rows
    kinetic: Doubles | None  # [S] temperature of the velocities, K
    isobars: list[Isobar]
    structures: list[Structure]
    warnings: list[str]


def kinetic_temperature(run: Run) -> Doubles | None:
    """[S]: of the velocities by rung, from 1/2 kT a degree of freedom; None where the run kept no kinetic
    energy."""
    if run.kinetic is None:
        return None
    good = np.isfinite(run.kinetic)
    held = run.held[good]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(held, weights=run.kinetic[good], minlength=len(run.ladder))
        mean = mean / np.bincount(held, minlength=len(run.ladder))
    degrees = float(run.about.get("degrees_of_freedom", 3 * run.atoms))
    return np.asarray(mean / (degrees / 2 * BOLTZMANN))


def analyze(run: Run, discard: float = 0.2, atoms: bool = True) -> Analysis:
    """Looks at a run without the first `discard` of its rows; `atoms`: at its trajectory, too."""
    if run.rows < 4:
        raise TasukiError(f"{run.path} has only {run.rows} exchanges", "run longer, or wait")
    counted = run.after(int(run.rows * discard))
    isobars = []
    for rungs in run.ladder.isobars():
        samples = samples_of(counted, thinned(rungs))
        points = curve(samples, run.atoms)
        phases = find_phases(counted, rungs)
        isobars.append(
            Isobar(
                None if run.ladder.pressure is None else float(run.ladder.pressure[rungs[0]]),
                samples,
                points,
                phases,
                find_transition(counted, samples, points, phases),
                ensemble.check(samples),
            )
        )
    pairs, trips, g = acceptance(counted), travel(run), inefficiency(counted)
    warnings = warnings_of(
        counted,
        pairs,
        trips,
        g,
        [isobar.phases for isobar in isobars],
        [isobar.transition for isobar in isobars],
        [slope for isobar in isobars for slope in isobar.slopes],
    )
    return Analysis(
        run=run,
        counted=counted,
        pairs=pairs,
        travel=trips,
        relaxation=relaxation(counted),
        inefficiency=g,
        kinetic=kinetic_temperature(counted),
        isobars=isobars,
        structures=look_at_atoms(run, discard) if atoms and run.trajectory else [],
        warnings=warnings,
    )


def _plain(value: Any) -> Any:  # noqa: ANN401 -- any field of a record
    """As JSON has it: no NaN, no arrays."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_json(analysis: Analysis) -> dict[str, Any]:
    """What was found, as plain JSON: energies in kJ/mol, temperatures in K, heat capacities in k an atom."""
    run = analysis.run
    mean, deviation, count = rung_means(analysis.counted)
    return {
        "schema": 1,
        "folder": str(run.path),
        "atoms": run.atoms,
        "replicas": run.replicas,
        "exchanges": run.rows,
        "counted": analysis.counted.rows,
        "warnings": analysis.warnings,
        "acceptance": [
            _plain(pair) | {"measured": _plain(pair.measured), "error": _plain(pair.error)}
            for pair in analysis.pairs
        ],
        "round_trips": _plain(analysis.travel.trips),
        "flow_down": _plain(analysis.travel.down),
        "relaxation_exchanges": _plain(analysis.relaxation),
        "inefficiency_exchanges": analysis.inefficiency,
        "rungs": [
            _plain(
                {
                    "temperature": run.ladder.temperature[k],
                    "pressure": None if run.ladder.pressure is None else run.ladder.pressure[k],
                    "samples": count[k],
                    "energy": mean[k] / run.atoms,
                    "deviation": deviation[k] / run.atoms,
                    "kinetic_temperature": None if analysis.kinetic is None else analysis.kinetic[k],
                }
            )
            for k in range(len(run.ladder))
        ],
        "isobars": [
            {
                "pressure": isobar.pressure,
                "points": _plain(isobar.points),
                "transition": _plain(isobar.transition),
                "phases": None
                if isobar.phases is None
                else {
                    "step": isobar.phases.step,
                    "scatter": isobar.phases.scatter,
                    "melted": int(isobar.phases.changes[0].sum()),
                    "froze": int(isobar.phases.changes[1].sum()),
                },
                "slopes": [_plain(slope) | {"off": _plain(slope.off)} for slope in isobar.slopes],
            }
            for isobar in analysis.isobars
        ],
        "structures": _plain(analysis.structures),
    }
