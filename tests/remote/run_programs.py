"""Every program of tests/remote/programs against workers with the host's device: each checks itself.

run_programs.py WORKERS LIBRARY FOLDER [--device host|driver] [NAME ..]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

DEVICES = 2
SECONDS = 120  # for a program: many times what it takes
MEASURES = ("latency",)  # it needs no check, and a GPU


def run(workers: str, library: str, device: str, program: Path, *arguments: str) -> tuple[int, str]:
    """Its status and what it printed."""
    command = [workers, "--device", device, str(DEVICES), library, "--", str(program), *arguments]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
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
    for program in sorted(Path(folder).iterdir()):
        name = program.name.split("-")[0]
        if name in MEASURES or (names and program.name not in names):
            continue
        if name == "many":
            status, text = run(workers, library, device, program, "10000", "7")
            well = status == 0 and text == "".join(f"{d} {relaxed(7)}\n" for d in range(DEVICES))
        elif name == "prints":
            status, text = run(workers, library, device, program)
            well = status == 0 and text == "before\n7 and 2.5\nbetween\n8 and 2.5\nprints: well\n"
        else:
            status, text = run(workers, library, device, program)
            well = status == 0 and text == f"{name}: well\n"
        print(f"{program.name}: {'well' if well else f'status {status}'}")
        if not well:
            print(text)
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
