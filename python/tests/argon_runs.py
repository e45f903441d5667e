"""Run folders whose answers are known: samples are drawn from exact distributions, exchanges are decided on
them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from tasuki.argon.folder import BAR_NM3, BOLTZMANN

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Harmonic:
    """U of N atoms in harmonic wells: Gamma of shape 3N/2, <U> = 3/2 N kT, C_V = 3 N k with the kinetic
    part."""

    atoms: int

    def draw(self, rng: np.random.Generator, t: Doubles, before: Doubles) -> Doubles:
        """Samples at temperatures `t` that remember nothing."""
        del before
        return rng.gamma(1.5 * self.atoms, BOLTZMANN * t)


@dataclass(frozen=True)
class TwoPhases:
    """Two harmonic wells a latent heat apart, equally likely at `melts`: a first-order transition with an
    exact answer.

    p_liquid = 1/(1 + exp(N L (1/kT - 1/kT_m))); C_V = (3/2 + well) k + N L^2 p (1 - p)/(k T^2) an atom.
    A replica changes its phase with probability `mobility` a row, by the rule of Metropolis."""

    atoms: int
    latent: float  # kJ/mol an atom
    melts: float  # K
    mobility: float = 0.5
    well: float = 1.5  # heat capacity of each phase in k an atom, without the kinetic part

    def liquid(self, t: Doubles) -> Doubles:
        """Probability of the liquid."""
        return np.asarray(1 / (1 + np.exp(self.exponent(t))))

    def exponent(self, t: Doubles) -> Doubles:
        """ln of solid over liquid."""
        return np.asarray(self.atoms * self.latent / BOLTZMANN * (1 / t - 1 / self.melts))

    def heat(self, t: Doubles) -> Doubles:
        """C_V in k an atom."""
        p = self.liquid(t)
        return np.asarray(1.5 + self.well + self.atoms * (self.latent / (BOLTZMANN * t)) ** 2 * p * (1 - p))

    def draw(self, rng: np.random.Generator, t: Doubles, before: Doubles) -> Doubles:
        """Samples at `t` of replicas whose earlier energies, less the harmonic mean, say which phase they are
        in."""
        was = before > 0
        odds = np.clip(np.where(was, self.exponent(t), -self.exponent(t)), -700, 0)  # ln of leaving
        now = was ^ ((rng.random(len(t)) < self.mobility) & (rng.random(len(t)) < np.exp(odds)))
        self_energy = rng.gamma(self.well * self.atoms, BOLTZMANN * t)
        before[:] = np.where(now, 1.0, -1.0)
        return np.asarray(self_energy + np.where(now, self.atoms * self.latent, 0.0))


def exchange(
    rng: np.random.Generator, state: NDArray[np.int32], energy: Doubles, beta: Doubles, parity: int,
    attempted: NDArray[np.int64], accepted: NDArray[np.int64],
) -> NDArray[np.int32]:  # fmt: skip
    """Neighbours of one parity swap rungs by the rule of Metropolis; returns the new rungs of the
    replicas."""
    holder = np.empty(len(state), dtype=np.int64)
    holder[state] = np.arange(len(state))
    state = state.copy()
    for low in range(parity, len(state) - 1, 2):
        i, j = holder[low], holder[low + 1]
        attempted[low] += 1
        if np.log(rng.random()) < (energy[i] - energy[j]) * (beta[low] - beta[low + 1]):
            accepted[low] += 1
            state[i], state[j] = low + 1, low
    return state


def write_run(
    folder: Path,
    model: Harmonic | TwoPhases,
    temperatures: Doubles,
    rows: int,
    seed: int,
    start: str = "fcc",
    mix: bool = True,
    warmer: float = 1.0,
    planned: int = 0,
    solid: int | None = None,
) -> Path:
    """Makes a run folder and returns it. `warmer`: factor of the temperatures that energies are drawn at, a
    broken thermostat where not 1; `planned`: rows that the file has room for; `solid`: replicas that begin
    solid."""
    rng = np.random.default_rng(seed)
    count = len(temperatures)
    beta = 1 / (BOLTZMANN * temperatures)
    state = np.arange(count, dtype=np.int32)
    states = np.zeros((max(rows, planned), count), dtype=np.int32)
    energies = np.zeros((max(rows, planned), count))
    attempted, accepted = np.zeros(count - 1, dtype=np.int64), np.zeros(count - 1, dtype=np.int64)
    memory = np.full(count, 1.0 if start == "liquid" else -1.0)
    if solid is not None:
        memory = np.where(np.arange(count) < solid, -1.0, 1.0)
    for row in range(rows):
        energies[row] = model.draw(rng, warmer * temperatures[state], memory)
        if mix:
            state = exchange(rng, state, energies[row], beta, row % 2, attempted, accepted)
        states[row] = state
    folder.mkdir(parents=True, exist_ok=True)
    with h5py.File(folder / "results.h5", "w") as file:
        file.attrs.update(
            {
                "format": "tasuki-argon", "version": 1, "seed": seed, "atoms": model.atoms, "replicas": count,
                "density_g_cm3": 1.65, "box_nm": 2.0, "timestep_ps": 0.004, "steps_per_exchange": 100,
                "degrees_of_freedom": 3 * model.atoms, "start": start,
            }
        )  # fmt: skip
        file["ladder/temperature_K"] = temperatures
        file["ladder"].attrs["shape"] = [count, 1]
        file["exchange/rows"] = np.array([rows])
        file["exchange/step"] = 100 * np.arange(1, len(states) + 1)
        file["exchange/state"] = states
        file["exchange/start_state"] = np.arange(count, dtype=np.int32)
        file["exchange/potential_kJ_mol"] = energies
        file["exchange/kinetic_kJ_mol"] = np.where(energies != 0, 1.5 * model.atoms / beta.mean(), 0.0)
        file["exchange/attempted"] = attempted
        file["exchange/accepted"] = accepted
        file["exchange/pair"] = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1).astype(np.int32)
    return folder


__all__ = ["BAR_NM3", "Harmonic", "TwoPhases", "exchange", "write_run"]
