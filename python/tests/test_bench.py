"""The bench's arithmetic and its run, on invented numbers and a fake program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import make_record

from tasuki import bench
from tasuki.machine import machine_name
from tasuki.record import read_record


def write_kernels(path: Path) -> Path:
    def entry(name: str, time: float, rate: float | None = None, **more: object) -> dict[str, object]:
        rated = {"bytes_per_second": rate} if rate else {}
        return {"name": name, "run_type": "iteration", "real_time": time, "time_unit": "us", **rated, **more}

    entries = [
        entry("stream/host/copy/real_time", 10.0, 20e9),
        entry("stream/host/add", 10.0, 25e9),
        entry("stream/cuda/add/manual_time", 10.0, 4e12),
        entry("laplace/host/plain", 100.0, 10e9),
        entry("laplace/host/plain", 90.0, 11e9),
        entry("laplace/host/tasuki", 99.0, 10e9),
        entry("laplace/host/other", 1.0),
        entry("broken/host/tasuki", 1.0, error_occurred=True),
        {**entry("laplace/host/plain_mean", 1.0), "run_type": "aggregate"},
    ]
    path.write_text(json.dumps({"benchmarks": entries}))
    return path


def test_kernels_keep_the_fastest_repetition(tmp_path: Path) -> None:
    kernels = {kernel.name: kernel for kernel in bench.read_kernels(write_kernels(tmp_path / "k.json"))}
    assert kernels["laplace/host/plain"].seconds == pytest.approx(90e-6)
    assert "broken/host/tasuki" not in kernels
    assert "laplace/host/plain_mean" not in kernels


def test_stream_is_the_best_of_its_device(tmp_path: Path) -> None:
    kernels = bench.read_kernels(write_kernels(tmp_path / "k.json"))
    assert bench.stream_bandwidth(kernels, "host") == 25e9
    assert bench.stream_bandwidth(kernels, "cuda") == 4e12
    assert bench.stream_bandwidth([], "host") is None


def test_pairs_tell_the_cost(tmp_path: Path) -> None:
    found = list(bench.pairs(bench.read_kernels(write_kernels(tmp_path / "k.json"))))
    assert [(name, ours.seconds / plain.seconds) for name, plain, ours in found] == [
        ("laplace/host", pytest.approx(1.1))
    ]


def test_layouts_fit_the_machine() -> None:
    assert [str(layout) for layout in bench.layouts("host", 0, 2)] == ["1 x 2", "2 x 1"]
    assert [str(layout) for layout in bench.layouts("host", 0, 6)] == ["1 x 6", "2 x 3"]
    assert [str(layout) for layout in bench.layouts("cuda", 4, 64)] == ["1", "2", "4"]
    assert bench.layouts("cuda", 0, 64) == []


def _result(tmp_path: Path, ranks: int, devices: int, seconds: float) -> bench.Result:
    run = {"executor": "overlapped", "steps": 100, "seconds": seconds}
    path = tmp_path / f"{ranks}.json"
    path.write_text(json.dumps(make_record(run=run)))
    case = bench.Case("x", "cuda", "fake", (), 100, 8, rim=1)
    return bench.Result(case, bench.Layout(ranks, 0, devices), read_record(path))


def test_bandwidth_counts_the_cells_updated(tmp_path: Path) -> None:
    result = _result(tmp_path, 1, 1, 2.0)
    assert result.bandwidth == pytest.approx(62 * 30 * 14 * 8 * 100 / 2.0)


def test_efficiency_of_strong_scaling(tmp_path: Path) -> None:
    one, two = _result(tmp_path, 1, 1, 2.0), _result(tmp_path, 2, 2, 1.25)
    assert bench.efficiency(two, one) == pytest.approx(0.8)
    assert bench.efficiency(one, one) == pytest.approx(1.0)
    assert bench.efficiency(two, None) is None


def test_machine_names() -> None:
    assert machine_name(["NVIDIA H200"] * 4) == "4-x-nvidia-h200"
    name = machine_name([])
    assert name.endswith("-cores")
    assert " " not in name


def test_a_whole_run(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = write_kernels(tmp_path / "k.json")
    fake = programs / "tasuki-bench"
    fake.write_text(
        f'#!/bin/sh\nfor a; do case $a in --benchmark_out=*) cp {kernels} "${{a#*=}}";; esac; done\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("TASUKI_BIN", str(programs))
    monkeypatch.chdir(tmp_path)
    cases = (
        bench.Case("good", "host", "fake", ("--size", "S"), 8, 16),
        bench.Case("bad", "host", "fake", ("--fail",), 8, 16),
    )
    monkeypatch.setattr(bench, "CASES", cases)
    monkeypatch.setattr(bench, "cores", lambda: 2)
    assert bench.main(["--device", "host", "--repeats", "2", "--machine", "m"]) == 1  # one case failed
    out = capsys.readouterr().out
    assert "against a loop by hand" in out
    assert "+10.0 %" in out
    assert "bad on host, 2 x 1 ranks: failed" in out
    rows = json.loads((tmp_path / "bench/results/m/summary.json").read_text())["programs"]
    assert [(row["case"], row["ranks"]) for row in rows] == [("good", 1), ("good", 2)]
    assert all((tmp_path / "bench/results/m" / row["record"]).is_file() for row in rows)
    assert not list((tmp_path / "bench/results/m").glob("*.part.json"))
    assert bench.main(["--device", "host", "--only", "good", "--quick", "--machine", "q"]) == 0
