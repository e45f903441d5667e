"""The ``tasuki`` command."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki import __version__
from tasuki.argon.commands import app as argon_app
from tasuki.errors import TasukiError
from tasuki.launch import launch_command, parse_ranks
from tasuki.programs import HAVE_FOLDERS, PROGRAMS, find_program, known_programs
from tasuki.progress import STYLES, make_display
from tasuki.record import Record, read_record
from tasuki.runner import Outcome, run_native
from tasuki.wilson.commands import app as wilson_app

app = typer.Typer(
    help="Write a program for one GPU, run it on many.\n\nStart with:  tasuki run himeno --size S -n 2",
    invoke_without_command=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.add_typer(
    argon_app,
    name="argon",
    short_help="Look at what a run of argon left; find where two phases have the same free energy",
)
app.add_typer(
    wilson_app, name="wilson", short_help="Look at what a run of wilson left: correlators, masses, solves"
)

_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
MpiArgs = Annotated[
    str, typer.Option(metavar="WORDS", help="more words for mpirun or srun: '--hostfile hosts'")
]


def option_value(arguments: Sequence[str], name: str) -> str | None:
    """The value of the last ``--name VALUE`` or ``--name=VALUE`` in `arguments`."""
    found = None
    for place, word in enumerate(arguments):
        if word == name and place + 1 < len(arguments):
            found = arguments[place + 1]
        elif word.startswith(name + "="):
            found = word[len(name) + 1 :]
    return found


def ranks_for(text: str | None, arguments: Sequence[str]) -> int:
    """The number of ranks: -n, or the product of a process grid that the program is given."""
    grid = option_value(arguments, "--ranks") or os.environ.get("TASUKI_RANKS")
    if text is None and grid:
        factors = grid.lower().split("x")
        if all(factor.isdigit() and int(factor) > 0 for factor in factors):
            product = 1
            for factor in factors:
                product *= int(factor)
            return product
    return parse_ranks(text)


def default_record(program: str) -> Path:
    """results/PROGRAM-TIME.json, with a number behind it where that is taken."""
    stem = f"{program}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1, 1000):
        path = Path("results") / f"{stem}{f'-{number}' if number > 1 else ''}.json"
        if not path.exists():
            return path
    raise TasukiError("results/ is full of records of this second", "give --record FILE")


def make_parent(path: Path, option: str) -> None:
    """Makes the folder of `path`, and says which option to change where it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TasukiError(
            f"cannot make the folder {path.parent}: {error.strerror}", f"choose another {option}"
        ) from None


def explain_failure(name: str, outcome: Outcome) -> str | None:
    """One line for a failure about which the program itself said nothing."""
    if outcome.errors or outcome.status == 0:
        return None
    if outcome.interrupted:
        return f"tasuki: {name} was killed before it could end cleanly (status {outcome.status})"
    how = f"ended with status {outcome.status}"
    if outcome.status > 128:
        with contextlib.suppress(ValueError):
            number = signal.Signals(outcome.status - 128)
            how = f"was ended by signal {number.value} ({number.name}) in one of its ranks"
    marks = ("error while loading", "Sanitizer", "runtime error", "what():", "not enough slots", "not found")
    telling = [line for line in outcome.noise if any(mark in line for mark in marks)]
    reason = f": {' '.join(telling[0].split())}" if telling else ""
    return f"tasuki: {name} {how}{reason}; add --verbose to see all that it wrote"


def execute(
    name: str,
    arguments: Sequence[str],
    ranks: int,
    record: Path,
    progress: str = "auto",
    mpi_args: str = "",
    verbose: bool = False,
    echo: bool = True,
) -> tuple[int, Record | None]:
    """Runs the program `name` and returns its exit status and its record, None where it left none. What it
    writes to stdout is passed on where `echo` is set."""
    outcome, result = execute_once(name, arguments, ranks, record, progress, mpi_args, verbose, echo)
    return outcome.status, result


