#!/usr/bin/env python3
"""Runs other engines beside argon: the same atoms, box, cut-off, step, thermostat; replica-steps a second.

    argon.py run [--device host|cuda] [--engines lammps,openmm,jax-md] [--sizes 256,2048] [--out FILE]
    argon.py show RECORD.json

An engine that is not installed is named and left out. README.md says what is the same and what is not.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "python")]

from commands import Record, Tool  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from tasuki.arguments import seconds  # noqa: E402
from tasuki.errors import TasukiError  # noqa: E402
from tasuki.launch import cores, launch_command  # noqa: E402
from tasuki.machine import gpu_names, machine_name  # noqa: E402
from tasuki.programs import locate  # noqa: E402

# Argon, in nm, ps, kJ/mol, g/mol.
EPSILON, SIGMA, MASS = 0.9661, 0.3405, 39.948
DENSITY = 1.65  # g/cm3
BOLTZMANN = 0.00831446261815324
TEMPERATURE = 120.0  # K
STEP, FRICTION = 0.004, 1.0  # ps, 1/ps
AVOGADRO_NM3 = 602.214076  # atoms in a nm3 for 1 mol/cm3
LONGEST = 600.0  # seconds of an engine


@dataclass(frozen=True)
class Size:
    """A system of `atoms`, and how many of them at once are given to an engine that takes many."""

    atoms: int
    replicas: int

    @property
    def edge(self) -> float:
        """Of the box, nm."""
        return (self.atoms / (DENSITY / MASS * AVOGADRO_NM3)) ** (1 / 3)

    @property
    def cells(self) -> int:
        """Of fcc along an edge."""
        return round((self.atoms / 4) ** (1 / 3))

    @property
    def cutoff(self) -> float:
        """3 sigma, or half of the edge where that is less; nm."""
        return min(3 * SIGMA, self.edge / 2)


@dataclass(frozen=True)
class Entry:
    """What one engine did in one way: `steps` of so many replicas in so many seconds, or why not."""

    who: str
    atoms: int
    replicas: int = 0
    steps: int = 0
    seconds: float = 0.0
    ours: bool = False
    refused: str = ""

    @property
    def rate(self) -> float:
        """Replica-steps a second in all; 0 where it was refused."""
        return self.replicas * self.steps / self.seconds if self.seconds > 0 else 0.0


def places(size: Size) -> list[tuple[float, float, float]]:
    """The fcc crystal, nm."""
    a = size.edge / size.cells
    basis = ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5))
    grid = range(size.cells)
    return [
        ((i + x) * a, (j + y) * a, (k + z) * a) for i in grid for j in grid for k in grid for x, y, z in basis
    ]


# LAMMPS: reduced units, so that no constant of its own enters.


def lammps_input(size: Size, warm: int, steps: int) -> str:
    """Langevin dynamics in units of sigma, epsilon, sigma sqrt(m/epsilon)."""
    tau = SIGMA * math.sqrt(MASS / EPSILON)
    t = BOLTZMANN * TEMPERATURE / EPSILON
    return f"""units lj
