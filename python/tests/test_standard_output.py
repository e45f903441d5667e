"""Standard output that is closed, full, or a pipe that nobody reads: one line at most, and a status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment
from fake import make_record

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
needs_launcher = pytest.mark.skipif(
    not (shutil.which("mpirun") or shutil.which("mpiexec")), reason="no mpirun or mpiexec on this machine"
)

# What each command has to say; records are there, programs are the fake one.
SAYING = [
    ["--version"],
    ["--help"],
    ["run", "--help"],
    ["run", "fake", "--help"],
    ["run", "fake", "--times", "3", "--record", "r.json"],
    ["run", "fake", "--times", "3", "--record", "r.json", "-n", "2"],
    ["info"],
    ["info", "--json"],
    ["plot", "one.json"],
    ["argon", "--help"],
]


def start(
    folder: Path, programs: Path, words: list[str], output: str, keep: tuple[int, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """The command with `output` behind it, as a shell has it."""
    (folder / "one.json").write_text(json.dumps(make_record()))
    script = f'"$@" {output}'
    return subprocess.run(
        ["bash", "-c", script, "bash", sys.executable, "-m", "tasuki", *words],
        cwd=folder,
        env=environment({"TASUKI_BIN": str(programs), "PYTHONUNBUFFERED": ""}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
        pass_fds=keep,
    )


@needs_launcher
@pytest.mark.parametrize("output", [">&-", pytest.param(">/dev/full", marks=needs_full)])
@pytest.mark.parametrize("words", SAYING, ids=" ".join)
def test_what_cannot_be_shown_is_one_line(
    tmp_path: Path, programs: Path, words: list[str], output: str
) -> None:
    done = start(tmp_path, programs, words, output)
    assert done.returncode == 1, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tasuki: cannot write to standard output: ")
    if "--times" in words:  # what the run found is kept
        assert json.loads((tmp_path / "r.json").read_text())["run"]["steps"] == 3


@needs_launcher
@pytest.mark.parametrize("words", SAYING, ids=" ".join)
def test_a_pipe_that_nobody_reads_ends_quietly(tmp_path: Path, programs: Path, words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = start(tmp_path, programs, words, f">&{writer}", keep=(writer,))
    finally:
        os.close(writer)
    assert done.returncode == 141, done.stderr
    assert done.stderr == ""


def test_an_error_stays_an_error(tmp_path: Path, programs: Path) -> None:
    done = start(tmp_path, programs, ["plot", "none.json"], ">&-")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "tasuki: there is no file none.json; give the record that `tasuki run` named"
    ]


def test_no_file_takes_the_number_of_a_closed_output(tmp_path: Path, programs: Path) -> None:
    """Or a record would begin with what was to be shown."""
    start(tmp_path, programs, ["run", "fake", "--times", "2", "--record", "r.json"], ">&- 0>&-")
    assert json.loads((tmp_path / "r.json").read_text())["run"]["steps"] == 2


@needs_full
def test_standard_error_may_be_gone(tmp_path: Path, programs: Path) -> None:
    for output in ("2>&-", "2>/dev/full", ">&- 2>&-"):
        assert start(tmp_path, programs, ["plot", "none.json"], output).returncode == 2
    assert start(tmp_path, programs, ["--version"], "2>&-").stdout.startswith("tasuki ")
