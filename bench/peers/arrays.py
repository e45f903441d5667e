#!/usr/bin/env python3
"""Runs what users of arrays would take instead, beside Tasuki: JAX, torch.compile, kernels of CuPy by hand.

    arrays.py run [--build build/cuda] [--devices 1,2] [--rivals jax,torch,cupy] [--cases diffusion/512/27,..]
    arrays.py show RECORD.json

A rival that cannot be imported is named and left out. README.md says what is the same and what is not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "python")]

from array_problems import Case, Library, Way, case_of, lines_of, time_program  # noqa: E402
from array_table import Entry, show_record  # noqa: E402
from array_tasuki import program_entry, user_entry  # noqa: E402
from commands import Record, Tool  # noqa: E402

from peers import gpu_environment  # noqa: E402
from tasuki.arguments import seconds  # noqa: E402
from tasuki.errors import TasukiError  # noqa: E402
from tasuki.machine import gpu_names, machine_name  # noqa: E402

RIVALS = {"jax": "JAX", "torch": "torch.compile", "cupy": "CuPy"}
CASES = (
    "diffusion/256/7", "diffusion/256/27", "diffusion/512/7", "diffusion/512/27",
    "laplace/4096", "laplace/4096/norm", "laplace/16384", "laplace/16384/norm",
)  # fmt: skip
TASUKI_TIMES = 4  # a run of Tasuki takes so many stretches of a rival: its choice of an executor is in it


@dataclass(frozen=True)
class Plan:
    """What is timed, and how long."""

    device: str
    cases: tuple[Case, ...]
    seconds: float
    repeats: int
    longest: float
    end: float  # of all, by the monotonic clock

    def left(self) -> float:
        """Seconds for the next process."""
        return min(self.longest, self.end - time.monotonic())


# A rival is measured in a process of its own, which writes what it has after every case: one that hangs or
# crashes is named, and leaves nothing on the device.


def one_entry(library: Library, way: Way, case: Case, devices: int, plan: Plan) -> Entry:
    """What a way took for a case, or why it does not count."""
    where = Entry(way.who, str(case), devices, lines=lines_of(way.build))
    build = partial(way.build, devices=devices) if way.several else way.build
    try:
        timing = time_program(library, build, case, plan.seconds, plan.repeats)
    except Exception as error:
        return where.refuse((str(error).strip().splitlines() or [type(error).__name__])[0])
    return where.took(timing.seconds, timing.steps, timing.error)


def one(name: str, devices: int, plan: Plan, out: Path) -> None:
    """All cases of one rival, as apart() asks for them."""
    version = ""
    entries: list[Entry] = []

    def keep() -> None:
        new = out.with_suffix(".part")
        new.write_text(json.dumps({"version": version, "entries": [asdict(e) for e in entries]}), "utf-8")
        new.replace(out)  # apart() may read it at any time

    try:
        library: Library = importlib.import_module(f"array_{name}").LIBRARY
    except Exception as error:  # what is installed may fail in its own way
        entries = [Entry(RIVALS[name], "", devices).refuse(f"cannot be imported ({error})".splitlines()[0])]
        return keep()
    version, unfit = library.version, library.unfit(plan.device, devices)
    if unfit:
        entries = [Entry(RIVALS[name], "", devices).refuse(unfit)]
    for case in plan.cases if not unfit else ():
        for way in library.ways:
            if way.problem == case.problem and way.several == (devices > 1):
                entries.append(one_entry(library, way, case, devices, plan))
                keep()
    return keep()


def environment_of(device: str, devices: int) -> dict[str, str]:
    """The first GPUs alone, or a host that JAX takes for so many devices."""
    if device == "cuda":
        return gpu_environment(devices)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}".strip()
    return {**os.environ, "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}


def apart(name: str, devices: int, plan: Plan) -> tuple[str, list[Entry]]:
    """The version of a rival and what it measured, or why it did not."""
    longest = plan.left()
    if longest < 1:
        return "", [Entry(RIVALS[name], "", devices).refuse("no time was left for it")]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "entries.json"
        words = [name, str(devices), plan.device, str(plan.seconds), str(plan.repeats), str(out)]
        child = subprocess.Popen(
            [sys.executable, __file__, "one", *words, *map(str, plan.cases)],
            env=environment_of(plan.device, devices), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip
        why = ""
        try:
            _, said = child.communicate(timeout=longest)
            if child.returncode:
                why = (said.strip().splitlines() or [f"ended with {child.returncode}"])[-1]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            why = f"no answer in {longest:.0f} s"
        found: Record = {"version": "", "entries": []}
        if out.is_file():
            found = json.loads(out.read_text("utf-8"))
    entries = [Entry(**entry) for entry in found["entries"]]
    if why:
        entries.append(Entry(RIVALS[name], "", devices).refuse(why))
    return str(found["version"]), entries


# All of them


def measure(options: argparse.Namespace) -> tuple[Record, Path]:
    """Times Tasuki and all rivals, one after the other."""
    names = gpu_names()
    device = options.device or ("cuda" if names else "host")
    if options.build:
        folder = next((f for f in (options.build / "bin", options.build) if f.is_dir()), None)
        if folder is None:
            raise TasukiError(f"there is no {options.build}", "build Tasuki, and give its folder")
        os.environ["TASUKI_BIN"] = str(folder.resolve())
    began = time.monotonic()
    cases, end = tuple(options.cases), began + options.limit
    plan = Plan(device, cases, options.seconds, options.repeats, options.longest, end)
    entries: list[Entry] = []
    versions: dict[str, str] = {}
    notes: list[str] = []
    for devices in options.devices:
        if device == "cuda" and devices > len(names):
            notes.append(f"{devices} GPUs: this machine has {len(names)}")
            continue
        for case in plan.cases:
            aim = TASUKI_TIMES * plan.seconds
            entries.append(program_entry(case, devices, device, aim, plan.repeats, plan.left()))
            entries.append(user_entry(case, devices, device, plan.seconds, plan.left()))
        for name in options.rivals:
            version, found = apart(name, devices, plan)
            versions |= {name: version} if version else {}
            entries += found
        print(f"{devices} devices: after {time.monotonic() - began:.0f} s", flush=True)
    record = {
        "schema": 1,
        "machine": names or [machine_name(names)],
        "device": device,
        "versions": versions,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "notes": notes,
        "entries": [asdict(entry) for entry in entries],
    }
    return record, options.out or Path("bench/results") / machine_name(names) / "arrays-peers.json"


def _rivals(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in RIVALS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no rival {unknown[0]}; choose of {', '.join(RIVALS)}")
    return names


def _cases(text: str) -> list[Case]:
    try:
        return [case_of(word) for word in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _counts(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def add_options(part: argparse.ArgumentParser) -> None:
    """Of run."""
    part.add_argument("--build", type=Path, help="a build folder of Tasuki [as `tasuki run` finds programs]")
    part.add_argument("--device", choices=("host", "cuda"), help="[cuda where there is a GPU]")
    part.add_argument("--devices", type=_counts, default=[1], help="numbers of devices, as 1,2 [1]")
    part.add_argument("--rivals", type=_rivals, default=list(RIVALS), help=",".join(RIVALS))
    part.add_argument("--cases", type=_cases, default=[case_of(c) for c in CASES], help=",".join(CASES))
    part.add_argument("--seconds", type=seconds, default=0.2, help="of each stretch of a rival [0.2]")
    part.add_argument("--repeats", type=int, default=3, help="stretches and runs, the fastest counts [3]")
    part.add_argument("--longest", type=seconds, default=180, help="seconds that one process gets [180]")
    part.add_argument("--limit", type=seconds, default=480, help="seconds of all [480]")


TOOL = Tool("arrays.py", __doc__, add_options, measure, show_record)


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the words ask for; returns the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] != ["one"]:
        return TOOL.main(words)
    name, devices, device, length, repeats, out, *cases = words[1:]
    plan = Plan(device, tuple(map(case_of, cases)), float(length), int(repeats), 0, 0)
    one(name, int(devices), plan, Path(out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
