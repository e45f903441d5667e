"""The tables of small steps: rows of a fake program, columns that are refused, ratios, pictures."""

from __future__ import annotations

import dataclasses
import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.programs import locate
from tasuki_bench import lanes, plots
from tasuki_bench import main as bench
from tasuki_bench import steps as small
from tasuki_bench import tables as step_tables
from tasuki_bench.steps import Group, Row, Way

# Writes a line for each case; executor `hole` refuses, `crash` dies after its first case, `hang` never ends.
FAKE = """#!{python}
import json, os, sys, time
words = sys.argv[1:]
cases = words[: words.index("--executors")]
def value(name):
    return words[words.index(name) + 1]
executor = value("--executors")
with open(value("--out"), "a") as out:
    for case in cases:
        ranks = int(os.environ["RANKS"])
        row = dict(case=case, executor=executor, ranks=ranks, threads=3, unknown="more")
        if executor == "hole":
            row["refused"] = "it cannot; use another"
        elif executor == "hang":
            time.sleep(600)
        else:
            row |= dict(chosen=executor, steps=7, seconds=2e-6, mean=3e-6, largest=4e-6)
            row |= dict(cells=1e6, bytes_a_cell=8)
        out.write(json.dumps(row) + "\\n")
        out.flush()
        if executor == "crash":
            out.write('{{"case": "torn')
            out.flush()
            print("tasuki: rank 1 died; look there", file=sys.stderr)
            sys.exit(1)
"""

GROUP = Group(
    "laplace",
    "a title",
    "host",
    ("laplace/64x64", "laplace/128x128/norm"),
    (Way("a", "fine"), Way("b", "hole"), Way("c", "crash", ("--halo", "2"))),
    subject="a",
    against=("c",),
)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "bin" / "tasuki-bench-steps"
    program.parent.mkdir()
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("TASUKI_BIN", str(program.parent))
    monkeypatch.setenv("TASUKI_LAUNCHER", "")
    monkeypatch.setattr(small, "launch_command", lambda words, ranks: (list(words), {"RANKS": str(ranks)}))
    return program


def _measure(way: Way) -> list[Row]:
    return small.measure("laplace", GROUP.cases, way, 1, "host", 3)


def test_rows_come_back(fake: Path) -> None:
    rows = _measure(GROUP.ways[0])
    assert [row.case for row in rows] == list(GROUP.cases)
    assert all(row.measured and row.seconds == 2e-6 and row.device == "host" for row in rows)


def test_a_refusal_is_a_row(fake: Path) -> None:
    rows = _measure(GROUP.ways[1])
    assert [row.refused for row in rows] == ["it cannot; use another"] * 2
    assert not any(row.measured for row in rows)


def test_a_crash_costs_what_was_not_yet_measured(fake: Path) -> None:
    first, second = _measure(GROUP.ways[2])
    assert first.measured
    assert second.refused == "rank 1 died; look there"


