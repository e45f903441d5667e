"""Run folders of wilson whose answers are known: correlators of a single state, with noise or without, and of
the free quark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def cosh_correlator(mass: float, times: int, weight: float = 1.0) -> Doubles:
    """One state that goes both ways around."""
    t = np.arange(times)
    return np.asarray(weight * (np.exp(-mass * t) + np.exp(-mass * (times - t))))


def forward_correlator(mass: float, times: int, weight: float = 1.0) -> Doubles:
    """One state that goes forwards."""
    return np.asarray(weight * np.exp(-mass * np.arange(times)))


def free_pion(kappa: float, extents: tuple[int, int, int, int], theta_t: float) -> Doubles:
    """Sum over space, spin and colour of |S|^2 on the unit field: a sum over momenta in space, a transform in
    time. B = 1 - 2 kappa sum cos p, A = 2 kappa sin p, S(p) = (B - i gamma A)/(B^2 + A^2)."""
    x, y, z, times = extents
    p = [2 * np.pi * np.arange(n) / n for n in (x, y, z)] + [(2 * np.arange(times) + theta_t) * np.pi / times]
    grid = np.meshgrid(*p, indexing="ij")
    b = 1 - 2 * kappa * sum(np.cos(g) for g in grid)
    a = [2 * kappa * np.sin(g) for g in grid]
    below = b**2 + sum(each**2 for each in a)
    total = np.zeros(times)
    for numerator in (b, *a):  # unit matrix and gammas are orthogonal: tr of a square is 4
        s = np.fft.ifft(numerator / below, axis=3)
        total += 4 * 3 * (np.abs(s) ** 2).sum(axis=(0, 1, 2)) / (x * y * z)
    return np.asarray(total)


@dataclass
class Made:
    """What make_run() writes; correlators [C, T]."""

    pion: Doubles
    rho: Doubles
    nucleon: Doubles
    backward: Doubles | None = None  # as theta_t = 1 has it of the nucleon where there is none
    theta_t: float = 1.0
    extents: tuple[int, int, int] = (8, 8, 8)
    kappa: float = 0.15
    residual: float = 1e-10
    unconverged: list[tuple[int, int]] = field(default_factory=list)
    rows: int | None = None  # finished; the rest of the file is empty


def mirrored(forward: Doubles, theta_t: float) -> Doubles:
    """The backward nucleon that belongs to a forward one."""
    sign = -1 if theta_t % 2 == 1 else 1
    return np.asarray(sign * np.roll(forward[..., ::-1], 1, axis=-1))


def make_run(folder: Path, made: Made) -> Path:
    """Writes results.h5 as the program does."""
    count, times = made.pion.shape
    rows = count if made.rows is None else made.rows
    rng = np.random.default_rng(7)
    folder.mkdir(parents=True, exist_ok=True)
    with h5py.File(folder / "results.h5", "w") as file:
        file.attrs.update(
            format="tasuki-wilson", version=1, extents=np.array([*made.extents, times]), beta=6.0, seed=1,
            kappa=made.kappa, mass=1 / (2 * made.kappa) - 4, phases=np.array([0, 0, 0, made.theta_t]),
            norm="kappa", anisotropy=1.0, nu=1.0, source="point", sink="point", method="bicgstab",
            precision="double", inner="single", links=18, tolerance=1e-9, ranks=1, device="host",
        )  # fmt: skip
        group = file.create_group("configuration")
        group.attrs["name"] = [f"heatbath-{k}" for k in range(count)]
        group["rows"] = np.array([rows])
        for name in ("plaquette", "plaquette_space", "plaquette_time"):
            group[name] = 0.59 + 0.002 * rng.normal(size=count)
        group["unitarity"] = np.full(count, 1e-15)
        group["polyakov"] = 0.01 * rng.normal(size=(count, 2))
        group["source"] = np.zeros((count, 4), dtype=np.int64)
        correlator = file.create_group("correlator")
        backward = mirrored(made.nucleon, made.theta_t) if made.backward is None else made.backward
        values = {"pion": made.pion, "rho": made.rho}
        for name, real in (("nucleon", made.nucleon), ("nucleon_backward", backward)):
            values[name] = np.stack([real, 1e-17 * real], axis=-1)
        for name, each in values.items():
            each = each.copy()
            each[rows:] = 0
            correlator[name] = each
        solve = file.create_group("solve")
        converged = np.ones((count, 12), dtype=np.int64)
        residual = np.full((count, 12), made.residual)
        for place in made.unconverged:
            converged[place], residual[place] = 0, 0.3
        history = np.full((count, 12, 40), np.nan)
        history[:, :, :30] = 10.0 ** (-np.arange(30) / 3)
        solve["converged"], solve["residual"], solve["history"] = converged, residual, history
        solve["iterations"] = np.full((count, 12), 59, dtype=np.int64)
        solve["history_every"] = np.full((count, 12), 2, dtype=np.int64)
        solve["restarts"] = np.zeros((count, 12), dtype=np.int64)
        solve["updates"] = np.ones((count, 12), dtype=np.int64)
        solve["seconds"] = np.full((count, 12), 0.25)
        solve["flops"] = np.full((count, 12), 1e9)
    return folder


def exact(
    configurations: int = 4, times: int = 16, masses: tuple[float, float, float] = (0.5, 0.7, 1.1)
) -> Made:
    """All configurations alike: one state a channel."""
    pion, rho, nucleon = masses
    return Made(
        np.tile(cosh_correlator(pion, times), (configurations, 1)),
        np.tile(cosh_correlator(rho, times, 0.7), (configurations, 1)),
        np.tile(forward_correlator(nucleon, times, 2.0), (configurations, 1)),
    )


def noisy(seed: int, configurations: int, times: int = 24, noise: float = 0.02) -> Made:
    """One state a channel below noise that slices share in part and that is the same both ways."""
    rng = np.random.default_rng(seed)
    made = exact(configurations, times)

    def shake(correlator: Doubles, grows: float) -> Doubles:
        common = rng.normal(size=(configurations, 1))
        half = rng.normal(size=(configurations, times // 2 + 1))
        own = np.concatenate([half, half[:, -2:0:-1]], axis=1)
        near = np.minimum(np.arange(times), times - np.arange(times))
        return np.asarray(correlator * (1 + noise * common + 0.3 * noise * np.exp(grows * near) * own))

    made.pion, made.rho = shake(made.pion, 0.0), shake(made.rho, 0.1)
    made.nucleon = shake(made.nucleon, 0.2)
    return made
