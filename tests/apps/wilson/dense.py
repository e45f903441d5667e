"""The Wilson operator in plain numpy, from its formulas alone: what the program is held against.

For other tests, by `from dense import ..`; test_dense.py holds it against closed forms and published numbers.

Arrays are in the order of sites of files: links U[t, z, y, x, mu, row, column] with mu = x, y, z, t, a spinor
psi[t, z, y, x, spin, colour], a propagator S[t, z, y, x, spin, colour, spin and colour of the source]. A
phase theta of an axis means psi(n + L) = exp(i pi theta) psi(n). Nothing here is fast.

    H psi(n) = sum_mu (1 - gamma_mu) U_mu(n) psi(n + mu) + (1 + gamma_mu) U_mu(n - mu)^+ psi(n - mu)
    M = 1 - kappa H, or (4 + m) - H/2 with kappa = 1/(8 + 2m), as `mass` says
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; `make test` installs it")
    sys.exit(77)

from numpy.typing import NDArray

Complex = NDArray[np.complex128]

PAULI = np.array([[[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]], dtype=complex)
NONE, ONE = np.zeros((2, 2)), np.eye(2)
# x, y, z, t in the non-relativistic basis, where gamma_t is diagonal.
GAMMA: Complex = np.array(
    [np.block([[NONE, -1j * s], [1j * s, NONE]]) for s in PAULI] + [np.block([[ONE, NONE], [NONE, -ONE]])]
)
GAMMA5: Complex = GAMMA[0] @ GAMMA[1] @ GAMMA[2] @ GAMMA[3]
CONJUGATION: Complex = GAMMA[1] @ GAMMA[3]  # C gamma_mu C^-1 = -gamma_mu^T


@dataclass(frozen=True)
class Action:
    """Which operator: as the program's options have it."""

    kappa: float
    phases: tuple[float, float, float, float] = (0, 0, 0, 0)
    mass: bool = False  # (4 + m) - H/2
    spatial: float = 1  # nu / anisotropy: of the hops in space

    @property
    def scale(self) -> float:
        """M = scale (1 - kappa H)."""
        return 1 / (2 * self.kappa) if self.mass else 1


def axis_of(mu: int) -> int:
    """Where mu is among the axes of an array."""
    return 3 - mu


def extents_of(field: Complex) -> tuple[int, int, int, int]:
    """Lx, Ly, Lz, Lt."""
    t, z, y, x = field.shape[:4]
    return x, y, z, t


def unit_links(extents: Sequence[int]) -> Complex:
    """Free field."""
    links = np.zeros((*extents[::-1], 4, 3, 3), dtype=complex)
    links[...] = np.eye(3)
    return links


def random_links(extents: Sequence[int], rng: np.random.Generator) -> Complex:
    """Of SU(3), by orthogonal columns of random ones."""
    raw = rng.normal(size=(*extents[::-1], 4, 3, 3, 2)) @ np.array([1, 1j])
    q, r = np.linalg.qr(raw)
    diagonal = np.einsum("...ii->...i", r)
    q = q * (diagonal / abs(diagonal))[..., None, :]
    return np.asarray(q / np.linalg.det(q)[..., None, None] ** (1 / 3))


def with_phases(links: Complex, action: Action) -> Complex:
    """Links that carry the boundary's phase on their last slice, and the anisotropy."""
    out = links.copy()
    for mu in range(4):
        last = [slice(None)] * 4
        last[axis_of(mu)] = slice(-1, None)
        out[(*last, mu)] *= np.exp(1j * np.pi * action.phases[mu])
        if mu < 3:
            out[..., mu, :, :] *= action.spatial
    return out


def hop(links: Complex, psi: Complex, action: Action) -> Complex:
    """H psi."""
    u = with_phases(links, action)
    out = np.zeros_like(psi)
    for mu in range(4):
        ahead = np.roll(psi, -1, axis_of(mu))
        out += np.einsum("st,...ab,...tb->...sa", np.eye(4) - GAMMA[mu], u[..., mu, :, :], ahead)
        back = np.einsum("st,...ba,...tb->...sa", np.eye(4) + GAMMA[mu], u[..., mu, :, :].conj(), psi)
        out += np.roll(back, 1, axis_of(mu))
    return out


def apply(links: Complex, psi: Complex, action: Action) -> Complex:
    """M psi."""
    return action.scale * (psi - action.kappa * hop(links, psi, action))


