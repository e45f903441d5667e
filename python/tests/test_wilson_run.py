"""``tasuki run wilson``: what a run leaves is what `tasuki.wilson` reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from wilson_runs import free_pion

from tasuki.programs import locate
from tasuki.wilson import load

SMALL = ["--device", "host", "--lattice", "4x4x4x8", "--kappa", "0.11", "--tolerance", "1e-10"]


@pytest.fixture
def wilson(native_bin: Path) -> Path:
    """The native program; skips where it is not built."""
    program = locate("wilson")
    if program is None:
        pytest.skip("tasuki-wilson is not built")
    return program.resolve()


@pytest.mark.usefixtures("wilson")
def test_a_run_ends_with_its_pictures(native: Command, tmp_path: Path) -> None:
    words = [*SMALL, "--configurations", "2", "--sweeps", "4", "--separation", "2", "--beta", "5.7"]
    done = native("run", "wilson", "-n", "2", *words, "--folder", "out", "--record", "r.json", "--plot")
    assert done.returncode == 0, done.stderr
    assert "mass, 1/a" in done.stdout and "warning: errors of 2 bins" in done.stdout
    assert (tmp_path / "out" / "masses.png").is_file()
    assert json.loads((tmp_path / "r.json").read_text())["program"] == "wilson"
    run = load(tmp_path / "out")
    assert run.extents == (4, 4, 4, 8) and run.configurations == 2 and run.times == 8
    assert run.about["beta"] == 5.7 and run.kappa == 0.11 and run.phases == (0, 0, 0, 1)
    assert run.solves.converged.all() and (run.solves.residual < 1e-10).all()
    assert 0.3 < run.plaquette.mean() < 0.7 and (run.unitarity < 1e-12).all()
    assert (run.pion > 0).all() and (run.rho[:, :4] > 0).all() and (run.nucleon[:, :3].real > 0).all()
    iterations, residual = run.solves.path(1, 5)
    assert len(iterations) > 3 and residual[-1] < 1e-8


@pytest.mark.usefixtures("wilson")
def test_the_free_quark_is_that_of_the_sum_over_momenta(native: Command, tmp_path: Path) -> None:
    words = [*SMALL, "--start", "unit", "--configurations", "1", "--source", "point", "--at", "1,2,3,5"]
    done = native("run", "wilson", *words, "--folder", "out", "--record", "r.json")
    assert done.returncode == 0, done.stderr
    run = load(tmp_path / "out")
    assert run.source.tolist() == [[1, 2, 3, 5]]
    assert np.allclose(run.pion[0], free_pion(0.11, (4, 4, 4, 8), 1.0), rtol=1e-8)


@pytest.mark.usefixtures("wilson")
def test_a_quark_that_does_not_converge_is_said(native: Command, tmp_path: Path) -> None:
    words = [*SMALL, "--configurations", "1", "--sweeps", "2", "--most-iterations", "2"]
    done = native("run", "wilson", *words, "--folder", "out", "--record", "r.json")
    assert done.returncode != 0
    assert "did not converge" in done.stderr
    looked = native("wilson", "analyze", "out", "--no-plot")
    assert looked.returncode == 0 and "12 of 12 solves did not converge" in looked.stdout
