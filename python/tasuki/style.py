"""How pictures look.

Colours are those of Okabe and Ito, which people who confuse red and green tell apart; where there are more of
them, viridis, whose order survives a print in grey.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW, GREY, BLACK = "#56B4E9", "#CC79A7", "#F0E442", "#999999", "#000000"
SERIES = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)

STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.titlesize": 10,
    "figure.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 300,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # letters stay letters, as journals ask for
    "svg.fonttype": "none",
}


def colours(count: int) -> list[Any]:
    """So many colours that can be told apart: names for few, a scale for many."""
    if count <= len(SERIES):
        return list(SERIES[:count])
    return [mpl.colormaps["viridis"](x) for x in np.linspace(0, 0.95, count)]
