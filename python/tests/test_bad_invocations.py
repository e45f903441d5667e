"""What people get wrong: each is one line that names it and says what to do, with a status that is not 0."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import Command, error_line
from fake import make_record

launcher = pytest.mark.skipif(
    not (shutil.which("mpirun") or shutil.which("mpiexec")), reason="no mpirun or mpiexec on this machine"
)

# The command, and what its line has to name.
WRONG = [
    ("bogus", "bogus"),
    ("--bogus", "--bogus"),
    ("run", "no program is named"),
    ("run himenoo", "himenoo"),
    ("run ./none", "./none is not there"),
    ("run folder/", "folder/ is a folder"),
    ("run --size M fake", "'--size' stands before the program"),
    ("run fake -n 99999999999999999999", "-n 99999999999999999999 asks for more ranks than MPI can number"),
    ("run fake -n 1000000", "-n 1000000 on a host of"),
    ("run fake -n 0", "-n 0"),
    ("run fake -n 2x1", "-n 2x1"),
    ("run fake -n", "-n"),
    ("run fake --ranks 70000x70000", "--ranks 70000x70000"),
    ("run fake --mpi-args 'a", "--mpi-args"),
    ("run fake --progress dance", "--progress dance"),
    ("run fake --on-failure pray", "--on-failure pray"),
    ("run fake --on-failure continue", "fake cannot continue"),
    ("run fake --profile gprof", "--profile gprof is unknown"),
    ("run fake --profile nsys --profile-rank 1", "--profile-rank 1 of 1 rank"),
    ("run fake --profile-rank 0", "--profile-rank names no profiler"),
    ("run fake --profile ncu --on-failure continue", "--on-failure"),
    ("run fake --record file/r.json", "file"),
    ("run fake --record folder", "--record folder is a folder"),
    ("run fake --record /dev/null", "--record /dev/null is a device"),
    ("plot", "RESULT"),
    ("plot none.json", "none.json"),
    ("plot folder", "folder"),
    ("plot file", "file is not a result record"),
    ("plot one.json --out file/x", "file"),
    ("model", "WHAT"),
    ("model none.json", "none.json"),
    ("info --json -n 0", "-n 0"),
    ("tune --out file/x", "file"),
    ("argon analyze", "FOLDER"),
    ("argon analyze none", "none"),
    ("argon bogus", "bogus"),
    ("argon trajectory none --to gif", "none"),
    ("wilson analyze none", "none"),
    ("wilson analyze file --bin 0", "--bin"),
    ("wilson analyze a b c", "3 folders"),
]


@pytest.mark.parametrize(("words", "named"), WRONG, ids=[words for words, _ in WRONG])
def test_one_line_that_names_it(tasuki: Command, tmp_path: Path, words: str, named: str) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    (tmp_path / "one.json").write_text(json.dumps(make_record()))
    done = tasuki(*words.split(" "))
    line = error_line(done)
    assert named in line
    what, _, mend = line.removeprefix("tasuki: ").partition("; ")
    assert what
    assert mend, "nothing says what to do"
    assert not (tmp_path / "results").exists()


@launcher
@pytest.mark.parametrize("command", ["run fake", "info", "tune"])
def test_a_word_that_mpirun_does_not_know(tasuki: Command, programs: Path, command: str) -> None:
    for name in ("info", "tune"):
        shutil.copy(programs / "tasuki-fake", programs / f"tasuki-{name}")
    for words in (["--mpi-args", "--bogus"], ["--mpi-args=--bogus"]):  # MPICH names it without dashes
        assert re.search(
            r"does not know (--)?bogus; check --mpi-args", error_line(tasuki(*command.split(), *words))
        )


def test_a_launcher_that_cannot_be_run(tasuki: Command, tmp_path: Path) -> None:
    text = tmp_path / "launcher"
    text.write_text("text")
    text.chmod(0o755)
    for name in ("none", str(text)):
        assert name in error_line(tasuki("run", "fake", "-n", "2", TASUKI_LAUNCHER=name))


def test_a_mistake_of_the_command_itself_is_a_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tasuki import cli

    def wrong(**_: object) -> int:
        raise KeyError("extents")

    monkeypatch.setattr(cli, "app", wrong)
    assert cli.main(["plot"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tasuki: an internal error of this command (KeyError: 'extents'); ")


def test_help_names_first_what_is_wanted_first(tasuki: Command) -> None:
    words = tasuki("--help").stdout.split()
    assert " ".join(words[words.index("Start") :]).startswith("Start with: tasuki run himeno --size S -n 2")
    text = tasuki("run", "--help").stdout
    assert text.index("tasuki run himeno --size M -n 2") < text.index("tasuki run ./relax -n 4")
    assert text.index("tasuki run ./relax -n 4") < text.index("--mpi-args")
