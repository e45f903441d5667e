"""The command line that starts the ranks, for every kind of launcher."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from tasuki.errors import TasukiError
from tasuki.launch import cores, crowding, find_launcher, launch_command, parse_ranks, ranks_for


def fake_launcher(folder: Path, name: str, version: str) -> dict[str, str]:
    path = folder / name
    path.write_text(f"#!/bin/sh\nprintf '%s\\n' '{version}'\n")
    path.chmod(0o755)
    return {"TASUKI_LAUNCHER": str(path), "PATH": os.environ["PATH"]}


def test_open_mpi(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    command, environment = launch_command(["p", "--x"], cores(), "", env)
    assert command[1:] == ["-n", str(cores()), "--bind-to", "none", "p", "--x"]
    if os.geteuid() == 0:
        assert environment["OMPI_ALLOW_RUN_AS_ROOT"] == environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_open_mpi_with_more_ranks_than_cores(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    assert "--oversubscribe" in launch_command(["p"], cores() + 1, "", env)[0]
    assert "--oversubscribe" not in launch_command(["p"], cores() + 1, "--hostfile h", env)[0]


def test_open_mpi_5(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 5.0.3")
    assert find_launcher(env).kind == "openmpi"  # type: ignore[union-attr]


def test_mpich(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpiexec", "HYDRA build details:\n    Version:    4.0.2")
    launcher = find_launcher(env)
    assert launcher is not None
    assert (launcher.kind, launcher.version) == ("mpich", "HYDRA 4.0.2")
    command, _ = launch_command(["p"], cores() + 3, "-f hosts", env)
    assert command[1:] == ["-n", str(cores() + 3), "-f", "hosts", "p"]


def test_a_launcher_that_is_not_there() -> None:
    with pytest.raises(TasukiError, match="TASUKI_LAUNCHER"):
        find_launcher({"TASUKI_LAUNCHER": "/nowhere/mpirun"})


def test_ranks() -> None:
    assert parse_ranks(None, {}) == 1
    assert parse_ranks(None, {"SLURM_NTASKS": "8"}) == 8
    assert parse_ranks("3", {"SLURM_NTASKS": "8"}) == 3
    for text in ("0", "-2", "many"):
        with pytest.raises(TasukiError):
            parse_ranks(text, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("99999999999999999999", "more ranks than MPI can number"),
        ("9" * 5000, "more ranks than MPI can number"),
        ("2147483648", "more ranks than MPI can number"),
        ("0", "is less than one rank"),
        ("-2", "is less than one rank"),
        ("1_0", "not a whole number"),
        ("2.0", "not a whole number"),
        ("", "not a whole number"),
        ("\u0662", "not a whole number"),  # a digit of another script
    ],
)
def test_a_number_of_ranks_that_cannot_be_is_named(text: str, said: str) -> None:
    with pytest.raises(TasukiError, match=f"-n {text[:40]}.*{said}"):
        parse_ranks(text, {})


def test_a_process_grid_that_cannot_be_is_named() -> None:
    with pytest.raises(TasukiError, match="--ranks 65536x65536 asks for more ranks"):
        ranks_for(None, ["--ranks", "65536x65536"])
    assert ranks_for(None, ["--ranks=2x3"]) == 6


def test_more_ranks_than_this_host_can_bear(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    with pytest.raises(TasukiError, match=f"on a host of {cores()} cores; give at most"):
        launch_command(["p"], 100_000, "", env)
    assert launch_command(["p"], 100_000, "--hostfile h", env)[0][2] == "100000"
    assert launch_command(["p"], 100_000, "", {**env, "PBS_NODEFILE": "nodes"})[0][2] == "100000"


def test_ranks_that_share_cores_are_told() -> None:
    assert crowding(cores(), "", {}) is None
    assert crowding(cores() + 6, "", {}) == f"{cores() + 6} ranks share {cores()} core{'s' * (cores() > 1)}"
    assert crowding(cores() + 6, "-H a,b", {}) is None
    assert crowding(cores() + 6, "", {"LSB_JOBID": "1"}) is None


def test_other_hosts_hear_of_the_settings(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    env |= {"TASUKI_HALO": "2", "OMP_NUM_THREADS": "3", "TASUKI_BIN": "b", "OTHER": "x"}
    there = launch_command(["p"], 2, "--hostfile h", env)[0]
    assert [word for before, word in itertools.pairwise(there) if before == "-x"] == [
        "OMP_NUM_THREADS",
        "TASUKI_HALO",
    ]
    assert "-x" not in launch_command(["p"], 2, "", env)[0]


def test_words_for_mpirun_that_cannot_be_read(tmp_path: Path) -> None:
    env = fake_launcher(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    with pytest.raises(TasukiError, match="--mpi-args"):
        launch_command(["p"], 2, "--hostfile 'hosts", env)
