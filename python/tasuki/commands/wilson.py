"""``tasuki wilson``: analyzes runs of wilson."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tasuki.picture_format import Format, FormatOption, pictures_as

app = typer.Typer(
    help="Analyze runs of `tasuki run wilson`: correlators, masses, solves.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Analyze runs of `tasuki run wilson`: correlators, masses, solves."""


@app.command(short_help="Masses of pion, rho and nucleon with errors, pictures, and warnings")
def analyze(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER [FOLDER]", help="the folder of a run, or of two to compare"),
    ],
    bin_size: Annotated[
        int, typer.Option("--bin", metavar="N", min=1, help="configurations that are left out together")
    ] = 1,
    discard: Annotated[
        int, typer.Option(metavar="N", min=0, help="leave out this many configurations at the beginning")
    ] = 0,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the pictures [FOLDER]")] = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="draw the pictures")] = True,
    kind: FormatOption = Format.png,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Print the masses of a run, with warnings where they cannot be trusted.

    tasuki wilson analyze results/wilson

    tasuki wilson analyze heavy light --bin 2

    The effective mass of a meson solves C(t)/C(t+1) = cosh(m (T/2-t)) / cosh(m (T/2-t-1)) of the
    correlator folded about T/2, that of the nucleon is ln C(t)/C(t+1). Errors come from the jackknife: bins
    of configurations are left out in turn. A mass is the mean over the longest stretch of t, before noise
    dominates, in which effective masses agree within their errors. If no stretch has three slices, no mass
    is given."""
    from tasuki.wilson.shown import show

    with pictures_as(kind):
        show(folders, bin_size, discard, out, plot, as_json)
