"""The table of a space: goals by what stands beside, the program at a small size, what is no record."""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.programs import locate
from tasuki_bench import space
from tasuki_bench.lines import read_lines

TOUCH = "a touch of another node's page"


def row(case: str, seconds: float, beside: float, size: float = 0) -> space.Row:
    return space.Row(case, "uffd", 2, seconds, seconds / 2, "MPI", beside, beside / 2, size)


def test_goals_and_rates(tmp_path: Path) -> None:
    rows = [
        row(TOUCH, 20e-6, 6e-6),
        row("read by a preload", 0.2, 0.1, 1e9),
        row("a patch of rows of 4 KiB by a preload", 0.1, 0.1, 1e9),
    ]
    (tmp_path / space.RECORD).write_text("".join(json.dumps(asdict(one)) + "\n" for one in rows))
    console = Console(record=True, width=200)
    assert space.show(console, tmp_path)
    text = console.export_text()
    touch, preload, patch = (next(line for line in text.splitlines() if one.case in line) for one in rows)
    assert "21 us met" in touch
    assert "5.00" in preload and "missed" in preload
    assert "10.00" in patch and "met" not in patch and "missed" not in patch
    assert not space.show(console, tmp_path / "none")


@pytest.mark.skipif(not locate(space.PROGRAM), reason="the bench of a space is not built")
def test_every_goal_is_measured(tmp_path: Path) -> None:
    assert space.run(Console(width=200), tmp_path, "host", 2, quick=True)
    rows = [space.row_of(line) for line in read_lines(tmp_path / space.RECORD)]
    assert set(space.GOALS) <= {one.case for one in rows}
    assert all(one.seconds >= one.least > 0 and one.beside_seconds >= one.beside_least > 0 for one in rows)


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / space.RECORD).write_text('{"case": "touch"}\n')
    with pytest.raises(TasukiError, match="no figures of a space"):
        space.show(Console(), tmp_path)


def test_global_arrays_stand_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(__file__).resolve().parents[1] / "peers" / "space.py"
    found = importlib.util.spec_from_file_location("space_peers", source)
    assert found and found.loader
    peers = importlib.util.module_from_spec(found)
    found.loader.exec_module(peers)
    fakes = {
        "ga-config": "echo -lga",
        "mpicc": 'while [ "$1" != -o ]; do shift; done; echo "#!/bin/sh" >"$2"; chmod 755 "$2"\n'
        'echo \'test "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 0 && echo 0.004 0.003 0.002 0.001 || true\' >>"$2"',
    }
    for name, text in fakes.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    words = ["--rows", "1024", "--out", str(tmp_path), "--machine", "m"]
    assert peers.main(words) == 0
    console = Console(record=True, width=200)
    assert space.show(console, tmp_path / "m")
    text = console.export_text()
    assert "4 ms" in text and "1.05" in text and "2 ms" in text
    (tmp_path / "mpicc").write_text("#!/bin/sh\necho 'cannot find -lga' >&2; exit 1\n")
    assert peers.main(words) == 1
    said = capsys.readouterr().err
    assert "cannot find -lga" in said and "apt-get install libglobalarrays-dev" in said
