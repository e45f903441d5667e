"""Microseconds a step, measured by ``tasuki-bench-steps``: what is run, and the rows that come back.

A group is a table: cases down, ways to run them across. One process measures all cases of a way, so a way
that dies or hangs costs its own column alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import find_program
from tasuki.row_file import read_row_file, write_row_file

PROGRAM = "bench-steps"
EXECUTORS = ("eager", "overlapped", "graph", "blocked", "resident", "streamed", "auto")


@dataclass(frozen=True)
class Way:
    """A column: an executor, with options of its own."""

    label: str
    executor: str = "auto"
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """A table. `ranks` are the numbers of ranks that it is for, as far as the machine has devices."""

    name: str
    title: str
    device: str
    cases: tuple[str, ...]
    ways: tuple[Way, ...]
    ranks: tuple[int, ...] = (1, 2, 4, 8)
    threads: int | None = None  # of a rank on the host; none: the cores shared out
    big: tuple[str, ...] = ()  # cases that take long: with --big alone
    subject: str = ""  # the way that is held against others ..
    against: tuple[str, ...] = ()  # .. these


@dataclass(frozen=True)
class Row:
    """A case in a way on so many ranks; seconds are those of a step, of the fastest repetition, the mean and
    the slowest. `refused` says why there are none."""

    group: str
    case: str
    way: str
    ranks: int
    device: str = "cuda"
    threads: int = 1
    chosen: str = ""
    steps: int = 0
    seconds: float = 0.0
    mean: float = 0.0
    largest: float = 0.0
    cells: float = 0.0
    bytes_a_cell: float = 0.0
    flop_a_cell: float = 0.0
    channels: Mapping[str, Any] = field(default_factory=dict)
    halo: Sequence[Sequence[int]] = ()  # cells before and behind, by axis; older records do not have it
    refused: str = ""

    @property
    def measured(self) -> bool:
        """Whether there is a time."""
        return not self.refused and self.seconds > 0

    def limit(self, stream: float | None) -> float | None:
        """Seconds that the least traffic takes at the bandwidth `stream` of a device: a GPU a rank, or the
        host that all of them share."""
        devices = self.ranks if self.device == "cuda" else 1
        return self.cells * self.bytes_a_cell / (stream * devices) if stream else None


_FIELDS = {f.name for f in dataclasses.fields(Row)}


def row_of(data: Mapping[str, Any], **more: Any) -> Row:  # noqa: ANN401 -- any field
    """A row of a line that tasuki-bench-steps wrote, or of a record."""
    return Row(**{name: value for name, value in {**data, **more}.items() if name in _FIELDS})


def _hybrids(executor: str) -> tuple[Way, ...]:
    """Direct links alone, MPI alone, and both: two groups of ranks, their blocks mapped well and naively."""
    groups = ("--subclusters", "2")
    return (
        Way("direct", executor, ("--channel", "peer")),
        Way("mpi", executor, ("--channel", "mpi")),
        Way("hybrid", executor, groups),
        Way("naive mapping", executor, (*groups, "--mapping", "naive")),
    )


def _executors() -> tuple[Way, ...]:
    return tuple(Way(name, name) for name in EXECUTORS)


def _squares(*extents: int, words: Sequence[str] = ("nvidia", "nvidia/norm")) -> tuple[str, ...]:
    return tuple(f"laplace/{n}x{n}/{word}" for word in words for n in extents)


def _himeno(*sizes: str) -> tuple[str, ...]:
    return tuple(f"himeno/{size}{norm}" for norm in ("", "/norm") for size in sizes)


def _regrets(*few: str, long: Sequence[str], short: Sequence[str] = ("200steps",)) -> tuple[str, ...]:
    """Cases of 200 steps, and of as many as a long run has."""
    return tuple(f"{case}/{steps}" for steps in (*short, *long) for case in few)


def _norms(case: str) -> tuple[str, ...]:
    return tuple(f"{case}{norm}" for norm in ("", "/norm10", "/norm1"))


# What people run who set no option: three stencils, small and large, with and without a sum that ends it.
_REGRETS_CUDA = (
    *_regrets(
        *(case for n in (32, 128, 512, 2048, 4096) for case in _norms(f"laplace/{n}x{n}")),
        *(case for size in ("S", "M") for case in (f"himeno/{size}", f"himeno/{size}/norm1")),
        "diffusion/128x128x128/7",
        "diffusion/128x128x128/27",
        long=("20000steps",),
    ),
    *_regrets(
        *_norms("laplace/16384x16384"),
        "himeno/L",
        "himeno/L/norm1",
        "diffusion/512x512x512/7",
        "diffusion/512x512x512/27",
        long=("2000steps",),
    ),
)
_REGRETS_HOST = _regrets(
    *(case for n in (32, 256, 1024) for case in _norms(f"laplace/{n}x{n}")),
    "himeno/XS",
    "himeno/S/norm1",
    "diffusion/64x64x64/7",
    "diffusion/64x64x64/27",
    long=("2000steps",),
)
BEST = "best"  # of the other ways of a group


def _slabs() -> tuple[Way, ...]:
    """By default, and as the study did it: four steps between two exchanges."""
    return (
        Way("auto"),
        Way("one step at a time", "eager"),
        Way("four steps at a time", "auto", ("--halo", "4")),
    )


def _forced() -> tuple[Way, ...]:
    """Every executor with the halo of the program, and passes with the deep one that several ranks need."""
    return (*_executors(), Way("blocked, deep halos", "blocked", ("--halo", "auto")))


GROUPS = (
    Group(
        "regret",
        "what auto took against the best of what it could have taken, programs that were never run before",
        "cuda",
        _REGRETS_CUDA,
        _forced(),
        subject="auto",
        against=(BEST,),
    ),
    Group(
        "regret",
        "what auto took against the best of what it could have taken, programs that were never run before",
        "host",
        _REGRETS_HOST,
        _executors(),
        subject="auto",
        against=(BEST,),
    ),
    Group(
        "laplace",
        "laplace fp32, the norm off and over all devices in every step",
        "cuda",
        _squares(512, 1024, 2048, 4096, 16384),
        _executors(),
    ),
    Group(
        "himeno",
        "himeno, gosa off and over all devices in every step",
        "cuda",
        _himeno("S", "M", "L"),
        _executors(),
        big=_himeno("XL"),
    ),
    Group(
        "diffusion",
        "diffusion fp64, 7 and 27 points",
        "cuda",
        ("diffusion/512x512x512/7", "diffusion/512x512x512/27"),
        _executors(),
    ),
    Group(
        "slab",
        "27 points, fp64, 512 x 2048 x 2048 cells, 128 steps: 0.109 s a step on four P100 in the study",
        "cuda",
        ("diffusion/512x2048x2048/27/128steps",),
        _slabs(),
        subject="auto",
        against=("four steps at a time",),
    ),
    Group(
        "slab",
        "27 points, fp64, 128 steps: a piece of the slab of the study of mSMS",
        "host",
        ("diffusion/32x128x128/27/128steps",),
        _slabs(),
        ranks=(1, 2),
        subject="auto",
        against=("four steps at a time",),
    ),
    Group(
        "halo",
        "temporal blocking: the width of the halos",
        "cuda",
        ("laplace/4096x4096/nvidia", "laplace/16384x16384/nvidia", "diffusion/512x512x512/7"),
        (Way("auto"), *(Way(f"halo {n}", "auto", ("--halo", str(n))) for n in (1, 2, 4, 8))),
        subject="auto",
        against=("halo 1",),
    ),
    Group(
        "gates",
        "overlapped through MPI, a block of so many cells a GPU: enqueued ahead with gates, against blocking",
        "cuda",
        tuple(f"diffusion/{n}x{n}x{n}/block" for n in (64, 128, 192, 256, 384, 512)),
        (
            Way("gates", "overlapped", ("--channel", "mpi", "--progress-cores", "any")),
            Way("blocking", "overlapped", ("--channel", "mpi", "--progress-cores", "none")),
        ),
        ranks=(2, 4, 8),
        subject="gates",
        against=("blocking",),
    ),
    Group(
        "hybrid",
        "two groups of ranks as if on nodes of their own: MPI between them, direct links inside",
        "cuda",
        _himeno("S", "M"),
        _hybrids("overlapped"),
        ranks=(2, 4, 8),
        subject="hybrid",
        against=("mpi", "direct"),
    ),
    Group(
        "laplace",
        "laplace fp32, the norm off and over all ranks in every step",
        "host",
        _squares(64, 256, 1024),
        _executors(),
    ),
    Group("himeno", "himeno, gosa off and in every step", "host", _himeno("XS", "S"), _executors()),
    Group(
        "diffusion", "diffusion fp64", "host", ("diffusion/64x64x64/7", "diffusion/64x64x64/27"), _executors()
    ),
    Group(
        "sync",
        "a small block a rank, one thread each",
        "host",
        ("laplace/32x32/block", "laplace/64x64/block", "laplace/128x128/block"),
        _executors(),
        ranks=(1, 2),
        threads=1,
    ),
    Group(
        "hybrid",
        "two groups of ranks as if on nodes of their own: MPI between them, shared memory inside",
        "host",
        _himeno("XS", "S"),
        _hybrids("auto"),
        ranks=(4,),
        subject="hybrid",
        against=("mpi", "direct"),
    ),
)


@dataclass(frozen=True)
class Effort:
    """Seconds that a case is timed, in so many repetitions."""

    seconds: float = 0.3
    repeats: int = 5


def run_quietly(command: Sequence[str], environment: Mapping[str, str], timeout: float) -> tuple[int, str]:
    """Runs `command`; its status, and all that it said. One that outlasts `timeout` is ended with all of its
    children, and its status is 124."""
    with tempfile.TemporaryFile("w+", errors="replace") as words:
        child = subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = child.wait(timeout)
        except subprocess.TimeoutExpired:
            status = 124
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(child.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(5)
        words.seek(0)
        return status, words.read()


def reason_of(status: int, said: str) -> str:
    """One line for a run that ended before its time."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line.removeprefix("tasuki: ") for line in lines if line.startswith("tasuki: ")]
    if told:
        return told[0]
    if status == 124:
        return "it did not end in time"
    errors = [line for line in lines if "error" in line.lower()]
    return f"ended with status {status}" + (f": {errors[0][:160]}" if errors else "")


