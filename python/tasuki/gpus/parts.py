"""Where the parts of remote GPUs are: the gate's programs, the library for programs, its table."""

from __future__ import annotations

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


def table() -> Path | None:
    """The table of served calls: beside the library, or the source that the library is made from."""
    for folder in bin_folders():
        path = folder.parent / "lib" / "tasuki-cudart.txt"
        if path.is_file():
            return path
    source = Path(__file__).resolve().parents[3] / "remote" / "runtime" / "coverage.txt"
    return source if source.is_file() else None


def served_calls() -> frozenset[str]:
    """The calls of CUDA's runtime that are served, without ``_ptsz`` and ``_ptds``, their twins."""
    path = table()
    if path is None:
        raise TasukiError("the table of served calls is not there", _BUILD)
    rows = (line.split() for line in path.read_text().splitlines())
    return frozenset(row[0] for row in rows if len(row) >= 2 and row[1] in ("served", "client", "own"))
