"""Starts a profiler on one rank of a run: ``tasuki run --profile nsys``."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.output import refuse_output


@dataclass(frozen=True)
class _Tool:
    """A profiler: its words before the program, what its reports end in, and where it comes from."""

    words: tuple[str, ...]
    out: str  # the option that names the report, without its ending
    ending: str
    package: str


_TOOLS = {
    "nsys": _Tool(
        ("profile", "--trace=cuda,nvtx,mpi", "--force-overwrite=true"),
        "--output",
        ".nsys-rep",
        "Nsight Systems",
    ),
    "ncu": _Tool(("--force-overwrite",), "--export", ".ncu-rep", "Nsight Compute"),
}

# The launcher starts this on every rank, as `sh -c`: the rank that is profiled, the number of the profiler's
# words, those words, then the program's. A launcher tells a rank its number by the first of these variables
# that is set; without a launcher it is 0. Under mpirun in a Slurm job SLURM_PROCID is the batch script's, so
# it comes last.
_ON_ONE_RANK = (
    "rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}}; "
    "chosen=$1; words=$2; shift 2; "
    '[ "$rank" = "$chosen" ] || shift "$words"; '
    'exec "$@"'
)


@dataclass(frozen=True)
class Profile:
    """What is put before the program on every rank, and the report that the chosen rank leaves."""

    before: list[str]
    report: Path
    environment: Mapping[str, str]  # by which the program names what it does

    def expect_report(self) -> None:
        """Throws where the profiler left nothing."""
        if not self.report.is_file():
            raise TasukiError(
                f"the profiler left no report at {self.report}", "add --verbose to see its output", 1
            )


def profile_of(tool: str, rank: int, words: str, ranks: int, record: Path) -> Profile:
    """The profile of `rank` by `tool`, with its report beside the record. `words` go to the profiler."""
    if tool not in _TOOLS:
        raise TasukiError(f"--profile {tool} is unknown", f"choose one of {', '.join(_TOOLS)}")
    if not 0 <= rank < ranks:
        most = f"a rank from 0 to {ranks - 1}" if ranks > 1 else "rank 0"
        raise TasukiError(f"--profile-rank {rank} of {ranks} rank{'s' if ranks > 1 else ''}", f"give {most}")
    row = _TOOLS[tool]
    path = shutil.which(tool)
    if path is None:
        raise TasukiError(
            f"the profiler {tool} is not in PATH", f"install {row.package}, or add its folder to PATH"
        )
    try:
        extra = shlex.split(words)
    except ValueError as error:
        raise TasukiError(f"--profile-args {words} cannot be read ({error})", "close its quotes") from None
    stem = record.with_name(f"{record.stem}-rank{rank}")
    report = stem.with_name(stem.name + row.ending)
    if os.path.lexists(report):
        refuse_output(report, "--record")
        report.unlink()  # so that what is there at the end is this run's
    command = [path, *row.words, row.out, str(stem.absolute()), *extra]
    before = ["sh", "-c", _ON_ONE_RANK, "tasuki-profile", str(rank), str(len(command)), *command]
    return Profile(before, report, {"TASUKI_RANGES": "1"})
