"""Why a run failed, from what launchers are known to write, and from the one that is here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command, error_line

from tasuki.failure import explain_failure
from tasuki.launch import find_launcher
from tasuki.runner import Outcome

LAUNCHER = find_launcher()
KIND = LAUNCHER.kind if LAUNCHER else ""
needs_mpirun = pytest.mark.skipif(KIND not in ("openmpi", "mpich"), reason="neither Open MPI nor MPICH here")

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
    (255, "[mpiexec@vm] HYDU_parse_hostfile (utils/args/args.c:319): unable to open host file: nohosts",
     "mpirun cannot open the hostfile nohosts"),
    (255, "[proxy:0:0@vm] HYDU_create_process (launch.c:73): execvp error on file ./a (Permission denied)",
     "mpirun cannot start the program: Permission denied"),
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


def test_a_launcher_that_writes_nothing() -> None:
    line = explain_failure("relax", Outcome(3))
    assert line == "tasuki: relax ended with status 3; add --verbose to see all its output"


# What the launcher that is here refuses: the words of the command, and the begin of the line.
REFUSED = {
    "openmpi": [
        (["--mpi-args", "--bogus"], "does not know --bogus; check --mpi-args"),
        (["--mpi-args", "--hostfile none"], "cannot open the hostfile none; check --mpi-args"),
        (["-n", "9999", "--mpi-args", "--host localhost:1"], "has fewer slots than 9999 ranks"),
    ],
    "mpich": [
        (["--mpi-args", "--bogus"], "does not know bogus; check --mpi-args"),
        (["--mpi-args", "-hostfile none"], "cannot open the hostfile none; check --mpi-args"),
    ],
}


@needs_mpirun
@pytest.mark.parametrize(("words", "said"), REFUSED.get(KIND, [([], "")]))
def test_the_launcher_itself(tasuki: Command, words: list[str], said: str) -> None:
    assert re.match(rf"tasuki: (mpirun|mpiexec) {re.escape(said)}", error_line(tasuki("run", "fake", *words)))


@needs_mpirun
def test_a_rank_that_was_killed_is_told_with_its_signal(tasuki: Command, programs: Path) -> None:
    script = programs / "tasuki-mortal"
    script.write_text(
        '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 || exec sleep 30\n'
        f"echo {'=' * 83}\necho mine\nkill -SEGV $$\n"
    )
    script.chmod(0o755)
    done = tasuki("run", "mortal", "-n", "2")
    line = error_line(done)
    # mpirun does not always say which; it does so where the others are slow to follow.
    assert re.match(
        r"tasuki: (rank 1 on \S+|a rank) of tasuki-mortal was ended by signal 11 \(SIGSEGV\)", line
    )
    assert done.returncode == {"openmpi": 139, "mpich": 11}[KIND]
    # The launcher's own lines are left out, what a rank has printed is not.
    assert done.stdout.split("\n")[:2] == ["=" * 83, "mine"]
    assert "TERMINAT" not in done.stdout


@needs_mpirun
def test_a_program_that_is_none(tasuki: Command, programs: Path) -> None:
    text = programs / "tasuki-text"
    text.write_text("hello\n")
    text.chmod(0o755)
    # Hydra hands what the system does not know to a shell.
    said = {"openmpi": "cannot start the program: Exec format error", "mpich": "hello: not found"}[KIND]
    assert said in error_line(tasuki("run", "text", "-n", "2"))


@needs_mpirun
def test_the_status_is_passed_on(tasuki: Command, programs: Path) -> None:
    script = programs / "tasuki-seven"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    done = tasuki("run", "seven", "-n", "2")
    assert done.returncode == 7
    assert error_line(done).startswith("tasuki: tasuki-seven ended with status 7")


def test_a_launcher_that_lost_a_rank_and_does_not_say_how() -> None:
    noise = ["[mpiexec@a] control_cb (pm/pmiserv/pmiserv_cb.c:206): assert (!closed) failed"]
    line = explain_failure("relax", Outcome(255, noise=noise), "/usr/bin/mpiexec")
    assert line == (
        "tasuki: a rank of relax was ended, and mpiexec does not say how; add --verbose to see all its output"
    )
