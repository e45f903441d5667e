"""Reading result records, good and bad."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from fake import make_record
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.record import Traffic, read_record
from tasuki.report import tables


def write(path: Path, data: Any) -> Path:  # noqa: ANN401 -- any JSON
    path.write_text(json.dumps(data))
    return path


def test_all_of_it(tmp_path: Path) -> None:
    record = read_record(write(tmp_path / "r.json", make_record()))
    assert record.extents == (64, 32, 16)
    assert record.cells == 64 * 32 * 16
    assert record.blocks == ((64,), (32,), (8, 8))
    assert record.channels["peer"] == Traffic(3145728, 40)
    assert record.merit is not None
    assert record.merit.value == 12.345
    assert record.snapshot is None


def test_a_snapshot_is_found_beside_the_record(tmp_path: Path) -> None:
    (tmp_path / "s.h5").write_bytes(b"")
    options = {"snapshot": "somewhere/else/s.h5"}
    record = read_record(write(tmp_path / "r.json", make_record(options=options)))
    assert record.snapshot == tmp_path / "s.h5"


def test_without_merit_phases_and_channels(tmp_path: Path) -> None:
    run = {"executor": "eager", "steps": 0, "seconds": 0.0}
    record = read_record(write(tmp_path / "r.json", make_record(run=run, merit=None)))
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(tables(record))
    assert "eager" in console.export_text()


def test_null_is_a_number_that_is_not_finite(tmp_path: Path) -> None:
    merit = {"name": "GFLOP/s", "value": None}
    record = read_record(write(tmp_path / "r.json", make_record(merit=merit, results={"gosa": None})))
    assert record.merit is not None
    assert math.isnan(record.merit.value)
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(tables(record))
    assert "not finite" in console.export_text()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "not a result record"),
        ("{", "not a result record"),
        ("[]", "not a result record"),
        ("{}", "not a result record"),
        ('{"schema": 99}', "schema 99"),
        ('{"schema": 1}', "damaged"),
        ('{"schema": 1, "program": "x", "grid": [], "run": {}}', "damaged"),
    ],
)
def test_bad_records_say_what_is_wrong(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(TasukiError, match=word):
        read_record(path)


@pytest.mark.parametrize("member", ["program", "grid", "run"])
def test_a_member_that_is_missing(tmp_path: Path, member: str) -> None:
    data = make_record()
    del data[member]
    with pytest.raises(TasukiError, match=member):
        read_record(write(tmp_path / "r.json", data))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(TasukiError, match="no file"):
        read_record(tmp_path / "none.json")
