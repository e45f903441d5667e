"""Pictures that a command draws and names."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tasuki.errors import TasukiError


def show_pictures(console: Console, result: Path, out: Path | None) -> None:
    """Draws the pictures of `result` and prints where they lie."""
    from tasuki.plot import plot_result

    pictures = plot_result(result, out)
    if not pictures:
        raise TasukiError(f"{result} holds nothing to draw", "record a run with more in it", 1)
    for picture in pictures:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
