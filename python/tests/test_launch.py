"""The command line that starts the ranks, for every kind of launcher."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tasuki.errors import TasukiError
from tasuki.launch import cores, find_launcher, launch_command, parse_ranks


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
