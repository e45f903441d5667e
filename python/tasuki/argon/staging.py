"""Runs the stages one after another, each in a folder of its own; what is there already is not run again."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from pathlib import Path

import typer

from tasuki.argon.folder import Run, read_run
from tasuki.argon.stages import EVERY, Stage, System
from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.output import make_folder, refuse_output, write_text
from tasuki.programs import find_program
from tasuki.progress import Display, Report, make_display
from tasuki.runner import run_native

PLAN = "plan.json"


class _Part:
    """The display of one stage: its reports are of the whole way, in steps of replicas."""

    def __init__(
        self, inner: Display, label: str, before: int, replicas: int, total: int, start: float
    ) -> None:
        self._inner, self._label, self._start = inner, label, start
        self._before, self._replicas, self._total = before, replicas, total

    def show(self, report: Report) -> None:
        done = self._before + report.done * self._replicas
        seconds = time.monotonic() - self._start
        self._inner.show(Report(self._label, done, self._total, seconds, 0.0, "", report.note))

    def say(self, text: str) -> None:
        self._inner.say(text)

    def close(self) -> None:
        """The next stage goes on with the bar."""


def plan_of(system: System, parts: Sequence[Stage], seed: int) -> str:
    """All that makes runs what they are, as plan.json has it."""
    plan = {"format": "tasuki-argon-transition", "version": 1, "seed": seed}
    plan |= {"system": dataclasses.asdict(system), "stages": [dataclasses.asdict(part) for part in parts]}
    return json.dumps(plan, indent=1) + "\n"


def _keep_plan(folder: Path, plan: str) -> None:
    path = make_folder(folder, "--output") / PLAN
    refuse_output(path, "--output")
    try:
        there = path.read_text() if path.exists() else None
    except OSError as error:
        raise TasukiError(f"cannot read {path}: {error.strerror}", "choose another --output") from None
    if there is None:
        write_text(path, plan, "--output")
    elif there != plan:
        raise TasukiError(f"{folder} has runs with other options", "choose another --output")


def _whole(folder: Path, part: Stage) -> Run | None:
    """The run in `folder`, where it is there to its end."""
    if not (folder / "results.h5").is_file() or not (folder / "record.json").is_file():
        return None
    run = read_run(folder)
    return run if run.rows * EVERY >= part.steps else None


def conduct(
    system: System,
    parts: Sequence[Stage],
    seed: int,
    folder: Path,
    ranks: int,
    extra: Sequence[str],
    progress: str,
    verbose: bool,
) -> dict[str, Run]:
    """The runs by the name of their stage. One that was interrupted goes on from its checkpoint. Ends the
    command with the program's status where a run fails or is interrupted."""
    _keep_plan(folder, plan_of(system, parts, seed))
    total = sum(part.steps * len(part.temperatures) for part in parts)
    done = 0
    display, start = make_display(progress), time.monotonic()
    found: dict[str, Run] = {}
    try:
        for number, part in enumerate(parts, 1):
            place = folder / part.name
            run = _whole(place, part)
            replicas = len(part.temperatures)
            if run is None:
                words = ["--folder", str(place)]
                words += ["--resume"] if (place / "job.json").is_file() else part.arguments(system, seed)
                words += [*extra, "--progress", "json"]
                command, environment = launch_command([str(find_program("argon")), *words], ranks)
                label = f"{part.name} ({number} of {len(parts)})"
                shown = _Part(display, label, done, replicas, total, start)
                outcome = run_native(command, environment, shown, verbose, echo=verbose)
                run = _whole(place, part)
                if outcome.status or run is None:
                    if not outcome.errors and not outcome.interrupted:
                        display.say(f"tasuki: {part.name} ended with status {outcome.status}; add --verbose")
                    display.say(f"the same command goes on from here; what is done is in {folder}")
                    raise typer.Exit(outcome.status or 130)
            found[part.name] = run
            done += part.steps * replicas
    finally:
        display.close()
    return found
