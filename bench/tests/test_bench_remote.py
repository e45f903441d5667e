"""The table of remote GPUs: what latency.cu prints is read, a way without a figure has an empty place."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki_bench import remote, remote_programs
from tasuki_bench.lines import read_lines, write_lines

PRINTED = """launch us 0.35
launch, all waited for us 3.40
D2H 1 KiB, 200 us behind a launch us 2.10 median
D2H 4 B after 10 ms us 21.50 median, 30.10 of nine tenths
H2D pinned GB/s 55.40
launches 11001
"""


def test_figures_are_those_printed() -> None:
    rows = remote.figures("shared memory", PRINTED)
    assert [(row.call, row.unit, row.value) for row in rows] == [
        ("launch", "us", 0.35),
        ("launch, all waited for", "us", 3.4),
        ("D2H 1 KiB, 200 us behind a launch", "us", 2.1),
        ("D2H 4 B after 10 ms", "us", 21.5),
        ("H2D pinned", "GB/s", 55.4),
    ]
    with pytest.raises(TasukiError, match="printed no figures: 'launches 1'"):
        remote.figures("shared memory", "launches 1\n")


def test_ways_stand_beside_each_other(tmp_path: Path) -> None:
    rows = [*remote.figures("shared memory", PRINTED), remote.Row("TCP, 1 lane", "launch", "us", 0.28)]
    write_lines(tmp_path / remote.RECORD, [vars(row) for row in rows])
    assert [remote.row_of(line) for line in read_lines(tmp_path / remote.RECORD)] == rows
    console = Console(record=True, width=200)
    assert remote.show(console, tmp_path)
    lines = console.export_text().splitlines()
    launch, pinned = (next(x for x in lines if what in x) for what in ("launch, us", "H2D pinned"))
    assert "0.35" in launch and "0.28" in launch
    assert "55.40" in pinned and "0.28" not in pinned
    assert not remote.show(console, tmp_path / "none")


def test_a_step_is_a_long_run_without_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(remote_programs.time, "monotonic", lambda: clock[0])

    def start(words: Sequence[str]) -> None:
        clock[0] += 7 + 3e-6 * int(words[2])  # seven seconds of start and end, 3 us a step

    assert remote_programs.many("many", start, "cuda") == pytest.approx(3)


def test_a_part_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails() -> list[remote.Row]:
        raise TasukiError("status 1: no GPU", "look for one")

    rows = remote.figures("shared memory", PRINTED)
    served = contextlib.nullcontext(remote.Served(1, tmp_path, {}))
    monkeypatch.setattr(remote, "served", lambda *_: served)
    monkeypatch.setattr(remote, "parts", lambda *_: [("first", fails), ("second", lambda: rows)])
    console = Console(record=True, width=200)
    assert remote.measure(console, "cuda", 1) == rows
    assert "remote, first: status 1: no GPU" in console.export_text()


def test_one_gpu_is_two_devices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its replicas share it, and the column says so; copies between two devices are there."""
    monkeypatch.setattr(remote, "program_of", lambda name, *_: name)
    names = [name for name, _ in remote.parts(remote.Served(1, tmp_path, {}), "cuda", 1)]
    assert names[0] == remote.ITSELF and "two replicas, one GPU" in names
    assert "two devices, shared memory" in names and "a worker is silent" in names
    names = [name for name, _ in remote.parts(remote.Served(1, tmp_path, {}), "cuda", 2)]
    assert names[:2] == [remote.ITSELF] * 2 and "two replicas" in names
