"""Integrals of a smooth quantity that is known, with errors, at the rungs of a ladder.

Between two rungs it is the cubic through the four that are nearest, so the integral is a sum of the values
with fixed weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tasuki.argon.folder import Doubles

NODES = 4


def weights(x: Doubles, to: Doubles) -> Doubles:
    """[len(to), len(x)]: what values at `x`, rising, count in the integral from x[0] to each of `to`, which
    lie within. Polynomials of degree 3 are integrated exactly; of fewer than four values, of one degree
    less than there are."""
    nodes = min(NODES, len(x))
    parts = [_piece(x, k, nodes) for k in range(len(x) - 1)]
    whole = np.cumsum([np.zeros(len(x))] + [part(x[k + 1]) for k, part in enumerate(parts)], axis=0)
    found = np.empty((len(to), len(x)))
    for row, end in enumerate(to):
        k = int(np.clip(np.searchsorted(x, end, side="right") - 1, 0, len(x) - 2))
        found[row] = whole[k] + parts[k](end)
    return found


def interpolation(x: Doubles, to: Doubles) -> Doubles:
    """[len(to), len(x)]: what values at `x` count in the same cubics themselves."""
    nodes = min(NODES, len(x))
    found = np.zeros((len(to), len(x)))
    for row, at in enumerate(to):
        k = int(np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2))
        first, powers = _lagrange(x, k, nodes)
        found[row, first : first + nodes] = (at - x[k]) ** np.arange(nodes) @ powers
    return found


def _lagrange(x: Doubles, k: int, nodes: int) -> tuple[int, Doubles]:
    """First of the nodes of interval k, and [power, node]: coefficients of their polynomials in x - x[k]."""
    first = int(np.clip(k - (nodes - 2) // 2, 0, len(x) - nodes))
    return first, np.linalg.inv(np.vander(x[first : first + nodes] - x[k], nodes, increasing=True))


def _piece(x: Doubles, k: int, nodes: int) -> Callable[[float], Doubles]:
    """The integral from x[k] to some place in interval k, as weights of all values."""
    first, powers = _lagrange(x, k, nodes)
    order = np.arange(1, nodes + 1)

    def to(end: float) -> Doubles:
        row = np.zeros(len(x))
        row[first : first + nodes] = ((end - x[k]) ** order / order) @ powers
        return row

    return to
