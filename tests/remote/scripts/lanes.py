"""Large copies over TCP go by several connections in equal shares; one that is cut in the midst of a
copy is as the end of its worker: a spare comes in, or the program has the one error that is promised. Nothing
hangs.

lanes.py BIN [--rounds 4] [--seed N]
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import subprocess
import threading

from house import ROOT, SECONDS, House, asked, children_of, comes_true, expect, house

CAME = re.compile(r"^tasuki: device 0: \S+ comes in for \S+ \(the connection to \S+ is gone ", re.MULTILINE)
LOST = re.compile(r"^tasuki: device 0 .* is lost: the connection to \S+ is gone .*; \S", re.MULTILINE)
LANE = struct.Struct("<8sI")  # a knock begins so (remote/server/visit/greeting.hpp): 2 is a lane


class Between:
    """A port that passes everything on to the server, and cuts a lane that has carried too much."""

    def __init__(self, server: int) -> None:
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.carried: list[list[int]] = []  # bytes of each connection's two ways
        self.lanes: set[int] = set()
        self.cut = 0  # bytes of either way after which a lane is cut, once; 0: none
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.server))
                number = len(self.carried)
                self.carried.append([0, 0])
                for way, (a, b) in enumerate(((client, server), (server, client))):
                    threading.Thread(target=self._pass_on, args=(number, way, a, b), daemon=True).start()

    def _pass_on(self, number: int, way: int, a: socket.socket, b: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := a.recv(1 << 16):
                if way == 0 and not self.carried[number][0] and LANE.unpack(piece[: LANE.size])[1] == 2:
                    self.lanes.add(number)
                self.carried[number][way] += len(piece)
                if self.cut and number in self.lanes and self.carried[number][way] > self.cut:
                    self.cut = 0
                    break
                b.sendall(piece)
        for end in (a, b):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Takes no more."""
        self.listener.close()


def run(here: House, port: int, **changes: str) -> tuple[int, str, str]:
    """Status, output and errors of the program."""
    words = ("./pinned", "2")
    environment = {**here.settings(f"127.0.0.1@{port}[0]"), **changes}
    program = subprocess.Popen(
        words, cwd=here.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        out, errors = program.communicate(timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        raise SystemExit(f"the program hangs, {changes}") from None
    return program.returncode, out, errors


def carry_equal_shares(here: House) -> int:
    """What each of the lanes has carried, at least, without a fault."""
    way = Between(here.port)
    status, out, errors = run(here, way.port)
    assert (status, out, errors) == (0, "pinned: well\n", ""), out + errors
    carried = [sorted(way.carried[lane][n] for lane in way.lanes) for n in (0, 1)]
    assert [len(of) for of in carried] == [4, 4], carried  # three, and the heartbeat, which carries little
    for of in carried:
        assert of[0] < 10_000 < 5_000_000 < of[1] and of[3] < 1.1 * of[1], carried
    way.close()
    one = Between(here.port)
    assert run(here, one.port, TASUKI_GPUS_LANES="1")[:2] == (0, "pinned: well\n")
    assert len(one.lanes) == 1
    one.close()
    return min(of[1] for of in carried)


def main() -> None:
    """Without a fault, then lanes that are cut at random bytes."""
    given, dice = asked(__doc__, rounds=4)
    with house(given.binaries.resolve()) as here:
        here.compile(ROOT / "tests/remote/programs/pinned.cu", "pinned")
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "2")
        usual = carry_equal_shares(here)
        for number in range(given.rounds):
            spare = number % 2 == 0
            way = Between(here.port)
            way.cut = dice.randrange(20_000, usual - 10_000)
            changes = {"TASUKI_GPUS_SPARES": f"127.0.0.1@{here.port}[1]"} if spare else {}
            said = f"round {number}: a lane is cut after {way.cut} bytes, {changes}"
            status, out, errors = run(here, way.port, **changes)
            fits = CAME.search(errors) if spare else LOST.search(errors) and "unavailable" in out
            if status != (0 if spare else 1) or not fits or (spare and out != "pinned: well\n"):
                raise SystemExit(f"{said}: status {status}\n{out}{errors}")
            way.close()
            if not comes_true(lambda: not (here.server and children_of(here.server.pid))):
                raise SystemExit(f"{said}: a worker is left")
        words = ("run", "--hosts", f"127.0.0.1@{here.port}", "--lanes")
        expect(here.tasuki(*words, "2", "--quiet", "--", "./pinned", "1"), 0, "^pinned: well$")
        expect(here.tasuki(*words, "17", "--", "./pinned"), 2, "--lanes.*less than or equal to 16; see")
        assert here.end() == 0


if __name__ == "__main__":
    main()
