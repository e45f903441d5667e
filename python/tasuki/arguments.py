"""What words of a command line have to be."""

from __future__ import annotations

import argparse
import math

import typer


def seconds(text: str) -> float:
    """A time, more than none and not for ever; as `type` of an argparse option."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is no time: give seconds, more than 0")
    return value


def finite(value: float | None) -> float | None:
    """Neither nan nor inf; as `callback` of a typer option that no bounds keep from that."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to work with")
    return value
