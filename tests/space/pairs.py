"""Runs that have every pair of settings between them, and are few.

runs(["a", "b"], [1, 2, 4], ["uffd", "signal"], ["4KiB", "2MiB"])

Every program has every shape, once, and some run has any two settings together.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any


def runs(programs: Sequence[Any], shapes: Sequence[Any], *settings: Sequence[Any]) -> list[tuple[Any, ...]]:
    """A tuple (program, shape, setting ..) a run: greedily that which brings most pairs that none had."""
    kinds = [range(len(kind)) for kind in (programs, shapes, *settings)]
    left = {
        ((a, x), (b, y))
        for a, b in itertools.combinations(range(len(kinds)), 2)
        for x in kinds[a]
        for y in kinds[b]
    }

    def pairs(run: tuple[int, ...]) -> set[tuple[tuple[int, int], tuple[int, int]]]:
        return set(itertools.combinations(enumerate(run), 2))

    cells, rest = list(itertools.product(kinds[0], kinds[1])), list(itertools.product(*kinds[2:]))
    chosen: list[tuple[int, ...]] = []

    def take(among: list[tuple[int, ...]]) -> None:
        chosen.append(
            max((cell + more for cell in among for more in rest), key=lambda run: len(pairs(run) & left))
        )
        left.difference_update(pairs(chosen[-1]))

    for cell in cells:
        take([cell])
    while left:
        take(cells)
    return [
        tuple(kind[k] for kind, k in zip((programs, shapes, *settings), run, strict=True)) for run in chosen
    ]
