"""Effective masses of mesons and baryons, and the plateau where they are masses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasuki.wilson.folder import Run
from tasuki.wilson.jackknife import Estimate, jackknife

Doubles = NDArray[np.float64]

CHANNELS = ("pion", "rho", "nucleon")
SHORTEST = 3  # effective masses of a plateau, at least
STEEPEST = 2.0  # errors that its slope may be away from 0
NOISIEST = 0.15  # error of an effective mass over itself that still counts


@dataclass(frozen=True)
class Plateau:
    """Effective masses first .. last (times) that agree with one mass. The error holds, beside the
    statistical one, how much the mass changes where the first is left out: what is left of heavier states."""

    first: int
    last: int
    mass: float
    error: float


@dataclass(frozen=True)
class Mass:
    """A channel: its correlator folded about the middle of time, its effective mass between t and t + 1, and
    the plateau, None where there is none."""

    channel: str
    correlator: Estimate  # [t]
    effective: Estimate  # [t], NaN where the correlator gives none
    plateau: Plateau | None

    @property
    def times(self) -> Doubles:
        """Where the effective masses lie: between two slices."""
        return np.arange(len(self.effective.value)) + 0.5


def fold_meson(correlator: Doubles) -> Doubles:
    """[.., T] to [.., T/2 + 1]: mean of t and T - t."""
    times = correlator.shape[-1]
    mirrored = np.roll(correlator[..., ::-1], 1, axis=-1)
    return np.asarray((correlator + mirrored)[..., : times // 2 + 1] / 2)


def fold_baryon(forward: Doubles, backward: Doubles, theta: float) -> Doubles:
    """[.., T] to [.., T/2 + 1]: mean of t forwards and T - t of the antiparticle. Three quarks that are
    periodic bring the same sign around, antiperiodic ones the other; of any other phase only the forward
    part is known. Beyond the middle the partner of other parity comes from behind."""
    half, turns = forward.shape[-1] // 2 + 1, theta % 2
    folded = forward[..., :half].copy()
    if turns in (0, 1):
        behind = np.roll(backward[..., ::-1], 1, axis=-1)[..., :half]
        folded[..., 1:] = (folded[..., 1:] + (1 if turns == 0 else -1) * behind[..., 1:]) / 2
    return np.asarray(folded)


def cosh_mass(correlator: Doubles) -> Doubles:
    """[.., n] to [.., n - 1]: m with C(t)/C(t+1) = cosh(m (n-1-t)) / cosh(m (n-2-t)); the last slice is
    the middle of time. NaN where the correlator does not fall, or is not positive."""
    before, after = correlator[..., :-1], correlator[..., 1:]
    falls = (before > after) & (after > 0)
    ratio = np.log(np.where(falls, before, 1) / np.where(falls, after, 1))
    steps = np.arange(correlator.shape[-1] - 1, 0, -1, dtype=np.float64)  # to the middle

    def log_cosh(x: Doubles) -> Doubles:
        return np.asarray(x + np.log1p(np.exp(-2 * x)))  # less ln 2

    low, high = np.zeros_like(ratio), ratio + math.log(2)
    for _ in range(64):
        middle = (low + high) / 2
        too_low = log_cosh(middle * steps) - log_cosh(middle * (steps - 1)) < ratio
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return np.asarray(np.where(falls, (low + high) / 2, np.nan))


def log_mass(correlator: Doubles) -> Doubles:
    """[.., n] to [.., n - 1]: ln C(t)/C(t+1); NaN where one of them is not positive."""
    before, after = correlator[..., :-1], correlator[..., 1:]
    good = (before > 0) & (after > 0)
    return np.asarray(np.where(good, np.log(np.where(good, before, 1) / np.where(good, after, 1)), np.nan))


def _window(effective: Estimate, first: int, last: int) -> tuple[Estimate, Estimate]:
    """Mean and slope of the effective masses first .. last, weighted by their errors."""
    error = effective.error[first : last + 1]
    weight = 1 / np.maximum(error, 1e-12 * np.abs(effective.value[first : last + 1])) ** 2
    weight = weight / weight.sum()
    t = np.arange(first, last + 1, dtype=np.float64)
    t = t - (weight * t).sum()

    def mean(m: Doubles) -> Doubles:
        return np.asarray((weight * m[first : last + 1]).sum())

    def slope(m: Doubles) -> Doubles:
        return np.asarray((weight * t * m[first : last + 1]).sum() / (weight * t**2).sum())

    return effective.map(mean), effective.map(slope)


def _try_window(effective: Estimate, first: int, last: int) -> Plateau | None:
    """The mass of a stretch whose slope is 0 and whose first agrees with the mean of the rest; else None."""
    mean, slope = _window(effective, first, last)
    floor = 1e-9 * abs(float(mean.value))
    if abs(float(slope.value)) * (last - first) > STEEPEST * float(slope.error) * (last - first) + floor:
        return None
    rest, _ = _window(effective, first + 1, last)
    apart = effective.replicates[:, first] - rest.replicates
    n = len(apart)
    doubt = math.sqrt((n - 1) / n * float(((apart - apart.mean()) ** 2).sum()))
    if abs(float(effective.value[first] - rest.value)) > STEEPEST * doubt + floor:
        return None
    start = abs(float(mean.value - rest.value))
    return Plateau(first, last, float(mean.value), math.hypot(float(mean.error), start))


def usable(effective: Estimate) -> int:
    """How many effective masses come before the first that is noise, or none."""
    value, error = effective.value, effective.error
    known = np.isfinite(value) & np.isfinite(error) & np.isfinite(effective.replicates).all(axis=0)
    good = known & (value > 0) & (error <= NOISIEST * np.abs(value))
    return len(good) if good.all() else int(np.argmin(good))


def find_plateau(effective: Estimate) -> Plateau | None:
    """The longest stretch before noise begins, at least SHORTEST effective masses, whose slope is 0 within
    STEEPEST errors and whose first agrees with the mean of the rest; of two as long, the one with the smaller
    error. By the jackknife, so that what neighbouring slices share is counted. None without errors."""
    if effective.bins < 2:
        return None
    end = usable(effective)
    for length in range(end - 1, SHORTEST - 1, -1):
        tried = [_try_window(effective, first, first + length - 1) for first in range(1, end - length + 1)]
        found = [plateau for plateau in tried if plateau]
        if found:
            return min(found, key=lambda plateau: plateau.error)
    return None


def _folded(run: Run, channel: str) -> Doubles:
    if channel == "nucleon":
        return fold_baryon(run.nucleon.real, run.nucleon_backward.real, run.phases[3])
    return fold_meson(run.pion if channel == "pion" else run.rho)


def masses(run: Run, size: int = 1) -> dict[str, Mass]:
    """All channels of a run, with errors from bins of `size` configurations."""
    found = {}
    for channel in CHANNELS:
        samples = _folded(run, channel)
        solve: Callable[[Doubles], Doubles] = log_mass if channel == "nucleon" else cosh_mass
        correlator = jackknife(samples, size=size)
        effective = correlator.map(solve)
        found[channel] = Mass(channel, correlator, effective, find_plateau(effective))
    return found
