"""Why a run failed, in one line, from how it ended and from what the launcher wrote about it."""

from __future__ import annotations

import contextlib
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from tasuki.runner import Outcome

# What launchers say of a rank that a signal ended: Open MPI, srun, MPICH (which does not know the rank).
_ENDED = (
    re.compile(r"process rank (?P<rank>\d+) .*on node (?P<node>\S+) exited on signal (?P<number>\d+)"),
    re.compile(r"^srun: error: (?P<node>\S+): task (?P<rank>\d+): (?P<words>Killed|[A-Z][a-z]+ \w+|Aborted)"),
    re.compile(r"TERMINATED WITH THE EXIT STRING: .*\(signal (?P<number>\d+)\)"),
)
# What Hydra, MPICH's launcher, says at times where several ranks were ended at once: not how.
_LOST = re.compile(r"control_cb \(.*assert \(!closed\) failed")
_LIKELY = {
    signal.SIGKILL: "perhaps out of memory: use a smaller grid or more ranks",
    signal.SIGSEGV: "run it under a debugger",
    signal.SIGILL: "build it on this machine, or with -DTASUKI_NATIVE=OFF",
}
_PROCESS_WORDS = {
    "Killed": signal.SIGKILL,
    "Aborted": signal.SIGABRT,
    "Segmentation fault": signal.SIGSEGV,
    "Bus error": signal.SIGBUS,
    "Illegal instruction": signal.SIGILL,
    "Floating point": signal.SIGFPE,
}

Say = Callable[[re.Match[str]], tuple[str, str]]
# What launchers say where they start nothing: the line, and what is wrong and what to do in our words.
_REFUSALS: tuple[tuple[re.Pattern[str], Say], ...] = (
    (
        re.compile(
            r"^\S*(?:mpirun|mpiexec|orterun|prterun|srun)\b.*"
            r"(?:unknown|unrecognized|invalid) (?:option|argument):? (?:-- )?[\"']?(?P<word>[^\"'\s]+)"
        ),
        lambda m: (f"does not know {m['word']}", "check --mpi-args"),
    ),
    (
        re.compile(r"not enough slots available.* satisfy the (?P<count>\d+)"),
        lambda m: (
            f"has fewer slots than {m['count']} ranks on the hosts in --mpi-args",
            "name more hosts, or add --oversubscribe to --mpi-args",
        ),
    ),
    (
        re.compile(r"unable to open (?:the hostfile|host file): +(?P<name>\S+)"),
        lambda m: (f"cannot open the hostfile {m['name']}", "check --mpi-args"),
    ),
    (
        re.compile(r"Could not resolve hostname (?P<name>\S+?):"),
        lambda m: (f"cannot find the host {m['name']}", "check --mpi-args"),
    ),
    (
        re.compile(
            r"(?:Error: +|execvp error on file .*\()"
            r"(?P<why>Exec format error|Permission denied|No such file or directory)"
        ),
        lambda m: (f"cannot start the program: {m['why']}", "build it for this machine"),
    ),
)
_TELLING = ("error while loading", "Sanitizer", "runtime error", "what():", "not found", "rror:")


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"{number} ({signal.Signals(number).name})"
    return str(number)


def ended_by_signal(outcome: Outcome) -> tuple[str, int] | None:
    """Which rank was ended by which signal, where the launcher or the status tells."""
    for line in outcome.noise:
        for pattern in _ENDED:
            found = pattern.search(line)
            if not found:
                continue
            parts = found.groupdict()
            number = int(parts["number"]) if parts.get("number") else _PROCESS_WORDS.get(parts["words"] or "")
            if number is None:
                continue
            rank = f"rank {parts['rank']} on {parts['node']}" if parts.get("rank") else "a rank"
            return rank, int(number)
    number = outcome.status - 128
    known = {int(one) for one in signal.Signals}
    return ("a rank", number) if number in known else None


def ended_unsaid(outcome: Outcome) -> bool:
    """Whether a rank was ended in a way of which the launcher says nothing."""
    return any(_LOST.search(line) for line in outcome.noise)


def _refusal(launcher: str, noise: Sequence[str]) -> str | None:
    """What the launcher says where it starts nothing. Some of its words stand on the next line."""
    for two in zip(noise, [*noise, ""][1:], strict=True):
        for pattern, say in _REFUSALS:
            found = pattern.search(" ".join(" ".join(two).split()))
            if found:
                what, mend = say(found)
                return f"{launcher} {what}; {mend}"
    return None


def explain_failure(name: str, outcome: Outcome, launcher: str = "mpirun") -> str | None:
    """One line for a failure about which the program itself said nothing; None where there is none.

    `launcher` is the program that was started, as its path."""
    if outcome.errors or outcome.status == 0:
        return None
    if outcome.interrupted:
        return f"tasuki: {name} was killed before it could end cleanly (status {outcome.status})"
    refusal = _refusal(Path(launcher).name, outcome.noise)
    if refusal:
        return f"tasuki: {refusal}"
    more = "add --verbose to see all its output"
    ended = ended_by_signal(outcome)
    if ended:
        rank, number = ended
        likely = _LIKELY.get(signal.Signals(number)) if number in {int(s) for s in signal.Signals} else None
        return f"tasuki: {rank} of {name} was ended by signal {_signal_name(number)}; " + (
            f"{likely}; {more}" if likely else more
        )
    if ended_unsaid(outcome):
        return f"tasuki: a rank of {name} was ended, and {Path(launcher).name} does not say how; {more}"
    telling = [line for line in outcome.noise if any(mark in line for mark in _TELLING)]
    reason = f": {' '.join(telling[0].split())}" if telling else ""
    return f"tasuki: {name} ended with status {outcome.status}{reason}; {more}"
