"""What words of a command line have to be."""

from __future__ import annotations

import argparse
import math


def seconds(text: str) -> float:
    """A time, more than none and not for ever; as `type` of an argparse option."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is no time: give seconds, more than 0")
    return value
