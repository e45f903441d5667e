"""Takes a run on where a rank is lost: what is left is started again, from the last checkpoint."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.execute import execute_once
from tasuki.failure import ended_by_signal
from tasuki.programs import HAVE_FOLDERS, locate
from tasuki.record import Record
from tasuki.runner import Outcome
from tasuki.words import option_value

CHOICES = ("stop", "continue")
_LOSS = re.compile(r"\brank \d+ died\b|\bcuda\w+ failed\b")
_PROBE_SECONDS = 60


def check_choice(choice: str, program: str) -> None:
    """Throws where `choice` is none, or the program cannot go on from a folder."""
    if choice not in CHOICES:
        raise TasukiError(f"--on-failure {choice} is unknown", f"choose one of {', '.join(CHOICES)}")
    if program not in HAVE_FOLDERS:
        raise TasukiError(
            f"{program} cannot continue without a rank",
            f"omit --on-failure; only {' and '.join(HAVE_FOLDERS)} can continue",
        )


def is_loss(outcome: Outcome) -> bool:
    """Whether a run ended because a rank or its device was lost, rather than of itself or by its user."""
    if outcome.status == 0 or outcome.interrupted:
        return False
    if outcome.status > 128 or any(_LOSS.search(line) for line in outcome.errors):
        return True
    return not outcome.errors and ended_by_signal(outcome) is not None  # MPICH returns the signal's number


def working_devices() -> str | None:
    """The GPUs that still answer, as CUDA_VISIBLE_DEVICES has them; None where there is no GPU to ask."""
    info = locate("info")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        try:
            listed = subprocess.run(
                ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"],
                capture_output=True,
                text=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        devices = listed.stdout.split() if listed.returncode == 0 else []
    else:
        devices = [word for word in visible.split(",") if word]
    if info is None or not devices:
        return None
    answering = []
    for device in devices:
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": device, "TASUKI_DEVICE": "cuda"}
        try:
            done = subprocess.run(
                [str(info)], env=environment, capture_output=True, timeout=_PROBE_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            answering.append(device)
    return ",".join(answering) or None


def execute_on(
    name: str,
    arguments: Sequence[str],
    ranks: int,
    record: Path,
    progress: str = "auto",
    mpi_args: str = "",
    verbose: bool = False,
) -> tuple[int, Record | None]:
    """As `tasuki.execute.execute`, on one rank fewer after each loss, until the run ends or no rank is left.

    `arguments` name the run's --folder. What was done after the last checkpoint is done again, with the same
    bits; where no checkpoint was reached, the run begins anew."""
    folder = Path(option_value(arguments, "--folder") or "")
    change: dict[str, str] = {}
    while True:
        outcome, result = execute_once(
            name, arguments, ranks, record, progress, mpi_args, verbose, change=change
        )
        if not is_loss(outcome) or ranks == 1:
            return outcome.status, result
        ranks -= 1
        print(f"tasuki: a rank was lost; going on with {ranks}", file=sys.stderr, flush=True)
        if (folder / "job.json").is_file() and "--resume" not in arguments:
            arguments = [*arguments, "--resume"]
        devices = working_devices()
        if devices:
            change = {"CUDA_VISIBLE_DEVICES": devices}
