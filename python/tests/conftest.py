"""What the tests share: a small fake native program, the command in a process of its own, the real ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from fake import make_programs

from tasuki.programs import locate


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """That of a command under test: its own sources, no settings of the caller's."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TASUKI_", "SLURM_"))}
    source = str(Path(__file__).resolve().parent.parent)
    return {**kept, "COLUMNS": "100", "PYTHONUNBUFFERED": "1", "PYTHONPATH": source, **changes}


Command = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with one fake native program, ``tasuki-fake``."""
    return make_programs(tmp_path / "bin")


@pytest.fixture
def tasuki(tmp_path: Path, programs: Path) -> Command:
    """Runs the command in an own process and folder: ``tasuki("run", "fake", "-n", "2")``."""

    def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=environment({"TASUKI_BIN": str(programs), **changes}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def start(tmp_path: Path, programs: Path) -> Start:
    """Starts the command and comes back at once, for tests that send signals."""

    def begin(*words: str, **changes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=environment({"TASUKI_BIN": str(programs), **changes}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    return begin


@pytest.fixture
def native_bin() -> Path:
    """The folder of the real native programs; skips where they are not built."""
    missing = [name for name in ("himeno", "laplace", "diffusion", "info") if locate(name) is None]
    if missing:
        names = ", ".join(f"tasuki-{name}" for name in missing)
        pytest.skip(f"not built: {names} (TASUKI_BIN names their folder)")
    program = locate("himeno")
    assert program is not None
    return program.parent.resolve()


@pytest.fixture
def native(tmp_path: Path, native_bin: Path) -> Command:
    """Runs the command with the real native programs."""

    def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=environment({"TASUKI_BIN": str(native_bin), **changes}),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def native_start(start: Start, native_bin: Path) -> Start:
    """Starts the command with the real native programs and comes back at once."""

    def begin(*words: str, **changes: str) -> subprocess.Popen[str]:
        return start(*words, **{"TASUKI_BIN": str(native_bin), **changes})

    return begin


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed command leaves on stderr, but for how many ranks share the cores."""
    assert done.returncode != 0
    said = done.stderr.strip().splitlines()
    lines = [line for line in said if not re.fullmatch(r"\d+ ranks share \d+ cores?", line)]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tasuki: "), lines[0]
    assert "Traceback" not in done.stderr
    return lines[0]


def words_of(record: Path) -> Sequence[str]:
    """The arguments that the fake program was given, from its record."""
    words: Sequence[str] = json.loads(record.read_text())["options"]["arguments"]
    return words
