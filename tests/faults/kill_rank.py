"""Kills one rank of a run with signal 9: the others end within ten seconds, and the run fails.

kill_rank.py BIN
"""

from __future__ import annotations

import argparse
import random
import secrets
import select
import subprocess
import sys
import time
from pathlib import Path

from ranks import alive, is_open_mpi, kill, rank_number, ranks_of, start

LIMIT = 10  # seconds from the kill to the end of everything


def wait_for_steps(process: subprocess.Popen[str], seconds: float = 60) -> bool:
    """Until the run reports progress; False where it ended instead."""
    assert process.stdout
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.2)[0]:
            line = process.stdout.readline()
            if line.startswith("@progress"):
                return True
            if not line:
                return False
    return False


def check(binary: Path, options: list[str], count: int, chance: random.Random) -> str:
    """What went wrong, or nothing."""
    program = str(binary / "tasuki-laplace")
    command = [
        program,
        "--nx",
        "200",
        "--ny",
        "200",
        "--times",
        "1000000000",
        "--device",
        "host",
        "--progress",
        "json",
    ]
    # Open MPI gives the others a second before it kills them as well: two, to hear what they say.
    process = start([*command, *options], count, {"OMPI_MCA_odls_base_sigkill_timeout": "2"})
    ranks: list[int] = []
    try:
        if not wait_for_steps(process):
            return "the run did not start"
        ranks = ranks_of(process, program)
        if len(ranks) != count:
            return f"{len(ranks)} processes were found, not {count}"
        time.sleep(chance.uniform(0, 0.3))
        killed = chance.choice(ranks)
        told = f"rank {rank_number(killed)} died"
        began = time.monotonic()
        kill(killed)
        try:
            text, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return f"the run goes on {LIMIT} s after one of its ranks was killed"
        while any(alive(pid) for pid in ranks):
            if time.monotonic() - began > LIMIT:
                return f"a rank goes on {LIMIT} s after another was killed"
            time.sleep(0.05)
        if process.returncode == 0:
            return f"the run ended with status 0:\n{text}"
        if "resident" in options and is_open_mpi() and told not in text:
            return f"nobody said '{told}':\n{text}"
        return ""
    finally:
        for pid in ranks:
            kill(pid)
        if process.poll() is None:
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    arguments = parser.parse_args()
    print(f"--seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    failures = 0
    for options in (
        ["--channel", "peer"],
        ["--channel", "mpi"],
        ["--channel", "mpi", "--progress-cores", "any"],
        ["--executor", "overlapped"],
        ["--halo", "4"],
        ["--executor", "resident"],
        ["--executor", "resident", "--threads", "2"],
    ):
        for count in (2, 4):
            fault = check(arguments.binary, options, count, chance)
            failures += fault != ""
            print(f"{count} ranks, {' '.join(options)}: {fault or 'ended'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
