"""Shows how far a run is: a live bar on a terminal, one plain line now and then elsewhere."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from tasuki.units import clock_text

MARK = "@progress "
PICTURES = "@pictures "
OWNERS = "@owners "  # read by tasuki.owners
STYLES = ("auto", "bar", "lines", "json", "none")


@dataclass(frozen=True)
class Report:
    """One report of the native program: `done` of `total` steps after `seconds`, at `rate` `unit`;
    `note` is what else it says of itself."""

    label: str
    done: int
    total: int
    seconds: float
    rate: float
    unit: str
    note: str = ""

    def left(self, first: Report) -> float | None:
        """The seconds left at the pace since `first`, a report of the same run before this one;
        None where nothing was done since. (The steps before a restart cost this run nothing.)"""
        steps = self.done - first.done
        if steps <= 0 or self.total <= 0:
            return None
        return (self.seconds - first.seconds) * (self.total - self.done) / steps

    def follows(self, other: Report) -> bool:
        """Whether it is of the same steps as `other`: a program may do several runs, one after another."""
        return (self.label, self.total) == (other.label, other.total) and self.done >= other.done

    def tail(self, first: Report) -> str:
        """Rate, note and time left in words."""
        parts = [f"{self.rate:.3g} {self.unit}"] if self.rate > 0 else []
        if self.note:
            parts.append(self.note)
        left = self.left(first)
        if left is not None:
            parts.append(f"{clock_text(left)} left")
        return ", ".join(parts)


def parse_report(line: str) -> Report | None:
    """The report in `line`, or None where the line is none."""
    if not line.startswith(MARK):
        return None
    try:
        data = json.loads(line[len(MARK) :])
        return Report(
            label=str(data["label"]),
            done=int(data["done"]),
            total=int(data["total"]),
            seconds=float(data["seconds"]),
            rate=float(data.get("rate") or 0.0),
            unit=str(data.get("unit", "")),
            note=str(data.get("note", "")),
        )
    except (ValueError, KeyError, TypeError):
        return None


def parse_pictures(line: str) -> Path | None:
    """The snapshot that `line` asks to have drawn, or None where the line is no such request."""
    if not line.startswith(PICTURES):
        return None
    try:
        return Path(str(json.loads(line[len(PICTURES) :])["snapshot"]))
    except (ValueError, KeyError, TypeError):
        return None


class Display(Protocol):
    """Something that shows reports, and lets other text pass without tearing it."""

    def show(self, report: Report) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


class Silent:
    """Shows no progress at all; text still passes."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def show(self, report: Report) -> None:
        pass

    def say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def close(self) -> None:
        pass


class Lines(Silent):
    """One plain line every `period` seconds."""

    def __init__(self, stream: TextIO | None = None, period: float = 10.0) -> None:
        super().__init__(stream)
        self._period = period
        self._next = time.monotonic() + period
        self._first: Report | None = None
        self._last: Report | None = None

    def show(self, report: Report) -> None:
        if self._first is None or not report.follows(self._last or report):
            self._first = report
        self._last = report
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._period
        share = f" ({100 * report.done / report.total:.0f} %)" if report.total > 0 else ""
        tail = report.tail(self._first)
        self.say(f"{report.label}: {report.done} of {report.total} steps{share}{', ' if tail else ''}{tail}")


class Json(Silent):
    """Hands the reports on as they come, for another program to read."""

    def show(self, report: Report) -> None:
        self.say(MARK + json.dumps(vars(report)))


class Bar:
    """A live bar with rate and time left."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TextColumn("{task.fields[tail]}"),
            console=console,
        )
        self._task: TaskID | None = None
        self._first: Report | None = None
        self._last: Report | None = None

    def show(self, report: Report) -> None:
        if self._first is None or not report.follows(self._last or report):
            self._first = report
        self._last = report
        if self._task is None:
            self._progress.start()
            self._task = self._progress.add_task(report.label, total=report.total, tail="")
        self._progress.update(
            self._task,
            description=report.label,
            completed=report.done,
            total=report.total,
            tail=report.tail(self._first),
        )

    def say(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        if self._task is not None:
            self._progress.stop()


def make_display(style: str) -> Display:
    """The display for `style`, one of STYLES; ``auto`` is a bar on a terminal and lines elsewhere."""
    if style == "json":
        return Json()
    if style == "none":
        return Silent()
    console = Console(stderr=True)
    if style == "bar" or (style == "auto" and console.is_terminal):
        return Bar(console)
    return Lines()
