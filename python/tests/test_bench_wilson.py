"""The table of Wilson's figures: shares of streaming, efficiencies, and what is no record."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from tasuki import bench_wilson
from tasuki.errors import TasukiError


def line(what: str, ranks: int, seconds: float, **more: object) -> dict[str, object]:
    return {
        "case": f"wilson/{what}",
        "precision": "single",
        "links": 12,
        "extents": [16, 16, 16, 32],
        "ranks": ranks,
        "device": "a device",
        "seconds": seconds,
        "flops_per_second": 2e12 / seconds * 1e-3,
        **more,
    }


def test_shares_and_efficiencies(tmp_path: Path) -> None:
    moved = {"bytes_per_second": 3e12, "stream_bytes_per_second": 4e12}
    rows = [
        line("operator", 1, 8e-3, **moved),
        line("operator", 2, 5e-3, **moved),
        line("solve", 1, 1.0, iterations=37),
    ]
    (tmp_path / bench_wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    bench_wilson.show(console, tmp_path)
    text = console.export_text()
    assert "75.0 %" in text  # of streaming
    assert "80.0 %" in text  # 8 ms to 5 ms on two
    assert "16x16x16x32" in text
    assert " 37 " in text


def test_columns_at_once_are_figures_of_their_own(tmp_path: Path) -> None:
    rows = [line("solve", 1, 1.0), line("solve", 1, 0.5, columns=12), line("solve", 2, 0.4, columns=12)]
    (tmp_path / bench_wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    bench_wilson.show(console, tmp_path)
    text = console.export_text()
    assert "62.5 %" in text  # 0.5 s to 0.4 s on two, both of twelve columns
    assert "125.0 %" not in text
    headings = [
        column.header for column in bench_wilson.table([bench_wilson.row_of(row) for row in rows]).columns
    ]
    assert headings[4:6] == ["columns", "devices"]
    assert all(headings[1:])


def test_no_record_is_no_table(tmp_path: Path) -> None:
    console = Console(record=True)
    bench_wilson.show(console, tmp_path)
    assert console.export_text() == ""


def test_a_line_of_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / bench_wilson.RECORD
    path.write_text('{"case": "wilson/operator"}\n')
    with pytest.raises(TasukiError, match=r"wilson\.jsonl holds no figures of wilson"):
        bench_wilson.show(Console(), tmp_path)


PEER = {"lattice": "16x16x16x32", "precision": "single", "ranks": 1, "threads": 2, "flops": 6336}


def peers_record(*entries: dict[str, object], device: str = "host") -> str:
    return json.dumps({"device": device, "entries": [{**PEER, **entry} for entry in entries]})


def test_the_fastest_other_stands_beside_iterations_alone(tmp_path: Path) -> None:
    path = tmp_path / bench_wilson.PEERS
    path.write_text(
        peers_record(
            {"who": "A", "seconds": 9e-3, "ours": False, "refused": ""},
            {"who": "B", "seconds": 7e-3, "ours": False, "refused": ""},
            {"who": "us", "seconds": 1e-3, "ours": True, "refused": ""},
            {"who": "C", "seconds": 0.0, "ours": False, "refused": "not built"},
        )
    )
    assert bench_wilson.best_peers(path, "host") == {("iteration", "16x16x16x32", "single"): ("B", 7e-3)}
    assert bench_wilson.best_peers(path, "cuda") == {}
    assert bench_wilson.best_peers(tmp_path / "nothing", "host") == {}
    rows = [line("operator", 1, 8e-3), line("iteration", 1, 8e-3), line("iteration", 1, 5e-3, columns=12)]
    (tmp_path / bench_wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    bench_wilson.show(console, tmp_path)
    assert console.export_text().count("(B)") == 1
    path.write_text('{"device": "host", "entries": [{}]}')
    with pytest.raises(TasukiError, match="holds no figures of peers"):
        bench_wilson.best_peers(path, "host")


CCS_QCD = """\
    Lattice Size : 16 16 16  16
 Node Array Size :  2  1  1
  Iter =    40
   Res =    0.614599341155913E-10
  Clover + Clover_inv Performance.
          Elapsed Time [sec] :      0.4894
  BiCGStab(CPU:double precision) Performance.
          Elapsed Time [sec] :      4.0000
  BiCGStab Total
          Elapsed Time [sec] :      4.5000
"""
QWS = """\
rnorm/bnorm =     6.14397823496485e-15
LDDHMC solver with Jacobi method instead of SSOR
rnorm/bnorm =     1.67563666770038e+00
       0\tbicgstab_iter_                  \t      99\t6.541717e+00\t6.607795e-02
"""


@pytest.fixture
def peers() -> ModuleType:
    """bench/peers/wilson.py, under another name than ours."""
    path = Path(__file__).resolve().parents[2] / "bench" / "peers" / "wilson.py"
    if not path.is_file():
        pytest.skip("the rivals are in the repository alone")
    spec = importlib.util.spec_from_file_location("peers_of_wilson", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_what_the_peers_print_is_read(peers: ModuleType) -> None:
    assert peers.ccs_qcd_seconds(CCS_QCD, "16x16x16x16", 2) == pytest.approx(0.2)  # of two halves
    assert peers.qws_seconds(QWS) == pytest.approx(6.607795e-2)


def test_what_is_no_measurement_is_refused(peers: ModuleType) -> None:
    with pytest.raises(peers.Unread, match="built for 16x16x16x16 on 2x1x1"):
        peers.ccs_qcd_seconds(CCS_QCD, "16x16x16x16", 1)
    with pytest.raises(peers.Unread, match="built for"):
        peers.ccs_qcd_seconds(CCS_QCD, "16x16x16x32", 2)
    for text in (CCS_QCD.replace("E-10", "E-02"), CCS_QCD.replace("0.614599341155913E-10", "NaN")):
        with pytest.raises(peers.Unread, match="did not converge"):
            peers.ccs_qcd_seconds(text, "16x16x16x16", 2)
    with pytest.raises(peers.Unread, match="did not converge"):
        peers.qws_seconds(QWS.replace("e-15", "e-02"))
    with pytest.raises(peers.Unread, match="VLENS"):
        peers.qws_seconds("ERROR at qws_init_ : nx/2/VLENS must be >=1\n")
    with pytest.raises(peers.Unread, match="said nothing"):
        peers.ccs_qcd_seconds("", "16x16x16x16", 2)


def test_a_peer_that_fails_is_named_and_the_others_stand(peers: ModuleType, tmp_path: Path) -> None:
    broken = tmp_path / "main"
    broken.write_text("#!/bin/sh\necho no such lattice\nexit 1\n")
    broken.chmod(0o755)
    refused = peers.qws(peers.Build(broken), "4x4x4x4")
    assert refused.refused == "no such lattice"
    assert refused.rate == 0
    ours = peers.Entry("Tasuki", "4x4x4x4", "double", 1, 2, 1e-3, ours=True)
    slower = peers.Entry("Tasuki", "4x4x4x4", "double", 1, 2, 2e-3, ours=True)
    assert peers.fastest([slower, refused, ours]) == [ours, refused]
    assert ours.rate == pytest.approx(6336 * 128 / 1e-3)
    console = Console(record=True, width=200)
    console.print(peers.table([refused, ours]))
    text = console.export_text()
    assert "no such lattice" in text
    assert "0.811" in text
