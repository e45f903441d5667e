"""``tasuki plot``: draws the pictures of finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.commands.arguments import MpiArgs
from tasuki.errors import TasukiError
from tasuki.launch import parse_ranks
from tasuki.picture_format import Format, FormatOption, pictures_as
from tasuki.shown import show_pictures


def plot(
    results: Annotated[
        list[Path] | None, typer.Argument(metavar="RESULT...", help="records .json, snapshots .h5")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder for the pictures [beside RESULT]")
    ] = None,
    kind: FormatOption = Format.png,
    program: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="a C source of directives, or the compiled program: who owns what"),
    ] = None,
    ranks: Annotated[
        str | None,
        typer.Option("-n", "--np", metavar="RANKS", help="ranks that the program's arrays lie on [1]"),
    ] = None,
    mpi_args: MpiArgs = "",
) -> None:
    """Draw the field, the blocks of the ranks and the per-phase timing; or the owners of a program's arrays.

    tasuki plot results/himeno-20260101-120000.json

    tasuki plot results/himeno-20260101-120000.json --format pdf

    tasuki plot --program laplace.c -n 6
    """
    if not results and program is None:
        raise TasukiError("no RESULT is named to draw", "give a record, a snapshot, or --program FILE")
    if ranks is not None and program is None:
        raise TasukiError("-n is for --program alone", "leave it out: a record knows its ranks")
    console = Console()
    with pictures_as(kind):
        for result in results or []:
            show_pictures(console, result, out)
        if program is not None:
            from tasuki.owners import plot_owners

            picture = plot_owners(program, parse_ranks(ranks), out, mpi_args)
            console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
