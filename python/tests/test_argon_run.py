"""``tasuki run argon``: what a run leaves, and that it goes on without a rank that is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command, Start, error_line

from tasuki.programs import locate
from tasuki.progress import Report, parse_report
from tasuki.runner import Outcome
from tasuki.survive import is_loss, working_devices

SMALL = ["--device", "host", "--atoms", "32", "--replicas", "6", "--density", "1.4", "--exchange-every", "20"]

needs_launcher = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun on this machine")


@pytest.fixture
def argon(native_bin: Path) -> Path:
    """The native program; skips where it is not built."""
    program = locate("argon")
    if program is None:
        pytest.skip("tasuki-argon is not built")
    return program.resolve()


def test_a_loss_is_told_from_other_ends() -> None:
    died = "tasuki: rank 1 died while rank 0 waited for the numbers; look above"
    device = "tasuki: cudaStreamSynchronize failed: an error (cudaErrorECCUncorrectable); check the GPU"
    refused = "tasuki: the ladder does not increase; give each value once"
    burst = "tasuki: replica 3 has burst by step 200 (80 K); lower --dt"
    assert is_loss(Outcome(137))
    assert is_loss(Outcome(1, errors=[died]))
    assert is_loss(Outcome(1, errors=[device]))
    mpich = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"
    assert is_loss(Outcome(9, noise=[mpich]))
    assert not is_loss(Outcome(9, errors=[refused], noise=[mpich]))
    assert not is_loss(Outcome(1, errors=[refused]))
    assert not is_loss(Outcome(1, errors=[burst]))
    assert not is_loss(Outcome(137, interrupted=True))
    assert not is_loss(Outcome(0))


def test_gpus_that_do_not_answer_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (
        ("nvidia-smi", "echo GPU-1; echo GPU-2; echo GPU-3"),
        ("tasuki-info", '[ "$TASUKI_DEVICE" = cuda ] && [ "$CUDA_VISIBLE_DEVICES" != GPU-2 ]'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("TASUKI_BIN", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert working_devices() == "GPU-1,GPU-3"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-2,GPU-3")
    assert working_devices() == "GPU-3"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert working_devices() is None


def test_progress_has_a_note() -> None:
    line = '@progress {"label": "argon", "done": 5, "total": 10, "seconds": 2, "rate": 4, "unit": "ns/day", '
    report = parse_report(line + '"note": "acceptance 0.30"}')
    assert report is not None
    assert report.tail(Report("argon", 0, 10, 0, 0, "")) == "4 ns/day, acceptance 0.30, 0:02 left"


@pytest.mark.usefixtures("argon")
def test_a_run_leaves_its_folder(native: Command, tmp_path: Path) -> None:
    words = [*SMALL, "--steps", "400", "--folder", "out", "--trajectory", "temperatures:0,5"]
    done = native("run", "argon", "-n", "2", *words, "--trajectory-every", "40", "--record", "r.json")
    assert done.returncode == 0, done.stderr
    assert "replica-steps/s" in done.stdout
    record = json.loads((tmp_path / "r.json").read_text())
    assert record["program"] == "argon"
    assert record["merit"]["name"] == "replica-steps/s"
    assert record == json.loads((tmp_path / "out/record.json").read_text()) | {"finished": record["finished"]}
    with h5py.File(tmp_path / "out/results.h5") as file:
        attributes = dict(file.attrs)
        assert attributes["format"] == "tasuki-argon"
        assert attributes["version"] == 1
        assert attributes["atoms"] == 32
        assert attributes["replicas"] == 6
        assert attributes["ranks"] == 2
        assert attributes["timestep_ps"] == pytest.approx(0.004)
        box = (32 * 39.948 / 602.214076 / 1.4) ** (1 / 3)
        assert attributes["box_nm"] == pytest.approx(box)
        assert list(file["ladder"].attrs["shape"]) == [6, 1]
        ladder = file["ladder/temperature_K"][:]
        assert ladder == pytest.approx(80 * 2 ** (np.arange(6) / 5))
        exchange = file["exchange"]
        assert exchange["rows"][0] == 20
        assert list(exchange["step"][:]) == [20 * row for row in range(1, 21)]
        states = exchange["state"][:]
        assert states.shape == (20, 6)
        assert all(sorted(row) == list(range(6)) for row in states)
        potential, kinetic = exchange["potential_kJ_mol"][:], exchange["kinetic_kJ_mol"][:]
        assert np.all(np.isfinite(potential))
        assert np.all(potential < 0)
        assert np.all(kinetic > 0)
        assert list(exchange["attempted"][:]) == [10] * 5
        # The decisions can be had again from what the rows hold: a swap that was sure was done.
        before = np.vstack([exchange["start_state"][:], states[:-1]])
        beta = 1 / (8.31446261815324e-3 * ladder)
        accepted = np.zeros(5, dtype=int)
        for row in range(20):
            holder, after = np.argsort(before[row]), np.argsort(states[row])
            for low in range(row % 2, 5, 2):
                a, b = holder[low], holder[low + 1]
                swapped = after[low] == b
                assert swapped or after[low] == a
                sure = (beta[low] - beta[low + 1]) * (potential[row, a] - potential[row, b]) >= 0
                assert swapped or not sure
                accepted[low] += swapped
        assert list(accepted) == list(exchange["accepted"][:])
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        assert list(file["h5md"].attrs["version"]) == [1, 1]
        particles = file["particles/state_5"]
        places = particles["position/value"][:]
        assert places.shape == (10, 32, 3)
        assert particles["rows"][0] == 10
        assert list(particles["position/step"][:]) == [40 * row for row in range(1, 11)]
        assert places.min() >= 0
        assert places.max() <= box * (1 + 1e-6)
        assert particles["box/edges"][:] == pytest.approx([box] * 3)
        assert set(file["observables/state_5/state/value"][:]) == {5}
        held = [int(np.argmax(states[2 * row + 1] == 5)) for row in range(10)]
        assert list(file["observables/state_5/replica/value"][:]) == held


@pytest.mark.usefixtures("argon")
def test_a_dry_run_leaves_nothing(native: Command, tmp_path: Path) -> None:
    done = native("run", "argon", "--dry-run", "--atoms", "2048", "--replicas", "14336")
    assert done.returncode == 0, done.stderr
    assert "needs" in done.stdout
    assert not list(tmp_path.glob("results/*"))


def ranks_of(program: Path, folder: Path) -> list[int]:
    """The processes of a run, by the folder that it was given."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if str((entry / "exe").readlink()) == str(program) and str(folder).encode() in words:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@needs_launcher
