"""``tasuki argon``: analyzes runs of argon, and writes their trajectories for other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.arguments import finite
from tasuki.errors import TasukiError
from tasuki.output import make_folder, refuse_outputs
from tasuki.picture_format import Format, FormatOption, pictures_as
from tasuki.shown import picture_folders, show_each

app = typer.Typer(
    help="Analyze runs of `tasuki run argon`: energies, exchanges, phases, atoms.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
)


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 120)


@app.command(short_help="Acceptance, round trips, U(T), C_V(T), change of phase, structure, and warnings")
def analyze(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER [FOLDER]", help="the folder of a run, or of two to compare"),
    ],
    discard: Annotated[
        float,
        typer.Option(metavar="SHARE", min=0, max=0.9, help="leave out this fraction at the run's beginning"),
    ] = 0.2,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the pictures [FOLDER]")] = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="draw the pictures")] = True,
    kind: FormatOption = Format.png,
    atoms: Annotated[
        bool, typer.Option("--atoms/--no-atoms", help="analyze the trajectory, if there is one")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Print the results of a run, with warnings where they cannot be trusted.

    tasuki argon analyze results/argon

    tasuki argon analyze from-solid from-liquid

    U(T) and C_V(T) come from multistate reweighting (MBAR) of all samples of a pressure. Energies that differ
    by less than 2 % of the narrowest exponent are counted together, so that a million samples cost no more
    than a thousand. A ladder of more than 768 rungs is thinned evenly. One of more than 48 rungs is solved in
    windows of 32 neighbours that overlap by half; each temperature is taken from the window in whose middle
    it lies. For errors, one of twelve stretches of time is left out in turn; there is a warning if the
    replicas are correlated for longer.

    With two runs from different starts, their energies are compared: if they differ, the start decides, not
    the physics."""
    from tasuki.argon import compare, pictures
    from tasuki.argon.analysis import analyze as look
    from tasuki.argon.analysis import to_json
    from tasuki.argon.folder import read_run
    from tasuki.argon.tables import difference_table, tables, warning_lines

    if len(folders) > 2:
        raise TasukiError(f"{len(folders)} folders are given", "give one run, or two to compare")
    runs = [read_run(folder) for folder in folders]
    with pictures_as(kind):
        folders_of = picture_folders(runs, out, pictures.FILES) if plot else []
    found = [look(run, discard, atoms) for run in runs]
    console = _console()
    report = [to_json(analysis) for analysis in found]
    with pictures_as(kind):
        drawn = show_each(console, found, None if as_json else tables, pictures.draw, folders_of)
    answer: dict[str, object] = report[0]
    if len(found) == 2:
        first, second = found[0].counted, found[1].counted
        both = compare.differences(first, second)
        warning = compare.warning_of(both, first, second)
        names = (first.name, second.name)
        answer = {
            "schema": 1,
            "runs": report,
            "agree": warning is None,
            "warnings": [warning] if warning else [],
        }
        if plot:
            target = make_folder(runs[0].path if out is None else out, "--out")
            with pictures_as(kind):
                path = target / f"{names[0]}-{names[1]}.png"
                drawn.append(pictures.draw_comparison(both, (first, second), path))
        if not as_json:
            console.print(difference_table(both, names))
            console.print(*(warning_lines([warning]) if warning else ["the runs agree"]))
    if as_json:
        print(json.dumps(answer, indent=2))
        return
    for picture in drawn:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)


