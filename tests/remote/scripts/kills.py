"""Workers and gates that are killed or stopped at random calls of a program: one, two at once, a replica, a
spare while it plays the log. The program's output is what it always is, or it has the one error that is
promised where nobody is left. Nothing hangs, and neither a worker nor a shared segment is left.

kills.py BIN [--rounds 12] [--seed N]        CI
kills.py BIN --rounds 200                    `make test-long`: some ten minutes on two cores
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from house import ROOT, SECONDS, House, asked, children_of, comes_true, hit, house, shared_segments
from watch import Watch

# Lists of pointers that kernels follow and change; and host and kernels that take turns at managed memory.
PROGRAMS = {"lists": ("./lists", "600"), "turns": ("./turns", "150")}
LOST = re.compile(r"^tasuki: device 0 .* is lost: .*; \S", re.MULTILINE)
CAME = re.compile(r"^tasuki: device 0: \S+ comes in for \S+ \(", re.MULTILINE)
UNREACHABLE = ", which has failed: its bytes cannot be had"  # the host touches managed memory that was there
DEVICES = 3  # of each gate


@dataclass
class Place:
    """A virtual device: of which gate, and its number there."""

    gate: int
    device: int

    def __repr__(self) -> str:
        return f"{self.gate}:{self.device}"


@dataclass
class Setting:
    """What a program is started with: replicas (one alone is none) and spares."""

    replicas: list[Place]
    spares: list[Place]
    images: bool
    local: bool


@dataclass
class Outcome:
    """How a round ended."""

    came: bool = False
    failed: bool = False


class Round:
    """A program, its workers, and what is done to them."""

    def __init__(
        self, houses: list[House], versions: str, dice: random.Random, name: str, usual: int
    ) -> None:
        self.houses, self.version, self.dice, self.name, self.usual = houses, versions, dice, name, usual
        self.setting = self._setting()
        self.watches = [Watch(one, versions) for one in houses]
        self.hurt: set[tuple[int, int]] = set()  # places that are lost: gate, device
        self.gates_lost: set[int] = set()  # killed or stopped
        self.killed: set[int] = set()
        self.seen: set[int] = set()  # processes
        self.said: list[str] = []
        self.program: subprocess.Popen[str]

    def _setting(self) -> Setting:
        count = self.dice.choice([1, 1, 2, 2, 3])
        places = [Place(n % 2, n // 2) for n in range(2 * DEVICES)]
        spares = self.dice.choice([0, 1, 2]) if count > 1 else self.dice.choice([0, 1, 2, 2])
        return Setting(
            places[:count],
            places[count : count + spares],
            self.dice.random() < 0.5,
            self.dice.random() < 0.5,
        )

    def _names(self, places: list[Place]) -> str:
        at = "localhost" if self.setting.local else "127.0.0.1"
        devices: dict[int, list[str]] = {}
        for place in places:
            devices.setdefault(place.gate, []).append(str(place.device))
        return ",".join(f"{at}@{self.houses[gate].port}[{','.join(of)}]" for gate, of in devices.items())

    def start(self) -> None:
        """The program."""
        setting, here = self.setting, self.houses[0]
        environment = {
            **here.settings(self._names(setting.replicas)),
            "TMPDIR": str(here.folder),
            "TASUKI_GPUS_REPLICAS": "+".join(map(str, range(len(setting.replicas)))),
            "TASUKI_GPUS_SAME_HOST": "1",
            "TASUKI_GPUS_SPARES": self._names(setting.spares),
            "TASUKI_GPUS_IMAGE_MS": "100" if setting.images else "0",
            "TASUKI_GPUS_SILENCE": "2",
        }
        self.program = subprocess.Popen(
            PROGRAMS[self.name],
            cwd=here.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _workers(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """By gate and device, of the gates that answer."""
        found = {}
        for number, watch in enumerate(self.watches):
            if number not in self.gates_lost:
                for device, clients in watch.look().items():
                    found[number, device] = clients
                    self.seen.update(process for process, _ in clients)
        return found

    def _until(self, place: Place, calls: int) -> int:
        """The process of a worker that has come so far; 0 once the program has ended, or too late."""
        end = time.monotonic() + SECONDS / 2
        while self.program.poll() is None and time.monotonic() < end:
            for process, made in self._workers().get((place.gate, place.device), []):
                if made >= calls:
                    return process
            time.sleep(0.001)
        return 0

    def _how(self) -> signal.Signals:
        return self.dice.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP])

    def _hit_worker(self, place: Place, calls: int, what: str) -> None:
        how = self._how()
        process = self._until(place, calls)
        late = "" if process else ": too late"
        self.said.append(f"{how.name} of {what} {place} at call {calls}{late}")
        if process and hit(process, how):
            self.hurt.add((place.gate, place.device))

    def _hit_gate(self, place: Place, calls: int) -> None:
        how = self._how()
        self.said.append(f"{how.name} of gate {place.gate} at call {calls}")
        self._until(place, calls)
        server = self.houses[place.gate].server
        assert server
        server.send_signal(how)
        self.gates_lost.add(place.gate)
        if how == signal.SIGKILL:  # its workers end with it
            self.hurt.update((place.gate, device) for device in range(DEVICES))
            self.killed.add(place.gate)

    def strike(self) -> None:
        """What this round is for."""
        setting, dice = self.setting, self.dice
        call = dice.randrange(1, self.usual)
        victim = dice.choice(setting.replicas)
        kinds = ["worker", "worker", "gate", "gate and worker"]
        if len(setting.replicas) > 1:
            kinds += ["two replicas"]
        if setting.spares:
            kinds += ["worker and spare", "spare that plays", "spare that plays"]
        kind = dice.choice(kinds)
        self.said.append(kind)
        if kind == "gate":
            self._hit_gate(victim, call)
        elif kind == "gate and worker":
            other = dice.choice(setting.replicas)
            self._hit_worker(other, call, "worker")
            self._hit_gate(victim, 0)
        elif kind == "two replicas":
            self._until(victim, call)
            for place in dice.sample(setting.replicas, 2):
                self._hit_worker(place, 0, "replica")
        else:
            self._hit_worker(victim, call, "worker")
            if kind == "worker and spare":
                self._hit_worker(setting.spares[0], 0, "spare")
            if kind == "spare that plays":  # it has made none before
                self._hit_worker(setting.spares[0], dice.randrange(1, 1 + call), "spare that plays")

    def may_fail(self) -> bool:
        """Whether so much is gone that the program may be told so."""
        places = self.setting.replicas + self.setting.spares
        # A gate that stands takes no new client: nobody comes back there, though its workers go on.
        left = [p for p in places if (p.gate, p.device) not in self.hurt]
        if len(self.setting.replicas) == 1:
            return not left
        # A replica's own GPU is given a fresh worker, where its gate is there.
        fresh = [p for p in self.setting.replicas if p not in left and p.gate not in self.gates_lost]
        return len(left) + len(fresh) < 2 or len(left) == 0

    def end(self, said: str) -> Outcome:
        """What the program came to."""
        said += f": {self.name}, {self.setting}\n{'; '.join(self.said)}"
        begin = time.monotonic()
        try:
            out, errors = self.program.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.program.kill()
            out, errors = self.program.communicate()
            raise SystemExit(f"{said}\nthe program hangs\n{out}{errors}") from None
        took = time.monotonic() - begin
        print(f"{said} ({took:.1f} s)".replace("\n", " "), flush=True)
        said += f"\nstatus {self.program.returncode} after {took:.1f} s\n{out}{errors}"
        if self.program.returncode == 0:
            if out != f"{self.name}: well\n":
                raise SystemExit(said)
        else:
            touched = self.program.returncode == -signal.SIGSEGV and UNREACHABLE in errors
            told = "unavailable" in out or (self.name == "turns" and touched)
            if not self.may_fail() or not LOST.search(errors) or not told:
                raise SystemExit(said)
        self._clear(said)
        return Outcome(bool(CAME.search(errors)), self.program.returncode != 0)

    def _clear(self, said: str) -> None:
        """Both gates as at the start, and no worker."""
        for watch in self.watches:
            watch.close()
        for process in self.seen:
            hit(process, signal.SIGCONT)
        for number, one in enumerate(self.houses):
            server = one.server
            assert server
            if number in self.killed:
                server.wait(SECONDS)
                one.serve("--per-gpu", str(DEVICES))
            else:
                server.send_signal(signal.SIGCONT)
        if not comes_true(lambda: not any(children_of(one.server.pid) for one in self.houses if one.server)):
            raise SystemExit(f"{said}\na worker is left")
        if not comes_true(lambda: not any(Path(f"/proc/{process}").exists() for process in self.seen)):
            raise SystemExit(f"{said}\na worker is left")


def calls_without_a_fault(houses: list[House], version: str, name: str) -> int:
    """How many calls the program makes of its device."""
    one = Round(houses, version, random.Random(0), name, 1)
    one.setting = Setting([Place(0, 0)], [Place(1, 0)], False, True)
    one.start()
    most = 0
    while one.program.poll() is None:
        for _, calls in one._workers().get((0, 0), []):
            most = max(most, calls)
        time.sleep(0.001)
    assert not one.end("without a fault").came
    return most


def main() -> None:
    """Rounds of faults, and a run that is right behind them."""
    given, dice = asked(__doc__, rounds=12)
    before = shared_segments()
    with house(given.binaries.resolve()) as here:
        for name in PROGRAMS:
            here.compile(ROOT / f"tests/remote/programs/{name}.cu", name)
        assert here.tasuki("key").returncode == 0
        there = House(here.binaries, here.folder)
        houses = [here, there]
        try:
            for one in houses:
                one.serve("--per-gpu", str(DEVICES))
            words = [here.binaries / "tasuki-gpus-ask", "list", "--hosts", f"localhost@{here.port}"]
            listed = subprocess.run(words, env=here.environment, capture_output=True, text=True, check=True)
            version = json.loads(listed.stdout)["hosts"][0]["version"]
            usual = {name: calls_without_a_fault(houses, version, name) for name in PROGRAMS}
            for name, (_, rounds) in PROGRAMS.items():
                assert usual[name] > int(rounds), usual
            ends = []
            for number in range(given.rounds):
                name = dice.choice(list(PROGRAMS))
                one_round = Round(houses, version, dice, name, usual[name])
                one_round.start()
                with contextlib.suppress(ConnectionError):
                    one_round.strike()
                ends.append(one_round.end(f"round {number}"))
            for name in PROGRAMS:
                calls_without_a_fault(houses, version, name)
            for one in houses:
                assert one.end() == 0
        finally:
            if there.server:
                there.end(signal.SIGKILL)
    assert comes_true(lambda: shared_segments() <= before)  # those of other tests come and go
    came, failed = sum(end.came for end in ends), sum(end.failed for end in ends)
    print(f"{len(ends)} rounds: in {came} another worker came in, {failed} ended with the promised error")
    assert came or given.rounds < 12, "no fault has hit a program"


if __name__ == "__main__":
    main()
