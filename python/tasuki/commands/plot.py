"""``tasuki plot``: draws the pictures of finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.picture_format import Format, FormatOption, pictures_as
from tasuki.shown import show_pictures


def plot(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT...", help="records .json, snapshots .h5")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder for the pictures [beside RESULT]")
    ] = None,
    kind: FormatOption = Format.png,
) -> None:
    """Draw the field, the blocks of the ranks and the per-phase timing.

    tasuki plot results/himeno-20260101-120000.json

    tasuki plot results/himeno-20260101-120000.json --format pdf
    """
    with pictures_as(kind):
        for result in results:
            show_pictures(Console(), result, out)
