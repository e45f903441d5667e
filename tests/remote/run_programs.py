"""Every program of tests/remote/programs against workers with the host's device: each checks itself.
Once more with each of its devices as two replicas.

run_programs.py WORKERS LIBRARY FOLDER [--device host|driver] [NAME ..]
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

DEVICES = 2
SECONDS = 120  # for a program: many times what it takes
MEASURES = ("latency",)  # it needs no check, and a GPU
REPLICAS = "0+2,1+3"  # of twice as many workers
NOT_TWICE = ("heap",)  # malloc in kernels gives other addresses in each
HUNDREDS = 180  # devices, whose arenas are smaller than usual


def run(
    workers: str,
    library: str,
    device: str,
    replicas: str,
    program: Path,
    *arguments: str,
    devices: int = DEVICES,
) -> tuple[int, str]:
    """Its status and what it printed."""
    count = len(replicas.replace("+", ",").split(",")) if replicas else devices
    started = subprocess.Popen(
        [workers, "--device", device, str(count), library, "--", str(program), *arguments],
        env={**os.environ, "TASUKI_GPUS_REPLICAS": replicas},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        text, _ = started.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)  # the workers and the program too
        return -1, started.communicate()[0] + f"it hangs: {SECONDS} s\n"
    return started.returncode, text


def relaxed(steps: int) -> str:
    """What `many` prints for a device: x = x / 2 + 1, from 0."""
    x = 0.0
    for _ in range(steps):
        x = 0.5 * x + 1.0
    return f"{x:.7f}"


def main() -> int:
    """Runs them all."""
    arguments = sys.argv[1:]
    device = "host"
    if "--device" in arguments:
        at = arguments.index("--device")
        device = arguments[at + 1]
        del arguments[at : at + 2]
    workers, library, folder, *names = arguments
    bad = 0
    manners = ("", REPLICAS) if device == "host" else ("",)  # a GPU each
    for program, replicas in itertools.product(sorted(Path(folder).iterdir()), manners):
        name = program.name.split("-")[0]
        if name in MEASURES or (names and program.name not in names) or (replicas and name in NOT_TWICE):
            continue
        arguments = ("10000", "7") if name == "many" else ()
        status, text = run(workers, library, device, replicas, program, *arguments)
        expected = {
            "many": "".join(f"{d} {relaxed(7)}\n" for d in range(DEVICES)),
            "prints": "before\n7 and 2.5\nbetween\n8 and 2.5\nprints: well\n",
        }.get(name, f"{name}: well\n")
        well = status == 0 and text == expected
        print(f"{program.name}{' twice' if replicas else ''}: {'well' if well else f'status {status}'}")
        if not well:
            print(text)
            bad += 1
    if device == "host" and not names:
        lists = Path(folder) / "lists"  # it follows pointers in memory and has variables
        status, text = run(workers, library, device, "", lists, "20", devices=HUNDREDS)
        well = status == 0 and text == "lists: well\n"
        print(f"lists of {HUNDREDS} devices: {'well' if well else text}")
        bad += not well
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
