"""Where the parts of remote GPUs are: the gate's programs, the library for programs, its table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.programs import bin_folders, locate

_LIBRARY = "libtasuki-cudart.so"
_BUILD = "build Tasuki where OpenSSL, asio, zstd, lz4 and CUDA's headers are (docs/remote/start.md)"


def native(name: str) -> Path:
    """The native program ``tasuki-gpus-NAME``."""
    found = locate(f"gpus-{name}")
    if found is None:
        raise TasukiError(f"tasuki-gpus-{name} is not there", _BUILD)
    return found


def library() -> Path:
    """The library that stands in for CUDA's runtime: in `lib` beside the programs' `bin`."""
    for folder in bin_folders():
        path = folder.parent / "lib" / _LIBRARY
        if path.is_file():
            return path.resolve()
    raise TasukiError(f"{_LIBRARY} is not there", _BUILD)


def table(name: str, source: str) -> Path:
    """A table that the library is made from: beside it by one name, or among the sources by another."""
    for folder in bin_folders():
        path = folder.parent / "lib" / name
        if path.is_file():
            return path
    path = Path(__file__).resolve().parents[3] / "remote" / "runtime" / source
    if not path.is_file():
        raise TasukiError(f"the table {name} of calls is not there", _BUILD)
    return path


def served_calls() -> frozenset[str]:
    """The calls of CUDA's runtime that are served, without ``_ptsz`` and ``_ptds``, their twins."""
    lines = table("tasuki-cudart.txt", "coverage.txt").read_text().splitlines()
    rows = (line.split() for line in lines)
    taken = ("served", "client", "own", "empty", "ends")
    return frozenset(row[0] for row in rows if len(row) >= 2 and row[1] in taken)


@dataclass(frozen=True)
class Refusal:
    """Calls that are not served: their names, what they are of, and what to do instead."""

    pattern: re.Pattern[str]
    what: str
    mend: str


def refusals() -> tuple[Refusal, ...]:
    """The first that fits a name is that of the call."""
    lines = table("tasuki-cudart-refused.txt", "refused.txt").read_text().splitlines()
    parts = (line.split(" | ") for line in lines if not line.startswith("#"))
    return tuple(Refusal(re.compile(pattern), what, text) for pattern, what, text in parts)
