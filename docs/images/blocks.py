"""Draws blocks.png: a grid cut into four blocks, and the halos that tie them together.

python docs/images/blocks.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch, Rectangle

NX, NY = 240, 160
HALO = 9  # drawn wider than it would be
GAP = 46
RANKS = ("#1b6ca8", "#d9813b", "#4d9152", "#a8434f")


def wave(steps: int) -> np.ndarray:
    """Two drops on a membrane, after so many leapfrog steps."""
    y, x = np.mgrid[0:NY, 0:NX]
    u = np.exp(-((x - 70) ** 2 + (y - 100) ** 2) / 18) - np.exp(-((x - 165) ** 2 + (y - 50) ** 2) / 18)
    before = u.copy()
    for _ in range(steps):
        around = np.zeros_like(u)
        around[1:-1, 1:-1] = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4 * u[1:-1, 1:-1]
        u, before = 2 * u - before + 0.4 * around, u
    return u


def show(axis: plt.Axes, values: np.ndarray, left: float, bottom: float) -> None:
    height, width = values.shape
    axis.imshow(
        values,
        origin="lower",
        extent=(left, left + width, bottom, bottom + height),
        cmap="RdBu_r",
        vmin=-0.13,
        vmax=0.13,
        interpolation="nearest",
    )


def main() -> None:
    u = wave(78)
    figure, (whole, cut) = plt.subplots(1, 2, figsize=(11, 4.1), gridspec_kw={"width_ratios": [240, 345]})
    show(whole, u, 0, 0)
    whole.plot([NX / 2, NX / 2], [0, NY], color="#303030", lw=1, ls=(0, (4, 3)))
    whole.plot([0, NX], [NY / 2, NY / 2], color="#303030", lw=1, ls=(0, (4, 3)))
    whole.set_title("what you write: one grid, one cell function")

    width, height = NX // 2, NY // 2
    for rank in range(4):
        i, j = rank % 2, rank // 2
        left, bottom = i * (width + GAP), j * (height + GAP)
        low_x, high_x = i * width - (HALO if i else 0), (i + 1) * width + (0 if i else HALO)
        low_y, high_y = j * height - (HALO if j else 0), (j + 1) * height + (0 if j else HALO)
        show(cut, u[low_y:high_y, low_x:high_x], left - (HALO if i else 0), bottom - (HALO if j else 0))
        across_x = (left - HALO if i else left + width, bottom, HALO, height, RANKS[rank ^ 1])
        across_y = (left, bottom - HALO if j else bottom + height, width, HALO, RANKS[rank ^ 2])
        corner = (across_x[0], across_y[1], HALO, HALO, RANKS[rank ^ 3])
        for x, y, wide, high, owner in (across_x, across_y, corner):
            cut.add_patch(Rectangle((x, y), wide, high, fc=owner, ec=owner, alpha=0.55, lw=0))
        cut.add_patch(Rectangle((left, bottom), width, height, fc="none", ec=RANKS[rank], lw=2.5))
        text = {"ha": "center", "color": RANKS[rank], "fontsize": 10, "weight": "bold"}
        cut.text(left + width / 2, bottom - 13 if j == 0 else bottom + height + 5, f"rank {rank}", **text)

    arrow = {"arrowstyle": "-|>", "mutation_scale": 11, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    for j in range(2):
        y = j * (height + GAP) + height / 2
        ends = (width - HALO / 2, width + GAP - HALO / 2), (width + GAP + HALO / 2, width + HALO / 2)
        for (start, end), owner, lift in zip(ends, (2 * j, 2 * j + 1), (12, -12), strict=True):
            cut.add_patch(FancyArrowPatch((start, y + lift), (end, y + lift), color=RANKS[owner], **arrow))
    for i in range(2):
        x = i * (width + GAP) + width / 2
        ends = (height - HALO / 2, height + GAP - HALO / 2), (height + GAP + HALO / 2, height + HALO / 2)
        for (start, end), owner, lift in zip(ends, (i, 2 + i), (16, -16), strict=True):
            cut.add_patch(FancyArrowPatch((x + lift, start), (x + lift, end), color=RANKS[owner], **arrow))
    cut.set_title("what Tasuki does: one block per device, halos exchanged")
    cut.set_xlim(-6, 2 * width + GAP + 6)
    cut.set_ylim(-16, 2 * height + GAP + 16)
    for axis in (whole, cut):
        axis.set_aspect("equal")
        axis.axis("off")
        axis.title.set_fontsize(11)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110, bbox_inches="tight", pad_inches=0.1)


if __name__ == "__main__":
    main()
