"""The plain Wilson operator of dense.py against closed forms and published numbers.

test_dense.py [--large] [--seed N]

weak_field.lime, a field of 4^3 x 8 from the tests of PyQUDA, is looked for in the folder that the environment
calls TASUKI_REFERENCE_DATA, then beside the clone.
"""

from __future__ import annotations

import argparse
import itertools
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import dense  # first: it says so where numpy is missing
import numpy as np
from dense import Action, Complex
from numpy.typing import NDArray

# chroma's regression output: unit field of 4^3 x 8, kappa 0.1, M = (4 + m) - H/2, phases 0.2 and 0.4 along x
# and y. Its solver stopped at a residual of some 1e-8, which these numbers show.
CHROMA_UNIT = (0.550448091581, 0.0187776788581, 0.00191303571096, 0.000304754974461, 0.000111618742146)
# The same sums on weak_field.lime: kappa 0.11, antiperiodic in time, Gaussian source of width 2 in 5 steps.
WEAK_FIELD = (0.191061, 0.0158202, 0.00611666, 0.00281238)
WEAK_PLAQUETTE = 0.9948041323


def unit_check() -> NDArray[np.float64]:
    """The pion's correlator of chroma's case."""
    action = Action(0.1, phases=(0.2, 0.4, 0, 0), mass=True)
    return dense.pion(dense.with_colour(dense.free_propagator((4, 4, 4, 8), action)))


def weak_check(links: Complex) -> NDArray[np.float64]:
    """The pion's correlator from a smeared source."""
    action = Action(0.11, phases=(0, 0, 0, 1), mass=True)
    source = dense.smear(links, dense.point_sources(dense.extents_of(links)), 2.0, 5).reshape(
        *links.shape[:4], 4, 3, 12
    )
    columns = [dense.iterate(links, source[..., k], action) for k in range(12)]
    return dense.pion(np.stack(columns, axis=-1))


