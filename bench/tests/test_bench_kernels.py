"""What tasuki-bench measured, read and paired: invented numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasuki_bench import kernels as bench


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
