"""What the model predicts, held against what was measured: every record of steps on GPUs in bench/results."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from tasuki.model.measured import Measured, measured_of, measured_of_step
from tasuki.programs import find_program, locate
from tasuki.record import read_record
from tasuki_bench import steps

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results"
MACHINES = {
    "1-x-nvidia-h100-80gb-hbm3": "NVIDIA H100 80GB HBM3",
    "2-x-nvidia-h100-80gb-hbm3": "NVIDIA H100 80GB HBM3",
    "1-x-nvidia-h200": "NVIDIA H200",
    "2-x-nvidia-h200": "NVIDIA H200",
    "4-x-nvidia-h200": "NVIDIA H200",
}
GROUPS = ("laplace", "himeno", "diffusion", "regret")
NEAR = 1.15
# Of H200 with fast sums, the default then. On 22 November passes did not look at sums, nor did cells share
# reads; the records of four H200 still are of that day.
NOT_EXACT = {"4-x-nvidia-h200": {"--norm", "--look-every"}}
OLD = ("4-x-nvidia-h200",)
# On 27 November the host waited for late looks too.
WAITED = ("1-x-nvidia-h100-80gb-hbm3", "2-x-nvidia-h100-80gb-hbm3", "4-x-nvidia-h200")
CHOSEN = ("1-x-nvidia-h200", "2-x-nvidia-h200")
LOOKED_AT_BY_HOST = ("eager", "overlapped", "graph")
# Until a kernel that stays no longer computed the slabs of three-dimensional tiles apart.
APART = WAITED
# Of how many measured steps the prediction is within 15 %. A change of the model may only add to it.
HELD = {
    ("blocked", "programs"): (8, 8),
    ("blocked", "steps"): (44, 58),
    ("blocked", "steps, 200 steps"): (10, 13),
    ("blocked", "sums"): (37, 39),
    ("blocked", "sums, 200 steps"): (12, 15),
    ("eager", "programs"): (5, 5),
    ("eager", "steps"): (78, 83),
    ("eager", "steps, 200 steps"): (24, 26),
    ("eager", "sums"): (44, 54),
    ("eager", "sums, 200 steps"): (27, 30),
    ("graph", "programs"): (1, 1),
    ("graph", "steps"): (81, 103),
    ("graph", "steps, 200 steps"): (19, 26),
    ("graph", "sums"): (40, 54),
    ("graph", "sums, 200 steps"): (21, 30),
    ("overlapped", "programs"): (4, 4),
    ("overlapped", "steps"): (74, 99),
    ("overlapped", "steps, 200 steps"): (22, 26),
    ("overlapped", "sums"): (36, 54),
    ("overlapped", "sums, 200 steps"): (22, 30),
    ("resident", "steps"): (33, 40),
    ("resident", "steps, 200 steps"): (1, 11),
    ("resident", "sums"): (25, 34),
    ("resident", "sums, 200 steps"): (14, 16),
    ("streamed", "steps"): (0, 2),
}


def is_held(folder: str, row: steps.Row) -> bool:
    """Whether the model has to foretell it. Since the record of the regret, passes of several ranks exchange
    in one kernel, and kernels that stay do not compute the slabs of tiles of himeno M apart. How deep halos
    the bench chose for streamed, the records of 29 November do not say."""
    if row.device != "cuda" or row.group not in GROUPS or not row.measured or row.way == "auto":
        return False
    if row.way == "streamed" and folder in CHOSEN and row.group in ("laplace", "himeno") and not row.halo:
        return False
    before = row.group == "regret" and row.ranks > 1
    apart = row.way == "resident" and row.case.startswith("himeno/M")
    return not before or not (apart or row.way == "blocked, deep halos")


def is_old(folder: str, step: Measured) -> bool:
    """Whether the program has done something else since."""
    fast = bool(NOT_EXACT.get(folder, set()) & {*step.words})
    if fast and (step.executor != "blocked" or folder in OLD):
        return True
    if folder in WAITED and "--norm" in step.words and step.executor in LOOKED_AT_BY_HOST:
        return True
    if folder in APART and step.executor == "resident" and step.words[:3] == ("himeno", "--size", "M"):
        return True
    return folder == "4-x-nvidia-h200" and "27" in step.words


def measured() -> list[tuple[str, str, Measured]]:
    """The folder of each measured step, its kind, and the step."""
    found: list[tuple[str, str, Measured]] = []
    for folder in MACHINES:
        lines = [
            (row.case, {**vars(row), "executor": row.way, "chosen": row.chosen or row.way})
            for row in steps.read_record(RESULTS / folder)
            if is_held(folder, row)
        ]
        for path in (RESULTS / folder).glob("blocked-*.jsonl"):
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            lines += [(row["case"], row) for row in rows if row["executor"] != "auto"]
        for case, row in lines:
            row.pop("refused", None)
            step = measured_of_step(row)
            assert step is not None, case
            short = "200 steps" if case.endswith("/200steps") else "long"
            kind = "sums" if {"--norm", "--look-every"} & {*step.words} else "steps"
            found.append((folder, f"{kind}, {short}" if short != "long" else kind, step))
        for path in sorted((RESULTS / folder).glob("*-cuda-*.json")):
            if not path.name.startswith("argon"):
                found.append((folder, "programs", measured_of(read_record(path))))
    return [(folder, kind, step) for folder, kind, step in found if not is_old(folder, step)]


def ratios() -> dict[tuple[str, str], list[tuple[float, str]]]:
    """Predicted over measured, by executor and kind; by the constants that a run decides by."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    steps_of: dict[str, list[tuple[str, str, Measured]]] = defaultdict(list)
    for folder, kind, step in measured():
        steps_of[MACHINES[folder]].append((folder, kind, step))
    for machine, those in steps_of.items():
        text = "".join(replace(step, machine="").line() + "\n" for _, _, step in those)
        words = [find_program("model"), "batch", "-", "--uncalibrated", "--machine", machine, "--json"]
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
        rows = json.loads(done.stdout)["rows"]
        assert len(rows) == len(those)
        for (folder, kind, step), row in zip(those, rows, strict=True):
            assert "seconds" in row, (folder, step, row)
            about = f"{folder[:8]} {' '.join(step.words)} on {step.devices}"
            found[step.executor, kind].append((row["seconds"] / step.seconds, about))
    return found


@pytest.mark.skipif(locate("model") is None, reason="tasuki-model is not built")
def test_as_many_records_are_near_the_model_as_its_page_says() -> None:
    found = ratios()
    counts = {
        key: (sum(1 / NEAR <= ratio <= NEAR for ratio, _ in those), len(those))
        for key, those in found.items()
    }
    assert set(counts) == set(HELD)
    for key, (near, of) in counts.items():
        far = [f"{ratio:.2f} {about}" for ratio, about in found[key] if not 1 / NEAR <= ratio <= NEAR]
        assert (near, of) == HELD[key], (key, "better: raise it" if near > HELD[key][0] else far)
    for (executor, _), those in found.items():
        assert all(1 / 4 < ratio < 4 for ratio, _ in those), executor


def test_the_page_has_these_counts() -> None:
    page = (ROOT / "docs/model.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)`, ([^|]+?) \| (\d+) of (\d+) \|", page, re.MULTILINE)
    assert {(executor, kind): (int(near), int(of)) for executor, kind, near, of in rows} == HELD
