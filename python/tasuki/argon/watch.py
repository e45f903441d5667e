"""Which samples of a run are still of the phase that it began in, by the bond order of its atoms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.argon.folder import Doubles, Run
from tasuki.argon.stages import SOLID
from tasuki.argon.structure import bond_order
from tasuki.argon.tracks import Track, read_tracks

MOST = 120  # frames that are looked at once more
SOLID_FROM, FLUID_TO = 0.35, 0.25  # Q6; what lies between is neither


@dataclass(frozen=True)
class Watched:
    """A run's tracks, each of one replica; `kept` [T, R]: rows between two frames of the phase that was
    looked for; `frames` [R, F]: frames of it; `left`: replicas that left it."""

    tracks: list[Track]
    kept: NDArray[np.bool_]
    frames: NDArray[np.bool_]
    left: int


def watch(run: Run, phase: str) -> Watched:
    """Of a run that kept the path of every replica."""
    tracks = [track for track in read_tracks(run) if not track.by_state]
    kept = np.ones((run.rows, run.replicas), dtype=bool)
    frames = np.ones((len(tracks), min(len(track) for track in tracks)), dtype=bool)
    for number, track in enumerate(tracks):
        order = bond_order(track, np.arange(frames.shape[1]))
        frames[number] = order >= SOLID_FROM if phase == SOLID else order <= FLUID_TO
        before = np.clip(np.searchsorted(track.time, run.times, side="right") - 1, 0, frames.shape[1] - 1)
        after = np.minimum(before + 1, frames.shape[1] - 1)
        kept[:, track.number] = frames[number][before] & frames[number][after]
    return Watched(tracks, kept, frames, int((~frames).any(axis=1).sum()))


def frames_between(run: Run, watched: Watched, low: float, high: float) -> Iterator[Doubles]:
    """Places [N, 3] in nm of at most MOST frames of the phase on rungs from `low` to `high` K, of the second
    half of the run."""
    jobs = []
    for number, track in enumerate(watched.tracks):
        t = run.ladder.temperature[track.state[: watched.frames.shape[1]]]
        good = np.flatnonzero(watched.frames[number] & (t >= low) & (t <= high))
        jobs += [(number, int(frame)) for frame in good if 2 * frame >= watched.frames.shape[1]]
    if jobs:
        for k in np.unique(np.linspace(0, len(jobs) - 1, min(MOST, len(jobs))).astype(int)):
            number, frame = jobs[k]
            yield watched.tracks[number].positions([frame])[0].astype(np.float64)
