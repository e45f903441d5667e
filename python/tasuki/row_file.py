"""Files of rows that a benchmark measured, with the other records of their machine."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tasuki.errors import TasukiError
from tasuki.output import write_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")


def write_row_file(path: Path, rows: Iterable[DataclassInstance]) -> None:
    """Replaces what is in the file by the rows."""
    data = {"schema": 1, "rows": [dataclasses.asdict(row) for row in rows]}
    write_text(path, json.dumps(data, indent=1) + "\n")


def read_row_file(path: Path, row_of: Callable[[Any], Row]) -> list[Row]:
    """The rows of the file, each made by `row_of`; none where there is no file.

    Raises TasukiError where it holds something else.
    """
    try:
        return [row_of(row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TasukiError(f"{path} cannot be read: {error}", "remove it and measure again") from None
