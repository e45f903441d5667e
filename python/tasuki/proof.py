"""Whether what is read is what was written: headers, hashes of rows and cells, seals of JSON.

The rules are those of the programs: tasuki/file/header.hpp, row_sums.hpp, integrity.hpp, seal.hpp. All
hashes are 64 bits of XXH3. What an older tasuki wrote has none, and is read with a note."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import h5py
import numpy as np
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from tasuki.errors import TasukiError

_HEADER = 512  # bytes before those of HDF5
_PIECE = 1 << 20
_WORD = (1 << 64) - 1
_HDF5 = b"\x89HDF\r\n\x1a\n"
_SUMS = "/checksums"
_SEAL = b',\n  "xxh3": "'
_MEND = "use a copy of it, or repeat the run"
_TEXT = re.compile(rb"TASUKI 1\n(\w+)\nbytes (\d+) manifest (\d+)\nhash ([0-9a-f]{16}) ([0-9a-f]{16})\n")
_TRIES = 4  # a run that goes on may write a row while it is read

Values = np.ndarray[Any, Any]


class Header(NamedTuple):
    """The first 512 bytes of a file; `size` is that of the file, `hash` of what its kind says."""

    kind: str
    size: int
    hash: int


def _altered(path: Path, what: str) -> NoReturn:
    raise TasukiError(f"{path} was altered since it was written: {what}", _MEND)


@lru_cache(maxsize=4096)
def tell_unproven(path: Path) -> None:
    """Says, once, that nobody can tell whether a file is what was written."""
    print(f"tasuki: {path} carries no checksums, as of an older tasuki: it is read as it is", file=sys.stderr)


def read_header(path: Path) -> Header | None:
    """The header of a file that a run wrote; None where another program or an older tasuki wrote it. A
    TasukiError where it is damaged, or the file is not as long as it says."""
    with path.open("rb") as file:
        block = file.read(_HEADER)
    if block.startswith(_HDF5) or not any(block):
        return None
    size = path.stat().st_size
    newer = re.match(rb"TASUKI (\d+)\n", block)
    if newer and newer[1] != b"1":
        raise TasukiError(
            f"{path} has format {newer[1].decode()}, this tasuki reads format 1",
            "use the tasuki that wrote it",
        )
    line = block.rfind(b"\nhead ")
    text = block[: line + 1]
    found = _TEXT.fullmatch(text)
    proven = text + f"head {xxh3_64_hexdigest(text)}\n".encode()
    if block[:7] != b"TASUKI " and b"TASUKI" not in block[:16] and not found and line < 0:
        return None  # no file of ours at all: whoever reads it says so
    if not found or proven.ljust(_HEADER, b"\0") != block:
        _altered(path, "its header is damaged")
    header = Header(found[1].decode(), int(found[2]), int(found[4], 16))
    if size < header.size:
        raise TasukiError(f"{path} is cut short: it holds {size} of {header.size} bytes", "copy it again")
    if size > header.size:
        _altered(path, f"it holds {size} bytes, {header.size} were written")
    return header


def _pieces(path: Path, first: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Bytes first .. end - 1 with the place of each piece."""
    with path.open("rb") as file:
        file.seek(first)
        for place in range(first, end, _PIECE):
            yield place, file.read(min(_PIECE, end - place))


def check_whole(path: Path) -> None:
    """Every byte of a snapshot or checkpoint against its header; a TasukiError where it is not what was
    written. A file without a header is another program's."""
    header = read_header(path)
    if header is None or header.kind == "rows":
        return
    pieces = _pieces(path, _HEADER, header.size)
    found = sum(xxh3_64_intdigest(piece, seed=number) for number, (_, piece) in enumerate(pieces))
    if found & _WORD != header.hash:
        _altered(path, "its fields, or the structure around them, are not what was saved")


