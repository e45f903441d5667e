"""A real run of argon, from its folder to tables, pictures and trajectories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

from tasuki.argon.folder import read_run
from tasuki.argon.tracks import read_tracks
from tasuki.programs import locate

pytest.importorskip("pymbar")
pytest.importorskip("freud")


def test_a_run_is_looked_at(tasuki: Command, tmp_path: Path) -> None:
    program = locate("argon")
    if program is None:
        pytest.skip("tasuki-argon is not built")
    there = {"TASUKI_BIN": str(program.parent.resolve())}
    folder = tmp_path / "run"
    words = ["--atoms", "108", "--replicas", "4", "--tmin", "80", "--tmax", "100", "--steps", "3000"]
    words += ["--trajectory", "replicas:0,3", "--trajectory-every", "500", "--folder", str(folder)]
    done = tasuki(
        "run", "argon", "-n", "2", "--device", "host", *words, "--record", str(tmp_path / "r.json"), **there
    )
    assert done.returncode == 0, done.stderr
    run = read_run(folder)
    assert (run.rows, run.replicas, run.atoms) == (30, 4, 108)
    assert [len(track) for track in read_tracks(run)] == [6, 6]
    done = tasuki("argon", "analyze", str(folder), "--json", **there)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # A crystal of argon at this density: about -6.5 kJ/mol an atom, rising with temperature, and ordered.
    energies = [rung["energy"] for rung in found["rungs"]]
    assert energies == sorted(energies)
    assert -7 < energies[0] < -6
    assert all(q > 0.35 for structure in found["structures"] for q in structure["q6"])
    assert any("exchanges are counted" in warning for warning in found["warnings"])
    assert (folder / "heat.png").is_file()
    assert (folder / "structure.png").is_file()
    pytest.importorskip("MDAnalysis")
    done = tasuki("argon", "trajectory", str(folder), "--replica", "3", **there)
    assert done.returncode == 0, done.stderr
    assert (folder / "replica_3.xtc").stat().st_size > 1000
