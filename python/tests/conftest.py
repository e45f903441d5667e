"""What the tests share: a small fake native program, the command in a process of its own, the real ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tasuki.programs import locate

# A native program in miniature: the same words on stderr, the same record, the same answer to signals.
FAKE = '''#!{python}
import json, os, signal, sys, time
args = sys.argv[1:]
def value(name, default=None):
    return args[args.index(name) + 1] if name in args else default
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or 0)
size = int(os.environ.get("OMPI_COMM_WORLD_SIZE") or os.environ.get("PMI_SIZE") or 1)
stop = False
def ask(number, frame):
    global stop
    stop = True
if "--deaf" not in args:
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
else:
    for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
if "--help" in args:
    print("FAKE OPTIONS --times N")
    sys.exit(0)
if "--fail" in args:
    print("mpi noise that nobody wants", file=sys.stderr)
    print("tasuki: --size Q is unknown; choose XS, S, M, L or XL", file=sys.stderr)
    sys.exit(3)
if "--crash" in args:
    os.kill(os.getpid(), signal.SIGKILL)
# As MPI_Init does: nobody begins before all are there.
open("up.%d" % rank, "w").close()
deadline = time.monotonic() + 60
while not all(os.path.exists("up.%d" % other) for other in range(size)):
    time.sleep(0.01)
    if time.monotonic() > deadline:
        sys.exit("a rank did not come up")
total = int(value("--times", "20"))
done = 0
if rank == 0:
    print("hello from the program", flush=True)
for done in range(1, total + 1):
    time.sleep(float(value("--pause", "0")))
    if rank == 0:
        report = dict(label="fake", done=done, total=total, seconds=0.1 * done, rate=2.5, unit="Gcell/s")
        print("@progress " + json.dumps(report), file=sys.stderr, flush=True)
    if stop:
        break
if stop and value("--checkpoint"):
    open(value("--checkpoint") + "." + str(rank), "w").write(str(done))
if rank == 0 and "--no-record" not in args:
    record = json.loads(r"""{record}""")
    record["interrupted"] = stop
    record["machine"]["ranks"] = size
    record["run"]["steps"] = done
    record["options"]["arguments"] = args
    name = value("--record")
    with open(name + ".tmp", "w") as file:
        json.dump(record, file)
    os.replace(name + ".tmp", name)
if stop and rank == 0:
    print("interrupted: a checkpoint was written", flush=True)
'''


def make_record(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
    """A record as a native program writes it; `changes` replace top-level members."""
    record: dict[str, Any] = {
        "tasuki": "0.1.0",
        "schema": 1,
        "program": "fake",
        "finished": "2026-01-01T00:00:00Z",
        "interrupted": False,
        "machine": {
            "hosts": ["a"],
            "ranks": 2,
            "nodes": 1,
            "device": "host",
            "device_name": "Abacus 9",
            "devices": 1,
            "threads_per_rank": 1,
        },
        "build": {"compiler": "GCC 12.2.0", "build_type": "Release", "cuda": None, "hdf5": "1.10.8"},
        "options": {"times": 20},
        "grid": {
            "extents": [64, 32, 16],
            "ranks": [1, 1, 2],
            "halo": [[1, 1], [1, 1], [1, 1]],
            "periodic": [False, False, False],
            "blocks": [[64], [32], [8, 8]],
        },
        "run": {
            "executor": "overlapped",
            "steps": 20,
            "seconds": 1.25,
            "phases": {"sweep": 1.0, "exchange": 0.2, "reduction": 0.03, "other": 0.02},
            "channels": {
                "peer": {"bytes": 3145728, "messages": 40},
                "mpi": {"bytes": 0, "messages": 0},
            },
        },
        "merit": {"name": "GFLOP/s", "value": 12.345},
        "results": {"gosa": 1.5e-4},
    }
    record.update(changes)
    return record


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with one fake native program, ``tasuki-fake``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "tasuki-fake"
    text = FAKE.replace("{python}", sys.executable).replace("{record}", json.dumps(make_record()))
    program.write_text(text)
    program.chmod(0o755)
    return folder


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TASUKI_", "SLURM_"))}
    source = str(Path(__file__).resolve().parent.parent)
    return {**kept, "COLUMNS": "100", "PYTHONUNBUFFERED": "1", "PYTHONPATH": source, **changes}


Command = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def tasuki(tmp_path: Path, programs: Path) -> Command:
    """Runs the command in an own process and folder: ``tasuki("run", "fake", "-n", "2")``."""

    def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=_environment({"TASUKI_BIN": str(programs), **changes}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def start(tmp_path: Path, programs: Path) -> Start:
    """Starts the command and comes back at once, for tests that send signals."""

    def begin(*words: str, **changes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=_environment({"TASUKI_BIN": str(programs), **changes}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    return begin


@pytest.fixture
def native_bin() -> Path:
    """The folder of the real native programs; skips where they are not built."""
    missing = [name for name in ("himeno", "laplace", "diffusion", "info") if locate(name) is None]
    if missing:
        names = ", ".join(f"tasuki-{name}" for name in missing)
        pytest.skip(f"not built: {names} (TASUKI_BIN names their folder)")
    program = locate("himeno")
    assert program is not None
    return program.parent.resolve()


@pytest.fixture
def native(tmp_path: Path, native_bin: Path) -> Command:
    """Runs the command with the real native programs."""

    def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tasuki", *words],
            cwd=tmp_path,
            env=_environment({"TASUKI_BIN": str(native_bin), **changes}),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture
def native_start(start: Start, native_bin: Path) -> Start:
    """Starts the command with the real native programs and comes back at once."""

    def begin(*words: str, **changes: str) -> subprocess.Popen[str]:
        return start(*words, **{"TASUKI_BIN": str(native_bin), **changes})

    return begin


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed command leaves on stderr; fails where there is another."""
    assert done.returncode != 0
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tasuki: "), lines[0]
    assert "Traceback" not in done.stderr
    return lines[0]


def words_of(record: Path) -> Sequence[str]:
    """The arguments that the fake program was given, from its record."""
    words: Sequence[str] = json.loads(record.read_text())["options"]["arguments"]
    return words
