"""The folder that a run of argon leaves, read into plain dataclasses: `results.h5`, format 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tasuki.hdf5 import read_results
from tasuki.proof import read_rows

VERSION = 1
TRAJECTORY = "trajectory.h5"
BOLTZMANN = 0.00831446261815324  # kJ/(mol K), CODATA 2018, exact
BAR_NM3 = 0.0602214076  # kJ/mol in a bar nm^3

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ladder:
    """The states that are exchanged: T in K and, of a run at constant pressure, p in bar, by rung."""

    temperature: Doubles
    pressure: Doubles | None
    shape: tuple[int, int]  # temperatures, pressures

    def __len__(self) -> int:
        return len(self.temperature)

    @property
    def beta(self) -> Doubles:
        """1/kT in mol/kJ."""
        return 1.0 / (BOLTZMANN * self.temperature)

    def isobars(self) -> list[Ints]:
        """The rungs of each pressure in order of temperature; at constant volume there is one such row."""
        if self.pressure is None:
            return [np.argsort(self.temperature, kind="stable")]
        rows = []
        for pressure in np.unique(self.pressure):
            rungs = np.flatnonzero(self.pressure == pressure)
            rows.append(rungs[np.argsort(self.temperature[rungs], kind="stable")])
        return rows

    def name(self, rung: int) -> str:
        """A rung as people say it."""
        text = f"{self.temperature[rung]:.5g} K"
        return text if self.pressure is None else f"{text}, {self.pressure[rung]:.5g} bar"


@dataclass(frozen=True)
class Run:
    """A run: T rows, one an exchange, of R replicas on as many rungs.

    `held` is the rung on which the energies of a row were taken, `state` the one that the replica got by the
    row's decision. Energies are of the whole replica, kJ/mol, without the tail correction."""

    path: Path
    atoms: int
    ladder: Ladder
    step: Ints  # [T]
    state: NDArray[np.int32]  # [T, R]
    held: NDArray[np.int32]  # [T, R]
    potential: Doubles  # [T, R]
    kinetic: Doubles | None  # [T, R]
    virial: Doubles | None  # [T, R]
    volume: Doubles | None  # [T, R], nm^3, where it changes
    pairs: Ints  # [P, 2], rungs that were offered an exchange
    attempted: Ints  # [P]
    accepted: Ints  # [P]
    about: dict[str, Any] = field(repr=False)

    @property
    def rows(self) -> int:
        """Exchanges that were recorded."""
        return self.state.shape[0]

    @property
    def replicas(self) -> int:
        """How many there are; as many as rungs."""
        return self.state.shape[1]

    @property
    def timestep(self) -> float:
        """Of the integration, ps."""
        return float(self.about.get("timestep_ps", np.nan))

    @property
    def times(self) -> Doubles:
        """Of the rows, ps."""
        return np.asarray(self.step * self.timestep, dtype=np.float64)

    @property
    def box(self) -> float:
        """The edge in nm, of a run at constant volume."""
        return float(self.about.get("box_nm", np.nan))

    @cached_property
    def conjugate(self) -> Doubles:
        """[T, R], kJ/mol: what 1/kT stands beside on an isobar. U; at constant pressure U + p V, p of
        `held`."""
        if self.volume is None or self.ladder.pressure is None:
            return self.potential
        return self.potential + BAR_NM3 * self.ladder.pressure[self.held] * self.volume

    @property
    def name(self) -> str:
        """The folder, in short."""
        return self.path.name or str(self.path)

    @property
    def trajectory(self) -> Path | None:
        """The file of positions, where the run wrote one."""
        path = self.path / TRAJECTORY
        return path if path.is_file() else None

    def after(self, rows: int) -> Run:
        """The run without its first `rows` rows."""
        return self.between(rows, self.rows)

    def between(self, first: int, end: int) -> Run:
        """Rows first <= row < end. Attempted and accepted exchanges stay those of the whole run."""

        def cut(values: Doubles | None) -> Doubles | None:
            return None if values is None else values[first:end]

        return Run(
            path=self.path,
            atoms=self.atoms,
            ladder=self.ladder,
            step=self.step[first:end],
            state=self.state[first:end],
            held=self.held[first:end],
            potential=self.potential[first:end],
            kinetic=cut(self.kinetic),
            virial=cut(self.virial),
            volume=cut(self.volume),
            pairs=self.pairs,
            attempted=self.attempted,
            accepted=self.accepted,
            about=self.about,
        )


def _optional(group: h5py.Group, name: str, shape: tuple[int, int]) -> Doubles | None:
    if name not in group:
        return None
    values = np.asarray(read_rows(group[name], shape[0]), dtype=np.float64)
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}, not {shape}")
    return values


def _ladder(file: h5py.File) -> Ladder:
    group = file["ladder"]
    temperature = np.asarray(group["temperature_K"][:], dtype=np.float64)
    pressure = np.asarray(group["pressure_bar"][:], dtype=np.float64) if "pressure_bar" in group else None
    shape = group.attrs.get("shape", group["temperature_K"].attrs.get("shape"))
    n_t, n_p = (len(temperature), 1) if shape is None else (int(n) for n in np.atleast_1d(shape)[:2])
    if n_t * n_p != len(temperature) or (pressure is not None and pressure.shape != temperature.shape):
        raise ValueError(f"the ladder of {len(temperature)} rungs is no {n_t} x {n_p}")
    if not (np.all(np.isfinite(temperature)) and np.all(temperature > 0)):
        raise ValueError("the ladder has temperatures that are not above 0 K")
    return Ladder(temperature, pressure, (n_t, n_p))


def read_run(path: Path) -> Run:
    """Reads `path`, a run's folder or its results.h5; a TasukiError says what is wrong with it."""
    return read_results(path, "argon", VERSION, _run)


def _run(file: h5py.File, folder: Path, about: dict[str, Any]) -> Run:
    ladder = _ladder(file)
    group = file["exchange"]
    rows = len(group["step"])
    if "rows" in group:  # the file is laid out for the whole run; so many rows are there yet
        rows = min(rows, int(read_rows(group["rows"]).reshape(-1)[0]))
    state = np.asarray(read_rows(group["state"], rows), dtype=np.int32)
    shape = (rows, len(ladder))
    if state.shape != shape:
        raise ValueError(f"state has shape {state.shape}, not {shape}")
    if rows and not np.array_equal(np.sort(state, axis=1), np.broadcast_to(np.arange(shape[1]), shape)):
        raise ValueError("two replicas hold one rung")
    start = group["start_state"][:] if "start_state" in group else np.arange(shape[1])
    held = np.concatenate([np.asarray(start, dtype=np.int32)[None, :], state])[:rows]
    potential = _optional(group, "potential_kJ_mol", shape)
    assert potential is not None
    pairs = (
        np.asarray(group["pair"][:], dtype=np.int64)
        if "pair" in group
        else np.stack([np.arange(len(ladder) - 1), np.arange(1, len(ladder))], axis=1)
    )
    return Run(
        path=folder,
        atoms=int(about["atoms"]),
        ladder=ladder,
        step=np.asarray(read_rows(group["step"], rows), dtype=np.int64),
        state=state,
        held=held,
        potential=potential,
        kinetic=_optional(group, "kinetic_kJ_mol", shape),
        virial=_optional(group, "virial_kJ_mol", shape),
        volume=_optional(group, "volume_nm3", shape),
        pairs=pairs.reshape(-1, 2),
        attempted=np.asarray(read_rows(group["attempted"]), dtype=np.int64),
        accepted=np.asarray(read_rows(group["accepted"]), dtype=np.int64),
        about=about,
    )