def reference_field() -> Path | None:
    """weak_field.lime, where it is: in TASUKI_REFERENCE_DATA, or beside the clone."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    for folder in (os.environ.get("TASUKI_REFERENCE_DATA"), beside):
        if folder and (Path(folder) / "weak_field.lime").is_file():
            return Path(folder) / "weak_field.lime"
    return None


def agree(
    what: str, found: NDArray[np.float64] | float, expected: Sequence[float] | float, most: float
) -> None:
    """Prints how far the numbers are apart, of the larger one, and ends the script where that is too far."""
    a, b = np.atleast_1d(np.asarray(found)), np.atleast_1d(np.asarray(expected))
    off = float(np.max(abs(a - b) / abs(b).max(initial=1e-300)))
    print(f"{what}: {off:.1e} apart", flush=True)
    if not off < most:
        sys.exit(f"{what}: {a} is not {b}")


def closed_forms(seed: int) -> None:
    """The algebra, elimination against apply() and Fourier's sum, gauge covariance of what is measured."""
    rng = np.random.default_rng(seed)
    squares = [g @ h + h @ g for g, h in itertools.combinations_with_replacement(dense.GAMMA, 2)]
    expected = [2 * np.eye(4) * (g is h) for g, h in itertools.combinations_with_replacement(dense.GAMMA, 2)]
    agree("Clifford algebra", abs(np.array(squares) - np.array(expected)).max() + 1, 1.0, 1e-14)
    for mu in range(4):
        turned = dense.CONJUGATION @ dense.GAMMA[mu] @ np.linalg.inv(dense.CONJUGATION)
        agree(
            f"charge conjugation of gamma_{'xyzt'[mu]}", abs(turned + dense.GAMMA[mu].T).max() + 1, 1.0, 1e-14
        )
    extents = (4, 6, 2, 4)
    action = Action(0.13, phases=(0.3, 0, 0.7, 1), mass=False, spatial=0.8)
    links = dense.random_links(extents, rng)
    unitary = np.einsum("...ab,...cb->...ac", links, links.conj())
    agree(
        "links are of SU(3)",
        abs(unitary - np.eye(3)).max() + abs(np.linalg.det(links) - 1).max() + 1,
        1.0,
        1e-13,
    )
    psi = rng.normal(size=(*extents[::-1], 4, 3, 2)) @ np.array([1, 1j])
    m = dense.matrix(links, action)
    agree(
        "matrix against dense.apply()",
        (m @ psi.ravel()).view(float),
        dense.apply(links, psi, action).ravel().view(float),
        1e-13,
    )
    g5 = np.kron(np.eye(len(m) // 12), np.kron(dense.GAMMA5, np.eye(3)))
    agree("gamma5-hermiticity", abs(g5 @ m @ g5 - m.conj().T).max() + 1, 1.0, 1e-13)
    unit = dense.unit_links(extents)
    s = dense.dense_solve(unit, dense.point_sources(extents), action)
    free = dense.with_colour(dense.free_propagator(extents, action))
    agree("elimination against Fourier's sum", s.ravel().view(float), free.ravel().view(float), 1e-12)
    agree("pion as a trace", dense.meson(s, dense.GAMMA5).real, dense.pion(s), 1e-12)
    s = dense.dense_solve(links, dense.point_sources(extents), action)
    columns = np.stack(
        [
            dense.iterate(links, b, action)
            for b in np.moveaxis(dense.point_sources(extents).reshape(*s.shape[:6], 12), -1, 0)
        ],
        -1,
    )
    agree("elimination against gradients", columns.ravel().view(float), s.ravel().view(float), 1e-9)
    g = dense.random_links((*extents,), rng)[
        ..., 0, :, :
    ]  # a transformation: what is measured does not see it
    moved = np.empty_like(links)
    for mu in range(4):
        ahead = np.roll(g, -1, dense.axis_of(mu))
        moved[..., mu, :, :] = g @ links[..., mu, :, :] @ ahead.conj().swapaxes(-1, -2)
    t = dense.dense_solve(moved, dense.point_sources(extents), action)
    agree("plaquette of a transformed field", dense.plaquette(moved), dense.plaquette(links), 1e-12)
    agree("pion of a transformed field", dense.pion(t), dense.pion(s), 1e-11)
    agree("rho of a transformed field", dense.rho(t), dense.rho(s), 1e-11)
    agree("nucleon of a transformed field", dense.nucleon(t).view(float), dense.nucleon(s).view(float), 1e-11)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
    parser.add_argument("--large", action="store_true", help="elimination on 4^4 and 4 x 6 x 2 x 8 too")
    args = parser.parse_args()
    print(f"seed {args.seed}")
    closed_forms(args.seed)
    agree("chroma's unit field", unit_check()[: len(CHROMA_UNIT)], CHROMA_UNIT, 5e-8)
    heavy = dense.with_colour(dense.free_propagator((4, 4, 4, 8), Action(0.1)))
    for name, values in (("rho", dense.rho(heavy)), ("nucleon", dense.nucleon(heavy)[:4].real)):
        if not (values > 0).all():
            sys.exit(f"{name} is not positive: {values}")
    if args.large:
        for extents in ((4, 4, 4, 4), (4, 6, 2, 8)):
            action = Action(0.11, phases=(0, 0, 0, 1))
            links = dense.random_links(extents, np.random.default_rng(args.seed))
            b = dense.point_sources(extents, (1, 2, 0, 3))
            s = dense.dense_solve(links, b, action)
            left = np.stack(
                [dense.apply(links, c, action) for c in np.moveaxis(s.reshape(*s.shape[:6], 12), -1, 0)], -1
            )
            agree(f"elimination on {extents}", left.ravel().view(float), b.ravel().view(float), 1e-12)
    path = reference_field()
    if path is None:
        print("weak_field.lime is not here: its numbers were not looked at")
    else:
        links = dense.read_ildg(path, (4, 4, 4, 8))
        agree("plaquette of weak_field", dense.plaquette(links), WEAK_PLAQUETTE, 1e-9)
        agree("pion of weak_field", weak_check(links)[: len(WEAK_FIELD)], WEAK_FIELD, 5e-6)


if __name__ == "__main__":
    main()
