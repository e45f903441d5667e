"""``tasuki wilson analyze`` on runs whose answers are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from wilson_runs import Made, cosh_correlator, exact, free_pion, make_run, mirrored, noisy

from tasuki.cli import main
from tasuki.errors import TasukiError
from tasuki.wilson import jackknife, load, masses
from tasuki.wilson.analysis import analyze, compare, to_json
from tasuki.wilson.jackknife import Estimate, binned
from tasuki.wilson.mass import cosh_mass, find_plateau, fold_baryon, fold_meson, log_mass


def test_jackknife_of_a_mean_is_its_standard_error() -> None:
    samples = np.random.default_rng(1).normal(3, 2, size=(50, 4))
    found = jackknife(samples)
    assert np.allclose(found.value, samples.mean(axis=0))
    assert np.allclose(found.error, samples.std(axis=0, ddof=1) / np.sqrt(50))


def test_jackknife_of_a_function_has_the_known_variance() -> None:
    rng = np.random.default_rng(2)
    tries = np.array(
        [
            (found.value, found.error)
            for found in (jackknife(rng.normal(2, 0.5, size=200), np.log) for _ in range(300))
        ]
    )
    known = 0.5 / 2 / np.sqrt(200)  # of ln x at 2
    assert tries[:, 1].mean() == pytest.approx(known, rel=0.02)
    assert tries[:, 0].std() == pytest.approx(known, rel=0.15)  # 300 tries: 4 %, thrice and more


def test_bins_see_what_neighbours_share() -> None:
    rng = np.random.default_rng(3)
    chain = np.repeat(rng.normal(size=400), 4)  # every sample four times
    assert jackknife(chain).error == pytest.approx(0.5 / np.sqrt(400), rel=0.1)
    assert jackknife(chain, size=4).error == pytest.approx(1 / np.sqrt(400), rel=0.1)


def test_bins_leave_out_the_beginning() -> None:
    assert binned(np.arange(7.0), 3).tolist() == [2.0, 5.0]
    with pytest.raises(TasukiError, match="bins of 8"):
        binned(np.arange(7.0), 8)


def test_one_bin_has_no_error() -> None:
    found = jackknife(np.ones((1, 3)))
    assert found.bins == 0 and np.isnan(found.error).all() and (found.value == 1).all()


@pytest.mark.parametrize("mass", [0.01, 0.3, 1.0, 4.0])
def test_cosh_mass_is_exact(mass: float) -> None:
    correlator = fold_meson(cosh_correlator(mass, 16))
    assert np.allclose(cosh_mass(correlator), mass, rtol=1e-7)


def test_masses_of_what_does_not_fall_are_not_known() -> None:
    assert np.isnan(cosh_mass(np.array([1.0, 2.0, 3.0, -1.0]))).all()
    assert np.isnan(log_mass(np.array([1.0, 0.5, -0.5, 0.5]))).tolist() == [False, True, True]


@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_a_nucleon_is_folded_with_its_antiparticle(theta: float) -> None:
    forward = np.exp(-1.3 * np.arange(12))[None, :]
    noise = 0.1 * np.random.default_rng(4).normal(size=(1, 12)) * forward
    folded = fold_baryon(forward + noise, mirrored(forward - noise, theta), theta)
    assert np.allclose(folded[:, 1:], forward[:, 1:7])
    assert np.allclose(fold_baryon(forward, mirrored(-forward, 1), 0.3), forward[:, :7])


def test_exact_states_are_found(tmp_path: Path) -> None:
    found = masses(load(make_run(tmp_path, exact())))
    for channel, mass in (("pion", 0.5), ("rho", 0.7), ("nucleon", 1.1)):
        plateau = found[channel].plateau
        assert plateau is not None
        assert (plateau.first, plateau.last) == (1, 7)
        assert plateau.mass == pytest.approx(mass, rel=1e-7)
        assert plateau.error < 1e-9


def test_masses_with_noise_are_within_their_errors(tmp_path: Path) -> None:
    off, lengths = [], []
    for seed in range(40):
        found = masses(load(make_run(tmp_path / str(seed), noisy(seed, 60))))
        for channel, mass in (("pion", 0.5), ("rho", 0.7)):
            plateau = found[channel].plateau
            if plateau:
                off.append((plateau.mass - mass) / plateau.error)
                lengths.append(plateau.last - plateau.first + 1)
    assert len(off) > 60 and np.mean(lengths) > 6
    assert abs(np.mean(off)) < 0.6 and 0.6 < np.std(off) < 1.7, (np.mean(off), np.std(off))


def test_an_excited_state_is_cut_off(tmp_path: Path) -> None:
    made = noisy(5, 60, times=32, noise=0.01)
    made.pion = made.pion + cosh_correlator(1.5, 32)
    plateau = masses(load(make_run(tmp_path, made)))["pion"].plateau
    assert plateau is not None and plateau.first >= 6
    assert plateau.error < 0.003 and abs(plateau.mass - 0.5) < 4 * plateau.error


def test_no_plateau_gives_no_mass_but_a_warning(tmp_path: Path) -> None:
    made = noisy(6, 40, times=16, noise=1e-4)
    for weight, mass in ((3.0, 0.8), (9.0, 1.4), (20.0, 2.2)):  # every slice has another slope
        made.pion = made.pion + cosh_correlator(mass, 16, weight)
    analysis = analyze(load(make_run(tmp_path, made)))
    assert analysis.masses["pion"].plateau is None
    assert any(warning.startswith("pion: no plateau") for warning in analysis.warnings)


def test_the_free_quark(tmp_path: Path) -> None:
    """The mass of two free quarks at rest in space, each of energy ln(1 + m)."""
    kappa, extents = 0.12, (12, 12, 12, 48)
    pion = np.tile(free_pion(kappa, extents, 1.0), (3, 1))
    made = Made(pion, pion, np.tile(np.exp(-np.arange(48.0)), (3, 1)), extents=extents[:3], kappa=kappa)
    effective = masses(load(make_run(tmp_path, made)))["pion"].effective.value
    energy = np.log(1 + 1 / (2 * kappa) - 4)
    assert effective[-2] == pytest.approx(2 * energy, rel=0.02)
    assert (np.diff(effective[2:-1]) < 0).all()


def test_few_configurations_are_said(tmp_path: Path) -> None:
    one = analyze(load(make_run(tmp_path / "one", exact(1))))
    assert one.masses["pion"].plateau is None
    assert any("one configuration: there are no errors" in warning for warning in one.warnings)
    four = analyze(load(make_run(tmp_path / "four", exact(4))))
    assert any("errors of 4 bins" in warning for warning in four.warnings)


def test_what_else_is_doubted(tmp_path: Path) -> None:
    made = noisy(8, 40)
    made.unconverged = [(3, 0), (3, 1)]
    made.pion = made.pion.copy()
    made.pion[7] *= 30
    made.extents = (4, 4, 4)
    said = analyze(load(make_run(tmp_path, made))).warnings
    assert any("2 of 480 solves did not converge" in warning and "heatbath-3" in warning for warning in said)
    assert any("configuration heatbath-7 has a pion" in warning for warning in said)
    chain = noisy(9, 20)
    chain.pion = np.repeat(chain.pion, 4, axis=0)
    chain.rho = np.repeat(chain.rho, 4, axis=0)
    chain.nucleon = np.repeat(chain.nucleon, 4, axis=0)
    chain.extents = (4, 4, 4)
    said = analyze(load(make_run(tmp_path / "chain", chain))).warnings
    assert any("configurations are correlated" in warning for warning in said)
    assert any("interacts with its own images" in warning for warning in said)


def test_noise_is_no_plateau() -> None:
    rng = np.random.default_rng(10)
    replicates = 0.5 + rng.normal(size=(20, 8))
    error = np.sqrt(19 / 20 * ((replicates - replicates.mean(axis=0)) ** 2).sum(axis=0))
    assert find_plateau(Estimate(np.full(8, 0.5), error, replicates)) is None


def test_a_run_that_goes_on_is_read_as_far_as_it_is(tmp_path: Path) -> None:
    made = noisy(11, 6)
    made.rows = 4
    run = load(make_run(tmp_path, made))
    assert run.configurations == 4 and run.pion.shape == (4, 24) and len(run.names) == 4
    assert run.extents == (8, 8, 8, 24) and run.phases == (0, 0, 0, 1)
    iterations, residual = run.solves.path(0, 3)
    assert iterations[-1] == 59 and len(residual) == 30
    assert run.first(2).configurations == 2


def test_propagators_that_were_kept_are_read(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "run", exact()))
    rng = np.random.default_rng(4)
    kept = rng.normal(size=(4, 2, 2, 2, 4, 3, 4, 3)) + 1j * rng.normal(size=(4, 2, 2, 2, 4, 3, 4, 3))
    with h5py.File(run.path / "propagator-0001.h5", "w") as file:
        file["propagator"] = kept
    (run.path / "propagator-0002.h5").write_bytes(b"no HDF5")
    h5py.File(run.path / "propagator-0003.h5", "w").close()
    found = run.propagator(1)
    assert found.dtype == np.complex128 and np.array_equal(found, kept)
    for configuration, fault in ((0, "there is no file"), (2, "cannot be read"), (3, "has no dataset")):
        with pytest.raises(TasukiError, match=fault):
            run.propagator(configuration)


def test_comparison_of_two_runs(tmp_path: Path) -> None:
    one = analyze(load(make_run(tmp_path / "a", noisy(12, 40))))
    same = compare(one, one)
    assert all(line.relative == 0 and line.errors_off in (0, None) for line in same)
    heavier = noisy(13, 40)
    heavier.pion = heavier.pion * cosh_correlator(0.9, 24) / cosh_correlator(0.5, 24)
    other = analyze(load(make_run(tmp_path / "b", heavier)))
    pion = compare(one, other)[0]
    assert pion.errors_off is not None and pion.errors_off < -10


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: f.attrs.__setitem__("format", "tasuki-argon"), "was not written by wilson"),
        (lambda f: f.attrs.__setitem__("version", 9), "has version 9"),
        (lambda f: f.__delitem__("correlator/pion"), "is damaged"),
        (lambda f: f["correlator/rho"].__setitem__((0, 3), np.nan), "is not finite"),
    ],
)
def test_bad_files_are_one_line(
    tmp_path: Path, damage: Callable[[h5py.File], None], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, exact())
    with h5py.File(tmp_path / "results.h5", "r+") as file:
        damage(file)
    assert main(["wilson", "analyze", str(tmp_path)]) != 0
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error and error.startswith("tasuki: ")


def test_the_command_prints_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "a", noisy(14, 40))
    make_run(tmp_path / "b", noisy(15, 40))
    assert main(["wilson", "analyze", str(tmp_path / "a"), "--bin", "2", "--discard", "4"]) == 0
    text = capsys.readouterr().out
    assert "mass, 1/a" in text and "18 bins of 2" in text
    assert {p.name for p in (tmp_path / "a").glob("*.png")} == {
        "masses.png", "correlators.png", "residuals.png", "plaquette.png",
    }  # fmt: skip
    assert main(["wilson", "analyze", str(tmp_path / "a"), str(tmp_path / "b"), "--no-plot"]) == 0
    assert "correlators differ by" in capsys.readouterr().out
    assert main(["wilson", "analyze", str(tmp_path / "a"), "--no-plot", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["configurations"] == 40 and answer["channels"]["pion"]["plateau"]["mass"] == pytest.approx(
        0.5, abs=0.05
    )
    assert main(["wilson", "analyze", str(tmp_path / "none")]) == 2
    assert main(["wilson", "analyze", str(tmp_path / "a"), "--discard", "40"]) == 2
    assert main(["wilson", "analyze", str(tmp_path / "a"), "--bin", "41"]) == 2


def test_json_has_no_nan(tmp_path: Path) -> None:
    made = exact(1)
    made.rho = -made.rho
    json.dumps(to_json(analyze(load(make_run(tmp_path, made)))), allow_nan=False)
