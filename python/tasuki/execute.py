"""Runs a native program on any number of ranks, and reads the record that it leaves."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.failure import explain_failure
from tasuki.launch import crowding, launch_command
from tasuki.output import make_parent, refuse_output
from tasuki.programs import find_program, is_ours
from tasuki.progress import make_display
from tasuki.record import Record, read_record
from tasuki.runner import Outcome, run_native


def execute(
    name: str,
    arguments: Sequence[str],
    ranks: int,
    record: Path,
    progress: str = "auto",
    mpi_args: str = "",
    verbose: bool = False,
    echo: bool = True,
    change: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> tuple[int, Record | None]:
    """Runs the program `name` and returns its exit status and its record, None where it left none. What it
    writes to stdout is passed on where `echo` is set. `change` is put into its environment, and `before` are
    words before it on every rank: a program that starts it."""
    outcome, result = execute_once(
        name, arguments, ranks, record, progress, mpi_args, verbose, echo, change, before
    )
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
    before: Sequence[str] = (),
) -> tuple[Outcome, Record | None]:
    """As `execute`, but says all of how the run ended."""
    program = find_program(name)
    # Asked for by the environment: a program that does not know them is not disturbed.
    wishes = {"TASUKI_PROGRESS": "json", "TASUKI_RECORD": str(record), **(change or {})}
    words = [*before, str(program), *arguments]
    command, environment = launch_command(words, ranks, mpi_args, {**os.environ, **wishes})
    made = not record.parent.exists()
    make_parent(record, "--record")
    refuse_output(record, "--record")
    before = record.stat().st_mtime_ns if record.exists() else None
    display = make_display(progress)
    if verbose:
        settings = " ".join(f"{key}={value}" for key, value in wishes.items())
        display.say(f"$ {settings} {shlex.join(command)}")
    crowd = crowding(ranks, mpi_args)
    if crowd:
        display.say(crowd)
    try:
        outcome = run_native(command, environment, display, verbose, echo, hide_errors=is_ours(program))
    except OSError as error:
        raise TasukiError(
            f"cannot start {command[0]}: {error.strerror}", "check that it was built for this machine"
        ) from None
    line = explain_failure(program.name, outcome, command[0])
    if line:
        print(line, file=sys.stderr)
    fresh = record.exists() and record.stat().st_mtime_ns != before
    if made and not fresh:
        with contextlib.suppress(OSError):
            record.parent.rmdir()  # only where it is empty
    return outcome, read_record(record) if fresh and outcome.status == 0 else None
