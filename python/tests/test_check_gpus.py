"""scripts/check-gpus: what it takes for a failure, for a refusal, and for nothing at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/check-gpus"

# A program whose checksum is another by executor ODD, which graph refuses, and which ends badly by BROKEN.
PROGRAM = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --executor) executor=$2 ;; --record) record=$2 ;; esac
  shift
done
sum=1f
[ "$executor" != "$ODD" ] || sum=2e
[ "$executor" != graph ] || { echo "tasuki: --executor graph cannot do this program: no; take auto"; exit 1; }
if [ "$executor" = "$BROKEN" ]; then echo "a segmentation fault"; exit 139; fi
[ "$executor" != auto ] || executor=eager
echo "{\\"run\\": {\\"executor\\": \\"$executor\\"}, \\"results\\": {\\"checksum\\": \\"$sum\\"}}" >"$record"
"""


def checked(tmp_path: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script, with programs that are scripts too."""
    (tmp_path / "bin").mkdir()
    for name in ("laplace", "himeno", "diffusion"):
        program = tmp_path / f"bin/tasuki-{name}"
        program.write_text(PROGRAM)
        program.chmod(0o755)
    launcher = tmp_path / "launch"
    launcher.write_text('#!/bin/sh\nshift\nexec "$@"\n')
    launcher.chmod(0o755)
    return subprocess.run(
        [sys.executable, SCRIPT, "--build", tmp_path, "--device", "host", *words],
        env={**os.environ, "TASUKI_MPIEXEC": str(launcher), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_all_is_well(tmp_path: Path) -> None:
    done = checked(tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("refused ") == 6  # graph, of 3 programs on 1 and 2 ranks
    assert done.stdout.endswith("42 passed, 0 failed\n")


def test_another_checksum_is_a_failure(tmp_path: Path) -> None:
    done = checked(tmp_path, "--only", "executors", ODD="resident")
    assert done.returncode == 1
    assert "failed: laplace, 2 ranks, resident\n" in done.stdout
    assert "checksum 2e, and 1f before" in done.stdout
    assert done.stdout.endswith("30 passed, 6 failed\n")


def test_a_crash_is_no_refusal(tmp_path: Path) -> None:
    done = checked(tmp_path, "--only", "streamed", BROKEN="streamed")
    assert done.returncode == 1
    assert "a segmentation fault" in done.stdout and done.stdout.endswith("0 passed, 6 failed\n")


def test_nothing_is_no_success(tmp_path: Path) -> None:
    done = checked(tmp_path, "--seconds", "0", "--only", "streamed")
    assert done.returncode == 1
    assert done.stdout.endswith("0 passed, 0 failed\n")
    assert done.stdout.count("left out, as time was over: ") == 6


def test_parts_that_need_a_gpu_are_named(tmp_path: Path) -> None:
    done = checked(tmp_path, "--only", "ptx")
    assert done.returncode == 2 and "the part ptx needs a GPU" in done.stderr
