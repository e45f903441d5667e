"""The analysis of runs against systems whose answers are known."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest

pytest.importorskip("pymbar")

from argon_runs import Harmonic, TwoPhases, write_run

from tasuki.argon import compare, ensemble, mixing, thermo
from tasuki.argon.analysis import analyze, to_json
from tasuki.argon.folder import BAR_NM3, BOLTZMANN, Run, read_run
from tasuki.argon.pictures import draw
from tasuki.argon.samples import BLOCKS, inefficiency, samples_of
from tasuki.cli import main
from tasuki.errors import TasukiError

SEED = 20260


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Run]:
    """Makes a run and reads it."""

    def of(*words: object, name: str = "run", **more: object) -> Run:
        return read_run(write_run(tmp_path / name, *words, **more))  # type: ignore[arg-type]

    return of


def test_harmonic_energies_and_heat_capacities_are_exact_within_their_errors(
    make: Callable[..., Run],
) -> None:
    model, t = Harmonic(32), np.geomspace(80, 160, 12)
    run = make(model, t, 2400, SEED)
    points = thermo.curve(samples_of(run, run.ladder.isobars()[0]), run.atoms)
    assert len(points) == 12 + 11 * 3
    off = [(p.energy - 1.5 * BOLTZMANN * p.temperature) / p.energy_error for p in points]
    hot = [(p.heat - 3) / p.heat_error for p in points]
    assert max(map(abs, off)) < 5, f"seed {SEED}"
    assert max(map(abs, hot)) < 5, f"seed {SEED}"
    # And the errors are of the right size: 2400 samples of 48 degrees of freedom know U to 0.3 %, with
    # neighbours better.
    exact = BOLTZMANN * 113 * math.sqrt(48 / 2400) / 32
    middle = min(points, key=lambda p: abs(p.temperature - 113))
    assert 0.15 * exact < middle.energy_error < 1.5 * exact


def test_reweighting_agrees_with_pymbar(make: Callable[..., Run]) -> None:
    import pymbar

    run = make(TwoPhases(32, 0.6, 128.0), np.linspace(115, 141, 6), 240, SEED)
    samples = samples_of(run, run.ladder.isobars()[0])
    window = thermo.Window(samples, 0, 6)
    order = np.argsort(samples.rung, kind="stable")
    value, counts = samples.value[order], np.bincount(samples.rung)
    beta = 1 / (BOLTZMANN * samples.temperature)
    mbar = pymbar.MBAR(np.outer(beta, value - window.centre), counts)
    # The first rung's is 0 in both; energies are relative to the same centre.
    assert np.allclose(window.free[0], mbar.f_k, atol=1e-4)
    for temperature in (118.0, 128.0, 137.0):
        reduced = (value - window.centre) / (BOLTZMANN * temperature)
        expected = mbar.compute_expectations(value, u_kn=reduced, state_dependent=False)["mu"]
        assert window.moments([temperature])[0][0] == pytest.approx(float(np.ravel(expected)[0]), rel=1e-6)


def test_two_phases_melt_where_they_should(make: Callable[..., Run]) -> None:
    model = TwoPhases(108, 0.6, 128.0)
    run = make(model, np.linspace(110, 146, 13), 3000, SEED)
    found = analyze(run, 0.1)
    (isobar,) = found.isobars
    assert isobar.transition is not None
    assert isobar.transition.peak is not None
    assert isobar.transition.equal is not None
    grid = np.linspace(110, 146, 3601)
    exact_peak = grid[np.argmax(model.heat(grid))]
    equal, peak = isobar.transition.equal, isobar.transition.peak
    assert abs(peak.temperature - exact_peak) < 5 * peak.error + 0.05, f"seed {SEED}"
    assert abs(equal.temperature - 128) < 5 * equal.error + 0.1, (
        f"seed {SEED}: energies alone tell the phases"
    )
    assert peak.error < 0.5
    assert equal.error < 0.5
    for point in isobar.points[::6]:
        exact = float(model.heat(np.array(point.temperature)))
        assert abs(point.heat - exact) < 5 * point.heat_error, f"seed {SEED}, {point}"
    assert isobar.phases is not None
    assert isobar.phases.step == pytest.approx(0.6, rel=0.1)
    assert min(int(each.sum()) for each in isobar.phases.changes) > 50
    assert found.warnings == []


def test_replicas_that_keep_their_phase_are_warned_of(make: Callable[..., Run]) -> None:
    # Nine solid and four liquid replicas are merely sorted: the phases seem to meet at the ninth rung.
    run = make(TwoPhases(108, 0.6, 128.0, mobility=0.0), np.linspace(110, 146, 13), 1200, SEED, solid=9)
    found = analyze(run)
    (isobar,) = found.isobars
    assert isobar.transition is not None
    assert isobar.transition.equal is not None
    assert isobar.transition.equal.temperature > 131  # wrong, and with a fine error bar
    assert any("sorted along the ladder" in warning for warning in found.warnings)


def test_phases_are_found_over_a_wide_ladder_of_anharmonic_energies(make: Callable[..., Run]) -> None:
    # As 108 atoms of argon are: each phase has 1.2 k, and the liquid ones are few.
    model = TwoPhases(108, 0.61, 172.0, mobility=0.0, well=1.2)
    run = make(model, np.geomspace(80, 220, 24), 600, SEED, solid=18)
    (isobar,) = analyze(run).isobars
    assert isobar.phases is not None
    assert isobar.phases.step == pytest.approx(0.61, rel=0.15)
    assert isobar.transition is not None
    assert isobar.transition.solid_to == pytest.approx(172, abs=6)
    assert isobar.transition.liquid_to == pytest.approx(172, abs=6)


@pytest.mark.parametrize("start", ["fcc", "liquid"])
def test_a_run_of_one_phase_does_not_deny_the_other(make: Callable[..., Run], start: str) -> None:
    model = TwoPhases(108, 0.6, 128.0, mobility=0.0)
    found = analyze(make(model, np.linspace(110, 146, 13), 600, SEED, start=start))
    assert found.isobars[0].phases is None
    assert found.isobars[0].transition is not None
    assert found.isobars[0].transition.peak is None
    assert any("compare with a run of another --start" in warning for warning in found.warnings)


def test_a_smooth_system_shows_no_transition(make: Callable[..., Run]) -> None:
    found = analyze(make(Harmonic(108), np.geomspace(80, 160, 16), 600, SEED, start="drawn"))
    assert found.isobars[0].phases is None
    assert found.isobars[0].transition is not None
    assert found.isobars[0].transition.peak is None
    assert found.warnings == []


def test_runs_of_different_starts_are_told_apart(make: Callable[..., Run]) -> None:
    t = np.linspace(110, 146, 10)
    stuck = TwoPhases(108, 0.6, 128.0, mobility=0.0)
    solid, liquid = (
        make(stuck, t, 400, SEED + k, start=start, name=start) for k, start in enumerate(("fcc", "liquid"))
    )
    text = compare.warning_of(compare.differences(solid, liquid), solid, liquid)
    assert text is not None
    assert "depend on the start (fcc and liquid)" in text
    again = make(stuck, t, 400, SEED + 7, name="again")
    assert compare.warning_of(compare.differences(solid, again), solid, again) is None


def test_acceptance_is_what_two_gaussians_give(make: Callable[..., Run]) -> None:
    run = make(Harmonic(108), np.geomspace(80, 120, 8), 3000, SEED)
    for pair in mixing.acceptance(run):
        assert pair.measured == pytest.approx(pair.predicted, abs=0.02 + 4 * pair.error), f"seed {SEED}"
    assert mixing.predicted_acceptance(100, 100, 50) == 1
    # erfc[(dT/T) sqrt(N c)/2] by hand, of the geometric mean.
    assert mixing.predicted_acceptance(99, 101, 256 * 1.5) == pytest.approx(
        math.erfc(2 / math.sqrt(9999) * math.sqrt(384) / 2)
    )


def test_round_trips_are_counted_by_hand(make: Callable[..., Run]) -> None:
    run = make(Harmonic(4), np.array([100.0, 110, 120]), 9, SEED, mix=False)
    paths = np.array(
        [[0, 1, 2], [1, 0, 2], [2, 0, 1], [1, 0, 2], [0, 1, 2], [1, 0, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]
    )
    moved = replace(run, state=paths.astype(np.int32))
    trips = mixing.travel(moved)
    assert list(trips.trips) == [2, 0, 0]
    assert trips.down[0] == 0
    assert trips.down[2] == 1
    assert trips.down[1] == 5 / 8  # of the eight that are known there, five came from the top
    assert list(trips.visited) == [3, 3, 3]


def test_the_slope_of_two_temperatures_finds_a_broken_thermostat(make: Callable[..., Run]) -> None:
    t = np.geomspace(80, 160, 12)
    right = make(Harmonic(32), t, 3000, SEED, name="right")
    wrong = make(Harmonic(32), t, 3000, SEED, name="wrong", warmer=1.1)
    slopes = ensemble.check(samples_of(right, right.ladder.isobars()[0]))
    assert len(slopes) >= 5
    assert max(abs(slope.off) for slope in slopes) < 5, f"seed {SEED}"
    assert max(abs(slope.off) for slope in ensemble.check(samples_of(wrong, wrong.ladder.isobars()[0]))) > 5
    assert any("density of states" in w for w in analyze(wrong).warnings)


def test_pressure_enters_as_enthalpy(tmp_path: Path, make: Callable[..., Run]) -> None:
    # An ideal gas beside harmonic atoms: V ~ Gamma(N + 1, kT/p), so <U + pV> = (3/2 N + N + 1) kT everywhere.
    atoms, t, p, rows = 16, np.array([100.0, 110, 120]), np.array([500.0, 1000.0]), 1500
    rng = np.random.default_rng(SEED)
    make(Harmonic(atoms), np.repeat(t, 2), rows, SEED, mix=False)
    temperature, pressure = np.repeat(t, 2), np.tile(p, 3)
    with h5py.File(tmp_path / "run" / "results.h5", "a") as file:
        file["ladder/pressure_bar"] = pressure
        file["ladder"].attrs["shape"] = [3, 2]
        energy = rng.gamma(1.5 * atoms, BOLTZMANN * temperature, (rows, 6))
        file["exchange/potential_kJ_mol"][:] = energy
        file["exchange/volume_nm3"] = rng.gamma(
            atoms + 1, BOLTZMANN * temperature / (BAR_NM3 * pressure), (rows, 6)
        )
    found = analyze(read_run(tmp_path / "run"))
    assert [isobar.pressure for isobar in found.isobars] == [500.0, 1000.0]
    for isobar in found.isobars:
        for point in isobar.points:
            exact = (2.5 * atoms + 1) * BOLTZMANN * point.temperature / atoms
            assert abs(point.energy - exact) < 5 * point.energy_error, f"seed {SEED}"
            assert abs(point.heat - 1.5 - 2.5 - 1 / atoms) < 5 * point.heat_error, f"seed {SEED}"


def test_memory_of_a_replica_is_measured_along_its_path(make: Callable[..., Run]) -> None:
    run = make(Harmonic(32), np.geomspace(80, 160, 8), 1200, SEED)
    assert inefficiency(run) < 2
    repeated = replace(run, potential=np.repeat(run.potential[::20], 20, axis=0), held=0 * run.held)
    assert 10 < inefficiency(repeated) < 40


def test_windows_cover_every_rung_twice_but_the_ends() -> None:
    assert thermo.windows(5) == [(0, 5)]
    cuts = thermo.windows(100, 32)
    assert cuts[0][0] == 0
    assert cuts[-1] == (68, 100)
    assert all(end - first == 32 for first, end in cuts)
    assert all(later[0] <= earlier[1] - 16 for earlier, later in pairwise(cuts))
    assert len(thermo.thinned(np.arange(14336))) == thermo.RUNGS


def test_a_long_ladder_is_cut_into_windows(make: Callable[..., Run]) -> None:
    run = make(Harmonic(108), np.geomspace(60, 200, 80), 120, SEED)
    points = thermo.curve(samples_of(run, run.ladder.isobars()[0]), run.atoms)
    assert [p.temperature for p in points] == sorted(p.temperature for p in points)
    off = [abs(p.energy - 1.5 * BOLTZMANN * p.temperature) / p.energy_error for p in points]
    assert np.quantile(off, 0.95) < 4, f"seed {SEED}"


def test_rows_that_are_not_there_yet_do_not_count(make: Callable[..., Run]) -> None:
    run = make(Harmonic(8), np.array([100.0, 120]), 30, SEED, planned=50)
    assert run.rows == 30
    assert np.all(run.potential > 0)
    assert list(run.held[0]) == [0, 1]
    assert np.array_equal(run.held[1:], run.state[:-1])


def test_a_replica_that_broke_is_named_and_left_out(make: Callable[..., Run]) -> None:
    run = make(Harmonic(32), np.geomspace(80, 160, 6), 400, SEED)
    run.potential[200:, 3] = np.nan
    found = analyze(run)
    assert any("replica 3 has no finite energy" in warning for warning in found.warnings)
    assert all(math.isfinite(point.energy) for point in found.isobars[0].points)
    json.dumps(to_json(found), allow_nan=False)


def test_a_short_run_is_looked_at_without_a_fall(make: Callable[..., Run]) -> None:
    for rows in (4, 7, BLOCKS):
        found = analyze(make(Harmonic(32), np.array([100.0]), rows, SEED, name=f"one-{rows}", mix=False))
        json.dumps(to_json(found), allow_nan=False)
        found = analyze(make(Harmonic(32), np.array([100.0, 105, 110]), rows, SEED, name=f"three-{rows}"))
        assert any("exchanges are counted" in warning for warning in found.warnings)


def test_pictures_are_drawn(make: Callable[..., Run], tmp_path: Path) -> None:
    pictures = draw(analyze(make(TwoPhases(108, 0.6, 128.0), np.linspace(110, 146, 9), 300, SEED)), tmp_path)
    assert [picture.name for picture in pictures] == [
        "exchange.png",
        "states.png",
        "energies.png",
        "heat.png",
    ]
    assert all(picture.stat().st_size > 10_000 for picture in pictures)


def test_the_command_prints_tables_json_and_errors(
    make: Callable[..., Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(Harmonic(32), np.geomspace(80, 160, 8), 300, SEED)
    assert main(["argon", "analyze", str(tmp_path / "run"), "--no-plot"]) == 0
    text = capsys.readouterr().out
    assert "round trips" in text
    assert "energy and heat capacity of one atom" in text
    assert main(["argon", "analyze", str(tmp_path / "run"), "--json", "--no-plot"]) == 0
    assert json.loads(capsys.readouterr().out)["exchanges"] == 300
    assert main(["argon", "analyze", str(tmp_path / "nothing")]) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.attrs.__setitem__("format", "other"), "was not written by argon"),
        (lambda file: file.attrs.__setitem__("version", 9), "has version 9"),
        (lambda file: file.__delitem__("exchange/state"), "damaged"),
        (lambda file: file["exchange/state"].__setitem__(3, [1, 1, 2]), "two replicas hold one rung"),
        (lambda file: file["ladder/temperature_K"].__setitem__(0, -5.0), "not above 0 K"),
    ],
)
def test_a_damaged_folder_is_said_in_a_line(
    make: Callable[..., Run], tmp_path: Path, damage: Callable[[h5py.File], None], said: str
) -> None:
    make(Harmonic(8), np.array([100.0, 110, 120]), 10, SEED)
    with h5py.File(tmp_path / "run" / "results.h5", "a") as file:
        damage(file)
    with pytest.raises(TasukiError, match=said):
        read_run(tmp_path / "run")
