"""Trajectories that a run kept, `trajectory.h5` in the layout of H5MD 1.1, and their way into XTC and DCD.

A track is the path of a replica (unwrapped) or what a rung held at each time (wrapped, since from one frame
to the next it may be another replica)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tasuki.argon.folder import Doubles, Ints, Run
from tasuki.argon.needs import need
from tasuki.errors import TasukiError
from tasuki.hdf5 import damage_named, open_hdf5, open_rows
from tasuki.output import make_folder, refuse_output, written
from tasuki.proof import read_rows

FORMATS = ("xtc", "dcd")
_ANGSTROM = 10.0  # in a nm


@dataclass(frozen=True)
class Track:
    """One of a file's trajectories: `state` and `replica` [T] say which rung and replica each frame is of."""

    path: Path
    name: str  # replica_3 or state_0
    time: Doubles  # [T], ps
    state: Ints  # [T]
    replica: Ints  # [T]
    edges: Doubles  # [T, 3], nm
    atoms: int

    @property
    def by_state(self) -> bool:
        """Whether it is of a rung, whose frames are of whichever replica held it."""
        return self.name.startswith("state_")

    @property
    def number(self) -> int:
        """Of the replica or of the rung."""
        return int(self.name.rpartition("_")[2])

    def __len__(self) -> int:
        return len(self.time)

    def positions(self, frames: Sequence[int] | Ints) -> np.ndarray[Any, np.dtype[np.float32]]:
        """[F, N, 3] in nm, of these frames, which are in rising order."""
        with (
            open_hdf5(self.path, "argon") as file,
            damage_named(self.path),
        ):  # all but its rows was checked by read_tracks()
            values = file[f"particles/{self.name}/position/value"]
            return np.asarray(read_rows(values, np.asarray(frames, dtype=np.int64)), dtype=np.float32)


def read_tracks(run: Run) -> list[Track]:
    """All tracks of a run; a TasukiError where it kept none."""
    path = run.trajectory
    if path is None:
        raise TasukiError(
            f"{run.path} has no trajectory", "run with --trajectory replicas:all or temperatures:0,5"
        )
    with open_rows(path, "argon") as file, damage_named(path):
        names = sorted(file["particles"], key=lambda name: (name[0], int(name.rpartition("_")[2])))
        return [_track(file, path, name) for name in names]


def _track(file: h5py.File, path: Path, name: str) -> Track:
    group = file[f"particles/{name}"]
    position = group["position"]
    frames = len(position["value"])
    if "rows" in group:
        frames = min(frames, int(read_rows(group["rows"]).reshape(-1)[0]))
    box = group["box/edges"]
    edges = np.asarray(
        read_rows(box["value"], frames) if isinstance(box, h5py.Group) else box[:], dtype=np.float64
    )
    number = int(name.rpartition("_")[2])

    def of(what: str) -> Ints:
        place = f"observables/{name}/{what}/value"
        if place in file:
            return np.asarray(read_rows(file[place], frames), dtype=np.int64)
        return np.full(frames, number if name.startswith(what) else -1, dtype=np.int64)

    return Track(
        path=path,
        name=name,
        time=np.asarray(position["time"][:frames], dtype=np.float64),
        state=of("state"),
        replica=of("replica"),
        edges=np.broadcast_to(edges, (frames, 3)),
        atoms=int(position["value"].shape[1]),
    )


@dataclass(frozen=True)
class Frame:
    """Places [N, 3] and box edges [3] in nm at a time in ps."""

    time: float
    places: np.ndarray[Any, np.dtype[np.float32]]
    edges: Doubles


def frames_of(track: Track) -> Iterator[Frame]:
    """All frames of a track, read as they are asked for."""
    for k in range(len(track)):
        yield Frame(float(track.time[k]), track.positions([k])[0], track.edges[k])


def frames_at(tracks: Sequence[Track], state: int) -> Iterator[Frame]:
    """The frames of a rung, put together from the tracks of the replicas that held it; times at which a
    replica held it that was not recorded are left out. Wrapped into the box."""
    paths = [track for track in tracks if not track.by_state]
    if not paths:
        return
    for k in range(min(len(track) for track in paths)):
        for track in paths:
            if track.state[k] == state:
                edges = track.edges[k]
                places = track.positions([k])[0]
                wrapped = (places - edges * np.floor(places / edges)).astype(np.float32)
                yield Frame(float(track.time[k]), wrapped, edges)


def write(frames: Iterator[Frame], atoms: int, path: Path) -> int:
    """Writes the frames to `path`, .xtc or .dcd, and the first one beside it as .gro, which names the atoms;
    returns how many there were. Where there are none, nothing is written."""
    mda = need("MDAnalysis")
    universe = mda.Universe.empty(atoms, n_residues=atoms, atom_resindex=np.arange(atoms), trajectory=True)
    universe.add_TopologyAttr("name", ["AR"] * atoms)
    universe.add_TopologyAttr("resname", ["AR"] * atoms)
    universe.add_TopologyAttr("resid", list(range(1, atoms + 1)))
    first = next(frames, None)
    if first is None:
        return 0
    with written(path) as part, mda.Writer(str(part), atoms) as writer:
        for count, frame in enumerate(chain([first], frames), 1):
            step = universe.trajectory.ts
            step.positions = frame.places * _ANGSTROM
            step.dimensions = [*(frame.edges * _ANGSTROM), 90, 90, 90]
            step.time = frame.time
            step.frame = count - 1
            if count == 1:
                with written(path.with_suffix(".gro")) as named:
                    universe.atoms.write(str(named))
            writer.write(universe.atoms)
    return count


def convert(
    run: Run, to: str, out: Path, replica: int | None = None, temperature: float | None = None
) -> list[tuple[Path, int]]:
    """Writes tracks of a run into the folder `out`: of one replica, of the rung nearest to a temperature in
    K, or all that there are. Returns the files and how many frames each has."""
    if to not in FORMATS:
        raise TasukiError(f"--to {to} is unknown", f"choose one of {', '.join(FORMATS)}")
    tracks = read_tracks(run)
    known = ", ".join(track.name for track in tracks)
    jobs: list[tuple[str, Iterator[Frame]]] = []
    if replica is not None:
        jobs = [(t.name, frames_of(t)) for t in tracks if not t.by_state and t.number == replica]
        if not jobs:
            raise TasukiError(f"replica {replica} was not recorded", f"there are {known}")
    elif temperature is not None:
        rung = int(np.argmin(np.abs(run.ladder.temperature - temperature)))
        name = f"temperature_{run.ladder.temperature[rung]:.4g}K"
        kept = [track for track in tracks if track.by_state and track.number == rung]
        jobs = [(name, frames_of(kept[0]) if kept else frames_at(tracks, rung))]
    else:
        jobs = [(track.name, frames_of(track)) for track in tracks]
    paths = [make_folder(out, "--out") / f"{name}.{to}" for name, _ in jobs]
    for path in paths:
        refuse_output(path, "--out")
        refuse_output(path.with_suffix(".gro"), "--out")
    counts = [write(frames, tracks[0].atoms, path) for path, (_, frames) in zip(paths, jobs, strict=True)]
    found = [(path, count) for path, count in zip(paths, counts, strict=True) if count]
    if not found:
        raise TasukiError("no recorded frame matches --replica or --temperature", f"there are {known}")
    return found
