"""The folder that a run of wilson leaves, read into plain dataclasses: `results.h5`, format 1."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tasuki.errors import TasukiError
from tasuki.hdf5 import damage_named, open_hdf5, plain, read_results
from tasuki.proof import read_cells, read_rows

VERSION = 1

Doubles = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Solves:
    """The solves of C configurations, 12 columns each (spin of the source slowest)."""

    converged: NDArray[np.bool_]  # [C, 12]
    iterations: Ints  # [C, 12]
    restarts: Ints  # [C, 12]
    updates: Ints  # [C, 12], residuals worked out anew on the way
    seconds: Doubles  # [C, 12]
    residual: Doubles  # [C, 12], |b - M x| / |b|, computed anew in double precision
    flops: Doubles  # [C, 12]
    history: Doubles  # [C, 12, H], the solver's own residual, from the first iteration on; NaN at the end
    every: Ints  # [C, 12], iterations between two of the history

    def path(self, configuration: int, column: int) -> tuple[Ints, Doubles]:
        """Iterations and residuals of one solve."""
        kept = self.history[configuration, column]
        kept = kept[np.isfinite(kept)]
        return 1 + np.arange(len(kept), dtype=np.int64) * self.every[configuration, column], kept


@dataclass(frozen=True)
class Run:
    """A run: C configurations that are finished, T time slices, t = 0 at the source.

    Correlators are sums over space. The nucleon is that of the projector (1 + gamma_t)/2, the backward one of
    (1 - gamma_t)/2; of either the real part is the signal."""

    path: Path
    extents: tuple[int, int, int, int]  # x, y, z, t
    names: tuple[str, ...]  # of the configurations
    plaquette: Doubles  # [C], and over planes in space, and with time
    plaquette_space: Doubles
    plaquette_time: Doubles
    polyakov: Complexes  # [C]
    unitarity: Doubles  # [C], how far links are from SU(3)
    source: Ints  # [C, 4], x, y, z, t
    pion: Doubles  # [C, T]
    rho: Doubles  # [C, T]
    nucleon: Complexes  # [C, T]
    nucleon_backward: Complexes  # [C, T]
    solves: Solves = field(repr=False)
    about: dict[str, Any] = field(repr=False)

    @property
    def configurations(self) -> int:
        """How many are finished."""
        return self.pion.shape[0]

    @property
    def times(self) -> int:
        """Time slices, T."""
        return self.pion.shape[1]

    @property
    def name(self) -> str:
        """The folder, in short."""
        return self.path.name or str(self.path)

    @property
    def kappa(self) -> float:
        """The hopping parameter."""
        return float(self.about.get("kappa", np.nan))

    @property
    def phases(self) -> tuple[float, float, float, float]:
        """Of the quark's boundary, x, y, z, t, in units of pi."""
        x, y, z, t = (float(theta) for theta in self.about.get("phases", (0, 0, 0, 0)))
        return x, y, z, t

    @property
    def title(self) -> str:
        """The system in a line."""
        x, y, z, t = self.extents
        beta = f", beta {self.about['beta']:g}" if np.isfinite(self.about.get("beta", np.nan)) else ""
        return f"{x} x {y} x {z} x {t}{beta}, kappa {self.kappa:g}"

    def propagator(self, configuration: int) -> Complexes:
        """What `--propagators hdf5` kept of one: S(x) as [T, Z, Y, X, 4, 3, 4, 3], spin and colour of the
        sink, then of the source; spins in DeGrand and Rossi's basis. A TasukiError where it was not kept."""
        path = self.path / f"propagator-{configuration:04d}.h5"
        if not path.is_file():
            raise TasukiError(f"there is no file {path}", "repeat the run with --propagators hdf5")
        with open_hdf5(path, "wilson") as file, damage_named(path):
            if "propagator" not in file:
                raise TasukiError(f"{path} has no dataset 'propagator'", "give a run that wrote it")
            return np.asarray(read_cells(file["propagator"], 4), dtype=np.complex128)

    def first(self, configurations: int) -> Run:
        """The run without its configurations beyond so many."""
        return self.chosen(np.arange(min(configurations, self.configurations)))

    def chosen(self, which: Ints) -> Run:
        """Some of its configurations."""
        cut = {name: getattr(self, name)[which] for name in _BY_CONFIGURATION}
        solves = Solves(**{name: getattr(self.solves, name)[which] for name in Solves.__dataclass_fields__})
        names = tuple(self.names[k] for k in which)
        return Run(path=self.path, extents=self.extents, names=names, solves=solves, about=self.about, **cut)


_BY_CONFIGURATION = (
    "plaquette", "plaquette_space", "plaquette_time", "polyakov", "unitarity", "source",
    "pion", "rho", "nucleon", "nucleon_backward",
)  # fmt: skip


def load(folder: str | os.PathLike[str]) -> Run:
    """Reads a run's folder or its results.h5; a TasukiError says what is wrong with it."""
    return read_results(Path(folder), "wilson", VERSION, _run)


def _run(file: h5py.File, folder: Path, about: dict[str, Any]) -> Run:
    group, correlator, solve = file["configuration"], file["correlator"], file["solve"]
    extents = tuple(int(n) for n in about["extents"])
    rows = len(group["plaquette"])
    if "rows" in group:  # the file is laid out for the whole run; so many rows are there yet
        rows = min(rows, int(read_rows(group["rows"]).reshape(-1)[0]))
    times = extents[3]

    def read(place: h5py.Group, name: str, *shape: int) -> Doubles:
        values = np.asarray(read_rows(place[name], rows), dtype=np.float64)
        if values.shape != (rows, *shape):
            raise ValueError(f"{name} has shape {values.shape}, not {(rows, *shape)}")
        return values

    def read_complex(place: h5py.Group, name: str, *shape: int) -> Complexes:
        return read(place, name, *shape, 2) @ np.array([1, 1j])

    def counted(name: str) -> Ints:
        return read(solve, name, 12).astype(np.int64)

    names = [str(plain(name)) for name in group.attrs.get("name", [])]
    names += [f"{k}" for k in range(len(names), rows)]
    history = np.asarray(read_rows(solve["history"], rows), dtype=np.float64)
    if history.ndim != 3 or history.shape[:2] != (rows, 12):
        raise ValueError(f"history has shape {history.shape}")
    run = Run(
        path=folder,
        extents=(extents[0], extents[1], extents[2], extents[3]),
        names=tuple(names[:rows]),
        plaquette=read(group, "plaquette"),
        plaquette_space=read(group, "plaquette_space"),
        plaquette_time=read(group, "plaquette_time"),
        polyakov=read_complex(group, "polyakov"),
        unitarity=read(group, "unitarity"),
        source=read(group, "source", 4).astype(np.int64),
        pion=read(correlator, "pion", times),
        rho=read(correlator, "rho", times),
        nucleon=read_complex(correlator, "nucleon", times),
        nucleon_backward=read_complex(correlator, "nucleon_backward", times),
        solves=Solves(
            converged=counted("converged") != 0,
            iterations=counted("iterations"),
            restarts=counted("restarts"),
            updates=counted("updates"),
            seconds=read(solve, "seconds", 12),
            residual=read(solve, "residual", 12),
            flops=read(solve, "flops", 12),
            history=history,
            every=np.maximum(counted("history_every"), 1),
        ),
        about=about,
    )
    if not all(np.all(np.isfinite(c)) for c in (run.pion, run.rho, run.nucleon, run.nucleon_backward)):
        raise ValueError("a correlator is not finite")
    return run