atom_style atomic
lattice fcc {size.atoms / (size.edge / SIGMA) ** 3:.10g}
region box block 0 {size.cells} 0 {size.cells} 0 {size.cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
pair_style lj/cut {size.cutoff / SIGMA * (1 - 1e-9):.10g}
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
velocity all create {t:.10g} 4711
timestep {STEP / tau:.10g}
fix 1 all nve
fix 2 all langevin {t:.10g} {t:.10g} {tau / FRICTION:.10g} 815
thermo 100
run {warm}
run {steps}
"""


def lammps_seconds(log: str) -> tuple[float, int] | None:
    """Of the last run in a log: seconds and steps."""
    found = re.findall(r"^Loop time of ([0-9.eE+-]+) on \d+ procs for (\d+) steps", log, re.MULTILINE)
    return (float(found[-1][0]), int(found[-1][1])) if found else None


def lammps(size: Size, device: str, seconds: float) -> list[Entry]:
    """One replica over all cores, and a replica a core, whichever of these and of its styles is faster."""
    program = next((path for name in ("lmp", "lmp_mpi", "lammps") if (path := shutil.which(name))), None)
    if program is None:
        return [Entry("LAMMPS", size.atoms, refused="not installed")]
    if device != "host":
        return [Entry("LAMMPS", size.atoms, refused="its CUDA build is not in the package")]
    count = cores()
    entries = []
    for name, replicas, more in (
        ("LAMMPS, a replica on all cores", 1, []),
        ("LAMMPS, a replica a core", count, ["-partition", f"{count}x1"]),
    ):
        for style, words in (("", []), (", opt", ["-sf", "opt"])):
            who = name + style
            try:
                steps = 200
                took = _lammps_run(program, size, count, [*more, *words], replicas > 1, 100, steps)
                steps = max(500, min(200_000, int(steps * seconds / took)))
                took = _lammps_run(program, size, count, [*more, *words], replicas > 1, 500, steps)
            except TasukiError as error:
                entries.append(Entry(who, size.atoms, refused=str(error)))
            else:
                entries.append(Entry(who, size.atoms, replicas, steps, took))
    return entries


def _lammps_run(
    program: str, size: Size, count: int, words: Sequence[str], parts: bool, warm: int, steps: int
) -> float:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in.argon").write_text(lammps_input(size, warm, steps), encoding="utf-8")
        command, environment = launch_command(
            [program, *words, "-in", "in.argon", "-screen", "none", *(["-pscreen", "none"] if parts else [])],
            count,
        )
        environment["OMP_NUM_THREADS"] = "1"
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False
        )
        logs = sorted(Path(folder).glob("log.lammps.*" if parts else "log.lammps"))
        took = [found for log in logs if (found := lammps_seconds(log.read_text(errors="replace")))]
        if done.returncode or len(took) != (count if parts else 1):
            line = next(
                (line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line), "no answer"
            )
            raise TasukiError("LAMMPS failed: " + line, "")
        return max(seconds for seconds, _ in took)


# OpenMM: a context a replica; one alone, or many at once by threads or by processes.


def openmm(size: Size, device: str, seconds: float) -> list[Entry]:
    """One context, as its sampler of replicas has, which takes them in turn; on a GPU several, too."""
    try:
        import openmm as mm
    except ImportError as error:
        return [Entry("OpenMM", size.atoms, refused=f"not installed ({error})")]
    names = [mm.Platform.getPlatform(k).getName() for k in range(mm.Platform.getNumPlatforms())]
    name = {"cuda": "CUDA", "host": "CPU"}[device]
    if name not in names:
        failed = "; ".join(line.splitlines()[0] for line in mm.Platform.getPluginLoadFailures()[:1])
        why = f"has no {name} platform here, only {', '.join(names)} {failed}".strip()
        return [Entry("OpenMM", size.atoms, refused=why)]
    entries = []
    for how, counts in OPENMM_WAYS[device]:
        for count in counts:
            who = f"OpenMM {mm.version.short_version}, {name}"
            who += f", {count} {how}" if count > 1 else ""
            try:
                steps, took = _openmm_at_once(size, name, seconds, how, count)
                entries.append(Entry(who, size.atoms, count, steps, took))
            except Exception as error:
                entries.append(Entry(who, size.atoms, refused=(str(error).splitlines() or ["failed"])[0]))
    return entries


OPENMM_WAYS: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    "host": (("threads", (1,)),),  # its CPU platform has threads of its own
    "cuda": (("threads", (1, 4, 16)), ("processes", (4,))),
}


class Mover:
    """A context of OpenMM that has been warmed up."""

    def __init__(self, size: Size, name: str, seed: int) -> None:
        import openmm as mm

        system = mm.System()
        force = mm.NonbondedForce()
        for _ in range(size.atoms):
            system.addParticle(MASS)
            force.addParticle(0.0, SIGMA, EPSILON)
        edge = size.edge
        system.setDefaultPeriodicBoxVectors(mm.Vec3(edge, 0, 0), mm.Vec3(0, edge, 0), mm.Vec3(0, 0, edge))
        force.setNonbondedMethod(mm.NonbondedForce.CutoffPeriodic)
        force.setCutoffDistance(size.cutoff * (1 - 1e-6))
        force.setUseDispersionCorrection(False)
        system.addForce(force)
        self.integrator = mm.LangevinMiddleIntegrator(TEMPERATURE, FRICTION, STEP)
        self.context = mm.Context(system, self.integrator, mm.Platform.getPlatformByName(name))
        self.context.setPositions(places(size))
        self.context.setVelocitiesToTemperature(TEMPERATURE, seed)
        self.go(200)

    def go(self, steps: int) -> float:
        """Seconds of so many steps."""
        began = time.perf_counter()
        self.integrator.step(steps)
        self.context.getState(getEnergy=True).getPotentialEnergy()  # waits for the device
        return time.perf_counter() - began


def _openmm_at_once(size: Size, name: str, seconds: float, how: str, count: int) -> tuple[int, float]:
    """Steps of each of `count` replicas, and the seconds from the first to start to the last to end."""
    if how == "processes":
        pool = multiprocessing.get_context("spawn")
        gate, answers = pool.Barrier(count), pool.Queue()
        steps = max(500, min(500_000, int(500 * seconds / (Mover(size, name, 4711).go(500) * count))))
        for k in range(count):
            pool.Process(
                target=_openmm_process, args=(size, name, k, steps, gate, answers), daemon=True
            ).start()
        ends = [answers.get(timeout=LONGEST) for _ in range(count)]
        if any(isinstance(end, str) for end in ends):
            raise TasukiError(next(end for end in ends if isinstance(end, str)), "")
        return steps, max(end for _, end in ends) - min(start for start, _ in ends)
    movers = [Mover(size, name, 4711 + k) for k in range(count)]
    with ThreadPoolExecutor(count) as threads:

        def all_go(steps: int) -> float:
            began = time.perf_counter()
            list(threads.map(lambda mover: mover.go(steps), movers))
            return time.perf_counter() - began

        steps = max(500, min(500_000, int(500 * seconds / all_go(500))))
        return steps, all_go(steps)


def _openmm_process(
    size: Size, name: str, k: int, steps: int, gate: Barrier, answers: Queue[tuple[float, float] | str]
) -> None:
    try:
        mover = Mover(size, name, 4711 + k)
        gate.wait(LONGEST)
        start = time.time()  # one clock for all processes
        mover.go(steps)
        answers.put((start, time.time()))
    except Exception as error:
        gate.abort()
        answers.put((str(error).splitlines() or ["failed"])[0])


# JAX MD: many replicas in one computation, all pairs, as its vmap has it.


def jax_md(size: Size, device: str, seconds: float) -> list[Entry]:
    """Many systems at once by vmap, 100 steps a call, all pairs of atoms; on a GPU 2^26 pairs."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    count = max(1, 2**26 // size.atoms**2) if device == "cuda" else size.replicas
    try:
        import jax
        import jax.numpy as jnp
        from jax_md import energy, simulate, space
    except ImportError as error:
        return [Entry("JAX MD", size.atoms, refused=f"not installed ({error})")]
    backend = "gpu" if device == "cuda" else "cpu"
    if jax.default_backend() != backend:
        return [
            Entry("JAX MD", size.atoms, refused=f"runs on {jax.default_backend()} here, not on {backend}")
        ]
    move, shift = space.periodic(size.edge)
    potential = energy.lennard_jones_pair(
        move, sigma=SIGMA, epsilon=EPSILON, r_onset=0.999 * size.cutoff / SIGMA, r_cutoff=size.cutoff / SIGMA
    )
    start, step = simulate.nvt_langevin(
        potential, shift, dt=STEP, kT=BOLTZMANN * TEMPERATURE, gamma=FRICTION, mass=MASS
    )
    keys = jax.random.split(jax.random.PRNGKey(4711), count)
    state = jax.vmap(lambda key: start(key, jnp.asarray(places(size), dtype=jnp.float32)))(keys)
    interval = jax.jit(jax.vmap(lambda one: jax.lax.fori_loop(0, 100, lambda _, s: step(s), one)))
    try:
        state = jax.block_until_ready(interval(state))
        began = time.perf_counter()
        state = jax.block_until_ready(interval(state))
        once = time.perf_counter() - began
        calls = max(1, min(2000, int(seconds / once)))
        began = time.perf_counter()
        for _ in range(calls):
            state = interval(state)
        jax.block_until_ready(state)
        took = time.perf_counter() - began
    except Exception as error:
        return [Entry("JAX MD", size.atoms, refused=str(error).splitlines()[0])]
    return [Entry("JAX MD, vmap of all pairs", size.atoms, count, 100 * calls, took)]


# Ours


def tasuki(size: Size, device: str, seconds: float) -> list[Entry]:
    """tasuki-bench-argon with one replica and with as many as the others may have."""
    program = locate("bench-argon")
    if program is None:
        raise TasukiError("tasuki-bench-argon is not built", "build it with `make host` or `make cuda`")
    entries = []
    for replicas in dict.fromkeys((1, 16, size.replicas)):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "argon.jsonl"
            words = [str(program), f"{size.atoms}x{replicas}", "--device", device, "--out", str(out)]
            words += ["--tmin", str(TEMPERATURE), "--tmax", str(TEMPERATURE), "--seconds", str(seconds)]
            command, environment = launch_command(words, 1)
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
            )
            if done.returncode or not out.is_file():
                line = (done.stderr.strip().splitlines() or ["it said nothing"])[0]
                entries.append(Entry("Tasuki", size.atoms, ours=True, refused=line))
                continue
            row = json.loads(out.read_text(encoding="utf-8").splitlines()[-1])
            steps = int(row["steps_per_exchange"])
            took = float(row["seconds"])
            entries.append(Entry("Tasuki", size.atoms, replicas, steps, took, ours=True))
    return entries