def test_a_run_goes_on_without_a_lost_rank(
    native: Command, native_start: Start, argon: Path, tmp_path: Path
) -> None:
    words = [*SMALL, "--steps", "12000", "--checkpoint-every", "40", "--threads", "1"]
    whole = native("run", "argon", "-n", "1", *words, "--folder", "whole", "--record", "whole.json")
    assert whole.returncode == 0, whole.stderr
    folder = tmp_path / "lossy"
    begun = native_start(
        "run", "argon", "-n", "3", *words, "--folder", str(folder), "--record", "lossy.json",
        "--on-failure", "continue", "--progress", "none",
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(folder.glob("exchange-[1-9]*.json")):
        time.sleep(0.02)
    ranks = ranks_of(argon, folder)
    assert len(ranks) == 3
    os.kill(ranks[1], signal.SIGKILL)
    out, errors = begun.communicate(timeout=200)
    assert begun.returncode == 0, errors
    assert "tasuki: a rank was lost; going on with 2" in errors
    lossy, clean = (json.loads((tmp_path / name).read_text()) for name in ("lossy.json", "whole.json"))
    assert lossy["machine"]["ranks"] == 2
    assert lossy["results"]["checksum"] == clean["results"]["checksum"]
    with h5py.File(folder / "results.h5") as one, h5py.File(tmp_path / "whole/results.h5") as other:
        for name in ("state", "potential_kJ_mol", "kinetic_kJ_mol", "accepted"):
            assert np.array_equal(one["exchange"][name][:], other["exchange"][name][:]), name
    assert "replica-steps/s" in out


def test_going_on_is_for_argon_alone(tasuki: Command) -> None:
    line = error_line(tasuki("run", "fake", "--on-failure", "continue"))
    assert "fake cannot continue without a rank" in line


@pytest.mark.usefixtures("argon")
def test_how_to_go_on_is_checked(native: Command) -> None:
    assert "--on-failure hope is unknown" in error_line(native("run", "argon", "--on-failure", "hope"))
