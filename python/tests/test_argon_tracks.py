"""Atoms of runs: structure against crystals and random walks, trajectories read back as they were written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from argon_runs import Harmonic, write_run
from numpy.typing import NDArray

from tasuki.argon.analysis import analyze
from tasuki.argon.folder import Run, read_run
from tasuki.argon.structure import look_at_atoms
from tasuki.argon.tracks import frames_at, read_tracks
from tasuki.cli import main
from tasuki.errors import TasukiError

pytest.importorskip("freud")
mda = pytest.importorskip("MDAnalysis")

SEED = 707
EDGE = 2.2
FRAMES = 40
Places = NDArray[np.float64]


def fcc(cells: int, edge: float) -> Places:
    """4 cells^3 atoms of a perfect crystal."""
    corner = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    basis = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    return np.asarray((corner + basis).reshape(-1, 3) * edge / cells)


def paths(rng: np.random.Generator) -> list[Places]:
    """[T, N, 3] of a crystal at rest that drifts, a warm one, and a random walk."""
    crystal = fcc(4, EDGE)
    drift = np.arange(FRAMES)[:, None, None] * np.array([0.01, 0.0, -0.02])
    warm = crystal + rng.normal(0, 0.02, (FRAMES, len(crystal), 3))
    steps = rng.normal(0, 0.05, (FRAMES, len(crystal), 3))
    walk = rng.random((1, len(crystal), 3)) * EDGE + np.cumsum(steps, axis=0)
    return [crystal + drift, warm, walk]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Three replicas with a track each, and one of the coldest rung."""
    folder = write_run(tmp_path / "run", Harmonic(256), np.array([80.0, 90, 100]), FRAMES, SEED)
    made = read_run(folder)
    tracks: dict[str, tuple[Places, Any, Any]] = {
        f"replica_{r}": (path, made.state[:, r], np.full(FRAMES, r))
        for r, path in enumerate(paths(np.random.default_rng(SEED)))
    }
    holder = np.argmax(made.state == 0, axis=1)
    chosen = np.stack([tracks[f"replica_{r}"][0][k] for k, r in enumerate(holder)])
    tracks["state_0"] = (chosen - EDGE * np.floor(chosen / EDGE), np.zeros(FRAMES, dtype=int), holder)
    with h5py.File(folder / "trajectory.h5", "w") as file:
        for name, (path, state, replica) in tracks.items():
            room = np.zeros((5, *path.shape[1:]))  # rows that the run has not come to yet
            file[f"particles/{name}/position/value"] = np.concatenate([path, room]).astype(np.float32)
            file[f"particles/{name}/rows"] = np.array([FRAMES])
            file[f"particles/{name}/position/time"] = 0.4 * np.arange(1, FRAMES + 6)
            file[f"particles/{name}/position/step"] = 100 * np.arange(1, FRAMES + 6)
            file[f"particles/{name}/box/edges"] = np.full(3, EDGE)
            file[f"observables/{name}/state/value"] = np.concatenate([state, np.zeros(5, dtype=int)])
            file[f"observables/{name}/replica/value"] = np.concatenate([replica, np.zeros(5, dtype=int)])
    return made


def test_order_displacement_and_pairs_of_crystal_and_walk(run: Run) -> None:
    crystal, warm, walk, coldest = look_at_atoms(run, 0.0)
    assert [each.name for each in (crystal, warm, walk, coldest)] == [
        "replica_0", "replica_1", "replica_2", "state_0",
    ]  # fmt: skip
    assert np.allclose(crystal.q6, 0.57452, atol=1e-4)  # of perfect fcc, for twelve neighbours
    assert np.all((warm.q6 > 0.4) & (warm.q6 < 0.57))
    assert np.all(walk.q6 < 0.12), f"seed {SEED}"
    assert np.allclose(crystal.displacement, 0, atol=1e-6), "the drift of the whole is no displacement"
    exact = 3 * 0.05**2 * np.arange(len(walk.lag)) * (1 - 1 / 256)  # of a walk, its drift taken out
    assert np.allclose(walk.displacement[1:], exact[1:], rtol=0.15), f"seed {SEED}"
    assert np.allclose(walk.lag, 0.4 * np.arange(FRAMES // 2))
    assert np.mean(walk.g[40:]) == pytest.approx(1, abs=0.05), "places at random have no neighbours' shells"
    nearest = EDGE / 4 / np.sqrt(2)
    assert warm.r[np.argmax(warm.g)] == pytest.approx(nearest, abs=0.03)
    assert len(coldest.displacement) == 0


def test_structure_is_part_of_the_analysis(run: Run) -> None:
    found = analyze(run)
    assert len(found.structures) == 4
    assert analyze(run, atoms=False).structures == []


@pytest.mark.parametrize("to", ["xtc", "dcd"])
def test_a_replica_comes_back_as_it_was(run: Run, tmp_path: Path, to: str) -> None:
    words = [
        "argon",
        "trajectory",
        str(run.path),
        "--to",
        to,
        "--replica",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(words) == 0
    file = tmp_path / "out" / f"replica_2.{to}"
    back = mda.Universe(str(file.with_suffix(".gro")), str(file))
    path = paths(np.random.default_rng(SEED))[2]
    assert len(back.trajectory) == FRAMES
    for step, places in zip(back.trajectory, path, strict=True):
        assert np.allclose(step.positions, 10 * places, atol=0.011)  # xtc keeps a hundredth of an Angstrom
        assert np.allclose(step.dimensions, [10 * EDGE] * 3 + [90] * 3, atol=1e-3)
    assert back.trajectory[3].time == pytest.approx(1.6, abs=1e-3) or to == "dcd"


def test_a_temperature_is_put_together_from_replicas(run: Run, tmp_path: Path) -> None:
    tracks = read_tracks(run)
    stored = next(track for track in tracks if track.name == "state_0")
    made = list(frames_at(tracks, 0))
    assert [frame.time for frame in made] == list(stored.time)
    for k, frame in enumerate(made):
        assert np.allclose(frame.places, stored.positions([k])[0], atol=1e-5)
    assert (
        main(["argon", "trajectory", str(run.path), "--temperature", "91", "--out", str(tmp_path / "out")])
        == 0
    )
    back = mda.Universe(
        str(tmp_path / "out" / "temperature_90K.gro"), str(tmp_path / "out" / "temperature_90K.xtc")
    )
    assert len(back.trajectory) == FRAMES


def test_what_was_not_kept_is_said(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["argon", "trajectory", str(run.path), "--replica", "7"]) == 2
    assert "replica 7 was not recorded; there are replica_0, replica_1" in capsys.readouterr().err
    assert main(["argon", "trajectory", str(run.path), "--to", "pdb"]) == 2
    assert "choose one of xtc, dcd" in capsys.readouterr().err
    write_run(tmp_path / "bare", Harmonic(8), np.array([80.0, 90]), 5, SEED)
    with pytest.raises(TasukiError, match="has no trajectory"):
        read_tracks(read_run(tmp_path / "bare"))
