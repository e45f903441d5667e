"""The table of what directives move: both programs say the same things, and shares are of the core's time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.lang.runtime import has_library
from tasuki.programs import locate
from tasuki_bench import moves


@pytest.mark.skipif(
    not has_library("tasuki_xmp") or not locate(moves.PROGRAM), reason="the programs are not built"
)
def test_a_halo_and_a_block_are_measured_beside_what_directives_do() -> None:
    rows = moves.measure("host", 2, 64, 2)
    assert [(row.what, row.ranks, row.bytes) for row in rows] == [
        ("reflect_do", 2, 64 * 8),
        ("gmove", 2, 64 * 64 * 8 / 4),
    ]
    assert all(row.seconds > 0 and row.core > 0 for row in rows)


def test_shares_are_of_the_cores_time(tmp_path: Path) -> None:
    row = moves.Row("gmove", "cuda", 2, 1e9, 4e-3, 3e-3)
    (tmp_path / moves.RECORD).write_text(json.dumps(row.__dict__) + "\n")
    console = Console(record=True, width=200)
    assert moves.show(console, tmp_path)
    text = console.export_text()
    assert "75 %" in text and "250.0" in text
    assert not moves.show(console, tmp_path / "none")


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / moves.RECORD).write_text('{"what": "broadcast"}\n')
    with pytest.raises(TasukiError, match="no figures of moves"):
        moves.show(Console(), tmp_path)
