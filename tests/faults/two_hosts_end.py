"""How runs end on two hosts: one line in all, and no rank is left.

A rank that is killed, one that is stopped under --patience, an error that all ranks throw at once, and a
signal, after which a checkpoint is there to go on from. The hosts are those of two_hosts.py.

two_hosts_end.py BIN
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from ranks import ENVIRONMENT, alive, descendants, kill, rank_number, ranks_of
from two_hosts import Hosts, make_hosts

SLOTS = (2, 2)
LIMIT = 30  # seconds from what happens to the end of all


class Run:
    """A run of laplace on both hosts, for as long as the block lasts."""

    def __init__(self, hosts: Hosts, program: str, words: list[str]) -> None:
        self.program = program
        command = [*hosts.launcher(SLOTS), program, "--nx", "90", "--ny", "70", "--device", "host", *words]
        self.process = subprocess.Popen(
            command,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.ranks: list[int] = []

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        for pid in [*self.ranks, *descendants(self.process.pid)]:
            kill(pid)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def begin(self) -> int:
        """Waits until it does steps. Returns the process of rank 3, which is on the other host."""
        assert self.process.stdout
        end = time.monotonic() + 2 * LIMIT
        while time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                line = self.process.stdout.readline()
                if not line:
                    break
                if line.startswith("@progress"):
                    self.ranks = ranks_of(self.process, self.program)
                    return next(pid for pid in self.ranks if rank_number(pid) == "3")
        raise SystemExit("the run did not start")

    def end(self) -> tuple[int, str, list[str]]:
        """Its status, all that it said, and the lines of it that are Tasuki's."""
        try:
            text, _ = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return 0, "it hangs", []
        end = time.monotonic() + LIMIT
        while any(alive(pid) for pid in self.ranks):
            if time.monotonic() > end:
                return 0, "a rank is left", []
            time.sleep(0.05)
        lines = [line for line in text.splitlines() if line.startswith("tasuki: ")]
        return self.process.returncode, text, lines


STEPS = ["--times", "1000000000", "--progress", "json"]


def killed(hosts: Hosts, program: str) -> str:
    with Run(hosts, program, STEPS) as here:
        kill(here.begin())
        status, text, lines = here.end()
    return "" if status != 0 and len(lines) <= 1 else f"{status}, {len(lines)} lines:\n{text}"


def stopped(hosts: Hosts, program: str) -> str:
    with Run(hosts, program, [*STEPS, "--patience", "2"]) as here:
        kill(here.begin(), signal.SIGSTOP)
        status, text, lines = here.end()
    good = status != 0 and len(lines) == 1 and "--patience" in lines[0]
    return "" if good else f"{status}, {len(lines)} lines:\n{text}"


def thrown(hosts: Hosts, program: str) -> str:
    with Run(hosts, program, ["--subclusters", "5"]) as here:
        status, text, lines = here.end()
    good = status != 0 and len(lines) == 1 and "--subclusters 5" in lines[0]
    return "" if good else f"{status}, {len(lines)} lines:\n{text}"


def told(hosts: Hosts, program: str) -> str:
    file, record = hosts.folder / "told.h5", hosts.folder / "told.json"
    with Run(hosts, program, [*STEPS, "--checkpoint", str(file), "--record", str(record)]) as here:
        os.kill(here.begin(), signal.SIGUSR1)  # one rank alone, on the other host
        status, text, lines = here.end()
    if status != 0 or len(lines) != 1 or "interrupted after step" not in lines[0]:
        return f"{status}, {len(lines)} lines:\n{text}"
    step = json.loads(record.read_text())["results"]["steps"]
    sums = []
    for words in (["--restart", str(file)], []):
        with Run(hosts, program, [*words, "--times", str(step + 5), "--record", str(record)]) as here:
            status, text, _ = here.end()
        if status != 0:
            return f"{words} ended with {status}:\n{text}"
        sums.append(json.loads(record.read_text())["results"]["checksum"])
    return "" if sums[0] == sums[1] else f"from step {step} on it has other bits: {sums}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--no-files", action="store_true", help="the build has no HDF5")
    options = parser.parse_args()
    program = str(options.binary / "tasuki-laplace")
    hosts = make_hosts()
    failures = 0
    try:
        for case in (killed, stopped, thrown, *(() if options.no_files else (told,))):
            fault = case(hosts, program)
            failures += fault != ""
            print(f"{case.__name__}: {fault or 'ended as it should'}", flush=True)
    finally:
        hosts.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