def matrix(links: Complex, action: Action) -> Complex:
    """M as a matrix over (t, z, y, x, spin, colour), laid out term by term and not by apply()."""
    extents = extents_of(links)
    sites = list(itertools.product(*(range(n) for n in extents[::-1])))
    place = {site: k for k, site in enumerate(sites)}
    m = np.zeros((len(sites), 4, 3, len(sites), 4, 3), dtype=complex)
    for here in sites:
        m[place[here], :, :, place[here]] += np.einsum("st,ab->satb", np.eye(4), np.eye(3))
        for mu in range(4):
            there, sign = list(here), 1.0 + 0j
            there[axis_of(mu)] += 1
            if there[axis_of(mu)] == extents[mu]:
                there[axis_of(mu)], sign = 0, np.exp(1j * np.pi * action.phases[mu])
            a, b = place[here], place[tuple(there)]
            weight = action.kappa * (action.spatial if mu < 3 else 1)
            link = sign * links[(*here, mu)]
            m[a, :, :, b] -= weight * np.einsum("st,ab->satb", np.eye(4) - GAMMA[mu], link)
            m[b, :, :, a] -= weight * np.einsum("st,ab->satb", np.eye(4) + GAMMA[mu], link.conj().T)
    size = 12 * len(sites)
    return action.scale * m.reshape(size, size)


def dense_solve(links: Complex, sources: Complex, action: Action) -> Complex:
    """M^-1 of sources[t, z, y, x, spin, colour, ..], by elimination."""
    shape = sources.shape
    columns = sources.reshape(12 * int(np.prod(shape[:4])), -1)
    return np.linalg.solve(matrix(links, action), columns).reshape(shape)


def iterate(links: Complex, source: Complex, action: Action, tolerance: float = 1e-12) -> Complex:
    """M^-1 source by conjugate gradients on M^+ M, for lattices that elimination is too slow for."""

    def normal(psi: Complex) -> Complex:
        half = apply(links, psi, action)
        return gamma5(apply(links, gamma5(half), action))

    def gamma5(psi: Complex) -> Complex:
        return np.asarray(np.einsum("st,...ta->...sa", GAMMA5, psi))

    x = np.zeros_like(source)
    r = gamma5(apply(links, gamma5(source), action))
    p, rr, goal = r, np.vdot(r, r).real, tolerance**2 * np.vdot(r, r).real
    for _ in range(10000):
        ap = normal(p)
        alpha = rr / np.vdot(p, ap).real
        x, r = x + alpha * p, r - alpha * ap
        before, rr = rr, np.vdot(r, r).real
        if rr <= goal:
            break
        p = r + rr / before * p
    off = np.linalg.norm(source - apply(links, x, action)) / np.linalg.norm(source)
    if not off < 1e3 * tolerance:
        raise ArithmeticError(f"conjugate gradients end at a residual of {off:.1e}")
    return x


def point_sources(extents: Sequence[int], at: Sequence[int] = (0, 0, 0, 0)) -> Complex:
    """All 12, at x, y, z, t."""
    b = np.zeros((*extents[::-1], 4, 3, 4, 3), dtype=complex)
    b[tuple(at[::-1])] = np.einsum("st,ab->satb", np.eye(4), np.eye(3))
    return b


def wall_sources(extents: Sequence[int], t: int = 0) -> Complex:
    """All 12, the same on every site of a time slice."""
    b = np.zeros((*extents[::-1], 4, 3, 4, 3), dtype=complex)
    b[t] = np.einsum("st,ab->satb", np.eye(4), np.eye(3))
    return b


def smear(links: Complex, psi: Complex, width: float, steps: int) -> Complex:
    """chi + w^2/(4n) (sum over space of U chi(n + mu) + U^+ chi(n - mu) - 2 chi), n times; periodic in space.
    psi[t, z, y, x, spin, colour, ..]."""
    for _ in range(steps):
        out = -6.0 * psi
        for mu in range(3):
            u = links[..., mu, :, :]
            out += np.einsum("tzyxab,tzyxsb...->tzyxsa...", u, np.roll(psi, -1, axis_of(mu)))
            back = np.einsum("tzyxba,tzyxsb...->tzyxsa...", u.conj(), psi)
            out += np.roll(back, 1, axis_of(mu))
        psi = psi + width**2 / (4 * steps) * out
    return psi


