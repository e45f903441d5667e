"""``tasuki run ./relax``: a program of the user's, which may know nothing of Tasuki's command."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import Command, Start, error_line
from fake import make_record

from tasuki.lang.started import FLAGS, SETTINGS

needs_launcher = pytest.mark.skipif(
    not (shutil.which("mpirun") or shutil.which("mpiexec")), reason="no mpirun or mpiexec on this machine"
)

# It takes exactly the options that it knows, as programs of users do.
STRICT = """#!/bin/sh
for word; do
  case $word in --size|--fail|-n|[0-9]*) ;; *) echo "relax: no option $word" >&2; exit 64;; esac
done
echo "diagnosis of relax" >&2
if test "$1" = --fail; then exit 5; fi
echo "relaxed $*"
"""
# One that is built with Tasuki: it reports and writes a record where it is asked to.
KNOWING = f"""#!/bin/sh
test "$TASUKI_PROGRESS" = json && for done in 1 2 3; do
  echo '@progress {{"label": "relax", "done": '$done', "total": 3, "seconds": 1, "unit": "steps/s"}}' >&2
done
cat >"$TASUKI_RECORD" <<'END'
{json.dumps(make_record(program="relax"))}
END
"""


def make(folder: Path, text: str, name: str = "relax") -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    return program


@needs_launcher
def test_one_that_knows_nothing_is_just_run(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, STRICT)
    done = tasuki("run", "./relax", "-n", "2", "--size", "7")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["relaxed --size 7"] * 2
    assert done.stderr.splitlines() == ["diagnosis of relax"] * 2
    assert not (tmp_path / "results").exists()


@needs_launcher
def test_words_behind_dashes_are_its_own(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, STRICT)
    assert tasuki("run", "./relax", "--", "-n", "5").stdout == "relaxed -n 5\n"


@needs_launcher
def test_one_of_directives_has_options_by_the_environment(tasuki: Command, tmp_path: Path) -> None:
    text = "#!/bin/sh\n# tsk_main\necho $TASUKI_EXECUTOR $TASUKI_HALO $TASUKI_DETERMINISTIC, $*\n"
    make(tmp_path, text)
    words = ("--executor", "overlapped", "--halo=4", "a", "--deterministic", "--size", "7")
    assert tasuki("run", "./relax", *words).stdout == "overlapped 4 1, a --size 7\n"


def test_options_of_programs_of_directives_are_the_settings() -> None:
    rows = Path(__file__).parents[2] / "tasuki/base/settings.cpp"
    text = rows.read_text().split("all_settings() {", 1)[1].split("return all;", 1)[0]
    kinds = "word|text|whole|exact_sums|flag|seconds|address|bytes|page"
    names = set(re.findall(rf'\b(?:{kinds})\("([a-z-]+)"', text)) | {"halo", "ranks"}
    assert names == SETTINGS
    assert set(re.findall(r'\b(?:exact_sums|flag)\("([a-z-]+)"', text)) == FLAGS


@needs_launcher
def test_one_in_the_path(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path / "own", STRICT)
    path = f"{tmp_path / 'own'}{os.pathsep}{os.environ['PATH']}"
    assert tasuki("run", "relax", "--size", "1", PATH=path).stdout == "relaxed --size 1\n"


@needs_launcher
def test_a_record_that_was_asked_for_and_is_not_there(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, STRICT.replace('echo "diagnosis of relax" >&2', ""))
    for words in (["--record", "r.json"], ["--plot"]):
        done = tasuki("run", "./relax", *words)
        assert "relax left no record" in error_line(done)
        assert done.returncode == 1


@needs_launcher
def test_its_status_is_passed_on(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, STRICT)
    done = tasuki("run", "./relax", "--fail", "-n", "2")
    assert done.returncode == 5
    assert "diagnosis of relax" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("tasuki: relax ended with status 5")
    assert "-----" not in done.stderr  # what mpirun adds


@needs_launcher
def test_one_with_a_record_has_tables_and_pictures(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, KNOWING)
    done = tasuki("run", "./relax", "--progress", "json", "--record", "r.json", "--plot")
    assert done.returncode == 0, done.stderr
    assert "record: r.json" in done.stdout
    assert "GFLOP/s" in done.stdout
    assert "picture: " in done.stdout
    assert len([line for line in done.stderr.splitlines() if line.startswith("@progress")]) == 3


def test_its_help_does_not_start_it(tasuki: Command, tmp_path: Path) -> None:
    make(tmp_path, '#!/bin/sh\ntouch "$(dirname "$0")/started"\n')
    done = tasuki("run", "./relax", "--help")
    assert done.returncode == 0
    assert "--np RANKS" in done.stdout
    assert not (tmp_path / "started").exists()


def test_what_is_no_program_is_named(tasuki: Command, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("")
    (tmp_path / "folder").mkdir()
    assert "the program ./text cannot be run" in error_line(tasuki("run", "./text"))
    assert "the program ./folder is a folder" in error_line(tasuki("run", "./folder"))
    assert "the program ./none is not there" in error_line(tasuki("run", "./none"))
    assert "write ./text" in error_line(tasuki("run", "text"))


def _relax() -> Path:
    """The README's relax.cpp, as the build has made it."""
    folder = Path(os.environ.get("TASUKI_BIN") or "build/host/bin")
    found = sorted(folder.resolve().glob("snippet_README_*"))
    if not found:
        pytest.skip("the README's program is not built (TASUKI_BIN names its folder)")
    return found[0]


@needs_launcher
@pytest.mark.parametrize("style", ["json", "none"])
def test_the_readme_s_program(tasuki: Command, tmp_path: Path, style: str) -> None:
    shutil.copy(_relax(), tmp_path / "relax")
    done = tasuki("run", "./relax", "-n", "2", "--progress", style, TASUKI_TUNING="none")
    assert done.returncode == 0, done.stderr
    assert "1000 steps" in done.stdout
    assert "2 ranks" in done.stdout
    reports = [json.loads(line[10:]) for line in done.stderr.splitlines() if line.startswith("@progress ")]
    if style == "none":
        assert done.stderr == ""
        return
    # A fast machine may have nothing to report of it, never of the single sweep before.
    assert all((one["label"], one["total"], one["unit"]) == ("relax", 1000, "steps/s") for one in reports)
    assert not [line for line in done.stderr.splitlines() if not line.startswith("@progress ")]


@needs_launcher
def test_the_readme_s_program_reports_and_ends_when_asked(start: Start, tmp_path: Path) -> None:
    shutil.copy(_relax(), tmp_path / "relax")
    # One thread on a halo that is computed twice takes seconds: there is something to report.
    process = start(
        "run", "./relax", "-n", "2", "--progress", "json", "--threads", "1", "--executor", "eager",
        "--channel", "mpi", TASUKI_TUNING="none",
    )  # fmt: skip
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("@progress "), line
    assert json.loads(line[10:])["label"] == "relax"
    process.terminate()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "steps, eager, 2 ranks" in out
