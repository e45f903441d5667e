"""Measurements that a program of the bench leaves as lines of JSON, and the file that keeps them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tasuki.errors import TasukiError
from tasuki.launch import cores, launch_command
from tasuki.output import make_folder, refuse_outputs, write_text
from tasuki.programs import find_program
from tasuki_bench.steps import reason_of, run_quietly

Row = TypeVar("Row")


def measure_lines(
    program: str, words: Sequence[str], device: str, ranks: int, timeout: float
) -> list[dict[str, Any]]:
    """What ``tasuki-PROGRAM words`` measures on so many devices, or ranks that share the host's cores."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "lines.jsonl"
        command = [str(find_program(program)), *words, "--device", device]
        command += ["--threads", str(max(1, cores() // ranks))] if device == "host" else []
        started, environment = launch_command([*command, "--out", str(out)], ranks)
        status, said = run_quietly(started, environment, timeout)
        if status != 0 or not out.is_file():
            raise TasukiError(f"{program}: {reason_of(status, said)}", "run it by hand to see more")
        return read_lines(out)


def make_records(folder: Path) -> None:
    """Makes the folder of a machine's records, and refuses one in which something else is in their way."""
    refuse_outputs(make_folder(folder, "--out"), "*.json *.jsonl *.png", "--out")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; none where there is none."""
    if not path.is_file():
        return []
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except ValueError as error:
        raise TasukiError(f"{path} holds no lines of JSON ({error})", "measure again") from None


def rows_of(
    lines: Sequence[dict[str, Any]], row_of: Callable[[dict[str, Any]], Row], what: str, source: object
) -> list[Row]:
    """A row of each line that `source` left; an error where a line is no figures of `what`."""
    try:
        return [row_of(line) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise TasukiError(f"{source} holds no figures of {what} ({error})", "measure again") from None


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Keeps the lines, in place of what the file held."""
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))
