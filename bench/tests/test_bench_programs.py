"""How programs are spread over a machine, and what their runs come to: invented records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake import make_record

from tasuki.machine import machine_name
from tasuki.record import read_record
from tasuki_bench import programs as bench


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
