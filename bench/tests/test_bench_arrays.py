"""Rivals of arrays: the twins they are held against, what is called wrong, their record and its tables."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
import time
from dataclasses import asdict
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from rich.console import Console

from tasuki.errors import TasukiError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench" / "peers"
if not FOLDER.is_dir():
    pytest.skip("the rivals are in the repository alone", allow_module_level=True)
sys.path.insert(0, str(FOLDER))

import array_problems as problems  # noqa: E402
import array_tasuki  # noqa: E402
import arrays  # noqa: E402
from array_table import Entry, show_record  # noqa: E402


def test_the_twin_of_diffusion_decays_as_the_mode_does() -> None:
    for points in (7, 27):
        for n in (8, 13):
            factor = problems.discrete_factor(n, points)
            assert 0.5 < factor < 1
            twin = problems.diffused(problems.mode(n), points, 10)
            assert np.abs(twin - factor**10 * problems.mode(n)).max() < 1e-14
    # By 7 points, by hand.
    assert problems.discrete_factor(8, 7) == pytest.approx(1 + 0.1 * (6 * math.cos(math.pi / 4) - 6))


def test_both_stencils_are_laplacians() -> None:
    for weights in problems.WEIGHTS.values():
        each = {o: weights[sum(map(abs, o))] for o in problems.OFFSETS}
        assert sum(each.values()) == pytest.approx(0, abs=1e-14)
        for axis in range(3):
            assert sum(w * o[axis] ** 2 for o, w in each.items()) == pytest.approx(2)


def test_the_twin_of_laplace() -> None:
    flat = np.tile(np.linspace(0, 1, 9, dtype=np.float32), (9, 1))
    same, change = problems.relaxed(flat, 3)
    assert np.array_equal(same, flat)  # its own solution
    assert change == 0
    once, change = problems.relaxed(problems.plate(6), 1)
    assert np.array_equal(once[4, 1:-1], np.full(4, 0.25, np.float32))
    assert change == 4 * 0.25**2
    assert np.array_equal(once[[0, -1]], problems.plate(6)[[0, -1]])
    changes = [problems.relaxed(problems.plate(32), steps)[1] for steps in range(1, 10)]
    assert changes == sorted(changes, reverse=True)  # so that a threshold has one step to end at


# A rival in NumPy, and what goes wrong with it.


def diffusion(n: int, points: int) -> problems.Program:
    """A docstring,

    which is not counted."""

    def advance(u: np.ndarray, steps: int) -> np.ndarray:
        return problems.diffused(u, points, steps)

    return problems.Program(lambda: problems.mode(n), advance)


def laplace(n: int, threshold: float | None) -> problems.Program:
    def advance(u: np.ndarray, steps: int) -> np.ndarray:
        for _ in range(steps):
            u, change = problems.relaxed(u, 1)
            if threshold is not None and change < threshold:
                break
        return u

    return problems.Program(lambda: problems.plate(n), advance)


LIBRARY = problems.Library("NumPy", (), lambda device, devices: "", lambda u: None, np.asarray)


def timed(build: object, case: str) -> problems.Timing:
    return problems.time_program(LIBRARY, build, problems.case_of(case), 1e-9, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", ["diffusion/12/7", "diffusion/12/27", "laplace/20", "laplace/20/norm"])
def test_a_right_rival_is_timed(case: str) -> None:
    timing = timed(diffusion if case.startswith("d") else laplace, case)
    assert timing.seconds > 0
    assert timing.steps == problems.CHUNK
    assert timing.error < problems.FARTHEST


def test_a_wrong_rival_is_not_timed() -> None:
    def other_weights(n: int, points: int) -> problems.Program:
        return diffusion(n, 7 if points == 27 else 27)

    def zeros(n: int, points: int) -> problems.Program:
        return problems.Program(lambda: np.zeros((n, n, n)), lambda u, steps: u)

    def not_a_number(n: int, points: int) -> problems.Program:
        return problems.Program(lambda: problems.mode(n), lambda u, steps: u * math.nan)

    def never_ends(n: int, threshold: float | None) -> problems.Program:
        return laplace(n, None)

    def one_step_short(n: int, threshold: float | None) -> problems.Program:
        it = laplace(n, threshold)
        return problems.Program(it.start, lambda u, steps: it.advance(u, steps - 1))

    for build in (other_weights, zeros, not_a_number):
        with pytest.raises(ValueError, match=r"^wrong: .* from the mode's amplitude"):
            timed(build, "diffusion/12/27")
    for build, case in ((never_ends, "laplace/20/norm"), (one_step_short, "laplace/20")):
        with pytest.raises(ValueError, match=r"^wrong: .* from the twin of a small grid"):
            timed(build, case)


def test_lines_are_those_of_the_program(tmp_path: Path) -> None:
    assert problems.lines_of(diffusion) == 4
    file = tmp_path / "user.cpp"
    file.write_text("// what it is\n#include <a>\n\nint main() { // it\n}\n")
    assert problems.lines_of_file(file) == 3


def test_cases() -> None:
    for text in arrays.CASES:
        assert str(problems.case_of(text)) == text
    for text in ("diffusion/512", "laplace/512/7", "himeno/512", "laplace/x", "laplace/2"):
        with pytest.raises(ValueError, match="is no case"):
            problems.case_of(text)


# How rivals are run


def plan(left: float) -> arrays.Plan:
    return arrays.Plan("host", (problems.case_of("laplace/20"),), 0.1, 1, 60, time.monotonic() + left)


def test_who_cannot_be_imported_or_crashes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(arrays.RIVALS, "nothing", "Nothing")
    arrays.one("nothing", 1, plan(60), tmp_path / "out.json")
    (entry,) = json.loads((tmp_path / "out.json").read_text())["entries"]
    assert entry["refused"].startswith("cannot be imported (No module named 'array_nothing'")
    version, entries = arrays.apart("nothing", 1, plan(60))  # the process knows of no such rival
    assert (version, entries[0].who, entries[0].refused) == ("", "Nothing", "KeyError: 'nothing'")
    assert arrays.apart("jax", 1, plan(0))[1][0].refused == "no time was left for it"


def test_ours_are_held_against_the_twin_too() -> None:
    change = problems.relaxed(problems.plate(20), 15)[1]
    said = f"1.2e-06 seconds a step, change {change:.9e}\n"
    assert array_tasuki.norm_error(said, 20, 15) < 1e-5
    with pytest.raises(TasukiError, match="wrong: a sum"):
        array_tasuki.norm_error(said, 20, 14)
    norm = problems.case_of("laplace/4096/norm")
    words = ["--nx", "4096", "--ny", "4096", "--residual-every", "1", "--until", "1e-30", "--times", "9"]
    assert array_tasuki.program_words(norm, 9) == words
    assert array_tasuki.steps_for(norm, 2, "cuda", 0.5) > array_tasuki.steps_for(norm, 1, "cuda", 0.5)


# The record


ENTRIES = (
    Entry("Tasuki, a user's program", "diffusion/512/27", 1, lines=66, ours=True).took(500e-6, 100),
    Entry("JAX, rolls", "diffusion/512/27", 1, lines=15).took(1e-3, 100, 1e-14),
    Entry("torch.compile", "diffusion/512/27", 1, lines=15).refuse(
        "wrong: 1.0e-03 from the mode's amplitude"
    ),
    Entry("JAX, slices", "laplace/4096/norm", 1, lines=24).took(99e-6, 100),
    Entry("CuPy", "", 1).refuse("cannot be imported (no cupy)"),
)


def record_of() -> dict[str, object]:
    return {
        "schema": 1, "machine": ["NVIDIA H100"], "device": "cuda", "versions": {"jax": "JAX 0.9"},
        "notes": ["2 GPUs: this machine has 1"], "entries": [asdict(entry) for entry in ENTRIES],
    }  # fmt: skip


def test_a_record_is_shown() -> None:
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    show_record(record_of(), console)
    text = console.export_text()
    assert "2.00 x" in text  # 1000 / 500
    assert "4096^2, norm" in text
    assert "torch.compile, diffusion/512/27 on 1: wrong: 1.0e-03" in text
    assert "CuPy on 1: cannot be imported (no cupy)" in text
    assert "2 GPUs: this machine has 1" in text


def writer() -> ModuleType:
    """scripts/write-tables, which has no ending."""
    loader = SourceFileLoader("write_tables", str(ROOT / "scripts" / "write-tables"))
    spec = importlib.util.spec_from_loader("write_tables", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_tables"] = module  # its dataclasses look there
    loader.exec_module(module)
    return module


def test_the_table_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = writer()
    monkeypatch.setattr(tables, "RECORDS", tmp_path)
    assert tables.arrays() == "No machine has a record of them."
    folder = tmp_path / "1-x-nvidia-h100"
    folder.mkdir()
    (folder / "arrays-peers.json").write_text(json.dumps(record_of()))
    assert tables.arrays().splitlines() == [
        "1 x NVIDIA H100; JAX 0.9:",
        "",
        "| | lines | diffusion 512^3, 27 points | laplace 4096^2, norm |",
        "|---|---|---|---|",
        "| 1 x Tasuki, a user's program | 66 | 500 | - |",
        "| 1 x JAX, rolls | 15 | 1000 | - |",
        "| 1 x torch.compile | 15 | wrong | - |",
        "| 1 x JAX, slices | 24 | - | 99 |",
    ]
