"""Runs of tasuki-wilson: what others have published, what plain numpy makes of the same fields, the same
bits on any ranks and after any end, and one line for what cannot be.

runs.py BIN [--seed N] [--only CHECK]

weak_field.lime, a field of 4^3 x 8 from the tests of PyQUDA, is looked for in the folder that the environment
calls TASUKI_REFERENCE_DATA, then beside the clone.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
import dense  # first: it says so where numpy is missing
import numpy as np
from checks import Failure, ProgramRuns, main
from dense import Action, Complex
from numpy.typing import NDArray
from ranks import SKIPPED, kill_all, ranks_of, start
from test_dense import CHROMA_UNIT, WEAK_FIELD, WEAK_PLAQUETTE

try:
    import h5py
except ImportError as missing:
    print(f"skipped: {missing}; `make test` installs it")
    sys.exit(SKIPPED)

Numbers = NDArray[np.float64]

# Small runs, each another way through the program.
SMALL = "--lattice 4x4x4x8 --tolerance 1e-8 --seed 5"
HEAT = f"{SMALL} --beta 5.7 --sweeps 4 --separation 2 --configurations 2 --kappa 0.12"
WAYS = {
    "heat bath": f"{HEAT} --source point --inner double",
    "gaussian, single inside": f"{HEAT} --source-width 2 --at 1,2,3,5 --inner single --links 12",
    "half inside": f"{HEAT} --source point --inner half --links 12 --over-relaxations 0",
    "wall, cg": f"{SMALL} --start weak --configurations 2 --source wall --method cg --kappa 0.11",
    "any phases": f"{SMALL} --start random --configurations 1 --phases 0.2,0.4,0,1 --norm mass --mass 1",
    "anisotropic": f"{SMALL} --start weak --configurations 1 --kappa 0.14 --anisotropy 2 --nu 0.9",
}


def folder_of_data() -> Path:
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    return Path(os.environ.get("TASUKI_REFERENCE_DATA", beside))


class Runs(ProgramRuns):
    """What runs of the program left."""

    name = "wilson"

    def record(self, folder: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads((self.place / folder / "record.json").read_text())
        return record

    def read(self, folder: str, name: str) -> NDArray[Any]:
        with h5py.File(self.place / folder / "results.h5") as file:
            return np.asarray(file[name][()])

    def same(self, one: str, other: str) -> None:
        """Throws where two runs differ in a bit of what they found, but for times."""
        names: list[str] = []
        with h5py.File(self.place / one / "results.h5") as file:
            file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in names:
            if name.startswith("checksums/"):
                continue  # two hashes a row, one of what was there before: a kill leaves another
            if (
                not name.endswith("solve/seconds")
                and self.read(one, name).tobytes() != self.read(other, name).tobytes()
            ):
                raise Failure(f"{name} of {one} and of {other} differ")
        if self.record(one)["results"]["checksum"] != self.record(other)["results"]["checksum"]:
            raise Failure(f"{one} and {other} have other checksums")


def expect_close(what: str, got: Numbers | Complex, want: Numbers | Complex, accuracy: float) -> None:
    apart = float(np.max(np.abs(got - want) / np.max(np.abs(want), axis=-1, keepdims=True)))
    if got.shape != want.shape or not apart <= accuracy:
        raise Failure(f"{what}: {got}\nnot {want}\napart by {apart:.3g}")


def published(runs: Runs, chance: random.Random) -> None:
    words = (
        "--lattice 4x4x4x8 --start unit --configurations 1 --kappa 0.1 --norm mass --phases 0.2,0.4,0,0 "
        "--source point"
    )
    runs.whole("unit", f"{words} --tolerance 1e-12 --inner double", 2)
    got, want = runs.read("unit", "correlator/pion")[0][:5], np.array(CHROMA_UNIT)
    if np.max(np.abs(got / want - 1)) > 3e-7:  # its solver stopped at some 1e-8
        raise Failure(f"the unit field's pion is {got}, not {want}")
    for inner, links, method in (("half", "18", "bicgstab"), ("single", "18", "cg")):
        runs.whole(inner, f"{words} --tolerance 1e-12 --inner {inner} --links {links} --method {method}", 1)
        expect_close(inner, runs.read(inner, "correlator/pion"), runs.read("unit", "correlator/pion"), 1e-10)
    path = folder_of_data() / "weak_field.lime"
    if not path.is_file():
        print("not tried: Chroma's weak field: weak_field.lime is not here", flush=True)
        return
    runs.whole(
        "weak",
        f"--gauge {path} --kappa 0.11 --norm mass --phases 0,0,0,1 --source gaussian --source-width 2 "
        "--source-steps 5 --tolerance 1e-12",
        3,
    )
    if abs(runs.read("weak", "configuration/plaquette")[0] - WEAK_PLAQUETTE) > 1e-10:
        raise Failure("the plaquette of weak_field.lime")
    got, want = runs.read("weak", "correlator/pion")[0][:4], np.array(WEAK_FIELD)
    if np.max(np.abs(got / want - 1)) > 3e-6:
        raise Failure(f"the pion of weak_field.lime is {got}, not {want}")


def measured(s: Complex, t: int, thetas: tuple[float, ...]) -> dict[str, NDArray[Any]]:
    """The correlators as results.h5 has them."""
    length = s.shape[0]
    across = np.exp(3j * np.pi * thetas[3] * (np.arange(length) < t))
    return {
        "pion": np.roll(dense.pion(s), -t),
        "rho": np.roll(dense.rho(s), -t),
        "nucleon": np.roll(across * dense.nucleon(s, 1), -t),
        "nucleon_backward": np.roll(across * dense.nucleon(s, -1), -t),
    }


def expect_correlators(runs: Runs, folder: str, wanted: dict[str, NDArray[Any]], accuracy: float) -> None:
    for key, want in wanted.items():
        raw = runs.read(folder, f"correlator/{key}")[0]
        got = raw if raw.ndim == 1 else raw[:, 0] + 1j * raw[:, 1]
        expect_close(f"{folder}: {key}", got, want, accuracy)


def in_numpy(runs: Runs, chance: random.Random) -> None:
    """A random field, written by the program, and solved as one dense matrix by numpy."""
    extents = (4, 4, 4, 4)
    at = [chance.randrange(4) for _ in range(4)]
    where = ",".join(map(str, at))
    field = f"--lattice 4x4x4x4 --start random --configurations 1 --seed {chance.randrange(1000)}"
    cases = (
        ("--kappa 0.11 --phases 0,0,0,1", Action(0.11, phases=(0, 0, 0, 1)), "point"),
        ("--kappa 0.09 --phases 0,0,0,0.3 --norm mass",
         Action(0.09, phases=(0, 0, 0, 0.3), mass=True), "gaussian"),
        ("--kappa 0.13 --anisotropy 2 --nu 0.8 --phases 0,1,0,0",
         Action(0.13, phases=(0, 1, 0, 0), spatial=0.4), "wall"),
    )  # fmt: skip
    for number, (words, action, source) in enumerate(cases):
        name, file = f"dense-{source}", runs.place / "dense.lime"
        runs.whole(
            name,
            f"{field} {words} --source {source} --at {where} --source-width 1.5 --source-steps 3 "
            f"--tolerance 1e-13 --write-gauge {file} --propagators lime",
            1 + number,
        )
        links = dense.read_ildg(file, extents)
        if abs(dense.plaquette(links) - runs.read(name, "configuration/plaquette")[0]) > 1e-12:
            raise Failure("the plaquette of the field that was written")
        point = dense.point_sources(extents, at)
        b = {
            "point": lambda point=point: point,
            "gaussian": lambda point=point, links=links: dense.smear(links, point, 1.5, 3),
            "wall": lambda: dense.wall_sources(extents, at[3]),
        }[source]()
        s = dense.dense_solve(links, b, action)
        expect_correlators(runs, name, measured(s, at[3], action.phases), 1e-9)
        # What was kept, read again, and as the source of another propagator.
        again = f"--gauge {file} {words} --source {source} --source-width 1.5 --source-steps 3"
        there = f"{again} --at {where}"
        kept = runs.place / name / "propagator-0000.lime"
        runs.whole(f"{name}-taken", f"{there} --propagator-file {kept} --propagators hdf5", 2)
        expect_correlators(runs, f"{name}-taken", measured(s, at[3], action.phases), 1e-9)
        if runs.read(f"{name}-taken", "solve/iterations").any():
            raise Failure("a propagator out of a file was solved for")
        if not np.max(runs.read(f"{name}-taken", "solve/residual")) < 1e-11:
            raise Failure("what a propagator out of a file leaves of its source")
        with h5py.File(packed := runs.place / f"{name}-taken" / "propagator-0000.h5") as held:
            by_time = np.sum(np.abs(held["propagator"][()]) ** 2, axis=tuple(range(1, 8)))
        expect_close(
            f"{name}: in HDF5", np.roll(by_time, -at[3]), measured(s, at[3], action.phases)["pion"], 1e-9
        )
        source_file = packed if number % 2 else kept
        runs.whole(f"{name}-twice", f"{there} --source-file {source_file} --tolerance 1e-13", 2)
        twice = dense.dense_solve(links, s, action)
        expect_correlators(runs, f"{name}-twice", measured(twice, at[3], action.phases), 1e-9)
        print(f"  {source} at {where}: as numpy has it", flush=True)
    other = runs.attempt("foreign", f"{again} --propagator-file {kept} --at 1,1,1,{(at[3] + 1) % 4}", 1)
    if other.status != 0 or "does not hold solutions" not in other.text:
        raise Failure(f"a propagator of another source was to be told:\n{other.text}")
    whole = kept.read_bytes()
    (runs.place / "short.lime").write_bytes(whole[: len(whole) // 2])
    whole = packed.read_bytes()
    (runs.place / "short.h5").write_bytes(whole[: len(whole) // 2])
    rows = runs.place / name / "results.h5"
    for option in ("--source-file", "--propagator-file"):
        runs.refused("bad", f"{again} {option} {runs.place}/short.lime", "short.lime", 2)
        runs.refused("bad", f"{again} {option} {runs.place}/short.h5", "truncated file", 2)
        runs.refused(
            "bad", f"{again} {option} {rows}", "it has checksums, configuration, correlator, solve", 3
        )
        runs.refused("bad", f"{again} {option} {runs.place}/nowhere.lime", "nowhere.lime", 1)
        runs.refused("bad", f"{again} {option} {file}", "dense.lime", 2)
        for other_lattice in (kept, packed):
            words = f"--lattice 4x4x4x8 --start unit --configurations 1 {option} {other_lattice}"
            runs.refused("bad", words, "4x4x4x8", 1)


def does_not_know_where_the_source_is(runs: Runs, chance: random.Random) -> None:
    """On the unit field every site is like another."""
    words = (
        "--lattice 4x4x6x8 --start unit --configurations 1 --kappa 0.11 --phases 0.5,0,1,1 --source point "
        "--tolerance 1e-13"
    )
    runs.whole("here", words)
    at = ",".join(str(chance.randrange(n)) for n in (4, 4, 6, 8))
    runs.whole("there", f"{words} --at {at}", 2)
    for name in ("pion", "rho", "nucleon", "nucleon_backward"):
        got, want = runs.read("there", f"correlator/{name}")[0], runs.read("here", f"correlator/{name}")[0]
        apart = np.max(np.abs(got - want)) / np.max(np.abs(want))
        if not apart < 1e-10:
            raise Failure(f"{name} from {at} and from 0,0,0,0 are apart by {apart:.3g}")


def same_bits_on_any_ranks(runs: Runs, chance: random.Random) -> None:
    for name, words in WAYS.items():
        for ranks in (1, 2, 3, 4):
            runs.whole(f"{name}-{ranks}", words, ranks)
            runs.same(f"{name}-1", f"{name}-{ranks}")
            grid = runs.record(f"{name}-{ranks}")["grid"]  # in sites, of which a cell has two
            if (
                grid["extents"] != [4, 4, 4, 8]
                or [sum(blocks) for blocks in grid["blocks"]] != grid["extents"]
            ):
                raise Failure(f"the record of a lattice of 4x4x4x8 has {grid}")
        runs.whole(
            f"{name}-cut", f"{words} --ranks {chance.choice(('2x1x2x1', '1x2x2x1', '1x1x2x2', '2x2x1x1'))}", 4
        )
        runs.same(f"{name}-1", f"{name}-cut")
        runs.whole(f"{name}-threads", f"{words} --threads 2")
        runs.same(f"{name}-1", f"{name}-threads")
        runs.whole(f"{name}-narrow", f"{words} --columns {chance.choice((1, 2, 5))}", 2)
        runs.same(f"{name}-1", f"{name}-narrow")
        print(f"  {name}: the same bits on 1 to 4 ranks", flush=True)
    runs.whole("other seed", WAYS["heat bath"].replace("--seed 5", "--seed 55"))
    if runs.record("other seed")["results"]["checksum"] == runs.record("heat bath-1")["results"]["checksum"]:
        raise Failure("another seed changes nothing")


def resumes(runs: Runs, chance: random.Random) -> None:
    words = HEAT.replace("--configurations 2", "")
    runs.whole("whole", f"{words} --configurations 4", 2)
    runs.whole("parts", f"{words} --configurations 1", 2)
    runs.whole("parts", "--resume", 2)  # nothing is left to do
    runs.whole("parts", "--resume --configurations 3", 3)
    runs.whole("parts", "--resume --configurations 4", 1)
    runs.same("whole", "parts")
    runs.refused("parts", "--resume --configurations 4 --kappa 0.13", "--kappa 0.13")
    runs.refused("parts", "--resume --mass 3", "--mass 3")
    runs.refused("parts", "--resume --configurations 2", "--configurations 4")
    runs.refused("parts", f"{words} --configurations 4", "holds a run already")
    leavings = [path.name for path in (runs.place / "parts").glob("column-*")]
    if leavings:
        raise Failure(f"what was left behind: {leavings}")


def kills(runs: Runs, chance: random.Random) -> None:
    words = f"{HEAT.replace('4x4x4x8', '8x8x8x8')} --checkpoint-minutes 0.001"
    begun = time.monotonic()
    runs.whole("never killed", words, 2)
    took = time.monotonic() - begun
    killed, more = 0, words
    for _ in range(30):
        ranks = 2 if not killed else chance.choice((1, 2, 3, 4))
        process = start(runs.command("killed", more), ranks)
        time.sleep(chance.uniform(0.1, 0.5) * took)
        kill_all(process)
        if (runs.place / "killed" / "results.h5").exists():
            more = f"--resume --columns {chance.choice((0, 3))}"
            killed += 1
        if (runs.place / "killed" / "record.json").exists() or killed >= 6:
            break
    runs.whole("killed", "--resume", 2)
    runs.same("never killed", "killed")
    print(f"  killed {killed} times", flush=True)


def signals(runs: Runs, chance: random.Random) -> None:
    words = HEAT.replace("4x4x4x8", "8x8x8x8")
    runs.whole("no signal", words, 2)
    for number, when in ((signal.SIGTERM, "heat bath"), (signal.SIGUSR1, "iteration")):
        folder = f"signal-{number}"
        process = start(runs.command(folder, f"{words} --progress json"), 2)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("@progress") and when in line:
                break
        for pid in ranks_of(process, runs.program)[:1]:
            os.kill(pid, number)
        text, _ = process.communicate(timeout=60)
        if process.returncode != 0 or "tasuki: interrupted after" not in text:
            raise Failure(f"signal {number}: status {process.returncode}\n{text}")
        if not runs.record(folder)["interrupted"]:
            raise Failure(f"signal {number}: the record does not say so")
        runs.whole(folder, "--resume", 3)
        runs.same("no signal", folder)


def files(runs: Runs, chance: random.Random) -> None:
    """A configuration written by one run and read by another, in either format; propagators that are kept."""
    for kind, ranks in (("lime", 2), ("nersc", 3)):
        words = f"{HEAT} --write-gauge {runs.place / 'field'}.{kind} --propagators hdf5"
        runs.whole(f"made-{kind}", words, ranks)
    both = f"{runs.place}/field.0000.lime {runs.place}/field.0001.nersc"
    quark = "--kappa 0.12 --tolerance 1e-8 --seed 5"
    runs.whole("read", f"{quark} --gauge {both}", 3)
    for name in ("correlator/pion", "correlator/nucleon", "configuration/plaquette"):
        if runs.read("read", name).tobytes() != runs.read("made-lime", name).tobytes():
            raise Failure(f"{name} of a configuration out of a file")
    if list((runs.place / "made-lime").glob("column-*.h5")):
        raise Failure("columns were to go when their propagator is kept")
    for number in range(2):
        kept = [runs.place / f"made-{kind}" / f"propagator-{number:04d}.h5" for kind in ("lime", "nersc")]
        if kept[0].read_bytes() != kept[1].read_bytes():
            raise Failure(f"{kept[0].name} has other bytes on other ranks")
    whole = (runs.place / "field.0000.lime").read_bytes()
    cut, turned = runs.place / "cut.lime", runs.place / "turned.lime"
    cut.write_bytes(whole[: len(whole) // 2])
    at = len(whole) // 2
    turned.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    runs.refused("bad", f"{quark} --gauge {cut}", "cut.lime", 2)
    runs.refused("bad", f"{quark} --gauge {turned}", "turned.lime", 2)
    runs.refused("bad", f"{quark} --gauge {runs.place}/field.0000.lime --lattice 4x4x4x4", "4", 2)
    runs.refused("bad", f"{quark} --gauge {runs.place}/nowhere.lime", "nowhere.lime", 2)


def what_does_not_converge(runs: Runs, chance: random.Random) -> None:
    done = runs.attempt("slow", f"{HEAT} --most-iterations 3", 2)
    if done.status == 0 or "24 columns did not converge" not in done.text or "residual" not in done.text:
        raise Failure(f"three iterations were to be too few:\n{done.text}")
    results = runs.record("slow")["results"]
    residuals = runs.read("slow", "solve/residual")
    if results["unconverged"] != 24 or not np.all((residuals > 1e-8) & (residuals < 1)):
        raise Failure(f"the residuals that were reached are {residuals}, the record says {results}")
    if (
        not np.all(np.isfinite(runs.read("slow", "correlator/pion")))
        or runs.read("slow", "solve/converged").any()
    ):
        raise Failure("what was reached was to be kept")
    done = runs.attempt("critical", f"{HEAT} --kappa 0.35 --configurations 1 --most-iterations 300".replace(
        "--kappa 0.12", "").replace("--configurations 2", ""), 1)  # fmt: skip
    if done.status == 0 or "did not converge" not in done.text or "nan" in done.text.lower():
        raise Failure(f"kappa 0.35 was not to converge:\n{done.text}")


BAD = (
    ("--lattice 4x4x5x8", "even"),
    ("--lattice 4x4x8", "axes"),
    ("--lattice 4x4x4x0", "--lattice"),
    ("--lattice 4x4x4xq", "--lattice"),
    ("--kappa nan", "--kappa"),
    ("--kappa 0", "--kappa"),
    ("--beta nan", "--beta"),
    ("--source-width nan", "--source-width"),
    ("--mass nan", "--mass"),
    ("--kappa 0.1 --mass 1", "--mass"),
    ("--mass -4", "mass"),
    ("--beta -1", "--beta"),
    ("--phases 0,0,1", "--phases"),
    ("--phases 0,0,nan,1", "--phases"),
    ("--phases 0.5,0,0,0 --links 12", "18"),
    ("--at 0,0,0,16", "--at"),
    ("--tolerance 0", "--tolerance"),
    ("--columns 13", "--columns"),
    ("--start cold", "--start"),
    ("--start unit --configurations 2", "--configurations"),
    ("--configurations 0", "--configurations"),
    ("--write-gauge field.dat", "field.dat"),
    ("--unitarity much", "--unitarity"),
    ("--source lamp", "--source"),
    ("--lattice 4096x4096x4096x4096", "needs"),
    ("--colour 3", "--colour"),
    ("--sweeps", "--sweeps"),
    ("--ranks 3x1x1x1", "ranks"),
    ("--resume", "holds no run"),
    ("--lattice 4x4x4x4 --start unit --configurations 1 --kappa 0.125 --phases 0,0,0,0", "zero mode"),
)


def bad_input(runs: Runs, chance: random.Random) -> None:
    for number, (words, told) in enumerate(BAD):
        runs.refused("bad", words, told, 1 + number % 2)
        if "zero mode" not in told and (runs.place / "bad" / "results.h5").exists():
            raise Failure(f"wilson {words} was refused, and its folder holds a run")
    shutil.rmtree(runs.place / "bad", ignore_errors=True)
    plan = runs.whole("planned", "--lattice 16x16x16x32 --dry-run").text
    if "needs" not in plan or "GiB" not in plan or (runs.place / "planned").exists():
        raise Failure(f"a dry run was to say what is needed, and to do nothing:\n{plan}")


CHECKS: tuple[Callable[[Runs, random.Random], None], ...] = (
    published,
    in_numpy,
    does_not_know_where_the_source_is,
    same_bits_on_any_ranks,
    resumes,
    kills,
    signals,
    files,
    what_does_not_converge,
    bad_input,
)


if __name__ == "__main__":
    sys.exit(main(Runs, CHECKS, __doc__))
