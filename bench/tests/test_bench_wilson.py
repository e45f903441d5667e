"""The table of Wilson's figures: shares of streaming, efficiencies, and what is no record."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki_bench import main as bench
from tasuki_bench import wilson


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
    (tmp_path / wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    wilson.show(console, tmp_path)
    text = console.export_text()
    assert "75.0 %" in text  # of streaming
    assert "80.0 %" in text  # 8 ms to 5 ms on two
    assert "16x16x16x32" in text
    assert " 37 " in text


def test_columns_at_once_are_figures_of_their_own(tmp_path: Path) -> None:
    rows = [line("solve", 1, 1.0), line("solve", 1, 0.5, columns=12), line("solve", 2, 0.4, columns=12)]
    (tmp_path / wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    wilson.show(console, tmp_path)
    text = console.export_text()
    assert "62.5 %" in text  # 0.5 s to 0.4 s on two, both of twelve columns
    assert "125.0 %" not in text
    headings = [column.header for column in wilson.table([wilson.row_of(row) for row in rows]).columns]
    assert headings[4:6] == ["columns", "devices"]
    assert all(headings[1:])


def test_one_table_is_shown_where_no_other_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    words = ["--show", "--out", str(tmp_path), "--machine", "m", "--tables"]
    (folder / wilson.RECORD).write_text(json.dumps(line("solve", 1, 1.0, iterations=37)) + "\n")
    assert bench.main([*words, "wilson"]) == 0
    assert "no record of" not in capsys.readouterr().out
    assert bench.main([*words, "kernels,lanes,wilson"]) == 0
    assert "no record of kernels, lanes\n" in capsys.readouterr().out
    assert bench.main([*words, "programs,argon"]) == 1
    assert "has no record of programs, argon" in capsys.readouterr().err


def test_no_record_is_no_table(tmp_path: Path) -> None:
    console = Console(record=True)
    wilson.show(console, tmp_path)
    assert console.export_text() == ""


def test_a_line_of_something_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / wilson.RECORD
    path.write_text('{"case": "wilson/operator"}\n')
    with pytest.raises(TasukiError, match=r"wilson\.jsonl holds no figures of wilson"):
        wilson.show(Console(), tmp_path)


PEER = {"lattice": "16x16x16x32", "precision": "single", "ranks": 1, "threads": 2, "flops": 6336}


def peers_record(*entries: dict[str, object], device: str = "host") -> str:
    return json.dumps({"device": device, "entries": [{**PEER, **entry} for entry in entries]})


def test_the_fastest_other_stands_beside_iterations_alone(tmp_path: Path) -> None:
    path = tmp_path / wilson.PEERS
    path.write_text(
        peers_record(
            {"who": "A", "seconds": 9e-3, "ours": False, "refused": ""},
            {"who": "B", "seconds": 7e-3, "ours": False, "refused": ""},
            {"who": "us", "seconds": 1e-3, "ours": True, "refused": ""},
            {"who": "C", "seconds": 0.0, "ours": False, "refused": "not built"},
        )
    )
    assert wilson.best_peers(path, "host") == {("iteration", "16x16x16x32", "single", 18): ("B", 7e-3)}
    assert wilson.best_peers(path, "cuda") == {}
    assert wilson.best_peers(tmp_path / "nothing", "host") == {}
    rows = [line("operator", 1, 8e-3, links=18), line("iteration", 1, 8e-3, links=18)]
    rows += [line("iteration", 1, 7e-3), line("iteration", 1, 5e-3, links=18, columns=12)]
    (tmp_path / wilson.RECORD).write_text("".join(json.dumps(row) + "\n" for row in rows))
    console = Console(record=True, width=200)
    wilson.show(console, tmp_path)
    assert console.export_text().count("(B)") == 1
    path.write_text('{"device": "host", "entries": [{}]}')
    with pytest.raises(TasukiError, match="holds no figures of peers"):
        wilson.best_peers(path, "host")


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
    assert peers.refusals([refused, ours]) == ["qws, iteration, double, 18 numbers a link: no such lattice"]
    text = console.export_text()
    assert "1 x 2" in text
    assert "0.811" in text


DSLASH = """\
[ RUN      ] DslashTest.benchmark
Executing 1000 kernel loops...
done.

750.250000us per kernel call
1384120320 flops per kernel call, 1320 flops per site 1152 bytes per site
GFLOPS = 1844.878800
[       OK ] DslashTest.benchmark (3000 ms)
[ RUN      ] DslashTest.verify
Executing 2 kernel loops...
done.

