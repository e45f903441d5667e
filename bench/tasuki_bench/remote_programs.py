"""Programs that compute, on remote GPUs: microseconds a step, without their start and end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tasuki.programs import find_program, locate

Start = Callable[[Sequence[str]], object]  # starts a program with these words, and waits for its end


def many(program: str, start: Start, device: str) -> float:
    """A step of `many`: a long run without a short one, the best of three each."""
    size, short, long = (1 << 24, 2000, 30000) if device == "cuda" else (1 << 12, 100, 1100)

    def seconds(steps: int) -> float:
        times = []
        for _ in range(3):
            began = time.monotonic()
            start([program, str(size), str(steps)])
            times.append(time.monotonic() - began)
        return min(times)

    return 1e6 * (seconds(long) - seconds(short)) / (long - short)


def remd(start: Start, device: str, folder: Path) -> float | None:
    """An interval of the study's program, which says what it takes; None where it is not built."""
    program = find_program("gpus-serve").parent.parent / "remote/programs/remd"
    if not program.is_file():
        return None
    replicas, atoms, steps = (128, 2048, 1000) if device == "cuda" else (2, 32, 40)
    record = folder / "remd.jsonl"
    words = ["--replicas", str(replicas), "--atoms", str(atoms), "--steps", str(steps)]
    words += ["--exchange-every", str(steps // 10), "--devices", "1", "--json", str(record)]
    start([str(program), *words])
    return 1e6 * float(json.loads(record.read_text())["seconds"])


def laplace(start: Start, folder: Path) -> float | None:
    """A step of 4096^2 by eager sweeps; None in a build without CUDA's shared runtime."""
    program = locate("laplace")
    if program is None or b"libcudart.so." not in program.read_bytes():
        return None
    record = folder / "laplace.json"
    words = ["--device", "cuda", "--executor", "eager", "--size", "4096x4096", "--times", "20000"]
    start([str(program), *words, "--record", str(record)])
    run = json.loads(record.read_text())["run"]
    return 1e6 * run["seconds"] / run["steps"]


def steps(program: str, start: Start, device: str, folder: Path) -> dict[str, float]:
    """Microseconds by program, of those that there are. `program` is `many`, compiled."""
    size = "N 2048, 128 replicas" if device == "cuda" else "N 32, 2 replicas"
    found = {
        "many, a step": many(program, start, device),
        f"remd, {size}, an interval": remd(start, device, folder),
    }
    if device == "cuda":
        found["laplace 4096^2, eager, a step"] = laplace(start, folder)
    return {name: value for name, value in found.items() if value is not None}
