"""``tasuki run --profile``, with profilers in miniature."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Command, error_line, words_of

from tasuki.profiler import profile_of

needs_launcher = pytest.mark.skipif(
    not (shutil.which("mpirun") or shutil.which("mpiexec")), reason="no mpirun or mpiexec on this machine"
)

# Notes its words and its rank in the report, then starts the program, as a profiler does.
PROFILER = """#!/bin/sh
for word; do
  if [ "$next" = report ]; then report=$word; next=; fi
  case $word in --output|--export) next=report;; esac
done
echo "rank ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}, ranges $TASUKI_RANGES: $*" >> "$report.$ENDING"
while [ "${1##*/tasuki-}" = "$1" ]; do shift; done
exec "$@"
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH with an nsys and an ncu in front."""
    folder = tmp_path / "profilers"
    folder.mkdir()
    for name in ("nsys", "ncu"):
        tool = folder / name
        tool.write_text(PROFILER.replace("$ENDING", f"{name}-rep"))
        tool.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@needs_launcher
@pytest.mark.parametrize(("tool", "rank"), [("nsys", 0), ("nsys", 2), ("ncu", 1)])
def test_one_rank_alone_is_profiled(tasuki: Command, tmp_path: Path, path: str, tool: str, rank: int) -> None:
    done = tasuki(
        "run", "fake", "-n", "3", "--times", "4", "--record", "deep/r.json",
        "--profile", tool, "--profile-rank", str(rank), "--profile-args", "--more 'of it'", PATH=path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = tmp_path / f"deep/r-rank{rank}.{tool}-rep"
    assert f"profile: deep/{report.name}" in done.stdout
    (noted,) = report.read_text().splitlines()
    assert noted.startswith(f"rank {rank}, ranges 1: ")
    assert "--more of it " in noted
    assert noted.endswith("tasuki-fake --times 4")
    data = json.loads((tmp_path / "deep/r.json").read_text())
    assert (data["machine"]["ranks"], data["run"]["steps"]) == (3, 4)
    assert words_of(tmp_path / "deep/r.json") == ["--times", "4"]


@needs_launcher
def test_rank_0_unless_another_is_named(tasuki: Command, tmp_path: Path, path: str) -> None:
    for _ in range(2):  # the second replaces the report of the first
        done = tasuki("run", "fake", "-n", "2", "--record", "r.json", "--profile", "nsys", PATH=path)
        assert done.returncode == 0, done.stderr
        (noted,) = (tmp_path / "r-rank0.nsys-rep").read_text().splitlines()
        assert noted.startswith("rank 0, ranges 1: profile ")
    assert not list(tmp_path.glob("r-rank1*"))


def test_a_profiler_that_is_not_there(tasuki: Command, tmp_path: Path) -> None:
    line = error_line(tasuki("run", "fake", "--profile", "nsys", PATH=str(tmp_path)))
    assert line == (
        "tasuki: the profiler nsys is not in PATH; install Nsight Systems, or add its folder to PATH"
    )


@needs_launcher
def test_a_profiler_that_leaves_no_report(tasuki: Command, tmp_path: Path, path: str) -> None:
    (tmp_path / "profilers/nsys").write_text(PROFILER.replace('>> "$report.$ENDING"', "> /dev/null"))
    line = error_line(tasuki("run", "fake", "--profile", "nsys", "--record", "r.json", PATH=path))
    assert "left no report at r-rank0.nsys-rep" in line


@pytest.mark.parametrize(
    ("told", "rank"),
    [
        ({"OMPI_COMM_WORLD_RANK": "1", "SLURM_PROCID": "0"}, 1),  # mpirun in a Slurm job
        ({"PMI_RANK": "1"}, 1),
        ({"PMIX_RANK": "1"}, 1),
        ({"SLURM_PROCID": "1"}, 1),
        ({}, 0),
        ({"OMPI_COMM_WORLD_RANK": "11"}, None),
    ],
)
def test_a_rank_knows_its_number(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch, told: dict[str, str], rank: int | None
) -> None:
    monkeypatch.setenv("PATH", path)
    for chosen in (0, 1):
        profile = profile_of("nsys", chosen, "", 2, tmp_path / "r.json")
        program = shutil.which("echo")
        assert program
        link = tmp_path / "tasuki-echo"
        link.unlink(missing_ok=True)
        link.symlink_to(program)
        done = subprocess.run(
            [*profile.before, str(link), "two  words"],
            env={"PATH": path, **told}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == "two  words\n"
        assert profile.report.exists() == (chosen == rank)
