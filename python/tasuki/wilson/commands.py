"""``tasuki wilson``: what a run of wilson says."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.errors import TasukiError

app = typer.Typer(
    help="Look at what `tasuki run wilson` left: correlators, masses, solves.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Look at what `tasuki run wilson` left: correlators, masses, solves."""


@app.command(short_help="Masses of pion, rho and nucleon with errors, pictures, and what to doubt")
def analyze(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER [FOLDER]", help="of one run, or of two to compare")
    ],
    bin_size: Annotated[
        int, typer.Option("--bin", metavar="N", min=1, help="configurations that are left out together")
    ] = 1,
    discard: Annotated[
        int, typer.Option(metavar="N", min=0, help="configurations at the beginning that do not count")
    ] = 0,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="of the pictures [FOLDER]")] = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="draw the pictures")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Say what masses a run found, and what about them is not to be believed.

    tasuki wilson analyze results/wilson

    tasuki wilson analyze heavy light --bin 2

    The effective mass of a meson solves C(t)/C(t+1) = cosh(m (T/2-t)) / cosh(m (T/2-t-1)) of the
    correlator folded about T/2, that of the nucleon is ln C(t)/C(t+1). Errors are the jackknife's: bins
    of configurations are left out in turn. A mass is the mean over the longest stretch of t, up to where
    noise begins, over which effective masses agree within their errors; where there is none over three
    slices, none is given."""
    show(folders, bin_size, discard, out, plot, as_json)


def show(
    folders: Sequence[Path],
    bin_size: int = 1,
    discard: int = 0,
    out: Path | None = None,
    plot: bool = True,
    as_json: bool = False,
) -> None:
    """Prints and draws what one run says, or two."""
    from tasuki.wilson import pictures
    from tasuki.wilson.analysis import analyze as look
    from tasuki.wilson.analysis import compare, comparison_to_json, to_json
    from tasuki.wilson.folder import load
    from tasuki.wilson.tables import comparison_table, tables

    if len(folders) > 2:
        raise TasukiError(f"{len(folders)} folders are given", "give one run, or two to compare")
    found = [look(load(folder), bin_size, discard) for folder in folders]
    console = Console(width=None if sys.stdout.isatty() else 120)
    drawn: list[Path] = []
    for analysis in found:
        if plot:
            target = analysis.run.path if out is None else out / analysis.run.name if len(found) > 1 else out
            try:
                target.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise TasukiError(
                    f"cannot make the folder {target}: {error.strerror}", "choose another --out"
                ) from None
            drawn += pictures.draw(analysis, target)
        if not as_json:
            if len(found) > 1:
                console.print(f"[bold]{analysis.run.name}[/bold]")
            console.print(tables(analysis))
    lines = compare(*found) if len(found) == 2 else []
    if as_json:
        report = [to_json(analysis) for analysis in found]
        both = {"schema": 1, "runs": report, "comparison": comparison_to_json(lines)}
        print(json.dumps(both if lines else report[0], indent=2))
        return
    if lines:
        console.print(comparison_table(lines, (found[0].run.name, found[1].run.name)))
    for picture in drawn:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