def patience(device: str, cases: int, effort: Effort) -> float:
    """Seconds after which a process that measures so many cases hangs. A GPU is dear, a host may be busy."""
    start, factor, more = (20.0, 4.0, 1.0) if device == "cuda" else (30.0, 10.0, 4.0)
    return start + cases * (factor * effort.seconds + more)


def read_rows(path: Path, **more: str) -> list[Row]:
    """The rows that were written before whatever happened; a last line that is torn is left out."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        with contextlib.suppress(json.JSONDecodeError):
            rows.append(row_of(json.loads(line), **more))
    return rows


def cache_without_memory(folder: Path) -> Path:
    """A cache with this machine's constants, and without what trials of earlier runs found: a program that is
    measured is one that was never run before."""
    cache = folder / "cache"
    (cache / "tasuki").mkdir(parents=True)
    known = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tasuki"
    for constants in known.glob("tuning-*.json"):
        shutil.copy(constants, cache / "tasuki")
    return cache


def measure(
    group: str,
    cases: Sequence[str],
    way: Way,
    ranks: int,
    device: str,
    threads: int | None = None,
    effort: Effort | None = None,
) -> list[Row]:
    """All cases in one way, in one process a rank. Those that it never came to are rows that say why."""
    effort = effort or Effort()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        words = [str(find_program(PROGRAM)), *cases, "--executors", way.executor, "--device", device]
        words += ["--out", str(out), "--seconds", str(effort.seconds), "--repeats", str(effort.repeats)]
        words += ["--threads", str(threads)] if threads else []
        words += way.options
        try:
            command, environment = launch_command(words, ranks)
        except TasukiError as error:
            return [Row(group, case, way.label, ranks, device, refused=str(error)) for case in cases]
        environment = {**environment, "XDG_CACHE_HOME": str(cache_without_memory(Path(folder)))}
        status, said = run_quietly(command, environment, patience(device, len(cases), effort))
        rows = read_rows(out, group=group, way=way.label, device=device)
    done = {row.case for row in rows}
    why = reason_of(status, said)
    return rows + [
        Row(group, case, way.label, ranks, device, refused=why) for case in cases if case not in done
    ]


def groups_for(
    device: str, devices: int, only: Iterable[str] | None = None
) -> list[tuple[Group, tuple[int, ...]]]:
    """The groups of a device, each with the numbers of ranks that so many devices (host: cores) hold."""
    wanted = set(only) if only is not None else None
    found = []
    for group in GROUPS:
        if group.device != device or (wanted is not None and group.name not in wanted):
            continue
        fitting = tuple(count for count in group.ranks if count <= devices)
        if fitting:
            found.append((group, fitting))
    return found


def neighbours_cost(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """Of the group ``sync``: by case and way, the seconds by which a step of two ranks is longer than one of
    a rank alone with a block of the same size."""
    times = {
        (row.case, row.way, row.ranks): row.seconds for row in rows if row.measured and row.group == "sync"
    }
    return {
        (case, way): times[case, way, 2] - seconds
        for (case, way, ranks), seconds in times.items()
        if ranks == 1 and (case, way, 2) in times
    }


RECORD = "steps.json"


def write_record(folder: Path, rows: Sequence[Row]) -> None:
    """Writes the rows beside those of other tables that were measured before on this machine."""
    fresh = {(row.device, row.group) for row in rows}
    kept = [row for row in read_record(folder) if (row.device, row.group) not in fresh]
    write_row_file(folder / RECORD, (*kept, *rows))


def read_record(folder: Path) -> list[Row]:
    """The rows of the record in `folder`; none where there is no record."""
    return read_row_file(folder / RECORD, row_of)
