"""Options of Tasuki for a program that `tasuki cc` compiled: they reach it by the environment, its own words
by its command line.

environment, words = split(["--executor", "overlapped", "in.txt"])
# {"TASUKI_EXECUTOR": "overlapped"}, ["in.txt"]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

# Rows of tasuki/base/settings.cpp; a test compares them.
FLAGS = {"deterministic", "share-devices", "ranges", "races", "space-report"}
SETTINGS = FLAGS | {
    "device", "executor", "channel", "halo", "ranks", "threads", "sums", "progress-cores", "lanes",
    "subclusters", "mapping", "tuning", "patience", "progress", "log", "space-at", "space-size", "page",
    "space-cache", "faults", "device-memory", "steps-a-pass",
}  # fmt: skip
_MARK = b"tsk_main"  # what the main of a translated program calls


def is_translated(program: Path) -> bool:
    """Whether a program is one of directives."""
    try:
        return _MARK in program.read_bytes()
    except OSError:
        return False


def split(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Settings among a program's words, as variables, and the other words."""
    environment: dict[str, str] = {}
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, has_value, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in SETTINGS:
            rest.append(word)
            continue
        if not has_value:
            value = "1" if name in FLAGS else next(words, "")
        environment[f"TASUKI_{name.upper().replace('-', '_')}"] = value
    return environment, rest