@app.command(short_help="Write trajectories as XTC or DCD, by replica or by temperature")
def trajectory(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="the folder of a run with --trajectory")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help="xtc or dcd")] = "xtc",
    replica: Annotated[int | None, typer.Option(metavar="R", help="write this replica only")] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            metavar="K", callback=finite, help="write the rung nearest to it, with changing replicas"
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="folder for the files [FOLDER]")] = None,
) -> None:
    """Write the trajectory of a run for VMD, MDAnalysis and other programs, with a .gro file that names the
    atoms.

    tasuki argon trajectory results/argon --to xtc --temperature 90

    The path of a replica is unwrapped: an atom that leaves the box continues outside. The path of a
    temperature is wrapped, because successive frames may belong to different replicas."""
    from tasuki.argon.folder import read_run
    from tasuki.argon.tracks import convert

    if replica is not None and temperature is not None:
        raise TasukiError("--replica and --temperature are both given", "choose one")
    run = read_run(folder)
    for path, frames in convert(run, to, make_folder(out or run.path, "--out"), replica, temperature):
        print(f"{path}: {frames} frame{'s' if frames != 1 else ''}")


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    short_help="Find where crystal and fluid have the same free energy; does the runs for it",
)
def transition(
    context: typer.Context,
    atoms: Annotated[
        int | None, typer.Option(metavar="N", min=108, help="number of atoms, 4 a^3 [256]")
    ] = None,
    density: Annotated[
        float, typer.Option(metavar="G/CM3", min=0.1, max=3.0, help="density of both phases")
    ] = 1.65,
    cutoff: Annotated[
        float | None,
        typer.Option(
            metavar="SIGMA", callback=finite, min=1.5, help="cut-off [3, or half of the box if that is less]"
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(metavar="STEPS", min=1, help="steps per ladder [100000]")
    ] = None,
    tmin: Annotated[
        float, typer.Option(metavar="K", callback=finite, min=1.0, help="lowest temperature of both phases")
    ] = 116.0,
    tmax: Annotated[
        float, typer.Option(metavar="K", callback=finite, min=1.0, help="highest temperature of both phases")
    ] = 152.0,
    seed: Annotated[int, typer.Option(metavar="SEED", min=0, help="seed of all random numbers")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="108 atoms and 12000 steps: an example of a minute or two")
    ] = False,
    output: Annotated[Path, typer.Option(metavar="DIR", help="folder of all runs, table, picture")] = Path(
        "results/argon-transition"
    ),
    ranks: Annotated[
        str | None, typer.Option("-n", "--np", metavar="RANKS", help="ranks to start, one device each [1]")
    ] = None,
    progress: Annotated[
        str, typer.Option(metavar="STYLE", envvar="TASUKI_PROGRESS", help="auto, bar, lines, json or none")
    ] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="show all output of the program")] = False,
) -> None:
    """Find the temperature at which a crystal and a fluid of one density have the same free energy.

    tasuki argon transition --quick

    tasuki argon transition --atoms 256 -n 2 --output transition-256

    Runs of the program follow each phase from a temperature at which its free energy is known to the
    crossing: the crystal upwards from a few kelvin, where it is nearly harmonic, the fluid downwards from a
    million, where four virial coefficients describe it. F/T changes by the integral of the mean energy over
    1/T. A replica that melts or freezes on the way is not counted.

    Runs that are already in --output are not repeated: after an interruption the same command continues.
    Options that are not listed here are passed to the program, such as --device."""
    from tasuki.argon.branches_shown import LEFT, free_table, leave, to_json
    from tasuki.argon.free_energy import free_energies
    from tasuki.argon.needs import need
    from tasuki.argon.stages import stages, system_of
    from tasuki.argon.staging import conduct
    from tasuki.launch import parse_ranks
    from tasuki.progress import STYLES

    if progress not in STYLES:
        raise TasukiError(f"--progress {progress} is unknown", f"choose one of {', '.join(STYLES)}")
    need("freud")  # rather than after the runs
    system = system_of(atoms or (108 if quick else 256), density, cutoff)
    parts = list(stages(system, tmin, tmax, steps or (12_000 if quick else 100_000)))
    for name in LEFT:
        refuse_outputs(output, name, "--output")
    runs = conduct(system, parts, seed, output, parse_ranks(ranks), context.args, progress, verbose)
    found = free_energies(system, parts, runs)
    pictures = leave(found, output)
    if as_json:
        print(json.dumps(to_json(found), indent=2))
        return
    console = _console()
    console.print(free_table(found))
    for picture in pictures:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
