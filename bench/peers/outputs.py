"""Reads what other programs print."""

from __future__ import annotations

import re


class Unread(Exception):
    """A program's output does not say what is asked for."""


def last_of(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of the last line that is like this. Unread says what it said instead: its first error, or
    its last line."""
    found = list(re.finditer(pattern, text, re.MULTILINE))
    if found:
        return found[-1].groups()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    raise Unread((errors or lines[-1:] or ["it said nothing"])[0])
