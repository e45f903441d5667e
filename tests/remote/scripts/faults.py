"""Servers that are killed, stopped or cut off while a program runs: it has its output or the one error that
is promised, nothing hangs, and nothing is left.

faults.py BIN [--rounds 20] [--seed N]
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import signal
import subprocess
import time

from house import ROOT, SECONDS, House, asked, children_of, comes_true, house, many, shared_segments

MANY = ("./many", "4096", "2000")  # a tenth of a second and more
TURNS = ("./turns", "150")  # the same, by managed memory
PINNED = ("./pinned", "15")  # and by copies of the worker's own, where it is of this host
SILENCE = "3"
UNREACHABLE = ", which has failed: its bytes cannot be had"  # where the host touches memory that was there
LOST = re.compile(r"^tasuki: (device \d+ .* is lost: |.*; )", re.MULTILINE)


def run(here: House, host: str, words: tuple[str, ...] = MANY, **changes: str) -> subprocess.Popen[str]:
    """The program, started."""
    environment = {**here.settings(host), "TASUKI_GPUS_SILENCE": SILENCE, **changes}
    return subprocess.Popen(
        words, cwd=here.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def one_round(here: House, number: int, dice: random.Random, usual: float, right: str) -> None:
    """One fault at a random moment, and what came of it."""
    assert here.server
    host = dice.choice([f"localhost@{here.port}", f"127.0.0.1@{here.port}"])
    what = dice.choice(["kill worker", "stop worker", "kill gate", "stop gate", "cut"])
    moment = dice.uniform(0, 1.2 * usual)
    changes = {"TASUKI_GPUS_TRIAL": f"{what}={dice.randrange(1, 60000)}"} if what == "cut" else {}
    words = dice.choice([MANY, TURNS, PINNED])
    program = run(here, host, words, **changes)
    time.sleep(moment)
    gate = here.server.pid
    how = signal.SIGKILL if what.startswith("kill") else signal.SIGSTOP
    if "gate" in what:
        here.server.send_signal(how)
    elif "worker" in what:
        for worker in children_of(gate)[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, how)
    try:
        out, errors = program.communicate(timeout=2 * SECONDS)  # dialling has its own ten seconds of patience
    except subprocess.TimeoutExpired:
        program.kill()
        raise SystemExit(
            f"round {number}: {words[0]}, {what} after {moment:.3f} s at {host}: the program hangs"
        ) from None
    said = f"round {number}: {words[0]}, {what} after {moment:.3f} s at {host}: status {program.returncode}"
    touched = program.returncode == -signal.SIGSEGV and UNREACHABLE in errors
    if program.returncode not in (0, 1) and not touched:  # 1: it says itself that a call has failed
        raise SystemExit(f"{said}\n{errors}")
    if program.returncode == 0 and out != (right if words is MANY else f"{words[0][2:]}: well\n"):
        raise SystemExit(f"{said} with another output\n{out}")
    if program.returncode and not LOST.search(errors):
        raise SystemExit(f"{said} without a line\n{errors}")
    if what == "stop gate":
        here.server.send_signal(signal.SIGCONT)
    if what == "kill gate":
        here.server.wait()
        here.serve("--per-gpu", "2")
    left = [gate, here.server.pid]
    if not comes_true(lambda: not any(children_of(process) for process in left)):
        raise SystemExit(f"{said}: a worker is left")


def ends_while_it_connects(here: House) -> None:
    """At its first call, and at its second: one line, and no device."""
    for cut, host in itertools.product((10, 40), ("localhost", "127.0.0.1")):
        program = run(here, f"{host}@{here.port}:1", TASUKI_GPUS_TRIAL=f"cut={cut}")
        out, errors = program.communicate(timeout=SECONDS)
        fits = re.fullmatch(r"tasuki: the worker of device 0 .* ended at once; .*\n", errors)
        assert program.returncode == 1 and fits, f"cut={cut}: {out}{errors}"


def other_device_is_refused(here: House) -> None:
    """Managed memory is of one device."""
    out, errors = run(here, f"localhost@{here.port}", (*TURNS, "other")).communicate(timeout=SECONDS)
    assert out == "turns: well\n", out + errors
    line = (
        "tasuki: managed or mapped memory of one device in a kernel of another: not served on remote GPUs; "
    )
    assert errors.startswith(line) and errors.count("\n") == 1, errors


def main() -> None:
    """Rounds of faults, and a run that is right behind them."""
    given, dice = asked(__doc__, rounds=20)
    before = shared_segments()
    with house(given.binaries.resolve()) as here:
        for name in ("many", "turns", "pinned"):
            here.compile(ROOT / f"tests/remote/programs/{name}.cu", name)
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "2")
        begin = time.monotonic()
        right, errors = run(here, f"127.0.0.1@{here.port}").communicate(timeout=3 * SECONDS)
        usual = time.monotonic() - begin
        assert right == many(2, 20).replace("1.9999981", "2.0000000"), right + errors
        other_device_is_refused(here)
        ends_while_it_connects(here)
        for host, strict in itertools.product(("localhost", "127.0.0.1"), "01"):
            program = run(here, f"{host}@{here.port}", ("./pinned", "3"), TASUKI_GPUS_STRICT=strict)
            out, errors = program.communicate(timeout=SECONDS)
            assert out == "pinned: well\n" and not errors, out + errors
        for number in range(given.rounds):
            one_round(here, number, dice, usual, right)
        out, errors = run(here, f"localhost@{here.port}").communicate(timeout=3 * SECONDS)
        assert out == right, out + errors
        assert here.end() == 0
    assert comes_true(lambda: shared_segments() <= before)  # those of other tests come and go


if __name__ == "__main__":
    main()
