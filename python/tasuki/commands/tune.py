"""``tasuki tune``: measures the channels of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tasuki.commands.arguments import MpiArgs
from tasuki.launch import ranks_for
from tasuki.output import make_folder, refuse_output
from tasuki.words import option_value


def tune(
    context: typer.Context,
    ranks: Annotated[
        str | None,
        typer.Option(
            "-n", "--np", metavar="RANKS", help="ranks to start, as many as later runs will have [1]"
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the picture [.]")] = None,
    mpi_args: MpiArgs = "",
) -> None:
    """Measure the time of messages by every channel, shape and size, and store it for this machine.

    tasuki tune -n 4

    --quick only tests that it works; --tuning FILE stores the constants in that file, --tuning none stores
    nothing.
    """
    from tasuki.tune import measure, plot_tuning, read_tuning

    folder = make_folder(out or Path(), "--out")
    given = option_value(context.args, "--tuning")
    if given not in (None, "none"):
        refuse_output(folder / f"{Path(given or '').stem}.png", "--out")
    status, file = measure(context.args, ranks_for(ranks, context.args), mpi_args)
    if status:
        raise typer.Exit(status)
    if file:
        picture = plot_tuning(read_tuning(file), folder / f"{file.stem}.png")
        print(f"picture: {picture}")
