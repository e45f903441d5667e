"""Draws distributions.png: an axis of 20 indices dealt out to four nodes in each format, and a plane over
2 x 2 of them.

python docs/images/distributions.py
"""

from __future__ import annotations

import itertools
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

COUNT = 20
NODES = ("#1b6ca8", "#d9813b", "#4d9152", "#a8434f")
FORMATS = {  # how many each node takes before it is the next one's turn
    "block": [5, 5, 5, 5],
    "block(6)": [6, 6, 6, 6],
    "cyclic": [1, 1, 1, 1],
    "cyclic(3)": [3, 3, 3, 3],
    "gblock {3, 9, 0, 8}": [3, 9, 0, 8],
}
PLANES = {
    "t[block][block]": ([4, 4], [6, 6]),
    "t[block][cyclic(2)]": ([4, 4], [2, 2]),
    "t[cyclic][*]": ([1, 1, 1, 1], None),
}
PLANE = (8, 12)


def dealt(count: int, room: list[int]) -> list[int]:
    """The owner of each index: nodes take theirs in turn."""
    owners: list[int] = []
    for node in itertools.cycle(range(len(room))):
        owners += [node] * min(room[node], count - len(owners))
        if len(owners) == count:
            return owners
    return owners


def draw_axis(axis: plt.Axes, line: int, name: str, owners: list[int]) -> None:
    """A row of cells in the colours of their owners, numbered by their places there."""
    seen = [0] * len(NODES)
    for index, node in enumerate(owners):
        axis.add_patch(Rectangle((index, -line), 0.94, 0.72, color=NODES[node]))
        axis.text(
            index + 0.47, -line + 0.34, str(seen[node]), color="white", ha="center", va="center", size=8
        )
        seen[node] += 1
    axis.text(-0.4, -line + 0.34, name, ha="right", va="center", family="monospace", size=10)


def draw_plane(axis: plt.Axes, name: str, rows: list[int], columns: list[int] | None) -> None:
    """A plane of cells in the colours of their owners."""
    for j, row in enumerate(dealt(PLANE[0], rows)):
        for i, column in enumerate(dealt(PLANE[1], columns) if columns else [0] * PLANE[1]):
            node = row * len(columns) + column if columns else row
            axis.add_patch(Rectangle((i, -j), 0.92, 0.92, color=NODES[node]))
    axis.set(xlim=(-0.5, PLANE[1] + 0.5), ylim=(-PLANE[0] + 0.5, 1.5), aspect="equal")
    axis.set_title(name, family="monospace", size=10)
    axis.axis("off")


def main() -> None:
    figure = plt.figure(figsize=(11, 6.4))
    grid = figure.add_gridspec(2, 3, height_ratios=[1.25, 1], hspace=0.12)
    lines = figure.add_subplot(grid[0, :])
    for index in range(0, COUNT, 5):
        lines.text(index + 0.47, 1.0, str(index), ha="center", size=8, color="#606060")
    for line, (name, room) in enumerate(FORMATS.items()):
        draw_axis(lines, line, name, dealt(COUNT, room))
    for node, colour in enumerate(NODES):
        lines.add_patch(Rectangle((COUNT + 0.7, -node - 0.2), 0.7, 0.7, color=colour))
        lines.text(COUNT + 1.6, -node + 0.15, f"node {node}", va="center", size=9)
    lines.set(xlim=(-5, COUNT + 4), ylim=(-len(FORMATS) + 0.6, 1.5))
    lines.axis("off")
    for column, (name, (rows, columns)) in enumerate(PLANES.items()):
        draw_plane(figure.add_subplot(grid[1, column]), name, rows, columns)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main()
