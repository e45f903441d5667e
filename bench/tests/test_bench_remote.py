"""The table of remote GPUs: what latency.cu prints is read, a way without a figure has an empty place."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki_bench import remote
from tasuki_bench.lines import read_lines, write_lines

PRINTED = """launch us 0.35
launch, all waited for us 3.40
D2H 4 B after 10 ms us 21.50 median, 30.10 of nine tenths
H2D pinned GB/s 55.40
launches 11001
"""


def test_figures_are_those_printed() -> None:
    rows = remote.figures("shared memory", PRINTED)
    assert [(row.call, row.unit, row.value) for row in rows] == [
        ("launch", "us", 0.35),
        ("launch, all waited for", "us", 3.4),
        ("D2H 4 B after 10 ms", "us", 21.5),
        ("H2D pinned", "GB/s", 55.4),
    ]
    with pytest.raises(TasukiError, match="printed no figures: 'launches 1'"):
        remote.figures("shared memory", "launches 1\n")


def test_ways_stand_beside_each_other(tmp_path: Path) -> None:
    rows = [*remote.figures("shared memory", PRINTED), remote.Row("TCP, 1 lane", "launch", "us", 0.28)]
    write_lines(tmp_path / remote.RECORD, [vars(row) for row in rows])
    assert [remote.row_of(line) for line in read_lines(tmp_path / remote.RECORD)] == rows
    console = Console(record=True, width=200)
    assert remote.show(console, tmp_path)
    lines = console.export_text().splitlines()
    launch, pinned = (next(x for x in lines if what in x) for what in ("launch, us", "H2D pinned"))
    assert "0.35" in launch and "0.28" in launch
    assert "55.40" in pinned and "0.28" not in pinned
    assert not remote.show(console, tmp_path / "none")
