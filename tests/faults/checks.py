"""Checks of a program from end to end: runs in folders of their own, and the list of checks as a script."""

from __future__ import annotations

import argparse
import os
import random
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ranks import Result, run


class Failure(Exception):
    """What was wrong."""


class ProgramRuns:
    """Runs of ``tasuki-NAME`` with ``--folder`` in `place`."""

    name: str

    def __init__(self, binary: Path, place: Path) -> None:
        self.program = str(binary.resolve() / f"tasuki-{self.name}")
        self.place = place

    def command(self, folder: str, words: str) -> list[str]:
        return [self.program, "--folder", str(self.place / folder), *words.split()]

    def attempt(
        self, folder: str, words: str, ranks: int = 1, environment: Mapping[str, str] | None = None
    ) -> Result:
        return run(self.command(folder, words), ranks, environment, limit=240)

    def whole(
        self, folder: str, words: str, ranks: int = 1, environment: Mapping[str, str] | None = None
    ) -> Result:
        """A run that has to end well."""
        done = self.attempt(folder, words, ranks, environment)
        if done.status != 0:
            raise Failure(f"{self.name} {words} on {ranks} ended with {done.status}:\n{done.text}")
        return done

    def refused(self, folder: str, words: str, told: str, ranks: int = 1) -> None:
        """A run that has to end with one line that names what is wrong."""
        done = self.attempt(folder, words, ranks)
        lines = [line for line in done.text.splitlines() if line.startswith("tasuki: ")]
        if done.status == 0 or len(lines) != 1 or told not in lines[0] or "; " not in lines[0]:
            raise Failure(f"{self.name} {words} was to be refused with '{told}':\n{done.text}")


Kind = TypeVar("Kind", bound=ProgramRuns)


def main(runs: type[Kind], checks: Sequence[Callable[[Kind, random.Random], None]], about: str | None) -> int:
    """Does the checks, each in a folder of its own, and goes on after one that fails."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--only", choices=[check.__name__ for check in checks])
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    os.environ.setdefault("TASUKI_PROGRESS", "none")
    failures = 0
    for check in checks:
        if options.only not in (None, check.__name__):
            continue
        with tempfile.TemporaryDirectory(prefix=f"tasuki-{runs.name}-") as folder:
            try:
                check(runs(options.binary, Path(folder)), chance)
                print(f"ok: {check.__name__.replace('_', ' ')}", flush=True)
            except Failure as fault:
                failures += 1
                print(f"FAILED: {check.__name__.replace('_', ' ')}\n  {fault}", flush=True)
    return 1 if failures else 0
