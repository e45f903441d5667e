"""What the atoms do: bond order Q6, pair distribution g(r), mean-square displacement; all three through
freud.

Q6 of the whole box [Steinhardt, Nelson, Ronchetti, Phys. Rev. B 28, 784 (1983)], over the 12 nearest
neighbours of each atom: 0.575 in a perfect fcc crystal, about 0.5 in a warm one, near 0 in a liquid, where
bonds point anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tasuki.argon.folder import Doubles, Run
from tasuki.argon.needs import need
from tasuki.argon.tracks import Track, read_tracks

NEIGHBOURS = 12
MOST_FRAMES = 400  # that Q6 is computed for
MOST_PAIRS = 60  # frames that g(r) is averaged over
MOST_TRACKS = 16


@dataclass(frozen=True)
class Structure:
    """Of one track. `temperatures`: of the rungs of its frames, K; displacement only of a replica's own path,
    without the drift of the whole."""

    name: str
    frames: int
    temperatures: tuple[float, float, float]  # coldest, mean, hottest
    time: Doubles  # [Q], ps
    q6: Doubles  # [Q]
    r: Doubles  # nm
    g: Doubles
    lag: Doubles  # ps
    displacement: Doubles  # nm^2


def _spread(first: int, end: int, most: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.unique(np.linspace(first, end - 1, min(most, end - first)).round().astype(int))


def bond_order(track: Track, frames: np.ndarray) -> Doubles:  # type: ignore[type-arg]
    """Q6 of the whole box at each of the frames."""
    freud = need("freud")
    q6 = []
    for frame, places in zip(frames, track.positions(frames), strict=True):
        box = freud.box.Box(*(float(edge) for edge in track.edges[frame]))
        order = freud.order.Steinhardt(l=6)
        order.compute((box, box.wrap(places)), neighbors={"num_neighbors": NEIGHBOURS})
        q6.append(float(order.order))
    return np.asarray(q6)


def pair_distribution(track: Track, frames: np.ndarray) -> tuple[Doubles, Doubles]:  # type: ignore[type-arg]
    """r in nm, up to half of the smallest box, and g(r) averaged over the frames."""
    freud = need("freud")
    rdf = freud.density.RDF(bins=150, r_max=0.499 * float(track.edges[frames].min()))
    for frame, places in zip(frames, track.positions(frames), strict=True):
        box = freud.box.Box(*(float(edge) for edge in track.edges[frame]))
        rdf.compute((box, box.wrap(places)), reset=False)
    return np.asarray(rdf.bin_centers, dtype=np.float64), np.asarray(rdf.rdf, dtype=np.float64)


def displacement(track: Track, frames: np.ndarray) -> Doubles:  # type: ignore[type-arg]
    """Mean-square displacement in nm^2 at lags of 0, 1, .. frames, over all origins of time; `frames` are
    evenly spaced."""
    freud = need("freud")
    places = track.positions(frames).astype(np.float64)
    places -= places.mean(axis=1, keepdims=True)
    moved = freud.msd.MSD(mode="window").compute(places).msd
    return np.asarray(moved[: max(1, len(frames) // 2)], dtype=np.float64)


def look_at_atoms(run: Run, discard: float = 0.2) -> list[Structure]:
    """Structure along at most MOST_TRACKS tracks of a run, Q6 from its beginning, the rest without its first
    part."""
    tracks = [track for track in read_tracks(run) if len(track) >= 2]
    found = []
    for number in _spread(0, len(tracks), MOST_TRACKS) if tracks else []:
        track = tracks[number]
        first = min(int(len(track) * discard), len(track) - 1)
        chosen = _spread(0, len(track), MOST_FRAMES)
        stride = max(1, (len(track) - first) // MOST_FRAMES)
        even = np.arange(first, len(track), stride)
        r, g = pair_distribution(track, _spread(first, len(track), MOST_PAIRS))
        t = run.ladder.temperature[track.state]
        moved = displacement(track, even) if not track.by_state and len(even) > 3 else np.empty(0)
        between = float(track.time[even[1]] - track.time[even[0]]) if len(even) > 1 else 0.0
        found.append(
            Structure(
                name=track.name,
                frames=len(track),
                temperatures=(float(t.min()), float(t.mean()), float(t.max())),
                time=track.time[chosen],
                q6=bond_order(track, chosen),
                r=r,
                g=g,
                lag=between * np.arange(len(moved)),
                displacement=moved,
            )
        )
    return found