760.000000us per kernel call
1384120320 flops per kernel call, 1320 flops per site 1152 bytes per site
GFLOPS = 1821.211000
[       OK ] DslashTest.verify (9000 ms)
[  PASSED  ] 2 tests.
"""
INVERT = """\
Computed plaquette is 7.6e-02 (spatial = 7.6e-02, temporal = 7.6e-02)
BiCGstab: Convergence at 20 iterations, L2 relative residual: iterated = 8.1e-11, true = 8.2e-11 (requested = 1.0e-10)
Done: 20 iter / 0.31 secs = 900.5 Gflops
BiCGstab: Convergence at 30 iterations, L2 relative residual: iterated = 8.1e-11, true = 8.2e-11 (requested = 1.0e-10)
Done: 30 iter / 0.35 secs = 910.1 Gflops

             loadGaugeQuda Total time =     0.200 secs
                  compute     =     0.010 secs (  5.000%),\t with        2 calls at 5.000e+03 us per call

                invertQuda Total time =     0.660 secs
                     init     =     0.010 secs (  1.515%),\t with        4 calls at 2.500e+03 us per call
                  compute     =     0.200 secs ( 30.303%),\t with        4 calls at 5.000e+04 us per call
                 epilogue     =     0.002 secs (  0.303%),\t with        4 calls at 5.000e+02 us per call
"""  # noqa: E501


def test_what_quda_prints_is_read(peers: ModuleType) -> None:
    assert peers.quda.operator_figure(DSLASH).seconds == pytest.approx(2 * 750.25e-6)  # both parities
    figure = peers.quda.solve_figure(INVERT, "1e-10")
    assert figure.seconds == pytest.approx(0.2 / 50)  # the loop alone, without the way to the device
    assert figure.iterations == 50


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (DSLASH.replace("1320 flops per site", "1824 flops per site"), "1824 flop a site"),
        (DSLASH.replace("[  PASSED  ] 2", "[  PASSED  ] 1"), "computes on the host"),
        ("running\nERROR: no device\n last kernel called was\n", "ERROR: no device"),
        ("", "said nothing"),
    ],
)
def test_an_operator_of_quda_that_is_another_is_refused(peers: ModuleType, text: str, match: str) -> None:
    with pytest.raises(peers.Unread, match=match):
        peers.quda.operator_figure(text)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (INVERT.replace("true = 8.2e-11", "true = nan"), "did not converge"),
        (INVERT.replace("true = 8.2e-11", "true = 3.0e-10"), "did not converge"),
        (INVERT.replace("invertQuda Total", "nothing"), "how long"),
        ("ERROR: it burns\n", "it burns"),
    ],
)
def test_a_solve_of_quda_that_is_none_is_refused(peers: ModuleType, text: str, match: str) -> None:
    with pytest.raises(peers.Unread, match=match):
        peers.quda.solve_figure(text, "1e-10")


def test_quda_ends_in_its_time_and_says_what_was_not_done(peers: ModuleType, tmp_path: Path) -> None:
    """The operator answers, a solve hangs: no other begins, and all is over when the time is."""
    (tmp_path / "dslash_test").write_text(f"#!/bin/sh\ncat <<'EOF'\n{DSLASH}EOF\n")
    (tmp_path / "invert_test").write_text("#!/bin/sh\nsleep 600\n")
    for name in ("dslash_test", "invert_test"):
        (tmp_path / name).chmod(0o755)
    begun = time.monotonic()
    found = peers.quda.measure(tmp_path, "4x4x4x8", begun + 3, tmp_path / "kept")
    assert time.monotonic() - begun < 60
    assert set(found) == set(peers.quda.CASES)
    entries = [peers.entry_of("QUDA", case, "4x4x4x8", figure) for case, figure in found.items()]
    assert (tmp_path / "kept" / "operator-half.txt").read_text() == DSLASH
    assert [entry.refused for entry in entries[:3]] == [""] * 3
    assert "took longer than" in entries[3].refused
    assert [entry.refused for entry in entries[4:]] == ["no time was left for it"] * 2
    assert entries[0].rate == pytest.approx(1320 * 512 / (2 * 750.25e-6))
    console = Console(record=True, width=200)
    peers.show_record(
        {"machine": "m", "load_average": 1, "note": "", "entries": map(asdict, entries)}, console
    )
    text = console.export_text()
    assert "QUDA, mixed, half, 12 numbers a link: no time was left for it" in text
    assert "ranks" not in text  # of one GPU


def test_a_record_of_before_is_shown(
    peers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {**PEER, "who": "ccs-qcd", "seconds": 9e-3, "ours": False, "refused": ""}
    record = {"machine": "a machine", "load_average": 1.0, "note": "quiet", "entries": [entry]}
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert peers.main(["show", str(path)]) == 0
    assert "ccs-qcd" in capsys.readouterr().out
    path.write_text("no record")
    assert peers.main(["show", str(path)]) != 0
    assert "is no record" in capsys.readouterr().err
