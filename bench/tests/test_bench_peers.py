"""The rivals: what they print, how they are built and run. The samples are written after the format."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from tasuki.errors import TasukiError
from tasuki_bench import steps as small
from tasuki_bench import tables as step_tables

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "peers"
if not FOLDER.is_dir():
    pytest.skip("the rivals are in the repository alone", allow_module_level=True)
sys.path.insert(0, str(FOLDER))

import rivals  # noqa: E402

import peers  # noqa: E402


def test_nvidia_csv_with_a_reference() -> None:
    text = "warming up\nmulti_threaded_p2p, 512, 512, 1000, 1, 2, 1, 0.025000, 0.050000\n"
    timing = rivals.parse_nvidia(text, 1000)
    assert timing is not None
    assert timing.step == pytest.approx(25e-6)
    assert timing.one_gpu == pytest.approx(0.05)


def test_nvidia_csv_of_one_gpu_and_of_nccl() -> None:
    single = rivals.parse_nvidia("single_gpu, 1024, 1024, 200, 1, 0.004000\n", 200)
    assert single is not None
    assert (single.step, single.one_gpu) == (pytest.approx(20e-6), None)
    nccl = rivals.parse_nvidia("nccl_graphs, 1024, 1024, 200, 400, 2, 1, 0.003000, 0.004000\n", 200)
    assert nccl is not None
    assert nccl.step == pytest.approx(15e-6)


@pytest.mark.parametrize(
    "text", ["", "ERROR: a[3 * 512 + 2] = 1.0 does not match 2.0 (reference)", "x, 1, 1, 99, 1, 0.5"]
)
def test_nvidia_without_a_result(text: str) -> None:
    assert rivals.parse_nvidia(text, 1000) is None


def test_cpufree() -> None:
    timing = rivals.parse_cpufree("Execution time:   0.0520 s\n", 20000)
    assert timing is not None
    assert timing.step == pytest.approx(2.6e-6)
    assert rivals.parse_cpufree("Execution time:   0.0000 s\n", 10) is None
    assert rivals.parse_cpufree("out of memory\n", 10) is None


def test_cpufree_counts_cells_that_differ() -> None:
    line = "ERROR: a[1 * 512 + 2] = 0.5 does not match 0.6 (reference)\n"
    assert rivals.wrong_cells(3 * line + "Execution time:   0.1000 s\n") == 3
    assert rivals.wrong_cells("Execution time:   0.1000 s\n") == 0


def test_himeno_chooses_its_steps() -> None:
    text = (
        " MFLOPS: 90000.0 time(s): 0.000500 3.296800e-03\n"
        " Loop executed for 2000 times\n Gosa : 1.0e-03 \n MFLOPS measured : 1610000.0\tcpu : 0.500000\n"
    )
    timing = rivals.parse_himeno(text, 0, 3.2968e-3)
    assert timing is not None
    assert (timing.steps, timing.step) == (2000, pytest.approx(250e-6))
    assert rivals.parse_himeno(" Loop executed for 2000 times\n", 0, 3.2968e-3) is None
    no_kernel_ran = text.replace("3.296800e-03", "0.000000e+00")
    assert rivals.parse_himeno(no_kernel_ran, 0, 3.2968e-3) is None


def test_the_norm_is_off_by_a_check_that_never_comes() -> None:
    p2p = next(rival for rival in rivals.RIVALS if rival.name == "NVIDIA p2p")
    words = rivals.arguments_of(p2p, 512, 1000, "off")
    assert int(words[words.index("-nccheck") + 1]) > 1000
    words = rivals.arguments_of(p2p, 512, 1000, "every")
    assert words[words.index("-nccheck") + 1] == "1"
    assert words[words.index("-nx") + 1] == words[words.index("-ny") + 1] == "512"


def test_every_rival_has_a_recipe_and_no_multicast() -> None:
    binaries = {recipe.binary for recipe in rivals.RECIPES}
    for rival in (*rivals.RIVALS, *rivals.HIMENO_RIVALS):
        assert rival.binary in binaries
        assert not any("mc_red" in word for word in rival.arguments)
    assert peers.gpu_environment(1)["NCCL_NVLS_ENABLE"] == "0"


def test_a_checkout_is_known_by_its_files(tmp_path: Path) -> None:
    with pytest.raises(TasukiError, match="no checkout of a rival"):
        peers.repository_of(tmp_path)
    marker = tmp_path / rivals.REPOSITORIES["gpu-himeno"].marker
    marker.parent.mkdir(parents=True)
    marker.write_text("target= 60.0;\n")
    assert peers.repository_of(tmp_path) == "gpu-himeno"


def test_an_edit_is_made_in_a_copy_and_must_fit(tmp_path: Path) -> None:
    recipe = next(recipe for recipe in rivals.RECIPES if recipe.edits)
    source = tmp_path / "a.cu"
    source.write_text("  target= 60.0;\n")
    (copy,) = peers.edited(recipe, [source], tmp_path / ".")
    assert copy.read_text() == "  target= 5.0;\n"
    assert source.read_text() == "  target= 60.0;\n"
    source.write_text("target = 30;\n")
    with pytest.raises(TasukiError, match="another commit"):
        peers.edited(recipe, [source], tmp_path)


def test_the_command_that_builds(tmp_path: Path) -> None:
    recipe = next(recipe for recipe in rivals.RECIPES if recipe.architecture)
    command = peers.compile_command(recipe, tmp_path, [tmp_path / "a.cu"], 90, tmp_path / "out")
    assert "arch=compute_80,code=sm_90" in command
    assert command[-2:] == ["-o", str(tmp_path / "out")]
    assert command[command.index("-cudart") + 1] == "static"


def _fake(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _clock() -> peers.Clock:
    return peers.Clock(time.monotonic() + 60)


def test_a_rival_that_works_and_its_reference(tmp_path: Path) -> None:
    p2p = next(rival for rival in rivals.RIVALS if rival.name == "NVIDIA p2p")
    _fake(tmp_path / p2p.binary, 'echo "multi_threaded_p2p, $3, $5, $7, $9, 2, 1, 0.2, 0.4"')
    two, one = peers.run_rival(p2p, tmp_path, "laplace", 512, "off", 2, 1, _clock())
    steps = peers.steps_for(512)
    assert (two.gpus, two.seconds) == (2, pytest.approx(0.2 / steps))
    assert (one.gpus, one.seconds) == (1, pytest.approx(0.4 / steps))


def test_a_rival_that_fails_says_why(tmp_path: Path) -> None:
    p2p = next(rival for rival in rivals.RIVALS if rival.name == "NVIDIA p2p")
    _fake(tmp_path / p2p.binary, 'echo "ERROR: no device" >&2; exit 3')
    (entry,) = peers.run_rival(p2p, tmp_path, "laplace", 512, "off", 2, 1, _clock())
    assert entry.seconds == 0
    assert "status 3" in entry.refused
    assert "no device" in entry.refused


def test_nothing_starts_when_the_time_is_over(tmp_path: Path) -> None:
    p2p = next(rival for rival in rivals.RIVALS if rival.name == "NVIDIA p2p")
    _fake(tmp_path / p2p.binary, f"touch {tmp_path}/started")
    (entry,) = peers.run_rival(p2p, tmp_path, "laplace", 512, "off", 2, 1, peers.Clock(0.0))
    assert "no time" in entry.refused
    assert not (tmp_path / "started").exists()


def test_steps_fall_with_size() -> None:
    assert peers.steps_for(64) == 20000
    assert peers.steps_for(512) >= peers.steps_for(1024) >= peers.steps_for(16384) == 200


def _record(path: Path) -> Path:
    entries = [
        peers.Entry("NVIDIA p2p", "laplace", "512x512", "off", 2, 10e-6, 100),
        peers.Entry("CPU-Free Design 2", "laplace", "512x512", "off", 2, 4e-6, 100),
        peers.Entry("Tasuki resident", "laplace", "512x512", "off", 2, 2e-6, 100, True),
        peers.Entry("Tasuki graph", "laplace", "512x512", "off", 2, ours=True, refused="no graphs here"),
        peers.Entry("gpu-himeno S", "himeno", "S", "off", 1, 20e-6, 100),
        peers.Entry("Tasuki resident", "himeno", "S", "every", 1, 10e-6, 100, True),
    ]
    path.write_text(json.dumps({"notes": ["checked"], "entries": [vars(entry) for entry in entries]}))
    return path


def test_a_record_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main(["show", str(_record(tmp_path / "peers.json"))]) == 0
    out = capsys.readouterr().out
    assert "2.00 x" in out  # the best of the others, 4 us, over our 2 us
    assert "Tasuki graph on 2: no graphs here" in out
    assert "checked" in out
    flop = 34 * 62 * 62 * 126
    assert f"{flop / 20e-6 / 1e12:.2f}" in out
    assert f"{flop / 10e-6 / 1e12:.2f}" in out


def test_a_record_feeds_the_tables(tmp_path: Path) -> None:
    found = step_tables.read_rivals(_record(tmp_path / "peers.json"))
    key = step_tables.case_key("laplace/512x512/nvidia", 2)
    assert found[key] == step_tables.RivalTime("CPU-Free Design 2", 4e-6)
    assert step_tables.case_key("laplace/512x512/nvidia/norm", 2) not in found
    assert step_tables.read_rivals(tmp_path / "none.json") == {}


def test_ours_by_problem_and_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(
        group: str, cases: list[str], way: small.Way, ranks: int, device: str, effort: object = None
    ) -> list[small.Row]:
        return [small.Row(group, case, way.label, ranks, seconds=1e-6, steps=5) for case in cases]

    monkeypatch.setattr(peers, "measure", measure)
    entries = peers.run_ours([512], ["auto"], 2, True, small.Effort())
    assert {(e.problem, e.size, e.norm) for e in entries} == {
        ("laplace", "512x512", "off"),
        ("laplace", "512x512", "every"),
        *(("himeno", size, norm) for size in "SML" for norm in ("off", "every")),
    }
    assert all(e.ours and e.gpus == 2 and e.who == "Tasuki auto" for e in entries)


def test_a_record_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert peers.main(["show", str(bad)]) == 1
    assert "no record of rivals" in capsys.readouterr().err
