"""Why a run failed, from what launchers are known to write, and from the one that is here."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import Command, error_line

from tasuki.failure import explain_failure
from tasuki.runner import Outcome

needs_open_mpi = pytest.mark.skipif(not shutil.which("ompi_info"), reason="no Open MPI on this machine")

SAID = [
    (137, "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).",
     "rank 1 on vm of relax was ended by signal 9 (SIGKILL); perhaps out of memory"),
    (139, "srun: error: n7: task 3: Segmentation fault (core dumped)",
     "rank 3 on n7 of relax was ended by signal 11 (SIGSEGV)"),
    (9, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
     "a rank of relax was ended by signal 9 (SIGKILL)"),
    (134, "", "a rank of relax was ended by signal 6 (SIGABRT)"),
    (1, 'mpirun: Error: unknown option "--bogus"', "mpirun does not know --bogus; check --mpi-args"),
    (1, "[mpiexec@vm] match_arg (args.c:163): unrecognized argument bogus", "mpirun does not know bogus"),
    (1, "srun: unrecognized option '--bogus'", "mpirun does not know --bogus"),
    (1, "There are not enough slots available in the system to satisfy the 8",
     "mpirun has fewer slots than 8 ranks"),
    (1, "Open RTE was unable to open the hostfile:\n    nohosts", "mpirun cannot open the hostfile nohosts"),
    (1, "ssh: Could not resolve hostname far: Name or service not known", "mpirun cannot find the host far"),
    (131, "  Error:             Exec format error", "mpirun cannot start the program: Exec format error"),
    (1, "relax: error while loading shared libraries: libhdf5.so", "relax ended with status 1: relax: error"),
    (2, "./relax: unrecognized option '--nx'", "relax ended with status 2; add --verbose"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "noise", "said"), SAID, ids=[said[:30] for _, _, said in SAID])
def test_what_launchers_write(status: int, noise: str, said: str) -> None:
    line = explain_failure("relax", Outcome(status, noise=["-" * 74, *noise.splitlines(), "-" * 74]))
    assert line is not None
    assert line.startswith(f"tasuki: {said}")
    assert "\n" not in line


def test_nothing_is_added_to_what_a_program_said_itself() -> None:
    assert explain_failure("relax", Outcome(1, errors=["tasuki: --nx 0; give more"])) is None
    assert explain_failure("relax", Outcome(0, noise=["not enough slots"])) is None


@needs_open_mpi
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mpi-args", "--bogus"], "tasuki: mpirun does not know --bogus; check --mpi-args"),
        (
            ["--mpi-args", "--hostfile none"],
            "tasuki: mpirun cannot open the hostfile none; check --mpi-args",
        ),
        (
            ["-n", "9999", "--mpi-args", "--host localhost:1"],
            "tasuki: mpirun has fewer slots than 9999 ranks",
        ),
    ],
)
def test_open_mpi_itself(tasuki: Command, words: list[str], said: str) -> None:
    assert error_line(tasuki("run", "fake", *words)).startswith(said)


@needs_open_mpi
def test_a_rank_that_was_killed_is_told_with_its_signal(tasuki: Command, programs: Path) -> None:
    script = programs / "tasuki-mortal"
    script.write_text('#!/bin/sh\ntest "$OMPI_COMM_WORLD_RANK" = 1 && kill -SEGV $$\nsleep 30\n')
    script.chmod(0o755)
    done = tasuki("run", "mortal", "-n", "2")
    line = error_line(done)
    # mpirun does not always say which; it does so where the others are slow to follow.
    assert re.match(
        r"tasuki: (rank 1 on \S+|a rank) of tasuki-mortal was ended by signal 11 \(SIGSEGV\)", line
    )
    assert done.returncode == 139


@needs_open_mpi
def test_a_program_that_is_none(tasuki: Command, programs: Path) -> None:
    text = programs / "tasuki-text"
    text.write_text("hello\n")
    text.chmod(0o755)
    assert "cannot start the program: Exec format error" in error_line(tasuki("run", "text", "-n", "2"))


@needs_open_mpi
def test_the_status_is_passed_on(tasuki: Command, programs: Path) -> None:
    script = programs / "tasuki-seven"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    done = tasuki("run", "seven", "-n", "2")
    assert done.returncode == 7
    assert error_line(done).startswith("tasuki: tasuki-seven ended with status 7")
