"""In which format pictures are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Format(str, Enum):
    """What pictures are written as."""

    png = "png"
    pdf = "pdf"
    svg = "svg"


_format: ContextVar[Format] = ContextVar("format", default=Format.png)


@contextmanager
def pictures_as(kind: Format) -> Iterator[None]:
    """All pictures drawn meanwhile are of this format."""
    before = _format.set(kind)
    try:
        yield
    finally:
        _format.reset(before)


def named(path: Path) -> Path:
    """The path of a picture, with the ending of its format."""
    return path.with_name(f"{path.stem}.{_format.get().value}") if path.suffix == ".png" else path


def endings(names: str) -> str:
    """Names of pictures, "a.png b*.png", with the ending of their format."""
    return names.replace(".png", f".{_format.get().value}")


FormatOption = Annotated[
    Format, typer.Option("--format", help="format of the pictures; pdf and svg are for papers")
]
