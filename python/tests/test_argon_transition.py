"""Free energies along temperature: integrals with known answers, the command, and a small run of it."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from argon_runs import Harmonic, write_run

from tasuki.argon.beyond import differences
from tasuki.argon.branch import Branch, Leg, leg
from tasuki.argon.crossing import cross
from tasuki.argon.crystal import Crystal
from tasuki.argon.folder import Doubles, read_run
from tasuki.argon.free_energy import _expect_both
from tasuki.argon.integral import interpolation, weights
from tasuki.argon.lennard_jones import ARGON, Pair, tail
from tasuki.argon.size import longest_waves, of_fluid, of_solid
from tasuki.argon.stages import EVERY, FLUID, FRAMES, SOLID, stages, system_of
from tasuki.cli import main
from tasuki.errors import TasukiError
from tasuki.programs import locate


@pytest.mark.parametrize("count", [4, 5, 12])
def test_cubics_are_integrated_exactly(count: int) -> None:
    x = np.sort(np.random.default_rng(count).uniform(1, 4, count))
    to = np.linspace(x[0], x[-1], 17)
    for power in range(4):
        exact = (to ** (power + 1) - x[0] ** (power + 1)) / (power + 1)
        assert weights(x, to) @ x**power == pytest.approx(exact, abs=1e-9)
        assert interpolation(x, to) @ x**power == pytest.approx(to**power, abs=1e-9)


def test_few_values() -> None:
    x = np.array([1.0, 3.0])
    assert weights(x, np.array([2.0])) @ x == pytest.approx([1.5])


def test_harmonic_wells(tmp_path: Path) -> None:
    """<U>/T is 3/2 an atom, so F/T changes by 3/2 ln T, within the errors that the run itself gives."""
    ladder = np.geomspace(50, 100, 9)
    run = read_run(write_run(tmp_path / "run", Harmonic(108), ladder, 1200, seed=3))
    found = leg(run, ARGON, None, False)
    whole = found.integral(found.t[-1:])[0, 0]
    assert abs(whole - 1.5 * math.log(2)) < 4 * found.whole_error
    independent = math.sqrt(1.5 / 108 / (0.8 * 1200)) * math.log(2) / math.sqrt(8)
    assert 0.4 * independent < found.whole_error < 2.5 * independent
    assert found.integral(found.t, 1.5)[0] == pytest.approx(np.zeros(9), abs=6 * found.whole_error)


def test_rungs_that_left_their_phase_do_not_count(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "run", Harmonic(32), np.geomspace(50, 100, 6), 240, seed=4))
    kept = run.held != 4  # nothing on the last rung but one
    assert leg(run, ARGON, kept, False).t == pytest.approx(run.ladder.temperature[:4] / ARGON.kelvin(1.0))
    above = leg(run, ARGON, kept, True)
    assert above.t == pytest.approx(run.ladder.temperature[5:] / ARGON.kelvin(1.0))
    assert len(above.lost) == 5


def _line(t: Doubles, energy: float, entropy: float, error: float) -> Branch:
    flat = np.full(len(t), error)
    return Branch(t, energy / t - entropy, flat, np.full(len(t), energy), flat)


def test_a_crossing() -> None:
    """Of constant energies and entropies: at the difference of the ones over that of the others."""
    t = np.linspace(1.0, 1.4, 200)
    found = cross(_line(t, -6.0, 0.0, 0.003), _line(t, -5.4, 0.5, 0.004))
    assert found is not None
    assert found.t == pytest.approx(0.6 / 0.5, abs=1e-4)
    assert found.latent == pytest.approx(0.6)
    assert found.error == pytest.approx(0.005 * 1.2**2 / 0.6, rel=1e-4)
    assert cross(_line(t, -6.0, 0.0, 0.003), _line(t, -5.4, 0.1, 0.004)) is None
    moved = cross(_line(t, -6.0, 0.0, 0.003), _line(t, -5.4, 0.5, 0.004), -0.05)
    assert moved is not None
    assert moved.t == pytest.approx(0.6 / 0.55, abs=1e-4)


def test_what_lies_beyond_the_cut_off() -> None:
    """Of the crystal at rest: against one that is large enough for its own sums."""
    small, large = Crystal(3, 0.98195, Pair(2.3)), Crystal(8, 0.98195, Pair(6.0))
    cut, full = differences(small.places, small.box, small.pair)
    near = len(small._neighbours)
    assert cut / small.atoms == pytest.approx(-small.pair.shift * near / 2, rel=1e-12)
    shell = large.pair.shift * len(large._neighbours) / 2
    whole = large.energy / large.atoms - shell + tail(0.98195, 6.0)
    assert (small.energy + full) / small.atoms == pytest.approx(whole, abs=3e-3)


def test_ladders_meet() -> None:
    system = system_of(256, 1.65, None)
    parts = list(stages(system, 116, 152, 1234))
    assert [part.phase for part in parts] == [SOLID, *[FLUID] * 5]
    for colder, hotter in itertools.pairwise(parts[1:]):
        assert colder.temperatures[-1] == hotter.temperatures[0]
    assert parts[0].temperatures[-1] == 152
    assert parts[1].temperatures[0] == 116
    assert all(part.steps % (EVERY * FRAMES) == 0 and part.steps >= 1234 for part in parts)
    assert all(np.all(np.diff(part.temperatures) > 0) for part in parts)


@pytest.mark.parametrize(
    ("atoms", "cutoff", "words"),
    [(100, None, "do not make a cube"), (32, None, "do not make a cube"), (108, 3.0, "half of the box")],
)
def test_systems_that_do_not_go(atoms: int, cutoff: float | None, words: str) -> None:
    with pytest.raises(TasukiError, match=words):
        system_of(atoms, 1.65, cutoff)


def test_ladders_that_do_not_go() -> None:
    system = system_of(108, 1.65, None)
    with pytest.raises(TasukiError, match="not below"):
        list(stages(system, 150, 120, 2000))
    with pytest.raises(TasukiError, match="too hot"):
        list(stages(system, 150, 500, 2000))


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """108 atoms, 8000 steps a ladder: near 139.8(8) K, which is what longer runs of 108 atoms say, with an
    error of some kelvin; then again from what is there; then with other options. In this process, since how
    long it takes is no matter."""
    pytest.importorskip("freud")
    program = locate("argon")
    if program is None:
        pytest.skip("tasuki-argon is not built")
    monkeypatch.setenv("TASUKI_BIN", str(program.parent.resolve()))
    words = ["argon", "transition", "--quick", "--steps", "8000", "--output", str(tmp_path / "t")]
    words += ["--json", "--progress", "none", "--device", "host"]
    assert main(words) == 0
    found = json.loads(capfd.readouterr().out)
    at, bulk = found["transition"], found["other_pairs"]["bulk"]["transition"]
    assert 2 < at["error_K"] < 12
    assert abs(at["temperature_K"] - 139.8) < 3 * at["error_K"]
    assert 0.5 < at["latent_kJ_mol"] < 0.75
    assert at["temperature_K"] - bulk["temperature_K"] == pytest.approx(17, abs=5)
    assert (tmp_path / "t" / "transition.png").is_file()
    before = (tmp_path / "t" / "solid" / "results.h5").stat().st_mtime_ns
    assert main(words) == 0
    assert json.loads(capfd.readouterr().out) == found
    assert (tmp_path / "t" / "solid" / "results.h5").stat().st_mtime_ns == before
    assert main([*words, "--seed", "2"]) == 2
    assert "other options" in capfd.readouterr().err


def test_size_of_a_crystal_and_of_an_ideal_gas() -> None:
    """Of many atoms nothing is left but the known terms; an ideal gas has Stirling's."""
    small, large = (of_solid(Crystal(cells, 0.98195, Pair(2.3))) for cells in (4, 7))
    assert small + math.log(256) / 512 == pytest.approx(
        1372 / 256 * (large + math.log(1372) / 2744), rel=0.05
    )
    assert of_fluid(1000, 1.0) == pytest.approx(
        (math.lgamma(1001) - 1000 * math.log(1000) + 1000) / 1000, rel=1e-3
    )


def test_longest_waves() -> None:
    rng = np.random.default_rng(5)
    gas = [longest_waves(rng.uniform(0, 4, (64, 3)), 4.0) for _ in range(400)]
    assert np.mean(gas) == pytest.approx(1, abs=0.15)
    assert longest_waves(Crystal(3, 1.0, Pair(2.0)).places, Crystal(3, 1.0, Pair(2.0)).box) < 1e-20


def test_a_phase_that_did_not_last() -> None:
    """Where the fluid froze below the temperature at which the crystal melted, nothing can be compared."""
    cold, hot = (Leg(np.array(t), np.zeros((13, 2)), np.empty(0)) for t in ([0.9, 1.1], [1.2, 1.4]))
    _expect_both(hot, [cold])
    with pytest.raises(TasukiError, match="both phases lasted at no"):
        _expect_both(cold, [hot])
