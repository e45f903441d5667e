"""Runs of tasuki-argon: the same bits on any ranks, after any end, and one line for what cannot be.

runs.py BIN [--seed N]
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
from checks import Failure, ProgramRuns, main
from ranks import SKIPPED, kill_all, ranks_of, start

try:
    import h5py
except ImportError:
    print("skipped: this python3 has no h5py")
    sys.exit(SKIPPED)

# Small systems, each another way through the program.
SMALL = "--atoms 32 --replicas 8 --density 1.4 --exchange-every 20 --tmin 60 --tmax 150 --seed 5"
WAYS = {
    "langevin": SMALL,
    "nose-hoover, liquid, gibbs": f"{SMALL} --thermostat nose-hoover --start liquid --mixing gibbs",
    "rescaling, half, tail": f"{SMALL} --thermostat rescaling --start half --correction tail",
    "constant pressure": f"{SMALL} --pressures 1,300",
    "an even ladder": f"{SMALL} --ladder even --correction shifted",
    "lists": "--atoms 864 --replicas 4 --exchange-every 10 --seed 6",
}
FRAMES = "--trajectory replicas:0,3 --trajectory-every 40"
ALIKE = ("results.h5", "trajectory.h5")


HEADER = 512  # bytes of a result file before HDF5's own: what proves the rest


def checksum_ranges(path: Path) -> list[tuple[int, int]]:
    """Where the checksums of a result file's rows lie: first byte and the one behind the last."""
    ranges: list[tuple[int, int]] = []

    def add(_name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and (first := item.id.get_offset()) is not None:
            ranges.append((first, first + item.id.get_storage_size()))

    with h5py.File(path) as file:
        if "checksums" in file:
            file["checksums"].visititems(add)
    return ranges


class Runs(ProgramRuns):
    """What runs of the program left."""

    name = "argon"

    def file(self, folder: str, name: str) -> bytes:
        return (self.place / folder / name).read_bytes()

    def checksum(self, folder: str) -> str:
        record = json.loads(self.file(folder, "record.json"))
        return str(record["results"]["checksum"])

    def laid_out_by(self, folder: str) -> int:
        """How many ranks laid the results of a folder out."""
        with h5py.File(self.place / folder / "results.h5") as file:
            return int(file.attrs["ranks"])

    def same(
        self, one: str, other: str, names: Sequence[str] = ALIKE, laid_out: tuple[int, int] | None = None
    ) -> None:
        """Throws where two folders differ. `laid_out`: the ranks that laid their results out, which the
        attribute `ranks` tells."""
        if self.checksum(one) != self.checksum(other):
            raise Failure(f"{one} and {other} end with other atoms")
        for name in names:
            a, b = self.file(one, name), self.file(other, name)
            apart = [k for k in range(len(a)) if a[k] != b[k]] if len(a) == len(b) and a != b else []
            # A row that was written again has its checksum in the other of two places.
            sums = checksum_ranges(self.place / one / name) if apart else []
            apart = [k for k in apart if not any(first <= k < last for first, last in sums)]
            if len(a) != len(b) or (apart and (name != "results.h5" or not laid_out)):
                raise Failure(f"{name} of {one} and of {other} differ")
            # The number itself, and the checksums of what holds it: HDF5's, and the header's.
            if laid_out:
                apart = [k for k in apart if k >= HEADER]
            numbers = [k for k in apart if laid_out and (a[k], b[k]) == laid_out]
            if apart and (not numbers or len(apart) > 5 or max(apart) - min(apart) > 4096):
                raise Failure(f"{name} of {one} and of {other} differ in bytes {apart[:20]}")


def same_bits_on_any_ranks(runs: Runs, chance: random.Random) -> None:
    for name, words in WAYS.items():
        steps = 60 if name == "lists" else 400
        frames = FRAMES.replace("40", "20") if name == "lists" else FRAMES
        for ranks in (1, 2, 3, 4):
            runs.whole(f"{name}-{ranks}", f"{words} {frames} --steps {steps}", ranks)
            runs.same(f"{name}-1", f"{name}-{ranks}", laid_out=(1, ranks))
        runs.whole(f"{name}-again", f"{words} {frames} --steps {steps} --threads 2", 1)
        runs.same(f"{name}-1", f"{name}-again")
        print(f"  {name}: the same bits on 1 to 4 ranks", flush=True)
    runs.whole("other seed", f"{SMALL.replace('--seed 5', '--seed 55')} --steps 400")
    if runs.checksum("other seed") == runs.checksum("langevin-1"):
        raise Failure("another seed changes nothing")


def resumes(runs: Runs, chance: random.Random) -> None:
    for name in ("langevin", "nose-hoover, liquid, gibbs", "constant pressure", "an even ladder"):
        words = f"{WAYS[name]} {FRAMES}"
        runs.whole(f"{name}-whole", f"{words} --steps 800", 2)
        runs.whole(f"{name}-parts", f"{words} --steps 240", 2)
        runs.whole(f"{name}-parts", "--resume", 2)  # to the same step: nothing is left to do
        runs.whole(f"{name}-parts", "--resume --steps 480", 3)
        runs.whole(f"{name}-parts", "--resume --steps 800", 1)
        runs.same(f"{name}-whole", f"{name}-parts", laid_out=(2, 1))
    words = f"{WAYS['lists']} {FRAMES.replace('40', '20')}"
    runs.whole("lists-whole", f"{words} --steps 80", 2)
    runs.whole("lists-parts", f"{words} --steps 30", 2)
    runs.whole("lists-parts", "--resume --steps 80", 1)
    runs.same("lists-whole", "lists-parts", laid_out=(2, 1))
    runs.refused("langevin-parts", "--resume --steps 800 --density 1.3", "--density 1.3")
    runs.refused("langevin-parts", "--resume --steps 400", "is at step 800")
    runs.whole("langevin-parts", "--resume")  # what was refused left no trace
    runs.refused("langevin-parts", f"{SMALL} --steps 800", "holds a run already")


def kills(runs: Runs, chance: random.Random) -> None:
    words = f"{SMALL} {FRAMES} --checkpoint-every 40"
    runs.whole("never killed", f"{words} --steps 4000", 2)
    killed, more = 0, "--steps 4000"
    for _ in range(60):
        ranks = 2 if not killed else chance.choice((1, 2, 3, 4))
        process = start(runs.command("killed", f"{words} {more}"), ranks)
        time.sleep(chance.uniform(0.3, 1.5))
        kill_all(process)
        if (runs.place / "killed" / "job.json").exists():
            more = "--resume"
            killed += 1
        if (runs.place / "killed" / "record.json").exists() or killed >= 6:
            break
    runs.whole("killed", "--resume", 2)
    laid_out = runs.laid_out_by("killed")  # on busy cores the first is killed before it has
    runs.same("never killed", "killed", laid_out=(2, laid_out) if laid_out != 2 else None)
    leavings = [path.name for path in (runs.place / "killed").glob("exchange-*.json")]
    if leavings != ["exchange-4000.json"]:
        raise Failure(f"what was left behind: {leavings}")
    print(f"  killed {killed} times", flush=True)


def signals(runs: Runs, chance: random.Random) -> None:
    words = f"{SMALL} {FRAMES}"
    for number in (signal.SIGTERM, signal.SIGUSR1):
        folder = f"signal-{number}"
        process = start(runs.command(folder, f"{words} --steps 20000000 --progress json"), 2)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("@progress"):
                break
        os.kill(chance.choice(ranks_of(process, runs.program)), number)
        text, _ = process.communicate(timeout=60)
        if process.returncode != 0 or "tasuki: interrupted after step" not in text:
            raise Failure(f"signal {number}: status {process.returncode}\n{text}")
        record = json.loads(runs.file(folder, "record.json"))
        step = record["results"]["step"]
        if not record["interrupted"] or not step or step % 20:
            raise Failure(f"signal {number}: the record says {record}")
        last = (step // 40 + 2) * 40
        runs.whole(folder, f"--resume --steps {last}", 3)
        runs.whole(f"{folder}-whole", f"{words} --steps {last}", 2)
        runs.same(f"{folder}-whole", folder, laid_out=(2, 3))


def silent_errors(runs: Runs, chance: random.Random) -> None:
    words = f"{SMALL} --steps 400"
    runs.whole("clean", words, 3)
    replica, interval = chance.randrange(8), chance.randrange(19)
    flip = {"TASUKI_FLIP": f"{replica}:{interval}"}
    print(f"  a bit of replica {replica} turns in interval {interval}", flush=True)
    runs.whole("flipped", words, 3, flip)
    if runs.checksum("flipped") == runs.checksum("clean"):
        raise Failure("a bit was turned, and nothing changed")
    for ranks in (1, 3):
        said = runs.whole(f"verified-{ranks}", f"{words} --verify 1", ranks, flip).text
        wanted = f"steps {20 * interval} to {20 * interval + 19} of replica {replica}:"
        lines = [line for line in said.splitlines() if line.startswith("tasuki: ")]
        if len(lines) != 1 or wanted not in lines[0] or "third" not in lines[0]:
            raise Failure(f"the flipped bit was not named once with '{wanted}':\n{said}")
        runs.same("clean", f"verified-{ranks}", ("results.h5",), (3, ranks))
        results = json.loads(runs.file(f"verified-{ranks}", "record.json"))["results"]
        if (results["verified"], results["differed"]) != (160, 1):
            raise Failure(f"the record counts {results}")
    runs.whole("some verified", f"{words} --verify 0.3 --pressures 1,300", 2)
    some = json.loads(runs.file("some verified", "record.json"))["results"]
    if not 10 <= some["verified"] <= 100 or some["differed"]:
        raise Failure(f"a share of 0.3 of 160 was verified as {some}")


def bursts(runs: Runs, chance: random.Random) -> None:
    words = f"{SMALL} --steps 400 --checkpoint-every 40"
    flip = {"TASUKI_FLIP": "2:10:-1:6"}  # the highest bit of a velocity's exponent
    done = runs.attempt("burst", words, 2, flip)
    dump = runs.place / "burst" / "broken-replica-2-step-240.h5"
    if done.status == 0 or "replica 2 has burst by step 240" not in done.text or not dump.is_file():
        raise Failure(f"a replica that burst was not named:\n{done.text}")
    runs.whole("burst", "--resume --steps 400", 2)
    runs.whole("no burst", words, 2)
    runs.same("no burst", "burst", ("results.h5",))
    said = runs.whole("left out", f"{words} --on-nan continue", 2, flip).text
    left = json.loads(runs.file("left out", "exchange-400.json"))
    if "the others go on without it" not in said or left["lost"] != [2] or left["accepted"] == [0] * 7:
        raise Failure(f"the others were to go on:\n{said}\n{left}")


def foreign_checkpoints(runs: Runs, chance: random.Random) -> None:
    runs.whole("mine", f"{SMALL} --steps 40")
    runs.whole("theirs", f"{SMALL.replace('--tmin 60', '--tmin 61')} --steps 40")
    for name in ("checkpoint.h5", "exchange-40.json"):
        shutil.copy(runs.place / "theirs" / name, runs.place / "mine" / name)
    runs.refused("mine", "--resume --steps 80", "is of another run", 2)
    shutil.rmtree(runs.place / "mine")
    runs.whole("mine", f"{SMALL} --steps 40")
    path = runs.place / "mine" / "exchange-40.json"
    path.write_text(path.read_text()[:40])
    runs.refused("mine", "--resume --steps 80", "is damaged", 2)
    runs.refused("nowhere", "--resume --steps 80", "holds no run", 2)


BAD = (
    ("--tmin 100 --tmax 90", "does not increase"),
    ("--temperatures 80,90,85", "does not increase"),
    ("--temperatures 80,warm", "warm"),
    ("--temperatures 80,90 --replicas 3", "--replicas 2"),
    ("--pressures 5,1 --replicas 4", "does not increase"),
    ("--pressures 1,5 --replicas 5", "--replicas 6"),
    ("--density 9", "density"),
    ("--atoms 100", "100"),
    ("--atoms 108 --cutoff 3.5", "cut-off"),
    ("--steps 150", "--steps 200"),
    ("--checkpoint-every 150", "--checkpoint-every"),
    ("--trajectory replicas:0,16", "16"),
    ("--trajectory paths:0", "--trajectory"),
    ("--replicas 1000000000 --atoms 2048", "need"),
    ("--thermostat none", "--thermostat none"),
    ("--thermostat ice", "--thermostat"),
    ("--ranks 2x1", "--ranks"),
    ("--verify 2", "--verify"),
    ("--verify nan", "--verify"),
    ("--dt nan", "--dt"),
    ("--friction nan", "--friction"),
    ("--cutoff nan", "--cutoff"),
    ("--tmin nan", "--tmin"),
    ("--density inf", "--density"),
    ("--atoms", "--atoms"),
)


def bad_input(runs: Runs, chance: random.Random) -> None:
    for number, (words, told) in enumerate(BAD):
        runs.refused("bad", words, told, 1 + number % 2)
        if (runs.place / "bad" / "job.json").exists():
            raise Failure(f"argon {words} was refused, and its folder holds a run")
    plan = runs.whole("planned", "--replicas 14336 --atoms 2048 --steps 1000000 --dry-run").text
    if "needs" not in plan or "GiB" not in plan or (runs.place / "planned").exists():
        raise Failure(f"a dry run was to say what is needed, and to do nothing:\n{plan}")


CHECKS: tuple[Callable[[Runs, random.Random], None], ...] = (
    same_bits_on_any_ranks,
    resumes,
    kills,
    signals,
    silent_errors,
    bursts,
    foreign_checkpoints,
    bad_input,
)


if __name__ == "__main__":
    sys.exit(main(Runs, CHECKS, __doc__))
