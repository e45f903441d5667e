"""The table of programs of directives: a program by hand prints what it prints translated, and has times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.lang.runtime import has_library
from tasuki_bench import directives


@pytest.mark.skipif(not has_library("tasuki_xmp"), reason="the run time of directives is not built")
@pytest.mark.parametrize(
    "case", [directives._laplace(40, 2, 4), directives._himeno("9", 9, 2, 4)], ids=lambda case: case.program
)
def test_a_program_prints_by_hand_what_it_prints_from_directives(case: directives.Case) -> None:
    shares = [(1, 2), (2, 1)]
    rows = directives.measure(case, "host", shares)
    found = [(row.ranks, row.threads, row.way) for row in rows]
    ways = [*directives.WAYS, f"tasuki-{case.program}"]
    assert found == [(0, 2, ""), *((*share, way) for way in ways for share in shares)]


def test_shares_are_those_of_a_device(tmp_path: Path) -> None:
    rows = [
        directives.Row("laplace", "cuda", ranks, seconds)
        for ranks, seconds in ((0, 3e-4), (1, 4e-4), (2, 2.5e-4))
    ]
    (tmp_path / directives.RECORD).write_text("".join(json.dumps(row.__dict__) + "\n" for row in rows))
    console = Console(record=True, width=200)
    assert directives.show(console, tmp_path)
    text = console.export_text()
    assert "75 %" in text and "60 %" in text
    assert not directives.show(console, tmp_path / "none")


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / directives.RECORD).write_text('{"case": "laplace"}\n')
    with pytest.raises(TasukiError, match="no figures of directives"):
        directives.show(Console(), tmp_path)
