"""``tasuki run``: runs a program on any number of ranks."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.commands.arguments import MpiArgs
from tasuki.errors import TasukiError
from tasuki.execute import execute_once
from tasuki.lang.started import is_translated, split
from tasuki.launch import ranks_for
from tasuki.output import refuse_outputs
from tasuki.profiler import profile_of
from tasuki.programs import HAVE_FOLDERS, PROGRAMS, find_program, is_ours, known_programs
from tasuki.progress import STYLES
from tasuki.shown import show_pictures
from tasuki.words import option_value


def default_record(program: str) -> Path:
    """results/PROGRAM-TIME.json, with a number appended if that file exists."""
    stem = f"{program}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1, 1000):
        path = Path("results") / f"{stem}{f'-{number}' if number > 1 else ''}.json"
        if not path.exists():
            return path
    raise TasukiError("results/ is full of records of this second", "give --record FILE")


def run(
    context: typer.Context,
    program: Annotated[
        str | None,
        typer.Argument(help="himeno, laplace, diffusion, argon, wilson, or your own program: ./relax"),
    ] = None,
    ranks: Annotated[
        str | None, typer.Option("-n", "--np", metavar="RANKS", help="ranks to start, one device each [1]")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="the result record [results/PROGRAM-TIME.json]")
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="draw field, blocks and times at the end")] = False,
    progress: Annotated[
        str, typer.Option(metavar="STYLE", envvar="TASUKI_PROGRESS", help="auto, bar, lines, json or none")
    ] = "auto",
    on_failure: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="argon, wilson: stop if a rank is lost, or continue: start again from the last "
            "checkpoint on what is left",
        ),
    ] = "stop",
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL", help="start one rank under nsys or ncu; the report is beside the record"
        ),
    ] = None,
    profile_rank: Annotated[int | None, typer.Option(metavar="RANK", help="the rank to profile [0]")] = None,
    profile_args: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="additional options for the profiler: '--launch-count 20'"),
    ] = None,
    mpi_args: MpiArgs = "",
    verbose: Annotated[
        bool, typer.Option("--verbose", help="show the command and all output of MPI and the program")
    ] = False,
    help_: Annotated[
        bool, typer.Option("--help", "-h", help="show this and the program's own options")
    ] = False,
) -> None:
    """Run a program on any number of ranks; options that are not listed here are passed to the program.

    tasuki run himeno --size M -n 2

    tasuki run laplace --nx 4096 --ny 4096 --times 1000 --plot

    tasuki run ./relax -n 4

    Your own program has the progress bar, and a record if it takes --record. Words after -- are passed to it.

    Ctrl-C ends the run cleanly, with a checkpoint if --checkpoint FILE is given; a second Ctrl-C kills it.
    """
    arguments = list(context.args)
    if help_ or program is None:
        print(context.get_help())
        if program is None or program.startswith("-"):
            print("\nPrograms:")
            for name in known_programs():
                print(f"  {name:<12}{PROGRAMS.get(name, '')}")
            print("\n`tasuki run PROGRAM --help` shows the program's own options.")
            if not help_:
                raise TasukiError("no program is named", "say which, as in `tasuki run himeno`")
            return
        _show_options(program)
        return
    if program.startswith("-"):
        raise TasukiError(
            f"'{program}' stands before the program", "name the program first, then its options"
        )
    if progress not in STYLES:
        raise TasukiError(f"--progress {progress} is unknown", f"choose one of {', '.join(STYLES)}")
    count = ranks_for(ranks, arguments)
    path = find_program(program)
    ours = is_ours(path)
    short = path.name.removeprefix("tasuki-") if ours else path.name
    has_folder = ours and short in HAVE_FOLDERS
    target = record or default_record(short)
    if plot:
        refuse_outputs(target.parent, f"{target.stem}-*.png", "--record")
    profiled = None
    if profile is not None:
        if on_failure != "stop":
            raise TasukiError("a profile is of one run, and --on-failure may start several", "leave one out")
        profiled = profile_of(profile, profile_rank or 0, profile_args or "", count, target)
    elif profile_rank is not None or profile_args is not None:
        option = "--profile-args" if profile_rank is None else "--profile-rank"
        raise TasukiError(f"{option} names no profiler", "add --profile nsys or --profile ncu")
    wishes: dict[str, str] = {}
    if not ours and is_translated(path):
        wishes, arguments = split(arguments)
    if plot and not has_folder and option_value(arguments, "--snapshot") is None:
        from tasuki.info import why_no_snapshots

        why = why_no_snapshots()
        if not why:
            wishes["TASUKI_SNAPSHOT"] = str(target.with_suffix(".h5"))
        elif ours:
            print(f"tasuki: there is no picture of the field: {why}", file=sys.stderr)
    if has_folder and option_value(arguments, "--folder") is None:
        arguments += ["--folder", str(target.with_suffix(""))]
    drawn: list[Path] = []
    if on_failure == "stop":
        outcome, result = execute_once(
            program,
            arguments,
            count,
            target,
            progress,
            mpi_args,
            verbose,
            change=wishes | (dict(profiled.environment) if profiled else {}),
            before=profiled.before if profiled else (),
        )
        status, drawn = outcome.status, outcome.pictures
    else:
        from tasuki.survive import check_choice, execute_on

        check_choice(on_failure, short if ours else program)
        status, result = execute_on(program, arguments, count, target, progress, mpi_args, verbose)
    if profiled and status == 0:
        profiled.expect_report()
        print(f"profile: {profiled.report}")
    console = Console()
    here = Path.cwd()
    for snapshot in drawn:
        near = snapshot.is_relative_to(here)
        show_pictures(console, snapshot.relative_to(here) if near else snapshot, None)
    if result is None:
        if status:
            raise typer.Exit(status)
        if "--dry-run" in arguments or not (ours or record or plot):
            return
        mend = (
            "check that it was built with Tasuki"
            if ours
            else "leave --record and --plot out, or see its help"
        )
        raise TasukiError(f"{short} left no record at {target}", mend, 1)
    from tasuki.report import tables

    console.print(tables(result))
    console.print(f"record: {target}", markup=False, highlight=False, soft_wrap=True)
    if plot and ours and short == "wilson":
        from tasuki.wilson.shown import show

        show([Path(option_value(arguments, "--folder") or "")])
    elif plot:
        show_pictures(console, target, None)
    raise typer.Exit(status)


def _show_options(program: str) -> None:
    """Shows the program's own help, unless the program may not know --help: then it would run."""
    path = find_program(program)
    if not is_ours(path):
        print(f"\n{program} is a program of yours; it has the options that it was given.")
        return
    print(f"\nOptions of {program} itself:\n", flush=True)
    try:
        status = subprocess.run([str(path), "--help"], check=False, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        raise TasukiError(f"cannot start {path}: {error.strerror}", "build it for this machine") from None
    if status:
        raise typer.Exit(status if status > 0 else 128 - status)