def free_propagator(extents: Sequence[int], action: Action) -> Complex:
    """S(n, 0) of the unit field by a sum over momenta: [t, z, y, x, spin, spin of the source]; one colour."""
    p = [(2 * np.arange(n) + theta) * np.pi / n for n, theta in zip(extents, action.phases, strict=True)]
    grids = np.meshgrid(*p[::-1], indexing="ij")[::-1]  # of mu, over [t, z, y, x]
    weights = [action.spatial] * 3 + [1.0]
    m = (
        np.eye(4)
        * (1 - 2 * action.kappa * sum(w * np.cos(g) for w, g in zip(weights, grids, strict=True)))[
            ..., None, None
        ]
    )
    for mu in range(4):
        m = m + 2j * action.kappa * weights[mu] * np.sin(grids[mu])[..., None, None] * GAMMA[mu]
    s = np.fft.ifftn(np.linalg.inv(action.scale * m), axes=range(4))
    places = np.meshgrid(*(np.arange(n) / n for n in extents[::-1]), indexing="ij")[::-1]
    turn = sum(theta * place for theta, place in zip(action.phases, places, strict=True))
    return np.asarray(s * np.exp(1j * np.pi * turn)[..., None, None])


def with_colour(s: Complex) -> Complex:
    """A propagator of one colour as one of three."""
    return np.einsum("tzyxsu,ab->tzyxsaub", s, np.eye(3))


def pion(s: Complex) -> NDArray[np.float64]:
    """Sum over space, spin and colour of |S|^2, by t: tr g5 S g5 g5 S^+ g5."""
    return np.asarray((abs(s) ** 2).sum(axis=tuple(range(1, s.ndim))))


def meson(s: Complex, gamma: Complex) -> Complex:
    """Sum over space of tr[Gamma S Gamma g5 S^+ g5] by t."""
    left, right = gamma, gamma @ GAMMA5
    return np.einsum("pq,tzyxqaub,uv,tzyxwavb,wp->t", left, s, right, s.conj(), GAMMA5, optimize=True)


def rho(s: Complex) -> NDArray[np.float64]:
    """Mean over gamma_x, gamma_y, gamma_z."""
    return np.asarray(np.mean([meson(s, GAMMA[k]) for k in range(3)], axis=0).real)


def nucleon(s: Complex, sign: int = 1) -> Complex:
    """N = eps_abc (u_a C g5 d_b) u_c with the projector (1 + sign gamma_t)/2, summed over space, by t: all
    six permutations of colour at either end, term by term."""
    cg5 = CONJUGATION @ GAMMA5
    bar = GAMMA[3] @ cg5.conj().T @ GAMMA[3]  # of the antinucleon
    projector = (np.eye(4) + sign * GAMMA[3]) / 2
    parity = {p: np.linalg.det(np.eye(3)[list(p)]).round() for p in itertools.permutations(range(3))}
    total = np.zeros(s.shape[0], dtype=complex)
    for (a, b, c), e in parity.items():
        for (x, y, z), f in parity.items():
            d = s[..., :, b, :, y]
            # C g5 stands between u_a and d_b, its bar between the antiquarks
            diquark = np.einsum("pq,...qr,ru->...pu", cg5, d, bar, optimize=True)
            direct = np.einsum(
                "...pu,...pu,wv,...vw->...", diquark, s[..., :, a, :, x], projector, s[..., :, c, :, z],
                optimize=True,
            )  # fmt: skip
            crossed = np.einsum(
                "...pu,...pw,wv,...vu->...", diquark, s[..., :, a, :, z], projector, s[..., :, c, :, x],
                optimize=True,
            )  # fmt: skip
            total += e * f * (direct - crossed).sum(axis=(1, 2, 3))
    return total


def plaquette(links: Complex) -> float:
    """Mean of Re tr / 3 over the six planes."""
    total = 0.0
    for mu, nu in itertools.combinations(range(4), 2):
        u, v = links[..., mu, :, :], links[..., nu, :, :]
        ahead, beside = np.roll(v, -1, axis_of(mu)), np.roll(u, -1, axis_of(nu))
        total += np.einsum("...ab,...bc,...dc,...ad->...", u, ahead, beside.conj(), v.conj()).real.mean() / 3
    return total / 6


def read_ildg(path: Path, extents: Sequence[int]) -> Complex:
    """Links of the record ildg-binary-data of a LIME file, doubles."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at + 8 : at + 16], "big")
        kind = data[at + 16 : at + 144].split(b"\0")[0]
        if kind == b"ildg-binary-data":
            numbers = np.frombuffer(data, ">f8", length // 8, at + 144)
            return numbers.astype(float).view(complex).reshape(*extents[::-1], 4, 3, 3)
        at += 144 + (length + 7) // 8 * 8
    raise ValueError(f"{path} has no links")
