"""Where two phases have the same free energy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tasuki.argon.branch import Branch
from tasuki.argon.folder import Doubles


@dataclass(frozen=True)
class Crossing:
    """T* and its standard error; energy of the fluid less that of the solid there, of one atom."""

    t: float
    error: float
    latent: float


def cross(solid: Branch, fluid: Branch, more: Doubles | float = 0.0) -> Crossing | None:
    """Where F/T of the fluid comes below that of the solid, both at the same temperatures; `more` is added to
    the difference, fluid less solid. None where they do not cross."""
    t = solid.t
    apart = fluid.free - solid.free + more
    k = np.flatnonzero((apart[:-1] > 0) & (apart[1:] <= 0))
    if len(k) == 0:
        return None
    part = apart[k[0]] / (apart[k[0]] - apart[k[0] + 1])
    at = float(t[k[0]] + part * (t[k[0] + 1] - t[k[0]]))
    latent = float(np.interp(at, t, fluid.energy - solid.energy))
    error = math.hypot(np.interp(at, t, solid.error), np.interp(at, t, fluid.error))
    # d(F/T)/dT = -U/T^2
    return Crossing(at, error * at**2 / abs(latent), latent)
