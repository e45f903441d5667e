"""Replicas that have a bit of their memory turned over while a program runs on them, and workers of the
page's command that are killed: its output is what it always is, and the one that was wrong is replaced.
Replicas that are lost at random calls are the matter of kills.py.

twice.py BIN [--rounds 4] [--seed N]
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import time

from house import ROOT, House, asked, comes_true, expect, hit, house, shared_segments
from recover import calls_of, end, workers

ROUNDS = "800"  # of the program
CAME = re.compile(r"^tasuki: device 0: \S+ comes in for \S+ \(", re.MULTILINE)
OTHER = re.compile(
    r"^tasuki: device 0: call \d+ \(\d+ bytes from 0x2\w+\) gave \d+ other bytes? at \S+ than at \S+",
    re.MULTILINE,
)
ARENA = 0x200000000000
NODE, NODES = 16, 64  # of lists.cu: bytes, and how many lie at the arena's begin


def start(here: House, *words: str, count: int, spares: int, images: str = "0") -> subprocess.Popen[str]:
    """The program on a device of `count` replicas, by two names of the same server."""
    first, second = f"localhost@{here.port}", f"127.0.0.1@{here.port}"
    several = ",".join(map(str, range(1, count)))
    environment = {
        **here.settings(f"{first}[0],{second}[{several}]"),
        "TASUKI_GPUS_REPLICAS": "+".join(map(str, range(count))),
        "TASUKI_GPUS_SAME_HOST": "1",
        "TASUKI_GPUS_SPARES": f"{first}[{count}]" if spares else "",
        "TASUKI_GPUS_IMAGE_MS": images,
        "TASUKI_GPUS_SILENCE": "3",
    }
    return subprocess.Popen(
        words, cwd=here.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def at_memory(process: int, address: int, change: int = 0) -> bool:
    """Whether a worker has memory there; bits of the byte are turned over, as a particle from space would."""
    with contextlib.suppress(OSError):
        memory = os.open(f"/proc/{process}/mem", os.O_RDWR)
        try:
            byte = os.pread(memory, 1, address)
            return bool(byte) and (not change or os.pwrite(memory, bytes([byte[0] ^ change]), address) == 1)
        finally:
            os.close(memory)
    return False


def turn_over(process: int, dice: random.Random) -> bool:
    """A bit of a node's value."""
    address = ARENA + NODE * dice.randrange(NODES) + 8 + dice.randrange(4)
    return at_memory(process, address, 1 << dice.randrange(8))


def replicas(here: House) -> list[int]:
    """Workers that have been given memory; a spare has not."""
    return [process for process in workers(here) if at_memory(process, ARENA)]


def one_round(here: House, number: int, dice: random.Random, usual: float) -> str:
    """A bit at a random moment; what was said of it."""
    count, spares = dice.choice([2, 3]), dice.randrange(2)
    moment = dice.uniform(0.3, 0.8) * usual
    images = dice.choice(["0", "100"])
    program = start(here, "./lists", ROUNDS, count=count, spares=spares, images=images)
    time.sleep(moment)
    said = f"round {number}: a bit of {count} replicas, {spares} spares, images {images} ms, {moment:.3f} s"
    if victims := replicas(here):
        turn_over(dice.choice(victims), dice)
    out, errors = end(program, said)
    said += f": status {program.returncode}\n{out}{errors}"
    if program.returncode or out != "lists: well\n":
        raise SystemExit(said)
    if not comes_true(lambda: not workers(here)):
        raise SystemExit(f"{said}a worker is left")
    return errors


def flip_is_found(here: House, dice: random.Random) -> None:
    """By the next copy, whichever replica it is; range and count are said."""
    enough = here.folder / "enough"
    for which in range(2):
        enough.unlink(missing_ok=True)
        program = start(here, "./lists", "10000000", "until", "enough", count=2, spares=1)
        assert comes_true(lambda: calls_of(here) > 300)
        wrong = sorted(replicas(here))[which]
        assert turn_over(wrong, dice)
        assert comes_true(lambda wrong=wrong: wrong not in workers(here))
        enough.touch()
        out, errors = end(program, "a bit is turned over")
        assert program.returncode == 0 and out == "lists: well\n", out + errors
        assert OTHER.search(errors) and CAME.search(errors), errors
        assert comes_true(lambda: not workers(here))


def any_worker_of_the_command(here: House) -> None:
    """As the page has it, on one machine; and words that are refused."""
    at = f"localhost@{here.port}"
    words = [
        "run",
        "--hosts",
        f"{at}:1",
        "--per-gpu",
        "4",
        "--redundant",
        "2",
        "--spare",
        "1",
        "--",
        "./many",
    ]
    size = ["65536", "100"]
    usual = here.tasuki("run", "--quiet", "--hosts", f"{at}:1", "--", "./many", *size)
    assert usual.returncode == 0, usual.stderr
    for which in range(3):
        program = here.begin(*words, *size)
        assert comes_true(lambda: len(replicas(here)) == 2)
        hit(program.pid, signal.SIGSTOP)  # it must not end before the worker does
        pair = sorted(replicas(here))
        spare = [process for process in workers(here) if process not in pair]
        assert len(pair) == 2 and len(spare) == 2  # the one that is left over stands by, too
        assert hit([*pair, *spare][which], signal.SIGKILL)
        hit(program.pid, signal.SIGCONT)
        out, errors = end(program, "a worker of the command")
        assert program.returncode == 0 and out == usual.stdout, out + errors
        assert "replicas agreed on" in errors, errors
        assert comes_true(lambda: not workers(here))
    expect(
        here.tasuki("run", "--hosts", f"{at}:2", "--redundant", "3", "--", "./many"),
        2,
        "--redundant 3 takes 3 devices for each that the program sees, and 2 on 1 host are left; name more",
    )


def main() -> None:
    """Rounds of faults, then what has an end of its own."""
    given, dice = asked(__doc__, rounds=4)
    before = shared_segments()
    with house(given.binaries.resolve()) as here:
        for name in ("lists", "many"):
            here.compile(ROOT / f"tests/remote/programs/{name}.cu", name)
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "4")
        begin = time.monotonic()
        out, errors = end(start(here, "./lists", ROUNDS, count=2, spares=0), "without a fault")
        assert out == "lists: well\n" and not errors, out + errors
        usual = time.monotonic() - begin
        assert comes_true(lambda: not workers(here))
        came = sum(bool(CAME.search(one_round(here, n, dice, usual))) for n in range(given.rounds))
        flip_is_found(here, dice)
        any_worker_of_the_command(here)
        assert here.end() == 0
    assert comes_true(lambda: shared_segments() <= before)
    print(f"{came} of {given.rounds} times a replica was replaced")


if __name__ == "__main__":
    main()
