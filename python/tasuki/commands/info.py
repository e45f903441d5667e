"""``tasuki info``: shows the hardware and the libraries, and how a grid is cut."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from tasuki.commands.arguments import MpiArgs
from tasuki.launch import ranks_for


def info(
    context: typer.Context,
    ranks: Annotated[
        str | None,
        typer.Option("-n", "--np", metavar="RANKS", help="ranks to start, for the table of faces [1]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    mpi_args: MpiArgs = "",
) -> None:
    """Show which hardware and libraries are present or missing: tools, MPI, GPUs, HDF5, versions.

    With a grid, also show the channel of each face, with its bytes and shape:

    tasuki info -n 4 --extents 512x512 --halo 1 --periodic xy
    """
    from tasuki.info import info_tables, native_info, python_parts

    native = native_info(context.args, ranks_for(ranks, context.args), mpi_args)
    parts = python_parts()
    if as_json:
        print(json.dumps({"python": [vars(part) for part in parts], "native": native}, indent=2))
        return
    Console().print(info_tables(parts, native))
