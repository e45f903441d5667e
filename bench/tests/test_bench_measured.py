"""Which state a record is of."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tasuki.errors import TasukiError
from tasuki_bench import measured

RESULTS = Path(__file__).parents[1] / "results"


def test_every_record_names_its_state() -> None:
    """A commit, a date, and the bench's options where it was the bench that noted them."""
    folders = [folder for folder in RESULTS.iterdir() if folder.is_dir()]
    assert folders
    for folder in folders:
        noted = measured.read(folder)
        for record in folder.iterdir():
            if record.suffix not in (".json", ".jsonl") or record.name == measured.NAME:
                continue
            keys = {record.name}
            if record.name == "steps.json":
                keys = {f"steps.json {row['group']}" for row in json.loads(record.read_text())["rows"]}
            for key in keys:
                assert key in noted, f"{folder.name}: {key} names no state; measure it by `make bench`"
                assert re.fullmatch(r"[0-9a-f]{12}", noted[key].get("commit") or noted[key]["brought"]), key
                assert noted[key]["date"].startswith("20"), key


def test_only_what_was_written_is_noted_anew(tmp_path: Path) -> None:
    for name in ("old.json", "new.jsonl", "picture.png", "steps.json"):
        (tmp_path / name).write_text("{}")
    os.utime(tmp_path / "old.json", (1000, 1000))
    measured.note(tmp_path, ["old.json"], {"brought": "0" * 12})
    assert measured.fresh(tmp_path, 2000) == ["new.jsonl"]
    measured.note(tmp_path, measured.fresh(tmp_path, 2000), measured.state(["--quick"]))
    noted = measured.read(tmp_path)
    assert noted["old.json"] == {"brought": "0" * 12}
    assert noted["new.jsonl"]["command"] == "--quick"
    (tmp_path / measured.NAME).write_text("{")
    with pytest.raises(TasukiError, match="bring it back from git"):
        measured.read(tmp_path)
