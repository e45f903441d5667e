"""A rank that does not come: the others say which, and at what; it comes back, or --patience ends the run.

stopped_rank.py BIN LATE_RANK
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Timer

from ranks import alive, descendants, kill, rank_number, ranks_of, run, start

SIZE = ["--nx", "90", "--ny", "70", "--boundary", "nvidia", "--device", "host"]
WAYS = (
    ["--executor", "eager"],
    ["--executor", "overlapped"],
    ["--executor", "resident"],
    ["--channel", "mpi"],
    ["--channel", "mpi", "--progress-cores", "any"],
)
SOON = {"TASUKI_WATCH_AFTER": "1"}
LIMIT = 60  # seconds, many times what it takes


def lines_until(process: subprocess.Popen[str], pattern: str) -> tuple[list[str], bool]:
    """What it says up to a line with the pattern; whether that came."""
    assert process.stdout
    said, end = [], time.monotonic() + LIMIT
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.2)[0]:
            line = process.stdout.readline()
            if not line:
                return said, False
            said.append(line.rstrip())
            if re.search(pattern, line):
                return said, True
        elif process.poll() is not None:
            return said, False
    return said, False


def close(process: subprocess.Popen[str], pids: list[int]) -> None:
    for pid in [*pids, *descendants(process.pid)]:
        kill(pid)
    if process.poll() is None:
        process.kill()
    process.wait()


def waited(line: str) -> int:
    """The seconds that a line names: how long a rank has waited."""
    found = re.search(r"has waited ([0-9]+) s", line)
    assert found
    return int(found[1])


def comes_back(program: str, folder: Path, words: list[str], chance: Random) -> str:
    """One of three ranks is stopped in a run, named, and goes on: what went wrong, or nothing."""
    checkpoint, record = folder / "c.h5", folder / "r.json"
    checkpoint.unlink(missing_ok=True)
    command = [program, *SIZE, *words, "--times", "1000000000", "--progress", "json"]
    process = start([*command, "--checkpoint", str(checkpoint), "--record", str(record)], 3, SOON)
    ranks: list[int] = []
    try:
        said, begun = lines_until(process, "^@progress")
        ranks = ranks_of(process, program)
        if not begun or len(ranks) != 3:
            return f"the run did not start: {said}"
        time.sleep(chance.uniform(0, 0.2))
        stopped = chance.choice(ranks)
        number = rank_number(stopped)
        kill(stopped, signal.SIGSTOP)
        said, named = lines_until(process, "^tasuki: ")
        if not named:
            return f"nobody said that rank {number} is stopped: {said}"
        told = rf"^tasuki: rank [0-2] has waited [0-9]+ s for .+ at .+, and rank {number} is stopped"
        if not re.search(told, said[-1]) or "; " not in said[-1]:
            return f"stopped was rank {number}, and it said: {said[-1]}"
        line = said[-1]
        if words == WAYS[0]:  # as long as nobody lets it go on, it is said again
            said, named = lines_until(process, "^tasuki: ")
            if not named or not re.search(told, said[-1]) or waited(said[-1]) <= waited(line):
                return f"nobody said it again: {said}"
        kill(stopped, signal.SIGCONT)
        said, goes_on = lines_until(process, "^@progress")
        if not goes_on:
            return f"it does not go on: {said}"
        for pid in ranks:
            kill(pid, signal.SIGUSR1)
        text, _ = process.communicate(timeout=LIMIT)
        if process.returncode != 0:
            return f"it ended with {process.returncode}:\n{text}"
        told_record = json.loads(record.read_text())
        step, bits = told_record["results"]["steps"], told_record["results"]["checksum"]
        alone = run([program, *SIZE, "--times", str(step), "--record", str(record)], 1, limit=240)
        if alone.status != 0:
            return f"a run of {step} steps alone ended with {alone.status}:\n{alone.text}"
        if json.loads(record.read_text())["results"]["checksum"] != bits:
            return f"after {step} steps it has other bits than a run that nobody stopped"
        print(f"  {line}", flush=True)
        return ""
    finally:
        close(process, ranks)


def late_to_all(program: str, how: str, where: str) -> str:
    """The last of three ranks does not come to a collective: it is named, and then all go on."""
    process = start([program, how, where, "--device", "host"], 3, SOON)
    ranks: list[int] = []
    try:
        said, named = lines_until(process, "^tasuki: ")
        ranks = ranks_of(process, program)
        if not named or len(ranks) != 3:
            return f"nobody said that rank 2 does not come: {said}"
        told = "is stopped" if how == "stopped" else "has not come: it is busy or hangs at its own work"
        if f"rank 2 {told}" not in said[-1] or "; " not in said[-1]:
            return f"rank 2 is {how}, and it said: {said[-1]}"
        print(f"  {said[-1]}", flush=True)
        for pid in ranks:
            if rank_number(pid) == "2":
                kill(pid, signal.SIGCONT if how == "stopped" else signal.SIGUSR2)
        text, _ = process.communicate(timeout=LIMIT)
        if process.returncode != 0 or "came: 1024" not in text:
            return f"it ended with {process.returncode}:\n{text}"
        return ""
    finally:
        close(process, ranks)


def impatient(program: str, words: list[str], chance: Random) -> str:
    """With --patience one line, once, and the end of all of them."""
    command = [program, *SIZE, *words, "--times", "1000000000", "--progress", "json", "--patience", "2"]
    process = start(command, 3)
    ranks: list[int] = []
    try:
        said, begun = lines_until(process, "^@progress")
        ranks = ranks_of(process, program)
        if not begun or len(ranks) != 3:
            return f"the run did not start: {said}"
        stopped = chance.choice(ranks)
        number = rank_number(stopped)
        kill(stopped, signal.SIGSTOP)
        text, _ = process.communicate(timeout=LIMIT)
        lines = [line for line in text.splitlines() if line.startswith("tasuki: ")]
        if process.returncode == 0:
            return f"it ended with status 0:\n{text}"
        if len(lines) != 1 or f"rank {number} is stopped" not in lines[0] or "--patience" not in lines[0]:
            return f"rank {number} was stopped, and it said:\n{text}"
        end = time.monotonic() + LIMIT
        while any(alive(pid) for pid in ranks):
            if time.monotonic() > end:
                return "a rank goes on"
            time.sleep(0.05)
        return ""
    except subprocess.TimeoutExpired:
        return "nothing ended the run"
    finally:
        close(process, ranks)


def impatient_of_one_that_hangs(program: str, where: str) -> str:
    """The same where the last rank is busy with what never ends, and the others are in a collective."""
    process = start([program, "busy", where, "--device", "host", "--patience", "2"], 3)
    try:
        text, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "nothing ended the run"
    finally:
        close(process, [])
    lines = [line for line in text.splitlines() if line.startswith("tasuki: ")]
    if process.returncode == 0 or "came:" in text:
        return f"it ended with status {process.returncode}:\n{text}"
    if len(lines) != 1 or "rank 2 has not come" not in lines[0] or "--patience" not in lines[0]:
        return f"rank 2 was busy, and it said:\n{text}"
    return ""


def said_after_twenty_seconds(program: str) -> str:
    """Without an option or a variable, ranks speak when they have waited for 20 s, and go on."""
    process = start([program, "stopped", "number", "--device", "host"], 3)
    too_late = Timer(2 * LIMIT, close, (process, []))
    too_late.start()
    try:
        assert process.stdout
        said = next((line for line in process.stdout if line.startswith("tasuki: ")), "")
        if "rank 2 is stopped" not in said:
            return f"nobody said that rank 2 does not come: {said}"
        # By the rank's own count, to which no look adds more than a second.
        return "" if waited(said) in (20, 21) else f"it spoke after another time: {said}"
    finally:
        too_late.cancel()
        close(process, [])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("late", type=Path)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args()
    program = str(options.binary / "tasuki-laplace")
    print(f"--seed {options.seed}", flush=True)
    chance = Random(options.seed)
    failures = 0
    beside = ThreadPoolExecutor(max_workers=1)  # it does nothing but wait
    usual = beside.submit(said_after_twenty_seconds, str(options.late))
    with tempfile.TemporaryDirectory(prefix="tasuki-stopped-") as folder:
        for words in WAYS:
            fault = comes_back(program, Path(folder), words, chance)
            failures += fault != ""
            print(f"{' '.join(words)}: {fault or 'named, and goes on with the same bits'}", flush=True)
    for how in ("stopped", "busy"):
        for where in ("grid", "number"):
            fault = late_to_all(str(options.late), how, where)
            failures += fault != ""
            print(f"{how}, all others in a collective ({where}): {fault or 'named, and goes on'}", flush=True)
    for where in ("grid", "number"):
        fault = impatient_of_one_that_hangs(str(options.late), where)
        failures += fault != ""
        print(
            f"busy, all others in a collective ({where}), --patience: {fault or 'one line, and the end'}",
            flush=True,
        )
    for words in WAYS[:4]:
        fault = impatient(program, words, chance)
        failures += fault != ""
        print(f"{' '.join(words)} --patience: {fault or 'one line, and the end'}", flush=True)
    fault = usual.result()
    failures += fault != ""
    print(f"without an option: {fault or 'named after 20 s'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
