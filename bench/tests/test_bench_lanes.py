"""Rows, records and tables of tasuki-bench-lanes, on invented numbers."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki_bench import lanes


def line(cores: int, lanes: int, size: int, mean: float) -> dict[str, object]:
    times = {"mean": mean, "smallest": mean / 2, "largest": mean * 3, "repetitions": 7}
    return {"cores": cores, "lanes": lanes, "bytes": size, "ranks": 2, "alone": times, "beside": times}


ROWS = [
    lanes.row_of(line(0, 1, 1024, 2e-6)),
    lanes.row_of(line(0, 1, 1 << 20, 4e-3)),
    lanes.row_of(line(1, 4, 1024, 6e-6)),
    lanes.row_of({"cores": 2, "lanes": 1, "bytes": 1024, "ranks": 2, "refused": "too few cores"}),
]


def test_the_table_shows_mean_smallest_and_largest() -> None:
    console = Console(width=160, file=io.StringIO(), record=True)
    console.print(lanes.table(ROWS))
    lines = [" ".join(line.replace("│", " ").split()) for line in console.export_text().splitlines()]
    assert "1.0 KiB 0 1 2 us 1 us 6 us 2 us 1 us 6 us" in lines
    assert "1.0 KiB 1 4 6 us 3 us 18 us 6 us 3 us 18 us" in lines
    assert "1.0 MiB 0 1 4 ms 2 ms 12 ms 4 ms 2 ms 12 ms" in lines
    assert any("too few cores" in line for line in lines)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert lanes.read_record(tmp_path) == []
    lanes.write_record(tmp_path, ROWS)
    assert lanes.read_record(tmp_path) == ROWS


def test_a_broken_record_is_said(tmp_path: Path) -> None:
    (tmp_path / lanes.RECORD).write_text("{")
    with pytest.raises(TasukiError, match="cannot be read"):
        lanes.read_record(tmp_path)


@pytest.mark.parametrize("text", ["nan", "inf", "0", "-1", "soon"])
def test_a_time_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        lanes.main(["--seconds", text])
    assert f"{text} is no time" in capsys.readouterr().err
