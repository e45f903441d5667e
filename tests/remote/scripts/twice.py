"""Replicas that have a bit of their memory turned over while a program runs on them, and workers of the
page's command that are killed: its output is what it always is, and the one that was wrong is replaced.
Replicas that are lost at random calls are the matter of kills.py. Nobody outside of a worker reaches the
memory of a GPU: where one serves, no bit is turned over, and replicas have to agree throughout.

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

from house import ROOT, SERVES, House, asked, comes_true, expect, hit, house, shared_segments
from recover import calls_of, end, workers

ROUNDS = "800"  # of the program
CAME = re.compile(r"^tasuki: device 0: \S+ comes in for \S+ \(", re.MULTILINE)
OTHER = re.compile(
    r"^tasuki: device 0: call \d+ \(\d+ bytes from 0x2\w+\) gave \d+ other bytes? at \S+ than at \S+",
    re.MULTILINE,
)
ARENA = 0x200000000000
NODE, NODES = 16, 64  # of lists.cu: bytes, and how many lie at the arena's begin


def start(
    here: House, *words: str, count: int, spares: int, images: str = "0", **changes: str
) -> subprocess.Popen[str]:
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
        **changes,
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
    if SERVES == "host" and (victims := replicas(here)):
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


def numbers_may_differ(here: House, dice: random.Random) -> None:
    """With a tolerance, the lowest bits of a number are nobody's matter; its exponent is found as ever."""
    enough = here.folder / "enough"
    for images in ("0", "50"):
        enough.unlink(missing_ok=True)
        words = ("./drifts", "1", "enough")
        changes = {"TASUKI_GPUS_TOLERANCE": "f32:1e-5"}
        program = start(here, *words, count=2, spares=1, images=images, **changes)
        assert comes_true(lambda: calls_of(here) > 100)
        wrong = sorted(replicas(here))[dice.randrange(2)]
        number = ARENA + 4 * dice.randrange(1024)
        assert at_memory(wrong, number, 1 << dice.randrange(3))
        calls = calls_of(here)
        assert comes_true(lambda calls=calls: calls_of(here) > calls + 300)
        assert wrong in workers(here)
        assert at_memory(wrong, number + 3, 0x20)
        assert comes_true(lambda wrong=wrong: wrong not in workers(here))
        calls = calls_of(here, slice(3))
        assert comes_true(lambda calls=calls: calls_of(here, slice(3)) > calls + 300)  # it has been said
        enough.touch()
        out, errors = end(program, "a number is changed")
        assert program.returncode == 0 and out == "drifts: well\n", out + errors
        assert re.search(r"gave 1 number further off at \S+ than at", errors) and CAME.search(errors), errors
        assert comes_true(lambda: not workers(here))
    words = ("run", "--hosts", f"localhost@{here.port}", "--redundant", "2", "--quiet", "--tolerance")
    done = here.tasuki(*words, "f32:1e-5", "--", "./drifts")
    assert done.returncode == 0 and done.stdout == "drifts: well\n", done.stdout + done.stderr
    expect(
        here.tasuki(*words, "f16:1e-3", "--", "./drifts"),
        2,
        "^tasuki: --tolerance f16:1e-3 is none; give f32",
    )


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
        for name in ("drifts", "lists", "many"):
            here.compile(ROOT / f"tests/remote/programs/{name}.cu", name)
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "4")
        begin = time.monotonic()
        out, errors = end(start(here, "./lists", ROUNDS, count=2, spares=0), "without a fault")
        assert out == "lists: well\n" and not errors, out + errors
        usual = time.monotonic() - begin
        assert comes_true(lambda: not workers(here))
        came = sum(bool(CAME.search(one_round(here, n, dice, usual))) for n in range(given.rounds))
        if SERVES == "host":
            flip_is_found(here, dice)
            numbers_may_differ(here, dice)
        else:
            assert came == 0, "replicas of a GPU did not agree"
        any_worker_of_the_command(here)
        assert here.end() == 0
    assert comes_true(lambda: shared_segments() <= before)
    print(f"{came} of {given.rounds} times a replica was replaced")


if __name__ == "__main__":
    main()
