"""The problems of arrays.py by Tasuki: its programs with default options, and a program of a user."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from array_problems import FARTHEST, NEVER, Case, lines_of_file, plate, relaxed
from array_table import Entry
from outputs import Unread, last_of

from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import locate

HERE = Path(__file__).resolve().parent
BANDWIDTH = {"cuda": 4e12, "host": 1e10}  # bytes a second; for the number of steps alone
FEW = 64


def steps_for(case: Case, devices: int, device: str, seconds: float) -> int:
    """About so many seconds of a case."""
    step = case.bytes / BANDWIDTH[device] / (devices if device == "cuda" else 1) + 3e-6
    return max(FEW, min(1_000_000, int(seconds / (2 * step if case.norm else step))))


def run_program(words: Sequence[str], devices: int, device: str, longest: float, record: Path | None) -> str:
    """What a program says; TasukiError says why it failed."""
    if longest < 1:
        raise TasukiError("no time was left for it", "give more of --limit")
    settings = {**os.environ, "TASUKI_DEVICE": device, "TASUKI_PROGRESS": "none"}
    settings |= {"TASUKI_RECORD": str(record)} if record else {}
    command, environment = launch_command(words, devices, environment=settings)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        raise TasukiError(f"no answer in {longest:.0f} s", "see why, or give --longest") from None
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise TasukiError((lines or [f"ended with {done.returncode}"])[0], "")
    return done.stdout


def program_words(case: Case, steps: int) -> list[str]:
    """Of tasuki-diffusion or tasuki-laplace, which compares the norm with what it never gets below."""
    if case.problem == "diffusion":
        words = ["--size", str(case.n), "--points", str(case.points), "--precision", "double"]
    else:
        words = ["--nx", str(case.n), "--ny", str(case.n)]
    words += ["--residual-every", "1", "--until", f"{NEVER:g}"] if case.norm else []
    return [*words, "--times", str(steps)]


def program_entry(
    case: Case, devices: int, device: str, seconds: float, repeats: int, longest: float
) -> Entry:
    """The program of this name as it comes; the record says seconds, steps and the error."""
    where = Entry(f"Tasuki, tasuki-{case.problem}", str(case), devices, ours=True)
    program = locate(case.problem)
    if program is None:
        return where.refuse(f"tasuki-{case.problem} is not built")
    words = [str(program), *program_words(case, steps_for(case, devices, device, seconds))]
    best = where
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "record.json"
            try:
                run_program(words, devices, device, longest, kept)
                record = json.loads(kept.read_text(encoding="utf-8"))
            except (TasukiError, OSError, ValueError) as why:
                return where.refuse(str(why))
        run, error = record["run"], float(record["results"].get("error_discrete", 0.0))
        if not error <= FARTHEST:
            return where.refuse(f"wrong: {error:.1e} from the mode's amplitude")
        step = run["seconds"] / run["steps"]
        if not best.seconds or step < best.seconds:
            best = where.took(step, run["steps"], error)
    return best


def user_entry(case: Case, devices: int, device: str, seconds: float, longest: float) -> Entry:
    """The program of this folder, whose lines count; it takes the fastest of three stretches itself."""
    lines = lines_of_file(HERE / f"{case.problem}_user.cpp")
    where = Entry("Tasuki, a user's program", str(case), devices, lines=lines, ours=True)
    own = locate(case.problem)  # beside it
    program = own.with_name(f"user-{case.problem}") if own else Path()
    if not program.is_file():
        return where.refuse(f"user-{case.problem} is not built")
    steps = steps_for(case, devices, device, seconds)
    more = [str(case.points)] if case.points else []
    threshold = [f"{NEVER:g}"] if case.norm else []
    error = 0.0
    try:
        if case.norm:
            few = [str(program), str(FEW), "5", *threshold]
            error = norm_error(run_program(few, devices, device, longest, None), FEW, 15)
        said = run_program(
            [str(program), str(case.n), *more, str(steps), *threshold], devices, device, longest, None
        )
        step = float(last_of(r"^(\S+) seconds a step", said)[0])
        if case.problem == "diffusion":
            error = float(last_of(r"error (\S+)$", said)[0])
    except (TasukiError, Unread) as why:
        return where.refuse(str(why))
    return where.took(step, steps, error)


def norm_error(said: str, n: int, steps: int) -> float:
    """How far the sum that a small run prints is from the twin's; TasukiError where it is wrong."""
    change = float(last_of(r"change (\S+)$", said)[0])
    twin = relaxed(plate(n), steps)[1]
    error = abs(change / twin - 1)
    if not error < 1e-5:
        raise TasukiError(f"wrong: a sum of {change:.6e} after {steps} steps, its twin has {twin:.6e}", "")
    return error
