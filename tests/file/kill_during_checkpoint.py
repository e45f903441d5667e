"""Kills a run that writes checkpoint after checkpoint, at random moments, again and again.

Each start goes on from the checkpoint that the one before left, after checking every value of it, so a torn
or lost checkpoint fails the test at the next start, as does anything that a killed run leaves in the way.

    kill_during_checkpoint.py CHECKPOINT_LOOP [--times 100]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from launch import start

RANKS = 2


class Lines:
    """What a run has said so far, read beside it."""

    def __init__(self, run: subprocess.Popen[str]) -> None:
        self.text: list[str] = []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, args=(run,), daemon=True)
        self.reader.start()

    def _read(self, run: subprocess.Popen[str]) -> None:
        assert run.stdout
        for line in run.stdout:
            with self.changed:
                self.text.append(line.strip())
                self.changed.notify_all()
        with self.changed:
            self.text.append("end of output")
            self.changed.notify_all()

    def numbers(self, word: str) -> list[int]:
        """The numbers of the lines "<word> <number>", in order."""
        parts = [line.split() for line in list(self.text)]
        return [int(part[1]) for part in parts if len(part) == 2 and part[0] == word and part[1].isdigit()]

    def wait_for(self, word: str, count: int, seconds: float = 60) -> bool:
        """Until `count` such lines are there; False where the run ended, or took too long, without them."""
        end = time.monotonic() + seconds
        with self.changed:
            while len(self.numbers(word)) < count:
                left = end - time.monotonic()
                if self.text[-1:] == ["end of output"] or left <= 0:
                    return False
                self.changed.wait(left)
        return True


def kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def gone(pid: int) -> bool:
    """Whether the process has ended, buried by its launcher or not: then it writes no more."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


def wait_until_gone(pids: list[int]) -> None:
    end = time.monotonic() + 60
    while not all(gone(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.002)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="tasuki-kill-"))
    path = folder / "state.h5"
    ending: list[subprocess.Popen[str]] = []  # killed, but for their launchers
    safe = 0  # the last step that a run said was written
    torn = 0  # kills that left a part behind: they hit a checkpoint in the middle
    try:
        for number in range(options.times + 1):
            last = number == options.times  # only to check what the last kill left
            run = start([options.program, str(path), "21x17x13", "1" if last else "1000000"], RANKS)
            said = Lines(run)
            alive = said.wait_for("pid", RANKS) and said.wait_for("wrote", 1)
            restored = said.numbers("restored")[:1] or [0]
            if not alive or restored[0] < safe:
                print(*said.text[-20:], sep="\n")
                print(f"start {number}: step {restored[0]} restored, step {safe} was written", flush=True)
                kill(said.numbers("pid"))
                run.wait()
                return 1
            if last:
                run.wait(timeout=60)
                break
            time.sleep(chance.uniform(0, 0.08))
            pids = said.numbers("pid")
            # Mostly all at once, as when a node goes down; now and then one rank, which has to end the other.
            if chance.random() < 0.95:
                kill(pids)
                wait_until_gone(pids)
                ending.append(run)
            else:
                kill([chance.choice(pids)])
                run.wait(timeout=60)
            safe = said.numbers("wrote")[-1]
            torn += path.with_name(path.name + ".part").exists()
    finally:
        for run in ending:
            run.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{options.times} kills, {torn} of them in the middle of a write; {safe} checkpoints, none lost")
    if options.times >= 20 and torn == 0:
        print("no kill hit a write: this test shows nothing")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
