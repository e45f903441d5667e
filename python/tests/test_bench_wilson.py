"""The table of Wilson's figures: shares of streaming, efficiencies, and what is no record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from tasuki import bench_wilson
from tasuki.errors import TasukiError


def line(what: str, ranks: int, seconds: float, **more: object) -> dict[str, object]:
    return {
        "case": f"wilson/{what}",
        "precision": "single",
        "links": 12,
        "extents": [16, 16, 16, 32],
        "ranks": ranks,
        "device": "a device",
        "seconds": seconds,
        "flops_per_second": 2e12 / seconds * 1e-3,
        **more,
    }


def test_shares_and_efficiencies(tmp_path: Path) -> None:
    moved = {"bytes_per_second": 3e12, "stream_bytes_per_second": 4e12}
    rows = [
        line("operator", 1, 8e-3, **moved),
        line("operator", 2, 5e-3, **moved),
        line("solve", 1, 1.0, iterations=37),
    ]
    (tmp_path / bench_wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    bench_wilson.show(console, tmp_path)
    text = console.export_text()
    assert "75.0 %" in text  # of streaming
    assert "80.0 %" in text  # 8 ms to 5 ms on two
    assert "16x16x16x32" in text
    assert " 37 " in text


def test_no_record_is_no_table(tmp_path: Path) -> None:
    console = Console(record=True)
    bench_wilson.show(console, tmp_path)
    assert console.export_text() == ""


def test_a_line_of_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / bench_wilson.RECORD
    path.write_text('{"case": "wilson/operator"}\n')
    with pytest.raises(TasukiError, match=r"wilson\.jsonl holds no figures of wilson"):
        bench_wilson.show(Console(), tmp_path)
