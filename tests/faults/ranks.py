"""Starts programs on ranks and waits for them, as the tests of faults need it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "TASUKI_THREADS": "1",
}

# How ranks are started, up to their number; the build says it.
LAUNCHER = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))


def is_open_mpi() -> bool:
    """Whether the launcher is Open MPI's: others may speak when a rank is killed; MPICH's kills all."""
    version = subprocess.run([LAUNCHER[0], "--version"], capture_output=True, text=True, check=False).stdout
    return "Open MPI" in version or "OpenRTE" in version


SKIPPED = 77  # the exit status that ctest takes for it


@dataclass
class Result:
    """How a run ended; all that it and its launcher wrote."""

    status: int
    seconds: float
    text: str


def start(
    command: Sequence[str], ranks: int, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """`command` on `ranks` ranks, output and errors in one pipe."""
    return subprocess.Popen(
        [*LAUNCHER, str(ranks), *command],
        env={**ENVIRONMENT, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(
    command: Sequence[str], ranks: int, environment: Mapping[str, str] | None = None, limit: float = 60
) -> Result:
    """Runs it to its end; past `limit` seconds it is killed and its status is -9."""
    return end_of(start(command, ranks, environment), limit)


def end_of(process: subprocess.Popen[str], limit: float) -> Result:
    """Waits so many seconds for a run that was started just now, and kills it then, ranks and all."""
    began = time.monotonic()
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        for pid in descendants(process.pid):
            kill(pid)
        process.kill()
        text, _ = process.communicate()
    return Result(process.returncode, time.monotonic() - began, text)


def descendants(pid: int) -> list[int]:
    """The processes that this one started, and those that they started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        new = children.get(todo.pop(), [])
        found += new
        todo += new
    return found


def kill_all(process: subprocess.Popen[str], limit: float = 60) -> None:
    """Kills what a launcher has started until it ends: it may start a rank after it was asked for them."""
    until = time.monotonic() + limit
    while process.poll() is None:
        for pid in descendants(process.pid):
            kill(pid)
        if time.monotonic() > until:
            process.kill()
        time.sleep(0.05)
    process.communicate()


def ranks_of(process: subprocess.Popen[str], program: str) -> list[int]:
    """The processes under a launcher that run a program."""
    found = []
    for pid in descendants(process.pid):
        try:
            if str(Path(f"/proc/{pid}/exe").readlink()) == os.path.realpath(program):
                found.append(pid)
        except OSError:
            continue
    return found


def rank_number(pid: int) -> str:
    """Which rank a process is, as its launcher told it."""
    words = dict(
        entry.partition("=")[::2]
        for entry in Path(f"/proc/{pid}/environ").read_text(errors="replace").split("\0")
    )
    for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"):
        if name in words:
            return words[name]
    return ""


def kill(pid: int, number: int = 9) -> None:
    """Sends a signal to a process, if it is still there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def alive(pid: int) -> bool:
    """Whether a process runs: one that waits for its burial does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def skip(reason: str) -> None:
    """Ends the script as skipped."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
