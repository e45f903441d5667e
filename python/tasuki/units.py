"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence


def bytes_text(count: float) -> str:
    """`count` bytes with a binary prefix: ``1.5 MiB``."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or unit == "TiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def seconds_text(seconds: float) -> str:
    """A measured time with three digits: ``1.23 s``, ``45.6 ms``, ``7.89 us``."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}" if abs(seconds) < 1000 else f"{seconds:.0f} s"
    return "0 s" if seconds == 0 else f"{seconds:.2g} s"


def clock_text(seconds: float) -> str:
    """A time left, as a clock shows it: ``1:05`` or ``2:03:04``."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{last:02}" if hours else f"{minutes}:{last:02}"


def shape_text(extents: Sequence[int]) -> str:
    """``(256, 128)`` as ``256x128``."""
    return "x".join(str(extent) for extent in extents)
