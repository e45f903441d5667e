"""What is written takes the place of files alone, whole or not at all, whichever command writes."""

from __future__ import annotations

import ast
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment
from fake import make_record
from wilson_runs import exact, make_run

from tasuki.cli import main
from tasuki.errors import TasukiError
from tasuki.output import make_folder, refuse_output, refuse_outputs, write_text, written
from tasuki.plot import plot_result

ROOT = Path(__file__).resolve().parents[2]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nothing"))


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # longer names are refused


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("other"))
    path.symlink_to("other")


KINDS = [(pipe, "a pipe"), (folder, "a folder"), (listener, "a socket"), (link_to_pipe, "a pipe"),
         (link_to_nothing, "leads nowhere")]  # fmt: skip


@pytest.mark.parametrize(("make", "named"), KINDS, ids=[make.__name__ for make, _ in KINDS])
def test_what_is_no_file_stays(tmp_path: Path, make, named: str) -> None:  # noqa: ANN001
    path = tmp_path / "x.json"
    make(path)
    before = {each: each.lstat().st_mode for each in tmp_path.iterdir()}
    for attempt in (lambda: refuse_output(path, "--out"), lambda: write_text(path, "text"),
                    lambda: refuse_outputs(tmp_path, "*.png x*", "--out")):  # fmt: skip
        with pytest.raises(TasukiError, match=f"x.json.*{named}.*; choose another --out"):
            attempt()
    assert {each: each.lstat().st_mode for each in tmp_path.iterdir()} == before


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_text(path, "one")
    kept = path.open()
    write_text(path, "two")
    assert (kept.read(), path.read_text()) == ("one", "two")  # another file, not the same one cut short
    kept.close()
    (tmp_path / "link").symlink_to("x.json")
    write_text(tmp_path / "link", "three")
    assert (tmp_path / "link").is_symlink()
    assert path.read_text() == "three"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "x.json"]


def test_what_fails_midway_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    path.write_text("old")
    with pytest.raises(TasukiError, match=r"cannot write .*x\.png: No space left"), written(path) as part:
        assert part.parent == tmp_path  # a rename within one disk
        assert part.suffix == ".png"  # which says what is written
        part.write_text("half of")
        raise OSError(28, "No space left on device")
    with pytest.raises(KeyboardInterrupt), written(path) as part:
        part.write_text("half of")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["x.png"]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none/x", tmp_path / "file/x", tmp_path / ("n" * 300)):
        with pytest.raises(TasukiError, match=f"cannot write {path}: .*; choose another --record"):
            refuse_output(path, "--record")
    with pytest.raises(TasukiError, match=r"cannot make the folder .*file/x.*; choose another --out"):
        make_folder(tmp_path / "file/x", "--out")


def test_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.json").write_text(json.dumps(make_record()))
    assert [each.name for each in plot_result(tmp_path / "one.json")] == ["one-blocks.png", "one-phases.png"]
    (tmp_path / "one-phases.png").unlink()
    os.mkfifo(tmp_path / "one-phases.png")
    assert main(["plot", str(tmp_path / "one.json")]) == 2
    assert "one-phases.png is a pipe; choose another --out" in capsys.readouterr().err
    assert stat.S_ISFIFO((tmp_path / "one-phases.png").stat().st_mode)


# The device, and the command that is to write there; it is refused before it does anything that takes long.
DEVICES = [
    ("r.json", "tasuki run fake --record {disk}/r.json"),
    ("r-phases.png", "tasuki run fake --plot --record {disk}/r.json"),
    ("one-phases.png", "tasuki plot one.json --out {disk}"),
    ("m.png", "tasuki model himeno --plot {disk}/m.png"),
    ("t.png", "tasuki tune --tuning x/t.json --out {disk}"),
    ("masses.png", "tasuki wilson analyze run --out {disk}"),
    ("steps.json", "tasuki_bench --out {disk} --machine ."),
    ("wilson.jsonl", "tasuki_bench --out {disk} --machine . --tables wilson"),
    ("lanes.json", "tasuki_bench.lanes --out {disk} --machine ."),
    ("argon.jsonl", "tasuki_bench.argon --out {disk} --machine ."),
]
# Everything happens on a small disk of its own, which only this shell and what it starts see.
INSIDE = """
mount -t tmpfs -o size=8m none "$1" && mknod "$1/$2" c 1 3 || exit 77
place=$1; name=$2; shift 2
"$@"; status=$?
test -c "$place/$name" || echo "$name is no device any longer" >&2
test "$(ls -A "$place")" = "$name" || { echo "beside it:"; ls -A "$place"; } >&2
exit $status
"""


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None,
    reason="only root can make devices, in a namespace of its own",
)
@pytest.mark.parametrize(("name", "command"), DEVICES, ids=[command for _, command in DEVICES])
def test_a_device_stays(tmp_path: Path, programs: Path, name: str, command: str) -> None:
    (tmp_path / "one.json").write_text(json.dumps(make_record()))
    if "analyze" in command:
        make_run(tmp_path / "run", exact(times=8))
    disk = tmp_path / "disk"
    disk.mkdir()
    words = command.format(disk=disk).split()
    inside = ["unshare", "--mount", "sh", "-c", INSIDE, "sh", str(disk), name]
    paths = f"{ROOT / 'python'}:{ROOT / 'bench'}"
    done = subprocess.run(
        [*inside, sys.executable, "-m", *words],
        cwd=tmp_path,
        env=environment({"TASUKI_BIN": str(programs), "PYTHONPATH": paths}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 77:
        pytest.skip("nothing can be mounted here")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if "is read as it is" not in line]
    assert len(said) == 1, done.stderr
    assert said[0].startswith("tasuki: ")
    assert f"{name} is a device; choose another --" in said[0]


def writes(tree: ast.AST) -> list[int]:
    """The lines on which a source writes a file by itself."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        given = [*node.args, *(word.value for word in node.keywords)]
        modes = [
            word.value for word in given if isinstance(word, ast.Constant) and isinstance(word.value, str)
        ]
        opens = name in ("open", "File") and any(set("wax+") & set(mode) and len(mode) < 4 for mode in modes)
        if opens or name in ("write_text", "write_bytes", "savefig", "dump", "mkdir", "makedirs"):
            found.append(node.lineno)
    return found


# Writes that are no output of a command.
OTHERS = {
    "tasuki/standard_output.py": "the null device, and standard output itself",
    "tasuki/output.py": "the rule",
    "tasuki/plot.py": "to the name that the rule gives",
    "tasuki/gpus/keyfile.py": "a key is a new file of its owner's alone, and takes nothing's place",
    "tasuki/gpus/door.py": "a folder of sockets, of its owner alone",
    "tasuki/lang/driver.py": "as a compiler writes: the compiler behind it writes its objects too",
    "tasuki_bench/steps.py": "a cache in a folder that its own run has just made",
}


def test_all_that_write_ask_the_rule() -> None:
    """A source that writes by itself would know less than the rule does."""
    faults = []
    for top in (ROOT / "python/tasuki", ROOT / "bench/tasuki_bench"):
        for source in sorted(top.rglob("*.py")):
            name = f"{top.name}/{source.relative_to(top).as_posix()}"
            text = source.read_text()
            lines = writes(ast.parse(text))
            asks = "from tasuki.output import" in text
            faults += [f"{name}:{line}" for line in lines if name not in OTHERS and not asks]
    assert faults == []
    seen = writes(ast.parse("path.write_text('x')\nopen(p, 'w')\np.open(mode='rb')\nh5py.File(p, 'r+')\n"))
    assert seen == [1, 2, 4]
