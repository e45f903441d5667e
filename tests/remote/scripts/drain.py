"""A server that is drained: its clients go to others of their hosts, and it ends; those that cannot go are
named and waited for, those that wait in line are refused.

drain.py BIN
"""

from __future__ import annotations

import re
import signal
import subprocess

from house import ROOT, SECONDS, House, asked, comes_true, expect, house, shared_segments
from recover import calls_of, end, workers

ANY = slice(None)


def start(here: House, hosts: str, **changes: str) -> subprocess.Popen[str]:
    """The program, until it has had enough."""
    (here.folder / "enough").unlink(missing_ok=True)
    return subprocess.Popen(
        ["./lists", "10000000", "until", "enough"],
        cwd=here.folder,
        env={**here.settings(hosts), "TASUKI_GPUS_SILENCE": "4", "TMPDIR": str(here.folder), **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def drain(here: House) -> None:
    """As the page has it."""
    expect(here.tasuki("serve", "--drain", "--port", str(here.port)), 0, "")


def is_well(here: House, program: subprocess.Popen[str]) -> str:
    """The program ends as it always does; what it said."""
    (here.folder / "enough").touch()
    out, errors = end(program, "drained")
    assert program.returncode == 0 and out == "lists: well\n", out + errors
    return errors


def goes(first: House, second: House, hosts: str, to: str, **changes: str) -> None:
    """The server of its first device is drained, and ends while the program goes on."""
    program = start(first, hosts, **changes)
    assert comes_true(lambda: calls_of(first) > 500)
    drain(first)
    assert first.server
    assert first.server.wait(SECONDS) == 0
    assert first.server.stdout and "waited for" not in first.server.stdout.read()
    first.server = None
    begin = calls_of(second, ANY)
    assert comes_true(lambda: calls_of(second, ANY) > begin)
    errors = is_well(first, program)
    came = re.search(
        r"^tasuki: device 0: (\S+) comes in for \S+ \(its server is about to end\)", errors, re.M
    )
    assert came and came[1] == to, errors
    assert comes_true(lambda: not workers(second))
    first.serve("--per-gpu", "2")


def stays(here: House) -> None:
    """One that keeps no log, one that knows of no other host, and one that waits in line."""
    at = f"localhost@{here.port}"
    program = start(here, f"{at}[0]", TASUKI_GPUS_PROGRAM="./plain")
    knows = start(here, f"{at}[1]", TASUKI_GPUS_PROGRAM="./knows", TASUKI_GPUS_DOOR=str(here.folder))
    assert comes_true(lambda: len(workers(here)) == 2 and calls_of(here) > 100)
    waits = start(here, f"{at}[0]")
    assert waits.stderr and "place 1 in line" in waits.stderr.readline()
    drain(here)
    out, errors = end(waits, "in line")
    assert waits.returncode == 1 and "takes no new clients, as it is about to end" in errors, out + errors
    assert here.server and here.server.stdout
    lines = sorted(here.server.stdout.readline() for _ in range(2))
    for line, name in zip(lines, ("0: ./plain", "1: ./knows"), strict=True):
        assert line == f"device {name} of this host cannot go elsewhere, and is waited for\n", lines
    assert here.server.poll() is None
    assert not is_well(here, program)
    said = is_well(here, knows)
    assert re.fullmatch(
        r"tasuki: device 0: the server of \S+ is about to end, and waits for this program: no GPU .*\n", said
    ), said
    assert here.server.wait(SECONDS) == 0
    here.server = None


def main() -> None:
    """To a spare, to a free GPU of the hosts that it was started with, and nowhere."""
    given, _ = asked(__doc__, rounds=0)
    before = shared_segments()
    with house(given.binaries.resolve()) as here:
        here.compile(ROOT / "tests/remote/programs/lists.cu", "lists")
        assert here.tasuki("key").returncode == 0
        there = House(here.binaries, here.folder)
        a, b = f"localhost@{here.port}", f"localhost@{there.port}"
        try:
            for one in (here, there):
                one.serve("--per-gpu", "2")
            # A spare of the same server is not taken, and is let go.
            goes(here, there, f"{a}[0]", f"{b}:0", TASUKI_GPUS_SPARES=f"{a}[1],{b}[0]")
            goes(here, there, f"{a}[0],{b}[0]", f"{b}:1", TASUKI_GPUS_DOOR=str(here.folder))
            # A replica, to the one GPU that is left of the other server: both are there then.
            goes(
                here,
                there,
                f"{a}[0],{b}[0]",
                f"{b}:1",
                TASUKI_GPUS_DOOR=str(here.folder),
                TASUKI_GPUS_REPLICAS="0+1",
                TASUKI_GPUS_SAME_HOST="1",
            )
            stays(here)
            assert there.end() == 0
        finally:
            if there.server:
                there.end(signal.SIGKILL)
    assert comes_true(lambda: shared_segments() <= before)


if __name__ == "__main__":
    main()
