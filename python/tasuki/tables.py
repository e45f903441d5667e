"""What tables of text have in common."""

from __future__ import annotations

import math

PLAIN = {"box": None, "pad_edge": False, "title_justify": "left", "title_style": "bold"}


def with_error(value: float, error: float) -> str:
    """A value and its standard error in the last digits, as 2.345(12); the value alone where there is
    none."""
    if not math.isfinite(value):
        return "-"
    if not math.isfinite(error) or error <= 0:
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    if digits > 9:
        return f"{value:.6g}"
    return f"{value:.{digits}f}({round(error * 10**digits)})" if digits else f"{value:.0f}({error:.0f})"
