"""Runs a native program on any number of ranks, and reads the record that it leaves."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.failure import explain_failure
from tasuki.launch import launch_command
from tasuki.programs import find_program
from tasuki.progress import make_display
from tasuki.record import Record, read_record
from tasuki.runner import Outcome, run_native


def make_parent(path: Path, option: str) -> None:
    """Makes the folder of `path`, and says which option to change where it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TasukiError(
            f"cannot make the folder {path.parent}: {error.strerror}", f"choose another {option}"
        ) from None


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
    line = explain_failure(program.name, outcome, command[0])
    if line:
        print(line, file=sys.stderr)
    fresh = record.exists() and record.stat().st_mtime_ns != before
    return outcome, read_record(record) if fresh and outcome.status == 0 else None
