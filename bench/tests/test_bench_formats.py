"""The table of loops over formats: each is measured, and gives the sum that the others give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.lang.runtime import has_library
from tasuki_bench import formats


@pytest.mark.skipif(not has_library("tasuki_xmp"), reason="the run time of directives is not built")
def test_each_format_is_measured_on_two_ranks() -> None:
    rows = formats.measure(2, 1, 1000)
    assert [row.what for row in rows] == [*formats.FORMATS]
    assert all(row.seconds > 0 for row in rows)


def test_shares_are_those_of_block_on_as_many_cores(tmp_path: Path) -> None:
    rows = [
        formats.Row("block", "host", 2, 1, 3e-3),
        formats.Row("cyclic", "host", 2, 1, 4e-3),
        formats.Row("cyclic", "host", 1, 1, 4e-3),
        formats.Row(formats.COMPILING, "host", 1, 1, 1.5),
    ]
    (tmp_path / formats.RECORD).write_text("".join(json.dumps(row.__dict__) + "\n" for row in rows))
    console = Console(record=True, width=200)
    assert formats.show(console, tmp_path)
    assert console.export_text().count("75 %") == 1
    (tmp_path / formats.RECORD).write_text('{"what": "diagonal"}\n')
    with pytest.raises(TasukiError, match="no figures of formats"):
        formats.show(Console(), tmp_path)
