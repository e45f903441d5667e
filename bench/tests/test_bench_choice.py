"""What the model would choose, held against what was measured: the choice of `auto` in short runs, which try
nothing, for the records of bench/results."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from tasuki.model.measured import measured_of_step
from tasuki.programs import find_program, locate
from tasuki_bench import steps

RESULTS = Path(__file__).resolve().parents[1] / "results"
MACHINES = {"2-x-nvidia-h100-80gb-hbm3": "NVIDIA H100 80GB HBM3", "2-x-nvidia-h200": "NVIDIA H200"}
GROUPS = ("laplace", "himeno", "diffusion")


def measured(folder: str) -> dict[tuple[str, int], dict[str, float]]:
    """Seconds of a step by executor, of each case and number of GPUs."""
    found: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for row in steps.read_record(RESULTS / folder):
        if row.device == "cuda" and row.group in GROUPS and row.measured and row.way != "auto":
            found[row.case, row.ranks][row.way] = row.seconds
    return found


def predicted(case: str, devices: int, machine: str) -> dict[str, float]:
    """Seconds of a step by executor, of those that the model says can do it."""
    step = measured_of_step({"case": case, "ranks": devices, "executor": "auto", "seconds": 1})
    assert step is not None
    words = [*step.words, "--devices", str(devices), "--executor", "all", "--machine", machine, "--json"]
    done = subprocess.run([find_program("model"), *words], capture_output=True, text=True, check=True)
    return {row["series"]: row["seconds"] for row in json.loads(done.stdout)["rows"] if "seconds" in row}


@pytest.mark.skipif(locate("model") is None, reason="tasuki-model is not built")
@pytest.mark.parametrize("folder", MACHINES)
def test_the_model_alone_chooses_an_executor_near_the_best(folder: str) -> None:
    """Within 15 % in all cases, and within 5 % in nine of ten."""
    loss = {}
    for (case, devices), seconds in measured(folder).items():
        forecast = predicted(case, devices, MACHINES[folder])
        chosen = min((way for way in seconds if way in forecast), key=lambda way: forecast[way])
        loss[case, devices, chosen] = seconds[chosen] / min(seconds.values())
    assert len(loss) > 20
    far = {key: round(ratio, 2) for key, ratio in loss.items() if ratio > 1.15}
    assert not far
    assert sum(ratio <= 1.05 for ratio in loss.values()) >= 0.9 * len(loss), loss
