"""A whole run of the bench, on a fake program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake import make_programs
from test_bench_kernels import write_kernels

from tasuki_bench import main
from tasuki_bench.programs import Case


def test_a_whole_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    programs = make_programs(tmp_path / "bin")
    kernels = write_kernels(tmp_path / "k.json")
    fake = programs / "tasuki-bench"
    fake.write_text(
        f'#!/bin/sh\nfor a; do case $a in --benchmark_out=*) cp {kernels} "${{a#*=}}";; esac; done\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("TASUKI_BIN", str(programs))
    monkeypatch.chdir(tmp_path)
    cases = (
        Case("good", "host", "fake", ("--size", "S"), 8, 16),
        Case("bad", "host", "fake", ("--fail",), 8, 16),
    )
    monkeypatch.setattr(main, "CASES", cases)
    monkeypatch.setattr(main, "cores", lambda: 2)
    assert main.main(["--device", "host", "--repeats", "2", "--machine", "m"]) == 1  # one case failed
    out = capsys.readouterr().out
    assert "against a loop by hand" in out
    assert "+10.0 %" in out
    assert "bad on host, 2 x 1 ranks: failed" in out
    rows = json.loads((tmp_path / "bench/results/m/summary.json").read_text())["programs"]
    assert [(row["case"], row["ranks"]) for row in rows] == [("good", 1), ("good", 2)]
    assert all((tmp_path / "bench/results/m" / row["record"]).is_file() for row in rows)
    assert not list((tmp_path / "bench/results/m").glob("*.part.json"))
    noted = json.loads((tmp_path / "bench/results/m/measured.json").read_text())
    assert {"summary.json", *(row["record"] for row in rows)} <= set(noted)
    assert noted["summary.json"]["command"] == "--device host --repeats 2 --machine m"
    assert main.main(["--device", "host", "--only", "good", "--quick", "--machine", "q"]) == 0