def execute_once(
    name: str,
    arguments: Sequence[str],
    ranks: int,
    record: Path,
    progress: str = "auto",
    mpi_args: str = "",
    verbose: bool = False,
    echo: bool = True,
    change: Mapping[str, str] | None = None,
) -> tuple[Outcome, Record | None]:
    """As `execute`, but says all of how the run ended. `change` is put into its environment."""
    program = find_program(name)
    make_parent(record, "--record")
    before = record.stat().st_mtime_ns if record.exists() else None
    words = [str(program), *arguments, "--progress", "json", "--record", str(record)]
    command, environment = launch_command(words, ranks, mpi_args)
    environment.update(change or {})
    display = make_display(progress)
    if verbose:
        display.say("$ " + " ".join(command))
    try:
        outcome = run_native(command, environment, display, verbose, echo)
    except OSError as error:
        raise TasukiError(f"cannot start {command[0]}: {error.strerror}", "check the installation") from None
    line = explain_failure(program.name, outcome)
    if line:
        print(line, file=sys.stderr)
    fresh = record.exists() and record.stat().st_mtime_ns != before
    return outcome, read_record(record) if fresh and outcome.status == 0 else None


@app.command(
    context_settings=_PASS_ON,
    add_help_option=False,
    short_help="Run a program on any number of ranks: tasuki run himeno --size M -n 2",
)
def run(
    context: typer.Context,
    program: Annotated[
        str | None,
        typer.Argument(help="himeno, laplace, diffusion, argon, wilson, or the path of a program of yours"),
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
            help="argon, wilson: stop where a rank is lost, or continue: start again from the last "
            "checkpoint on what is left",
        ),
    ] = "stop",
    mpi_args: MpiArgs = "",
    verbose: Annotated[
        bool, typer.Option("--verbose", help="show the command and all that MPI and the program say")
    ] = False,
    help_: Annotated[
        bool, typer.Option("--help", "-h", help="show this and the program's own options")
    ] = False,
) -> None:
    """Run a program on any number of ranks; options that are not listed here go to the program.

    tasuki run himeno --size M -n 2

    tasuki run laplace --nx 4096 --ny 4096 --times 1000 --plot

    Ctrl-C ends the run cleanly, with a checkpoint where --checkpoint FILE is given; a second one kills it.
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
        print(f"\nOptions of {program} itself:\n", flush=True)
        subprocess.run([str(find_program(program)), "--help"], check=False, stdin=subprocess.DEVNULL)
        return
    if program.startswith("-"):
        raise TasukiError(
            f"'{program}' stands before the program", "name the program first, then its options"
        )
    if progress not in STYLES:
        raise TasukiError(f"--progress {progress} is unknown", f"choose one of {', '.join(STYLES)}")
    count = ranks_for(ranks, arguments)
    short = find_program(program).name.removeprefix("tasuki-")
    target = record or default_record(short)
    if plot and short not in HAVE_FOLDERS and option_value(arguments, "--snapshot") is None:
        from tasuki.info import has_hdf5

        if has_hdf5():
            arguments += ["--snapshot", str(target.with_suffix(".h5"))]
        else:
            print("tasuki: built without HDF5, so there is no picture of the field", file=sys.stderr)
    if short in HAVE_FOLDERS and option_value(arguments, "--folder") is None:
        arguments += ["--folder", str(target.with_suffix(""))]
    if on_failure == "stop":
        status, result = execute(program, arguments, count, target, progress, mpi_args, verbose)
    else:
        from tasuki.survive import check_choice, execute_on

        check_choice(on_failure, short)
        status, result = execute_on(program, arguments, count, target, progress, mpi_args, verbose)
    if result is None:
        if "--dry-run" in arguments and status == 0:
            return
        if status == 0:
            raise TasukiError(f"{short} left no record at {target}", "check that it was built with Tasuki", 1)
        raise typer.Exit(status)
    from tasuki.report import tables

    console = Console()
    console.print(tables(result))
    console.print(f"record: {target}", markup=False, highlight=False, soft_wrap=True)
    if plot and short == "wilson":
        from tasuki.wilson.commands import show

        show([Path(option_value(arguments, "--folder") or "")])
    elif plot:
        show_pictures(console, target, None)
    raise typer.Exit(status)


def show_pictures(console: Console, result: Path, out: Path | None) -> None:
    """Draws the pictures of `result` and prints where they lie."""
    from tasuki.plot import plot_result

    pictures = plot_result(result, out)
    if not pictures:
        raise TasukiError(f"{result} holds nothing to draw", "record a run with more in it", 1)
    for picture in pictures:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)


@app.command(
    context_settings=_PASS_ON,
    short_help="Say what is there and what is not, and which face uses which channel",
)
def info(
    context: typer.Context,
    ranks: Annotated[
        str | None,
        typer.Option("-n", "--np", metavar="RANKS", help="ranks to ask, for the table of faces [1]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    mpi_args: MpiArgs = "",
) -> None:
    """Say what is there and what is not: tools, MPI, GPU, HDF5, versions.

    With a grid, also which face of it uses which channel, with bytes and shape:

    tasuki info -n 4 --extents 512x512 --halo 1 --periodic xy
    """
    from tasuki.info import info_tables, native_info, python_parts

    native = native_info(context.args, ranks_for(ranks, context.args), mpi_args)
    parts = python_parts()
    if as_json:
        print(json.dumps({"python": [vars(part) for part in parts], "native": native}, indent=2))
        return
    Console().print(info_tables(parts, native))


@app.command(short_help="Draw the pictures of a run from its record or snapshot")
def plot(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT...", help="records .json, snapshots .h5")],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="where to put them [beside RESULT]")] = None,
) -> None:
    """Draw the field, the blocks of the ranks and the time by phase as PNG pictures.

    tasuki plot results/himeno-20260101-120000.json
    """
    for result in results:
        show_pictures(Console(), result, out)


@app.command(
    context_settings={"ignore_unknown_options": True},
    short_help="Predict the time of a step by part, beside what was measured",
)
def model(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT...", help="a program and its size; records .json, .jsonl; or a study's terms .json"
        ),
    ],
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="draw it into this picture")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Predict the time of a step on any number of devices, by part: compute, latency, bandwidth, host.

    tasuki model himeno --size M --forecast 4096

    tasuki model bench/results/2-x-nvidia-h200/*.json

    tasuki model argon --atoms 256 --replicas 14336 --forecast 4096

    tasuki model models/dscuda-remd-2014.json

    Records stand beside what is predicted for them; the speed of sweeps is taken from those of one device.
    More options: `tasuki-model himeno --help`; after records, --machine NAME, --constants FILE, --forecast N.
    """
    from tasuki.model import report

    report(what, plot, as_json, Console(width=None if sys.stdout.isatty() else 140))


@app.command(
    context_settings=_PASS_ON,
    short_help="Measure the channels of this machine, so that routes are chosen by what they cost here",
)
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

    folder = out or Path()
    make_parent(folder / "picture", "--out")
    status, file = measure(context.args, ranks_for(ranks, context.args), mpi_args)
    if status:
        raise typer.Exit(status)
    if file:
        picture = plot_tuning(read_tuning(file), folder / f"{file.stem}.png")
        print(f"picture: {picture}")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tasuki {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="show the version")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status; every error is one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = app(args=words, prog_name="tasuki", standalone_mode=False)
    except TasukiError as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return error.status
    except (KeyboardInterrupt, typer.Abort):
        print("tasuki: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads: not an error
        return 141
    except Exception as error:
        format_message = getattr(error, "format_message", None)  # a usage error of the command line
        if format_message is None:
            raise
        text = " ".join(format_message().split()).rstrip(".")
        print(f"tasuki: {text[:1].lower()}{text[1:]}; see `tasuki --help`", file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    return status if isinstance(status, int) else 0