def _row_ranges(file: h5py.File) -> list[tuple[int, int]]:
    """Where the columns and their sums lie: all that changes after a file of rows was made."""
    ranges: list[tuple[int, int]] = []

    def take(name: str, sums: h5py.Dataset | h5py.Group) -> None:
        if isinstance(sums, h5py.Dataset):
            for held in (sums, file[name]):
                offset = held.id.get_offset()
                if offset is not None:
                    ranges.append((offset, offset + held.id.get_storage_size()))

    file[_SUMS].visititems(take)
    return sorted(ranges)


def _around(path: Path, size: int, ranges: list[tuple[int, int]]) -> int:
    """The hash of all behind the header that is in none of the ranges."""
    found, at = 0, _HEADER
    for first, end in (*ranges, (size, size)):
        found += sum(xxh3_64_intdigest(piece, seed=place) for place, piece in _pieces(path, at, first))
        at = max(at, end)
    return found & _WORD


def check_rows_file(path: Path, file: h5py.File) -> None:
    """All of a file of rows but its rows, which read_rows() checks; a TasukiError where it was altered. One
    without a header is an older tasuki's."""
    header = read_header(path)
    if header is not None and (
        _SUMS not in file or _around(path, header.size, _row_ranges(file)) != header.hash
    ):
        _altered(path, "the structure around its rows is damaged")


def _wrong_row(values: Values, sums: Values, numbers: Values) -> int | None:
    """The first row that is not what either of its two hashes says; without hashes it has to be zero."""
    size = values[0].nbytes if len(values) else 0
    view = memoryview(np.ascontiguousarray(values).reshape(-1).view(np.uint8))
    for k, (number, (one, other)) in enumerate(zip(numbers.tolist(), sums.tolist(), strict=True)):
        row = view[k * size : (k + 1) * size]
        found = max(1, xxh3_64_intdigest(row, seed=number))
        if found not in (one, other) and (one or other or any(row)):
            return int(number)
    return None


def read_rows(data: h5py.Dataset, rows: int | Values | None = None) -> Values:
    """Rows of a column: the first `rows`, or those of these numbers in rising order, or all. A TasukiError
    that names the column where one is not what was written."""
    name, path = data.name, Path(data.file.filename)
    count = len(data) if rows is None else min(rows, len(data)) if isinstance(rows, int) else 0
    numbers = rows if isinstance(rows, np.ndarray) else np.arange(count)
    which = rows if isinstance(rows, np.ndarray) else slice(count)
    values = np.asarray(data[which])
    if _SUMS + name not in data.file:
        return values
    wrong = _wrong_row(values, data.file[_SUMS + name][which], numbers)
    for _ in range(_TRIES):
        if wrong is None:
            return values
        with h5py.File(path, "r", locking=False) as again:  # what HDF5 keeps in memory is read anew
            values = np.asarray(again[name][which])
            wrong = _wrong_row(values, again[_SUMS + name][which], numbers)
    if wrong is None:
        return values
    raise TasukiError(f"{name} of {path} is not what was written, in row {wrong}", _MEND)


def read_cells(data: h5py.Dataset, axes: int) -> Values:
    """An array over the cells of a grid of so many axes, checked where it has the attribute `checksum`."""
    values = np.asarray(data[...])
    if "checksum" not in data.attrs or not values.size:
        return values
    cells = np.ascontiguousarray(values).reshape(int(np.prod(values.shape[:axes])), -1)
    view, size = memoryview(cells.view(np.uint8).reshape(-1)), cells[0].nbytes
    places = range(len(cells))
    found = sum(xxh3_64_intdigest(view[p * size : (p + 1) * size], seed=p) for p in places) & _WORD
    if found != int(data.attrs["checksum"]):
        raise TasukiError(f"{data.name} of {data.file.filename} is not what its checksum says", _MEND)
    return values


def check_seal(path: Path, text: bytes) -> None:
    """A JSON text that a run keeps, against its last line; a TasukiError where it was altered. One without
    that line is an older tasuki's or another program's."""
    body, line, _ = text.rpartition(_SEAL)
    if line and body + line + xxh3_64_hexdigest(body).encode() + b'"\n}\n' != text:
        raise TasukiError(
            f"{path} was altered since it was written",
            'use a copy of it; if it was changed on purpose, delete its line "xxh3"',
        )
