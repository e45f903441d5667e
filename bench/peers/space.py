"""Global Arrays beside a space: a patch of another process's part of an array, and the same by MPI.

    apt-get install libglobalarrays-dev libarmci-mpi-dev libscalapack-mpi-dev
    python bench/peers/space.py [--out bench/results] [--machine NAME]

Compiles global_arrays.c with mpicc and what ga-config says, runs it on two processes, and keeps its figure as
space-peers.jsonl with this machine's records, where the table `space` of make bench shows it.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]

from rich.console import Console  # noqa: E402

from tasuki.errors import TasukiError  # noqa: E402
from tasuki.launch import launch_command  # noqa: E402
from tasuki.machine import gpu_names, machine_name  # noqa: E402
from tasuki_bench.lines import make_records, write_lines  # noqa: E402
from tasuki_bench.space import PEERS, Row, table  # noqa: E402

ROWS, REPETITIONS = 4096, 7  # rows of 4 KiB, as tasuki-bench-space has them
MEND = "apt-get install libglobalarrays-dev libarmci-mpi-dev libscalapack-mpi-dev"


def _said(command: Sequence[str], mend: str, environment: dict[str, str] | None = None) -> str:
    """What a command prints; an error that names it where it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,  # mpiexec of MPICH forwards it, and dies of a program that has ended
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TasukiError(f"{command[0]}: {error}", mend) from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise TasukiError(f"{command[0]} ended with {done.returncode}: {lines[-1]}", mend)
    return done.stdout


def measure(rows: int, repetitions: int) -> Row:
    """Seconds of a patch of so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "global_arrays")
        words = [
            word
            for what in ("--cppflags", "--ldflags", "--libs")
            for word in shlex.split(_said(["ga-config", what], MEND))
        ]
        source = str(Path(__file__).with_name("global_arrays.c"))
        _said(["mpicc", "-O2", source, *words, "-lgfortran", "-lm", "-o", program], MEND)
        command, environment = launch_command([program, str(rows), str(repetitions)], 2)
        said = _said(command, "run it by hand to see more", environment)
        get, get_least, mpi, mpi_least = (float(word) for word in said.split())
    what = "a patch of rows of 4 KiB by Global Arrays"
    return Row(what, "", 2, get, get_least, "MPI, one message of a vector", mpi, mpi_least, rows * 4096.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, keeps and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS, help=f"of the patch [{ROWS}]")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help=f"[{REPETITIONS}]")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results", help="[bench/results]")
    parser.add_argument("--machine", help="the name of the folder in it [from GPU or processor]")
    options = parser.parse_args(arguments)
    folder = options.out / (options.machine or machine_name(gpu_names()))
    try:
        row = measure(options.rows, options.repetitions)
        make_records(folder)
        write_lines(folder / PEERS, [asdict(row)])
    except (TasukiError, OSError) as error:
        print(f"tasuki: {error}", file=sys.stderr)
        return 1
    Console(width=None if sys.stdout.isatty() else 140).print(table([row]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
