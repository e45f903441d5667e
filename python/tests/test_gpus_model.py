"""``tasuki gpus model``: its file and its forecast on recorded numbers, against the model's formula."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, error_line

from tasuki.errors import TasukiError
from tasuki.model.remote import Costs, Run, fitted, read_costs, read_runs
from tasuki.model.study import constants_of

MODELS = Path(__file__).resolve().parents[2] / "models"

COSTS = {
    "program": "latency",
    "device": "some device",
    "costs": [
        {"devices": 1, "LH": 9e-6, "BH": 1e9, "LD": 5e-5, "BD": 8e8, "LK": 4e-6},
        {"devices": 4, "LH": 2e-6, "BH": 2e9, "LD": 4e-5, "BD": 9e8, "LK": 1e-6},
    ],
    "rounds": {"R": 6e-5, "L": 3e-6, "B": 5e8},
}
RUN = {
    "program": "remd",
    "devices": 1,
    "replicas": 128,
    "atoms": 256,
    "steps": 100,
    "intervals": 6,
    "seconds": 0.0215,
    "host_seconds": 2e-5,
    "kernel_seconds": 1.6e-4,
    "bytes_in": 1536,
    "bytes_out": 4096,
    "digest": "0123456789abcdef",
}
RUNS = [RUN, {**RUN, "devices": 3, "seconds": 0.0071}, {**RUN, "atoms": 32, "kernel_seconds": 1e-6}]


def predicted(n: int, compute: float = 1.6e-4 * 128, share: float = 1.0) -> float:
    """T(n), as the study writes it, with R."""
    moved = 1536 * share / 2e9 + 4096 * share / 5e8
    return compute / n + moved + 2 * n * 2e-6 + n * 1e-6 + 6e-5 + n * 3e-6 + 2e-5 * share


def evaluated(model: dict[str, Any], case: str, n: int) -> float:
    """A model of terms on n devices."""
    terms = [*model["terms"], *next(c["terms"] for c in model["cases"] if c["name"] == case)]
    return sum(
        term.get("count", 1)
        * n ** term.get("power", 0)
        * (term.get("seconds", 0) + term.get("bytes", 0) / term.get("bytes_per_second", 1))
        for term in terms
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """What the two programs would have written."""
    (tmp_path / "latency.json").write_text(json.dumps(COSTS))
    (tmp_path / "remd.jsonl").write_text("".join(json.dumps(run) + "\n" for run in RUNS))
    return tmp_path / "latency.json", tmp_path / "remd.jsonl"


def read(files: tuple[Path, Path]) -> tuple[Costs, list[Run]]:
    return read_costs(files[0]), read_runs([files[1]])


def test_the_model_is_the_studys_formula(files: tuple[Path, Path]) -> None:
    costs, runs = read(files)
    model = fitted(costs, runs)
    for n in (1, 3, 64, 4096):
        assert evaluated(model, "256 atoms", n) == pytest.approx(predicted(n), rel=1e-12)
        assert evaluated(model, "32 atoms", n) == pytest.approx(predicted(n, 1e-6 * 128), rel=1e-12)
    assert model["devices"] == [1, 2, 3, *(1 << k for k in range(2, 13))]


def test_work_and_bytes_grow_with_the_replicas(files: tuple[Path, Path]) -> None:
    model = fitted(*read(files), replicas=14336)
    wanted = predicted(64, 1.6e-4 * 14336, 14336 / 128)
    assert evaluated(model, "256 atoms", 64) == pytest.approx(wanted, rel=1e-12)


def test_devices_of_one_machine_compute_no_faster(files: tuple[Path, Path]) -> None:
    model = fitted(*read(files), one_machine=True)
    wanted = predicted(1) + 7 * (2 * 2e-6 + 1e-6 + 3e-6)
    assert evaluated(model, "256 atoms", 8) == pytest.approx(wanted, rel=1e-12)


def test_bytes_that_cost_nothing_have_no_term(files: tuple[Path, Path]) -> None:
    files[0].write_text(json.dumps({**COSTS, "rounds": {"R": 6e-5, "L": 3e-6, "B": 0}}))
    names = [term["name"] for term in fitted(*read(files))["cases"][0]["terms"]]
    assert "SD/BD" not in names


def test_the_command_writes_the_model_and_sets_it_beside_the_runs(
    native: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    words = ["latency.json", "remd.jsonl", "-o", "ours.json", "--json"]
    plot = ["--plot", "ours.png", "--beside", str(MODELS / "dscuda-remd-2014.json")]
    done = native("gpus", "model", *words, *plot)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "ours.json").read_text()) == fitted(*read(files))
    assert (tmp_path / "ours.png").stat().st_size > 10000
    said = json.loads(done.stdout)
    rows = {(row["series"], row["devices"]): row for row in said["forecast"]["rows"]}
    assert rows["256 atoms", 4096]["seconds"] == pytest.approx(predicted(4096), rel=1e-5)
    compared = {(row["series"], row["devices"]): row["measured"] for row in said["compared"]["rows"]}
    assert compared == {("256 atoms", 1): 0.0215, ("256 atoms", 3): 0.0071, ("32 atoms", 1): 0.0215}
    again = native("model", "ours.json")  # the file is one that tasuki model reads
    assert again.returncode == 0, again.stderr
    assert "replica exchange on remote GPUs: some device" in again.stdout


def test_the_studys_constants_are_found_by_name() -> None:
    found = constants_of(MODELS / "dscuda-remd-2014.json")
    assert found == {"LH": 9.23e-6, "LD": 31.7e-6, "LK": 5.96e-6, "BH": 1960e6, "BD": 850e6}
    runs = read_runs([MODELS / "dscuda-remd-2014-measured.jsonl"])
    assert {run.devices: run.seconds for run in runs if run.atoms == 2048}[1024] == 0.540


@pytest.mark.parametrize(
    ("latency", "remd", "line"),
    [
        ("{}", "", "latency.json is none of latency"),
        (json.dumps(COSTS), '{"program": "laplace"}\n', "remd.jsonl is none of remd"),
        (json.dumps(COSTS), "", "no run of remd"),
        (
            json.dumps(COSTS),
            json.dumps(RUN) + "\n" + json.dumps({**RUN, "devices": 2, "steps": 50}),
            "the runs of 256 atoms differ in replicas or steps",
        ),
    ],
)
def test_other_files_are_refused(files: tuple[Path, Path], latency: str, remd: str, line: str) -> None:
    files[0].write_text(latency)
    files[1].write_text(remd)
    with pytest.raises(TasukiError, match=line):
        fitted(*read(files))


def test_a_refusal_is_one_line(native: Command, files: tuple[Path, Path]) -> None:
    files[0].write_text("{}")
    assert "latency.json is none of latency" in error_line(
        native("gpus", "model", "latency.json", "remd.jsonl")
    )
