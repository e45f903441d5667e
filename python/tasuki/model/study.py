"""Another model of replica exchange, to be drawn beside one's own: a file of terms, as that of 2014."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.model.forecast import Forecast, ask
from tasuki.model.remote import LARGEST, Run, read_runs

# A term's name, which constant it holds, and as which of its values.
_CONSTANTS = {
    "2 n LH": ("LH", "seconds"),
    "n LD": ("LD", "seconds"),
    "n LK": ("LK", "seconds"),
    "SH/BH": ("BH", "bytes_per_second"),
    "SD/BD": ("BD", "bytes_per_second"),
}


@dataclass(frozen=True)
class Study:
    """Its predictions, what was measured, and its constants by name, in seconds and bytes a second."""

    forecast: Forecast
    runs: Sequence[Run] = ()
    constants: dict[str, float] = field(default_factory=dict)
    label: str = "2014"


def constants_of(path: Path) -> dict[str, float]:
    """The constants LH, LD, LK, BH, BD in a file of terms."""
    try:
        terms = json.loads(path.read_text(encoding="utf-8"))["terms"]
        named = {term["name"]: term for term in terms}
        return {
            constant: float(named[name][value])
            for name, (constant, value) in _CONSTANTS.items()
            if name in named
        }
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise TasukiError(
            f"{path} is no file of terms ({error})", "give models/dscuda-remd-2014.json"
        ) from None


def read_study(path: Path) -> Study:
    """The study in a file of terms; what it measured is in the file beside it, -measured.jsonl."""
    constants = constants_of(path)
    measured = path.with_name(f"{path.stem}-measured.jsonl")
    runs = read_runs([measured]) if measured.is_file() else []
    label = path.stem.rsplit("-", 1)[-1]
    return Study(ask(["terms", str(path), "--forecast", str(LARGEST)]), runs, constants, label)
