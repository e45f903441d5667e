"""The table of shapes: stars and boxes of any radius against a kernel of one cell a thread."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from tasuki.units import seconds_text
from tasuki_bench.kernels import SHAPE, Kernel, pairs

# What no shape shall take more of than the plain kernel beside it takes.
GOAL = 0.9


def shapes_table(kernels: Sequence[Kernel]) -> Table:
    """Seconds a step by hand and by Tasuki, and cells a second, of each shape that both were measured for."""
    table = Table(title="shapes", title_justify="left", title_style="bold")
    table.add_column("shape")
    for column in ("by hand", "tasuki", "Gcell/s", f"ratio (goal {GOAL})"):
        table.add_column(column, justify="right")
    for name, plain, ours in pairs([kernel for kernel in kernels if kernel.name.startswith(SHAPE)]):
        bytes_a_cell = 16 if "_double/" in ours.name else 8
        table.add_row(
            name.removeprefix(SHAPE),
            seconds_text(plain.seconds),
            seconds_text(ours.seconds),
            f"{ours.bandwidth / bytes_a_cell / 1e9:.0f}",
            f"{ours.seconds / plain.seconds:.2f}",
        )
    return table


def show_shapes(console: Console, kernels: Sequence[Kernel]) -> None:
    """The table, where shapes were measured."""
    table = shapes_table(kernels)
    if table.row_count:
        console.print(table)
