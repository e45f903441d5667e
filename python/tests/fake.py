"""A native program in miniature and a record as programs write it, for tests of what starts programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

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
    # Of one rank glued to what a launcher says of its end.
    end = "-" * 74 + "\\n" if rank == size - 1 else "\\n"
    print("tasuki: --size Q is unknown; choose XS, S, M, L or XL", file=sys.stderr, end=end)
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
if rank == 0 and "--log" in args:
    print("tasuki info: grid 64x32: cut 2x1", file=sys.stderr, flush=True)
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
    name = os.environ["TASUKI_RECORD"]
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


def make_programs(folder: Path) -> Path:
    """Makes a folder with one fake native program, ``tasuki-fake``."""
    folder.mkdir()
    program = folder / "tasuki-fake"
    text = FAKE.replace("{python}", sys.executable).replace("{record}", json.dumps(make_record()))
    program.write_text(text)
    program.chmod(0o755)
    return folder
