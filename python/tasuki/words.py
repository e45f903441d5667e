"""Options in words that are meant for another program."""

from __future__ import annotations

from collections.abc import Sequence


def option_value(arguments: Sequence[str], name: str) -> str | None:
    """The value of the last ``--name VALUE`` or ``--name=VALUE`` in `arguments`."""
    found = None
    for place, word in enumerate(arguments):
        if word == name and place + 1 < len(arguments):
            found = arguments[place + 1]
        elif word.startswith(name + "="):
            found = word[len(name) + 1 :]
    return found


def without(words: Sequence[str], name: str) -> tuple[str | None, list[str]]:
    """The value of the option `name`, and the words without it."""
    rest = list(words)
    for place, word in enumerate(rest):
        if word == name and place + 1 < len(rest):
            value = rest[place + 1]
            del rest[place : place + 2]
            return value, rest
        if word.startswith(name + "="):
            del rest[place]
            return word[len(name) + 1 :], rest
    return None, rest
