"""scripts/test-long: what it starts, with which seed, and its last line. Its programs are scripts here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/test-long"


def ran(build: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """The script, with tests that say what they are asked for; that of PTX ends with `status`."""
    (build / "bin").mkdir()
    for room in ("server", "fatbin", "ptx"):
        program = build / f"bin/test_remote_{room}"
        end = status if room == "ptx" else 0
        program.write_text(
            f'#!/bin/sh\necho "{room} $1, $TASUKI_TEST_TIMES times, seed $TASUKI_TEST_SEED"\nexit {end}\n'
        )
        program.chmod(0o755)
    return subprocess.run(
        [sys.executable, SCRIPT, "--build", build, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_part_has_its_seed_and_its_length(tmp_path: Path) -> None:
    done = ran(tmp_path, "--only", "changed", "--seed", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("seed 5: changed\n")
    for room, cases in (("server", "Changed.*"), ("fatbin", "Image.Mutants"), ("ptx", "Text.Mutants")):
        assert f"{room} --gtest_filter={cases}, 10 times, seed 5\n" in done.stdout
    assert done.stdout.endswith("1 passed, 0 failed (seed 5)\n")


def test_a_failure_is_named_and_ends_it_badly(tmp_path: Path) -> None:
    done = ran(tmp_path, "--only", "changed", "--seed", "6", status=3)
    assert done.returncode == 1
    assert "\nfailed: changed: status 3 of " in done.stdout
    assert done.stdout.endswith("0 passed, 1 failed (seed 6)\n")


def test_what_is_not_built_is_skipped_and_no_success(tmp_path: Path) -> None:
    done = ran(tmp_path, "--only", "kills")
    assert done.returncode == 1
    assert "skipped: kills: " in done.stdout and "is not built\n0 passed, 0 failed, 1 skipped" in done.stdout


def test_a_part_that_is_none_is_refused(tmp_path: Path) -> None:
    done = ran(tmp_path, "--only", "kill")
    assert done.returncode == 1 and "--only kill is none of kills, faults, " in done.stderr
