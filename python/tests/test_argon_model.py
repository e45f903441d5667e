"""Records of argon as words of tasuki-model, and what the native program makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from fake import make_record

from tasuki.argon.forecast import forecast_words, interval
from tasuki.errors import TasukiError
from tasuki.programs import locate
from tasuki.record import Record, read_record


def record(folder: Path, devices: int, seconds: float, **more: Any) -> Record:  # noqa: ANN401
    """Of a run of 1000 steps of 14336 x 256 atoms with an exchange every 100."""
    path = folder / f"{devices}-{seconds}-{len(more)}.json"
    data = make_record(program="argon")
    data["grid"] |= {"extents": [256, more.get("replicas", 14336)], "blocks": [], "ranks": [1, devices]}
    data["machine"] |= {"device": "cuda", "device_name": "A GPU", "ranks": devices}
    data["options"] |= {"exchange_every": more.get("every", 100)}
    data["run"] |= {"steps": 1000, "seconds": seconds, "phases": {"advance": seconds - 1, "checkpoint": 1.0}}
    path.write_text(json.dumps(data))
    return read_record(path)


def test_an_interval_is_counted_without_checkpoints(tmp_path: Path) -> None:
    assert interval(record(tmp_path, 1, 3.0)) == pytest.approx(0.2)
    with pytest.raises(TasukiError, match="no complete interval"):
        interval(record(tmp_path, 1, 3.0, every=5000))


def test_of_each_number_of_devices_the_fastest_counts(tmp_path: Path) -> None:
    words = forecast_words([record(tmp_path, n, s) for n, s in ((2, 2.5), (1, 3.0), (2, 2.0))])
    assert words == [
        "argon", "--atoms", "256", "--replicas", "14336", "--exchange-every", "100",
        "--devices", "1,2", "--measured", "1:0.2,2:0.1", "--machine", "A GPU",
    ]  # fmt: skip


def test_records_of_two_systems_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(TasukiError, match="several systems"):
        forecast_words([record(tmp_path, 1, 3.0), record(tmp_path, 1, 3.0, replicas=100)])


def test_a_forecast_in_whole(tasuki: Command, tmp_path: Path) -> None:
    program = locate("model")
    if program is None:
        pytest.skip("tasuki-model is not built")
    there = {"TASUKI_BIN": str(program.parent.resolve())}
    speeds = tmp_path / "speeds.jsonl"
    speeds.write_text(
        '{"atoms": 256, "replicas": 1000, "ranks": 1, "steps_per_exchange": 100, "seconds": 0.01}\n'
    )
    file = record(tmp_path, 1, 3.0).path
    other = record(tmp_path, 2, 2.1).path
    done = tasuki(
        "model", str(file), str(other), "--speeds", str(speeds), "--forecast", "4", "--json", **there
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["forecast"]["rows"]
    assert [row["devices"] for row in rows] == [1, 2, 4]
    assert rows[0]["calibrates"]
    assert rows[0]["seconds"] == pytest.approx(0.2)
    assert rows[1]["measured"] == pytest.approx(0.11)
    assert rows[1]["seconds"] == pytest.approx(0.1, rel=0.02)
    done = tasuki(
        "model", "argon", "--speeds", str(speeds), "--machine", "NVIDIA H100", "--forecast", "2", **there
    )
    assert done.returncode == 0, done.stderr
    assert "the study of 2014" in done.stdout
