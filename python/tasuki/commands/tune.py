"""``tasuki tune``: the channels of this machine, measured."""

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
        typer.Option("-n", "--np", metavar="RANKS", help="ranks to start, as runs will have them [1]"),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="where the picture goes [here]")] = None,
    mpi_args: MpiArgs = "",
) -> None:
    """Measure what every channel costs here, by shape and size, and keep it for this machine.

    tasuki tune -n 4

    --quick only looks whether it works; --tuning FILE keeps the constants there, --tuning none nowhere.
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
