"""SIGTERM and SIGINT to mpirun itself, as a batch system or Ctrl-C sends them, with the second that it gives.

The checkpoint is there, whole, and a run that goes on from it has the bits of one that was never stopped;
also where other programs keep the cores busy. Nothing here measures time: what does not fit into the
launcher's own second is killed by it, and leaves no checkpoint.

told_launcher.py BIN
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from ranks import descendants, is_open_mpi, kill, run, skip, start

SIZE = ["--nx", "150", "--ny", "120", "--boundary", "nvidia", "--device", "host"]


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """So many processes that compute beside what is tested."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def check(
    program: str, folder: Path, ranks: int, number: signal.Signals, words: list[str], chance: Random
) -> str:
    """What went wrong, or nothing."""
    checkpoint, record = folder / "told.h5", folder / "told.json"
    for file in (checkpoint, record):
        file.unlink(missing_ok=True)
    command = [program, *SIZE, *words, "--times", "1000000000", "--progress", "json"]
    process = start([*command, "--checkpoint", str(checkpoint)], ranks)
    assert process.stdout
    try:
        for line in process.stdout:
            if line.startswith("@progress"):
                break
        time.sleep(chance.uniform(0, 1))
        process.send_signal(number)
        text, _ = process.communicate(timeout=60)
    finally:
        for pid in descendants(process.pid):
            kill(pid)
        if process.poll() is None:
            process.kill()
            process.wait()
    if not checkpoint.exists():
        return f"there is no checkpoint; it said:\n{text}"
    if (folder / "told.h5.part").exists():
        return "a part of a file is left"
    told = [line for line in text.splitlines() if line.startswith("tasuki: interrupted after step")]
    if len(told) != 1:
        return f"it does not say after which step, once:\n{text}"
    step = int(told[0].partition("after step ")[2].partition(";")[0])
    ending = [program, *SIZE, "--times", str(step + 5), "--record", str(record)]
    sums = []
    for options in (["--restart", str(checkpoint)], []):
        done = run([*ending, *options], 1, limit=240)
        if done.status != 0:
            return f"a run of {step + 5} steps {options} ended with {done.status}:\n{done.text}"
        sums.append(json.loads(record.read_text())["results"]["checksum"])
    return "" if sums[0] == sums[1] else f"from step {step} on it has other bits: {sums}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args()
    program = str(options.binary / "tasuki-laplace")
    if not is_open_mpi():
        skip("the second that a launcher gives is Open MPI's")
    for name in ("OMPI_MCA_odls_base_sigkill_timeout", "PRTE_MCA_odls_base_sigkill_timeout"):
        os.environ.pop(name, None)
    print(f"--seed {options.seed}", flush=True)
    chance = Random(options.seed)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tasuki-told-") as folder:
        for ranks, number, hogs, words in (
            (1, signal.SIGTERM, 0, []),
            (2, signal.SIGINT, 0, []),
            (1, signal.SIGINT, 2, []),
            (2, signal.SIGTERM, 2, ["--executor", "eager"]),
            (2, signal.SIGTERM, 1, ["--executor", "resident"]),
            (2, signal.SIGTERM, 0, ["--channel", "mpi"]),
        ):
            with busy_cores(hogs):
                fault = check(program, Path(folder), ranks, number, words, chance)
            failures += fault != ""
            what = f"{number.name} to the launcher of {ranks} ranks {' '.join(words)} beside {hogs} others"
            print(f"{what}: {fault or 'a checkpoint to go on from'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