# A process an engine and size: one that hangs or crashes is named, and leaves nothing on the device.


def apart(name: str, size: Size, device: str, seconds: float, longest: float) -> list[Entry]:
    """What the engine measured, or why it did not."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "entries.json"
        words = [sys.executable, __file__, "one", name, str(size.atoms), str(size.replicas), device]
        child = subprocess.Popen(
            [*words, str(seconds), str(out)], stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            _, said = child.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return [Entry(name, size.atoms, refused=f"no answer in {longest:.0f} s")]
        if child.returncode or not out.is_file():
            line = (said.strip().splitlines() or [f"ended with {child.returncode}"])[-1]
            return [Entry(name, size.atoms, refused=line)]
        return [Entry(**entry) for entry in json.loads(out.read_text(encoding="utf-8"))]


def one(words: Sequence[str]) -> int:
    """Measures one engine at one size, as apart() asks for it, and writes what it found."""
    engine, atoms, replicas, device, seconds, out = words
    entries = ENGINES[engine](Size(int(atoms), int(replicas)), device, float(seconds))
    Path(out).write_text(json.dumps([asdict(entry) for entry in entries]), encoding="utf-8")
    return 0


ENGINES: dict[str, Callable[[Size, str, float], list[Entry]]] = {
    "lammps": lammps,
    "openmm": openmm,
    "jax-md": jax_md,
}


def table(entries: Sequence[Entry], atoms: int) -> Table:
    """All that was measured at one size, the fastest first."""
    mine = sorted((entry for entry in entries if entry.atoms == atoms), key=lambda entry: -entry.rate)
    best = max((entry.rate for entry in mine if not entry.ours), default=0.0)
    found = Table(title=f"{atoms} atoms", title_justify="left", title_style="bold")
    found.add_column("engine")
    for name in ("replicas", "replica-steps/s", "atom-steps/s", "of the best other"):
        found.add_column(name, justify="right")
    for entry in mine:
        if entry.refused:
            found.add_row(entry.who, "", "-", "", entry.refused, style="dim")
            continue
        found.add_row(
            entry.who, str(entry.replicas), f"{entry.rate:.4g}", f"{entry.rate * atoms:.4g}",
            f"{entry.rate / best:.2f}" if best else "", style="green" if entry.ours else "",
        )  # fmt: skip
    return found


def show_record(record: Record, console: Console) -> None:
    """Prints the tables of a record."""
    entries = [Entry(**entry) for entry in record["entries"]]
    console.print(
        f"{record['machine']}, {record['device']}, {TEMPERATURE:.0f} K, {STEP * 1000:.0f} fs, Langevin"
    )
    for atoms in dict.fromkeys(entry.atoms for entry in entries):
        console.print(table(entries, atoms))


def measure(options: argparse.Namespace) -> tuple[Record, Path]:
    """Measures all engines at all sizes, one after the other."""
    names = gpu_names() if options.device == "cuda" else []
    entries: list[Entry] = []
    for atoms in options.sizes:
        size = Size(atoms, options.replicas or (4096 if options.device == "cuda" else 16))
        if 4 * size.cells**3 != atoms:
            raise TasukiError(f"{atoms} atoms make no cube of fcc", "give 4 a^3: 108, 256, 500, 864, 2048")
        entries += tasuki(size, options.device, options.seconds)
        for name in options.engines:
            entries += apart(name, size, options.device, options.seconds, options.longest)
    record = {
        "schema": 1,
        "machine": machine_name(names),
        "device": options.device,
        "load_average": os.getloadavg()[0],
        "entries": [asdict(entry) for entry in entries],
    }
    out: Path = options.out or Path("bench/results") / machine_name(names) / "argon-peers.json"
    return record, out


def _engines(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in ENGINES]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no engine {unknown[0]}; choose of {', '.join(ENGINES)}")
    return names


def add_options(part: argparse.ArgumentParser) -> None:
    """Of run."""
    part.add_argument("--device", choices=("host", "cuda"), default="host")
    part.add_argument("--engines", type=_engines, default=list(ENGINES), help=",".join(ENGINES))
    part.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[256, 2048])
    part.add_argument(
        "--replicas", type=int, default=0, help="of ours, and on the host of JAX MD [16; on a GPU 4096]"
    )
    part.add_argument("--seconds", type=seconds, default=5, help="of each measurement [5]")
    part.add_argument(
        "--longest", type=seconds, default=LONGEST, help="seconds that an engine gets a size [600]"
    )


TOOL = Tool("argon.py", __doc__, add_options, measure, show_record)


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the words ask for; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] != ["one"]:
        return TOOL.main(words)
    try:
        return one(words[1:])
    except TasukiError as error:  # apart() keeps the last line
        print(f"{TOOL.name}: {error}", file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