def test_one_that_hangs_is_ended(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = small.run_quietly
    monkeypatch.setattr(small, "run_quietly", lambda command, env, _: run(command, env, 0.5))
    assert {row.refused for row in _measure(Way("d", "hang"))} == {"it did not end in time"}


def test_a_launcher_that_is_missing_is_said(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(words: object, ranks: int) -> None:
        raise TasukiError("cannot start 2 ranks", "install one")

    monkeypatch.setattr(small, "launch_command", nothing)
    assert "cannot start" in _measure(GROUP.ways[0])[0].refused


def _text(table: object) -> str:
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(table)
    return console.export_text()


def _rows() -> list[Row]:
    def row(
        way: str, ranks: int, micros: float, refused: str = "", case: str = "laplace/512x512/nvidia"
    ) -> Row:
        return Row(
            "laplace", case, way, ranks, "cuda", 1, way, 9, 1e-6 * micros, 0, 0, 1e6, 8, 4, refused=refused
        )

    return [row("a", 1, 4.0), row("b", 1, 0, "no such device"), row("c", 1, 6.0), row("a", 2, 2.5)]


def test_the_table_has_limit_rival_and_ratio() -> None:
    group = dataclasses.replace(GROUP, device="cuda")
    rivals = {("laplace", "512x512", "off", 1): step_tables.RivalTime("CPU-Free", 12e-6)}
    lines = _text(step_tables.group_table(group, _rows(), 4e12, rivals)).splitlines()
    one = next(line for line in lines if "512x512" in line).split()
    cells = [cell for cell in one if cell not in ("│", "║", "|")]
    # case, ranks, a, b, c, limit 8e6 B / 4e12 B/s, of it, rival, by how much, c / a
    assert cells == [
        "laplace/512x512/nvidia",
        "1",
        "4.00",
        "-",
        "6.00",
        "2.00",
        "50",
        "%",
        "12.0",
        "3.00",
        "1.50",
    ]
    two = [line for line in lines if "512x512" in line][1]
    assert "1.00" in two  # the limit of two devices


def test_ranks_share_the_memory_of_a_host() -> None:
    row = Row("g", "c", "w", 2, "host", cells=1e6, bytes_a_cell=8)
    assert row.limit(1e9) == pytest.approx(8e-3)
    assert dataclasses.replace(row, device="cuda").limit(1e9) == pytest.approx(4e-3)
    assert row.limit(None) is None


def test_refusals_are_told_once() -> None:
    assert step_tables.refusals(_rows()) == ["b, all cases on 1: no such device"]


def test_what_a_neighbour_adds() -> None:
    def row(ranks: int, micros: float) -> Row:
        return Row("sync", "laplace/64x64/block", "auto", ranks, "host", seconds=1e-6 * micros)

    costs = small.neighbours_cost([row(1, 3.0), row(2, 4.5)])
    assert costs == {("laplace/64x64/block", "auto"): pytest.approx(1.5e-6)}
    group = next(group for group in small.GROUPS if group.name == "sync")
    assert "1.50" in _text(step_tables.neighbours_table(group, [row(1, 3.0), row(2, 4.5)]))
    assert step_tables.neighbours_table(group, [row(1, 3.0)]) is None


def test_groups_fit_the_machine() -> None:
    found = {group.name: ranks for group, ranks in small.groups_for("cuda", 2)}
    assert found["laplace"] == (1, 2)
    assert found["gates"] == (2,)
    assert "gates" not in {group.name for group, _ in small.groups_for("cuda", 1)}
    assert [group.name for group, _ in small.groups_for("host", 2, ["sync"])] == ["sync"]
    slabs = [small.groups_for(device, 2, ["slab"])[0] for device in ("cuda", "host")]
    assert [ranks for _, ranks in slabs] == [(1, 2), (1, 2)]
    assert slabs[0][0].cases == ("diffusion/512x2048x2048/27/128steps",), "the cells of the study"
    assert all(case.endswith("/27/128steps") for group, _ in slabs for case in group.cases)
    for group in small.GROUPS:
        labels = {way.label for way in group.ways}
        assert {group.subject, *group.against} <= labels | {"", small.BEST}


def test_each_way_of_a_picture_has_a_colour_of_its_own() -> None:
    for group in small.GROUPS:
        colours = plots.colours_of(group)
        assert len({colours[way.label] for way in group.ways}) == len(group.ways), group.name


def test_a_record_keeps_the_other_tables(tmp_path: Path) -> None:
    old = [Row("himeno", "himeno/S", "auto", 1, seconds=1e-6), Row("laplace", "x/1", "auto", 1, seconds=1.0)]
    small.write_record(tmp_path, old)
    small.write_record(tmp_path, _rows())
    rows = small.read_record(tmp_path)
    assert {row.group for row in rows} == {"himeno", "laplace"}
    assert len(rows) == 1 + len(_rows())
    assert small.read_record(tmp_path / "none") == []
    (tmp_path / small.RECORD).write_text("{}")
    with pytest.raises(TasukiError, match="cannot be read"):
        small.read_record(tmp_path)


def test_tables_and_pictures_of_a_run(
    fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(small, "GROUPS", (GROUP,))
    monkeypatch.setattr(bench, "cores", lambda: 2)
    words = ["--device", "host", "--tables", "laplace", "--out", str(tmp_path), "--machine", "m"]
    assert bench.main(words) == 0
    out = capsys.readouterr().out
    assert "b, all cases on 1/2: it cannot; use another" in out
    assert (tmp_path / "m" / "host-laplace.png").stat().st_size > 1000
    assert len(json.loads((tmp_path / "m" / "steps.json").read_text())["rows"]) == 2 * 2 * 3
    assert bench.main([*words, "--show"]) == 0
    assert "2.00" in capsys.readouterr().out
    assert bench.main(["--machine", "nowhere", "--out", str(tmp_path), "--show"]) == 1
    with pytest.raises(SystemExit):
        bench.main(["--tables", "nonsense"])


def test_lanes_are_a_table_of_the_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[int, float]] = []

    def measure(ranks: int, rounds: int, seconds: float) -> list[lanes.Row]:
        asked.append((rounds, seconds))
        if len(asked) > 1:
            raise TasukiError("a rank died", "look there")
        return []

    console = Console(width=100)
    monkeypatch.setattr(bench, "locate", lambda name: None)
    assert not bench.run_lanes(console, tmp_path, True)
    assert not asked
    monkeypatch.setattr(bench, "locate", lambda name: tmp_path)
    monkeypatch.setattr(lanes, "measure", measure)
    assert bench.run_lanes(console, tmp_path, True)
    assert (tmp_path / lanes.RECORD).is_file()
    assert not bench.run_lanes(console, tmp_path, False)
    assert "lanes: a rank died; look there" in capsys.readouterr().out
    assert asked[0] < asked[1]  # quick is quicker


@pytest.mark.skipif(locate("bench-steps") is None, reason="tasuki-bench-steps is not built")
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_real_program(ranks: int) -> None:
    cases = ["laplace/48x32/nvidia/norm", "himeno/XS/norm", "diffusion/12x12x12/27/block", "laplace/0x0"]
    effort = small.Effort(0.01, 2)
    fine = small.measure("g", cases, Way("e", "eager"), ranks, "host", 1, effort)
    assert [row.case for row in fine if row.measured] == cases[:3]
    assert fine[3].refused
    for row in fine[:3]:
        assert (row.ranks, row.chosen, row.threads) == (ranks, "eager", 1)
        assert 0 < row.seconds <= row.mean <= row.largest
    # Cells that a step updates: a rim is not among them, and a block is each rank's.
    assert [row.cells for row in fine[:3]] == [46 * 30, 30 * 30 * 62, 12**3 * ranks]
    none = small.measure("g", cases[:1], Way("e", "nonsense"), ranks, "host", 1, effort)
    assert not none[0].measured
    assert none[0].refused


def test_a_regret_is_of_the_best_of_the_other_ways() -> None:
    ways = tuple(Way(name, name) for name in ("slow", "fast", "auto"))
    group = Group("regret", "a title", "host", ("x/1", "x/2", "x/3"), ways, subject="auto", against=("best",))

    def row(case: str, way: str, seconds: float) -> Row:
        return Row("regret", case, way, 1, "host", seconds=seconds, refused="" if seconds else "it cannot")

    rows = [row("x/1", "slow", 3e-6), row("x/1", "fast", 1e-6), row("x/1", "auto", 1.5e-6)]
    rows += [row("x/2", "slow", 2e-6), row("x/2", "fast", 0), row("x/2", "auto", 2.02e-6)]
    rows += [row("x/3", "slow", 2e-6), row("x/3", "fast", 4e-6), row("x/3", "auto", 1.9e-6)]
    found = step_tables.regrets(group, rows)
    assert [case for _, case, _ in found] == ["x/1", "x/2", "x/3"]
    assert [regret for regret, _, _ in found] == pytest.approx([0.5, 0.01, -0.05])
    line = step_tables.regret_line(group, rows)
    assert "in 2 of 3 cases, within 15 % in 2; the worst is x/1 on 1, 50 %" in line
    assert not step_tables.regret_line(dataclasses.replace(group, against=("fast",)), rows)
    console = Console(file=io.StringIO(), width=200)
    console.print(step_tables.group_table(group, rows))
    assert "best / auto" in console.file.getvalue() and "0.67" in console.file.getvalue()


def test_what_earlier_runs_found_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = tmp_path / "home/tasuki"
    known.mkdir(parents=True)
    for name in ("tuning-1.json", "learned-1.json"):
        (known / name).write_text("{}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    cache = small.cache_without_memory(tmp_path)
    assert [path.name for path in (cache / "tasuki").iterdir()] == ["tuning-1.json"]
