"""Speeds of argon: lines read, tables, the others beside us."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki_bench import argon

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "peers"


def line(**more: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
    """As tasuki-bench-argon writes it."""
    return {
        "atoms": 256, "replicas": 1000, "ranks": 1, "steps_per_exchange": 100, "seconds": 0.01,
        "device": "NVIDIA H100", **more,
    }  # fmt: skip


def shown(folder: Path) -> str:
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    argon.show(console, folder)
    return console.export_text()


def test_rates_and_efficiency(tmp_path: Path) -> None:
    rows = [argon.row_of(line()), argon.row_of(line(ranks=4, seconds=0.003))]
    assert rows[0].rate == pytest.approx(1e7)
    argon.write_record(tmp_path, rows)
    assert argon.read_rows(tmp_path / argon.RECORD) == rows
    text = shown(tmp_path)
    assert "83.3 %" in text  # 0.01 / (4 x 0.003)
    assert "258 x" in text  # 1e7 / 38.7e3


def test_no_record_is_no_table(tmp_path: Path) -> None:
    assert shown(tmp_path).strip() == ""
    (tmp_path / argon.RECORD).write_text('{"atoms": 256}\n')
    with pytest.raises(TasukiError, match="holds no figures of argon"):
        argon.read_rows(tmp_path / argon.RECORD)


def test_the_fastest_other_on_the_same_kind_of_device_stands_beside(tmp_path: Path) -> None:
    entries = [
        {"who": "A", "atoms": 256, "replicas": 2, "steps": 100, "seconds": 1.0, "ours": False, "refused": ""},
        {"who": "B", "atoms": 256, "replicas": 1, "steps": 500, "seconds": 1.0, "ours": False, "refused": ""},
        {"who": "us", "atoms": 256, "replicas": 9, "steps": 900, "seconds": 1.0, "ours": True, "refused": ""},
        {"who": "C", "atoms": 256, "replicas": 0, "steps": 0, "seconds": 0, "ours": False, "refused": "no"},
    ]
    path = tmp_path / argon.PEERS
    path.write_text(json.dumps({"device": "host", "entries": entries}))
    assert argon.best_peers(path, "host") == {256: ("B", 500.0)}
    assert argon.best_peers(path, "cuda") == {}
    assert argon.best_peers(tmp_path / "nothing", "host") == {}


@pytest.fixture
def peers() -> Any:  # noqa: ANN401 -- a module
    """bench/peers/argon.py."""
    if not FOLDER.is_dir():
        pytest.skip("the rivals are in the repository alone")
    sys.path.insert(0, str(FOLDER))
    import argon

    return argon


def test_the_systems_are_the_same_for_all(peers: Any) -> None:  # noqa: ANN401
    size = peers.Size(256, 4)
    assert size.edge == pytest.approx(2.1753, abs=1e-4)  # 256 x 39.948 g/mol in 1.65 g/cm3
    assert size.cutoff == pytest.approx(3 * 0.3405)
    assert peers.Size(108, 4).cutoff == pytest.approx(peers.Size(108, 4).edge / 2)
    assert len(set(peers.places(size))) == 256
    assert "lattice fcc 0.98" in peers.lammps_input(size, 10, 10)  # rho sigma^3
    assert "timestep 0.00182" in peers.lammps_input(size, 10, 10)  # 4 fs over 2.19 ps


def test_the_last_loop_of_a_log_counts(peers: Any) -> None:  # noqa: ANN401
    line = "Loop time of {} on 2 procs for {} steps with 9 atoms\n"
    log = line.format(1.5, 100) + "\n" + line.format(0.25, 500)
    assert peers.lammps_seconds(log) == (0.25, 500)
    assert peers.lammps_seconds("ERROR: lost atoms") is None


def test_why_an_engine_failed_is_the_last_line(
    peers: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def fails(*_: object) -> None:
        raise TasukiError("LAMMPS failed: lost atoms", "")

    monkeypatch.setitem(peers.ENGINES, "lammps", fails)
    out = tmp_path / "entries.json"
    assert peers.main(["one", "lammps", "256", "4", "host", "1", str(out)]) == 2
    assert capsys.readouterr().err == "argon.py: LAMMPS failed: lost atoms\n"
    assert not out.exists()


def test_refused_engines_are_named(peers: Any) -> None:  # noqa: ANN401
    entries = [
        peers.Entry("OpenMM", 256, refused="not installed"),
        peers.Entry("Tasuki", 256, 4, 100, 0.5, ours=True),
    ]
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(peers.table(entries, 256))
    text = console.export_text()
    assert "not installed" in text
    assert "800" in text
