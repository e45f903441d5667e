"""Which state of the sources each record of a folder is of: ``measured.json``, a file beside the records.

    {"steps.json regret": {"commit": "1a2b3c4d5e6f", "altered": false, "date": "2026-11-23T20:14Z",
                           "command": "--tables regret"}}

The key is the record's file, and the table in it where a file holds several. ``altered``: sources in the
repository differed from the commit. A record that was measured before this file was kept has the commit that
brought it, as ``brought``.
"""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.output import write_text

NAME = "measured.json"
SOURCES = ("tasuki", "apps", "bench", "tools", "cmake", "python", ":!bench/results")


def _git(*words: str) -> str:
    """What git says of the repository that this file is in; nothing where there is none."""
    try:
        said = subprocess.run(["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True)
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def state(command: Sequence[str]) -> dict[str, Any]:
    """The commit that is measured now, whether sources differ from it, the date, and the bench's options."""
    top = _git("rev-parse", "--show-toplevel") or "."
    return {
        "commit": _git("rev-parse", "--short=12", "HEAD") or "none: no git repository",
        "altered": bool(_git("-C", top, "status", "--porcelain", "--", *SOURCES)),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
        "command": " ".join(command),
    }


def read(folder: Path) -> dict[str, dict[str, Any]]:
    """What is noted of the folder's records."""
    try:
        return json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise TasukiError(f"{folder / NAME} cannot be read: {error}", "bring it back from git") from None


def note(folder: Path, records: Iterable[str], now: dict[str, Any]) -> None:
    """Notes that these records are of this state."""
    noted = read(folder) | dict.fromkeys(records, now)
    write_text(folder / NAME, json.dumps(dict(sorted(noted.items())), indent=1) + "\n")


def fresh(folder: Path, since: float) -> list[str]:
    """The records that were written after a time; those of steps.json are noted by table."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if path.suffix in (".json", ".jsonl")
        and path.name not in (NAME, "steps.json")
        and path.stat().st_mtime >= since
    ]
