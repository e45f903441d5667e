"""``tasuki run``, against a fake native program and a real launcher."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Command, Start, error_line, words_of

needs_launcher = pytest.mark.skipif(
    not (shutil.which("mpirun") or shutil.which("mpiexec")), reason="no mpirun or mpiexec on this machine"
)


@needs_launcher
def test_table_and_record(tasuki: Command, tmp_path: Path) -> None:
    done = tasuki("run", "fake", "-n", "2", "--times", "7", "--size=M")
    assert done.returncode == 0, done.stderr
    for part in ("64x32x16", "2 as 1x1x2", "overlapped", "exchange", "16.0 %", "3.0 MiB", "GFLOP/s", "12.35"):
        assert part in done.stdout, part
    assert "hello from the program" in done.stdout
    records = list((tmp_path / "results").glob("fake-*.json"))
    assert len(records) == 1
    assert f"record: results/{records[0].name}" in done.stdout
    data = json.loads(records[0].read_text())
    assert data["machine"]["ranks"] == 2
    assert data["run"]["steps"] == 7
    assert "--size=M" in words_of(records[0])


@needs_launcher
def test_record_where_it_was_asked_for(tasuki: Command, tmp_path: Path) -> None:
    done = tasuki("run", "fake", "--record", "deep/er/one.json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "deep/er/one.json").is_file()
    assert not (tmp_path / "results").exists()


@needs_launcher
def test_two_runs_in_a_second_keep_both_records(tasuki: Command, tmp_path: Path) -> None:
    for _ in range(3):
        assert tasuki("run", "fake", "--times", "1").returncode == 0
    assert len(list((tmp_path / "results").glob("fake-*.json"))) == 3


@needs_launcher
def test_ranks_from_the_process_grid(tasuki: Command, tmp_path: Path) -> None:
    done = tasuki("run", "fake", "--ranks", "3x1x1", "--record", "r.json")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "r.json").read_text())["machine"]["ranks"] == 3
    assert "--ranks" in words_of(tmp_path / "r.json")


@needs_launcher
def test_error_is_the_programs_one_line(tasuki: Command) -> None:
    done = tasuki("run", "fake", "-n", "3", "--fail")
    assert error_line(done) == "tasuki: --size Q is unknown; choose XS, S, M, L or XL"
    assert done.returncode == 3
    assert "noise" not in done.stdout


@needs_launcher
def test_what_was_decided_is_shown_and_is_no_error(tasuki: Command) -> None:
    done = tasuki("run", "fake", "-n", "2", "--log", "info", "--record", "r.json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines().count("tasuki info: grid 64x32: cut 2x1") == 1


@needs_launcher
def test_verbose_keeps_the_noise(tasuki: Command) -> None:
    done = tasuki("run", "fake", "-n", "2", "--fail", "--verbose")
    assert done.returncode == 3
    assert "mpi noise that nobody wants" in done.stderr
    assert "tasuki-fake --fail" in done.stderr  # the command itself


@needs_launcher
def test_a_killed_rank_is_one_line(tasuki: Command) -> None:
    line = error_line(tasuki("run", "fake", "-n", "2", "--crash"))
    assert "signal 9" in line or "does not say how" in line  # MPICH, once in forty times
    assert "--verbose" in line


@needs_launcher
def test_no_record_is_an_error(tasuki: Command) -> None:
    assert "left no record" in error_line(tasuki("run", "fake", "--no-record"))


@needs_launcher
def test_a_record_of_before_is_not_taken_for_this_run(tasuki: Command, tmp_path: Path) -> None:
    assert tasuki("run", "fake", "--record", "r.json").returncode == 0
    assert "left no record" in error_line(tasuki("run", "fake", "--no-record", "--record", "r.json"))
    assert (tmp_path / "r.json").is_file()


@pytest.mark.parametrize("count", ["0", "-1", "two", "1.5", ""])
def test_bad_number_of_ranks(tasuki: Command, count: str) -> None:
    assert "-n" in error_line(tasuki("run", "fake", f"-n{count}" if count else "--np="))


def test_unknown_program_names_those_there_are(tasuki: Command) -> None:
    line = error_line(tasuki("run", "himenoo"))
    assert "himenoo" in line
    assert "fake" in line


def test_no_programs_at_all(tasuki: Command, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no native programs" in error_line(tasuki("run", "himeno", TASUKI_BIN=str(empty)))


def test_option_before_the_program(tasuki: Command) -> None:
    assert "name the program first" in error_line(tasuki("run", "--size", "M", "fake"))


def test_unknown_progress_style(tasuki: Command) -> None:
    assert "auto, bar, lines" in error_line(tasuki("run", "fake", "--progress", "dance"))


def test_record_in_a_folder_that_cannot_be(tasuki: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "--record" in error_line(tasuki("run", "fake", "--record", "file/r.json"))


def test_help_shows_own_and_native_options(tasuki: Command) -> None:
    done = tasuki("run", "fake", "--help")
    assert done.returncode == 0
    assert "--np RANKS" in done.stdout
    assert done.stdout.index("--np RANKS") < done.stdout.index("FAKE OPTIONS")


@pytest.mark.parametrize(
    "words", [["bogus"], ["--bogus"], ["plot"], ["plot", "--out"], ["run"], ["plot", "none.json"]]
)
def test_usage_errors_are_one_line(tasuki: Command, words: list[str]) -> None:
    done = tasuki(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("tasuki: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_help_shows_run_first(tasuki: Command) -> None:
    done = tasuki("--help")
    assert done.returncode == 0
    assert done.stdout.index("  run ") < done.stdout.index("  info ") < done.stdout.index("  plot ")


@needs_launcher
def test_progress_as_json(tasuki: Command) -> None:
    done = tasuki("run", "fake", "--times", "3", "--progress", "json")
    reports = [line for line in done.stderr.splitlines() if line.startswith("@progress ")]
    assert [json.loads(line.removeprefix("@progress "))["done"] for line in reports] == [1, 2, 3]


def _wait_for_progress(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("@progress "):
            return
    raise AssertionError("the program ended before it made progress")


@needs_launcher
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_cleanly(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    words = ["--times", "100000", "--pause", "0.01", "--checkpoint", "c", "--record", "r.json"]
    process = start("run", "fake", "-n", "2", "--progress", "json", *words)
    _wait_for_progress(process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert json.loads((tmp_path / "r.json").read_text())["interrupted"] is True
    assert sorted(path.name for path in tmp_path.glob("c.*")) == ["c.0", "c.1"]
    assert "fake (interrupted)" in out


@needs_launcher
def test_a_second_signal_kills(start: Start, tmp_path: Path) -> None:
    process = start(
        "run", "fake", "-n", "2", "--progress", "json", "--times", "100000", "--pause", "0.01", "--deaf"
    )
    _wait_for_progress(process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None  # the ranks do not listen, and the launcher waits for them
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=40)
    assert process.returncode != 0
    assert err.strip().splitlines()[-1].startswith("tasuki: tasuki-fake was killed")
    assert not _alive(tmp_path / "bin" / "tasuki-fake")


def _alive(program: Path) -> bool:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(program).encode() in words[:2]:
            return True
    return False


def test_without_a_launcher_one_rank_runs_and_two_do_not(tasuki: Command, tmp_path: Path) -> None:
    bare = tmp_path / "path"
    bare.mkdir()
    done = tasuki("run", "fake", "--record", "r.json", PATH=str(bare))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "r.json").read_text())["machine"]["ranks"] == 1
    assert "cannot start 2 ranks" in error_line(tasuki("run", "fake", "-n", "2", PATH=str(bare)))


def test_slurm_uses_srun_and_its_number_of_tasks(tasuki: Command, tmp_path: Path) -> None:
    bare = tmp_path / "path"
    bare.mkdir()
    srun = bare / "srun"
    srun.write_text('#!/bin/sh\ncase "$1" in --version) echo "slurm 23.11"; exit;; esac\n'
                    f'printf "%s " "$@" >{tmp_path}/words\nshift 2\nexec "$@"\n')  # fmt: skip
    srun.chmod(srun.stat().st_mode | stat.S_IXUSR)
    path = f"{bare}{os.pathsep}{os.environ['PATH']}"
    done = tasuki("run", "fake", "--record", "r.json", PATH=path, SLURM_JOB_ID="7", SLURM_NTASKS="4")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "words").read_text().startswith("-n 4 ")


@needs_launcher
def test_no_picture_of_the_field_has_its_reason(tasuki: Command, programs: Path) -> None:
    (programs / "tasuki-laplace").symlink_to(programs / "tasuki-fake")
    done = tasuki("run", "laplace", "--plot")
    assert (
        "no picture of the field: tasuki-info, which knows whether there is HDF5, is not built" in done.stderr
    )
