"""Runs a native program under its launcher: progress, signals, and one line where it fails."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from tasuki.progress import OWNERS, Display, parse_pictures, parse_report

ERROR = "tasuki: "
_LOG = ("tasuki info: ", "tasuki debug: ")  # of --log
_PR_SET_PDEATHSIG = 1
_LAUNCHERS = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun|ssh)\b|\[[^\]]*\] +\d+ more process")
# What mpiexec of MPICH writes to stdout where a signal ended a rank: lines below an edge, and another edge.
_BANNER = re.compile(
    r"=   (BAD TERMINATION OF|PID \d+ RUNNING|EXIT CODE: \d|CLEANING UP REMAINING|YOU CAN IGNORE)|"
    r"YOUR APPLICATION TERMINATED WITH THE EXIT STRING|This typically refers to a problem with your app|"
    r"Please see the FAQ page for debugging sugg"
)
_BANNER_EDGE = "=" * 83
_KILL_AFTER = 5.0  # seconds between asking a launcher to end its ranks and killing all of them


@dataclass
class Outcome:
    """How a run ended: its exit status, what was written besides progress, errors and output, and the
    snapshots that it asks to have drawn."""

    status: int
    errors: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    interrupted: bool = False
    pictures: list[Path] = field(default_factory=list)


def _end_with_parent() -> None:
    """Runs in the child: it is told to end where this process dies, so that no rank is left alone."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _descendants(root: int) -> list[int]:
    """All processes below `root`, itself included, from /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(after_name[1]), []).append(int(entry.name))
    found, frontier = [root], [root]
    while frontier:
        frontier = [child for parent in frontier for child in children.get(parent, [])]
        found += frontier
    return found


class _Signals:
    """The first Ctrl-C or SIGTERM asks the ranks for a checkpoint and a clean end, the second kills them."""

    def __init__(self, child: subprocess.Popen[str], display: Display) -> None:
        self._child = child
        self._display = display
        self._pending = 0
        self.count = 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        self._pending += 1  # acted upon outside of the handler, which may stand inside of any call

    def act(self) -> None:
        """Does what the signals that have come ask for."""
        while self.count < self._pending:
            self.count += 1
            if self.count == 1:
                self._display.say("ending cleanly; Ctrl-C again kills the run")
                self._send(signal.SIGUSR1)
            elif self.count == 2:
                self._display.say("killing the run")
                threading.Thread(target=self._kill, daemon=True).start()

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._child.send_signal(number)

    def _kill(self) -> None:
        everyone = _descendants(self._child.pid)  # before the launcher ends and its ranks change parent
        self._send(signal.SIGTERM)
        deadline = time.monotonic() + _KILL_AFTER
        while self._child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if self._child.poll() is None:
            for process in everyone:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)


@contextlib.contextmanager
def _handled(signals: _Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; a caller on another one sends none
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signals.handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _without_banner(stream: IO[str], noise: deque[str]) -> Iterator[str]:
    """The program's lines; those of MPICH's launcher go to `noise`."""
    edge = ""  # held back until the next line tells whose it is
    for line in stream:
        if _BANNER.match(line):
            noise.append(line.rstrip("\n"))
            edge = ""
            continue
        if edge:
            yield edge
        edge = line if line.rstrip("\n") == _BANNER_EDGE else ""
        if not edge:
            yield line
    if edge:
        yield edge


def _pass_on(stream: IO[str], display: Display, noise: deque[str], echo: bool) -> None:
    """The program's own words go to stdout, without tearing the bar on stderr."""
    together = sys.stdout.isatty() and sys.stderr.isatty()
    for line in _without_banner(stream, noise):
        if not echo:
            continue
        if together:
            display.say(line.rstrip("\n"))
        else:
            sys.stdout.write(line)
            sys.stdout.flush()


def _lines(stream: IO[str]) -> Iterator[str]:
    """Lines; the launcher's own may begin behind what a rank has written before it ended its line."""
    for line in stream:
        text = line.rstrip("\n")
        glued = re.fullmatch(r"(.*[^-])(-{61,})", text)
        yield from glued.groups() if glued else (text,)


def _sort(
    stream: IO[str], display: Display, outcome: Outcome, noise: deque[str], shows: bool, verbose: bool
) -> None:
    framed = False  # Open MPI's own words stand between lines of dashes
    for text in _lines(stream):
        report = parse_report(text)
        if report is not None:
            display.show(report)
        elif (snapshot := parse_pictures(text)) is not None:
            if snapshot not in outcome.pictures:  # a later one of the same name has taken its place
                outcome.pictures.append(snapshot)
        elif text.startswith(OWNERS):
            noise.append(text)
        elif text.startswith(ERROR):
            if text not in outcome.errors:  # every rank may say the same
                outcome.errors.append(text)
                display.say(text)
        elif text.startswith(_LOG):
            display.say(text)
        else:
            edge = len(text) > 60 and not text.strip("-")
            noise.append(text)
            if verbose or (shows and not framed and not edge and not _LAUNCHERS.match(text)):
                display.say(text)
            framed ^= edge


def run_native(
    command: Sequence[str],
    environment: dict[str, str],
    display: Display,
    verbose: bool = False,
    echo: bool = True,
    hide_errors: bool = True,
) -> Outcome:
    """Runs `command` to its end. stdout is passed on if `echo`; of stderr, progress is shown, lines that
    begin with ``tasuki:`` are shown once, the rest is kept. It is shown if `verbose`, and but for what is the
    launcher's if not `hide_errors`."""
    outcome = Outcome(0)
    noise: deque[str] = deque(maxlen=1000)
    child = subprocess.Popen(
        list(command),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        bufsize=1,
        start_new_session=True,  # a Ctrl-C of the terminal comes to us alone
        preexec_fn=_end_with_parent,
    )
    assert child.stdout is not None and child.stderr is not None
    errors = (child.stderr, display, outcome, noise, not hide_errors, verbose)
    readers = [
        threading.Thread(target=_pass_on, args=(child.stdout, display, noise, echo), daemon=True),
        threading.Thread(target=_sort, args=errors, daemon=True),
    ]
    signals = _Signals(child, display)
    try:
        with _handled(signals):
            for reader in readers:
                reader.start()
            while child.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=0.1)
                signals.act()
            for reader in readers:
                reader.join(timeout=5)  # a rank that outlives its launcher may hold the pipe open
    finally:
        display.close()
    outcome.status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    outcome.noise = list(noise)
    outcome.interrupted = signals.count > 0
    return outcome
