"""The ``tasuki`` command: registers the commands, and reports an error in one line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from tasuki import __version__
from tasuki.commands import argon, cc, cmake_dir, gpus, info, model, plot, run, tune, wilson
from tasuki.errors import TasukiError
from tasuki.standard_output import guarded, status_of

app = typer.Typer(
    help="Write a program for one GPU, run it on many.\n\nStart with:  tasuki run himeno --size S -n 2",
    invoke_without_command=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
_HALF_KNOWN = {"ignore_unknown_options": True}

app.command(
    context_settings=_PASS_ON,
    add_help_option=False,
    short_help="Run a program on any number of ranks: tasuki run himeno --size M -n 2",
)(run.run)
app.command(
    context_settings=_PASS_ON,
    add_help_option=False,
    short_help="Compile C with directives of XcalableMP and OpenACC: tasuki cc -O2 laplace.c -o laplace",
)(cc.cc)
app.command(
    context_settings=_PASS_ON,
    short_help="Show the hardware, the libraries, and the channel of each face of a grid",
)(info.info)
app.command(short_help="Draw the pictures of a run from its record or snapshot")(plot.plot)
app.command(
    context_settings=_HALF_KNOWN,
    short_help="Predict the time of a step by part, and compare it with measured times",
)(model.model)
app.command(
    context_settings=_PASS_ON,
    short_help="Measure the channels of this machine, so that runs take the fastest routes",
)(tune.tune)
app.command(
    name="cmake-dir",
    short_help="Print where find_package(tasuki) finds the library that came with this command",
)(cmake_dir.cmake_dir)
app.add_typer(
    argon.app,
    name="argon",
    short_help="Analyze runs of argon; find where two phases have the same free energy",
)
app.add_typer(gpus.app, name="gpus", short_help="Give a CUDA program the GPUs of other hosts")
app.add_typer(wilson.app, name="wilson", short_help="Analyze runs of wilson: correlators, masses, solves")


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


def _status(words: Sequence[str]) -> int:
    """Does the command of these words; what went wrong is a TasukiError."""
    try:
        status = app(args=list(words), prog_name="tasuki", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        raise TasukiError("interrupted", "", 130) from None
    except MemoryError:
        raise TasukiError("out of memory", "give fewer or smaller files", 1) from None
    except OSError as error:
        name = f" {error.filename}" if error.filename else ""
        raise TasukiError(f"cannot use{name}: {error.strerror or error}", "check the file", 1) from None
    except TasukiError:
        raise
    except Exception as error:
        format_message = getattr(error, "format_message", None)  # a usage error of the command line
        if format_message is None:
            if sys.flags.dev_mode:
                raise
            raise TasukiError(
                f"an internal error of this command ({type(error).__name__}: {error})",
                "`python3 -X dev -m tasuki ..` shows where; please report it",
                1,
            ) from None
        text = " ".join(format_message().split()).rstrip(".")
        mend = getattr(getattr(error, "ctx", None), "command_path", "tasuki")
        raise TasukiError(
            f"{text[:1].lower()}{text[1:]}", f"see `{mend} --help`", int(getattr(error, "exit_code", 2))
        ) from None
    return status if isinstance(status, int) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status; every error is one line on stderr."""
    words = sys.argv[1:] if arguments is None else arguments
    with guarded() as output:
        try:
            try:
                status = _status(words)
            except TasukiError as error:
                print(f"tasuki: {error}", file=sys.stderr)
                status = error.status
            return status_of(output, status)
        except TasukiError as error:
            print(f"tasuki: {error}", file=sys.stderr)
            return error.status
