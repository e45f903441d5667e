"""What arrays.py gives to every rival: two problems, plain twins of them in NumPy, how a program is timed.

A rival's program is a function of cells along an axis and of points or a threshold: it returns a `Program`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RATE = 0.1  # of diffusion, the time step
# The weight of a neighbour that is offset along 0, 1, 2, 3 axes, as in apps/diffusion/diffusion.hpp.
WEIGHTS = {7: (-6.0, 1.0, 0.0, 0.0), 27: (-128 / 30, 14 / 30, 3 / 30, 1 / 30)}
OFFSETS = tuple(itertools.product((-1, 0, 1), repeat=3))
CHUNK = 20  # a program is asked for steps in multiples of it
FARTHEST = 1e-9  # from the mode's amplitude: a result that is farther is wrong
FARTHEST_FLOAT = 1e-6  # of a field in single precision from its twin
NEVER = 1e-30  # a threshold that no sum of squares gets below

Array = Any  # of one of the libraries


@dataclass(frozen=True)
class Case:
    """A problem at a size: `points` of diffusion; `norm`: laplace with a norm in every step."""

    problem: str
    n: int
    points: int = 0
    norm: bool = False

    def __str__(self) -> str:
        return f"{self.problem}/{self.n}" + (f"/{self.points}" if self.points else "/norm" * self.norm)

    @property
    def title(self) -> str:
        """As tables have it."""
        if self.problem == "diffusion":
            return f"diffusion {self.n}^3, {self.points} points"
        return f"laplace {self.n}^2" + (", norm" if self.norm else "")

    @property
    def bytes(self) -> int:
        """The least that a step moves."""
        return 16 * self.n**3 if self.problem == "diffusion" else 8 * self.n**2


def case_of(text: str) -> Case:
    """diffusion/512/27, laplace/4096 or laplace/4096/norm. ValueError says how to write it."""
    problem, _, rest = text.partition("/")
    n, _, more = rest.partition("/")
    if n.isdecimal() and int(n) > 2:
        if problem == "diffusion" and more in ("7", "27"):
            return Case(problem, int(n), points=int(more))
        if problem == "laplace" and more in ("", "norm"):
            return Case(problem, int(n), norm=more == "norm")
    raise ValueError(f"'{text}' is no case: write it as diffusion/512/27, laplace/4096 or laplace/4096/norm")


@dataclass(frozen=True)
class Program:
    """`start` makes the first values; `advance` does so many steps more, and may use up the array it gets.
    With a threshold it ends after the step whose sum of squares of changes is below."""

    start: Callable[[], Array]
    advance: Callable[[Array, int], Array]


@dataclass(frozen=True)
class Way:
    """A program of a rival: `build` is of n, points or threshold, and of the devices where `several`."""

    who: str
    problem: str
    build: Callable[..., Program]
    several: bool = False


@dataclass(frozen=True)
class Library:
    """A rival: `unfit` says why it does not run on that many of these devices, or nothing."""

    version: str
    ways: tuple[Way, ...]
    unfit: Callable[[str, int], str]
    wait: Callable[[Array], object]
    numpy: Callable[[Array], np.ndarray]


# Twins


def mode(n: int) -> np.ndarray:
    """The Fourier mode of one period along each axis."""
    x = np.arange(n)
    return np.asarray(np.cos(2 * np.pi / n * (x[:, None, None] + x[:, None] + x)))


def discrete_factor(n: int, points: int) -> float:
    """By which a step of diffusion multiplies the mode."""
    k = 2 * math.pi / n
    return 1 + RATE * sum(WEIGHTS[points][sum(map(abs, o))] * math.cos(k * sum(o)) for o in OFFSETS)


def diffused(u: np.ndarray, points: int, steps: int) -> np.ndarray:
    """So many steps of diffusion."""
    weights = [(WEIGHTS[points][sum(map(abs, o))], o) for o in OFFSETS]
    for _ in range(steps):
        u = u + RATE * sum(weight * np.roll(u, o, (0, 1, 2)) for weight, o in weights if weight)
    return u


def plate(n: int) -> np.ndarray:
    """The start of laplace: the top row, the last in y, is 1."""
    u = np.zeros((n, n), np.float32)
    u[-1] = 1
    return u


def relaxed(u: np.ndarray, steps: int) -> tuple[np.ndarray, float]:
    """So many steps of laplace, and the sum of squares of changes of the last."""
    change = math.inf
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = np.float32(0.25) * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1])
        change = float(np.sum((v - u).astype(np.float64) ** 2))
        u = v
    return u, change


# Held against them


def small_error(library: Library, build: Callable[[int, Any], Program], case: Case) -> float:
    """The farthest that a cell of a small grid is from the twin's. With a norm, the program has to end where
    the twin's sum is below a threshold."""
    n, steps = 32, CHUNK
    if case.problem == "diffusion":
        program = build(n, case.points)
        twin = diffused(mode(n), case.points, steps)
    elif case.norm:
        program = build(n, math.sqrt(relaxed(plate(n), 7)[1] * relaxed(plate(n), 8)[1]))
        twin, _ = relaxed(plate(n), 8)
    else:
        program = build(n, None)
        twin, _ = relaxed(plate(n), steps)
    return float(np.max(np.abs(library.numpy(program.advance(program.start(), steps)) - twin)))


def mode_error(program: Program, u: Array, case: Case, steps: int) -> float:
    """The farthest that a cell is from the mode's amplitude after so many steps. Zeros are no start."""
    start = program.start()
    peak = float(abs(start).max())
    amplitude = discrete_factor(case.n, case.points) ** steps
    return max(float(abs(u - amplitude * start).max()), abs(peak - 1))


# Timed


@dataclass(frozen=True)
class Timing:
    """Seconds a step, the best; `steps` of each stretch; `error`: the largest."""

    seconds: float
    steps: int
    error: float


def time_program(
    library: Library, build: Callable[[int, Any], Program], case: Case, seconds: float, repeats: int
) -> Timing:
    """The fastest of so many stretches of about so many seconds; ValueError where the result is wrong."""
    laplace = case.problem == "laplace"
    error = small_error(library, build, case) if laplace else 0.0
    if error > FARTHEST_FLOAT:
        raise ValueError(f"wrong: {error:.1e} from the twin of a small grid")
    program = build(case.n, (NEVER if case.norm else None) if laplace else case.points)

    def stretch(u: Array, steps: int) -> tuple[Array, float]:
        began = time.perf_counter()
        u = program.advance(u, steps)
        library.wait(u)
        return u, time.perf_counter() - began

    u, _ = stretch(program.start(), CHUNK)  # compiles
    u, took = stretch(u, CHUNK)
    steps = CHUNK * max(1, min(1000, round(seconds / took)))
    best = math.inf
    for _ in range(repeats):
        u, took = stretch(u, steps)
        best = min(best, took)
    if not laplace:
        error = mode_error(program, u, case, 2 * CHUNK + repeats * steps)
        if not error <= FARTHEST:
            raise ValueError(f"wrong: {error:.1e} from the mode's amplitude")
    return Timing(best / steps, steps, error)


# Lines


def lines_of(build: Callable[..., Program]) -> int:
    """Of a program: its function without its docstring and blank lines."""
    text = inspect.getsource(build)
    if build.__doc__:
        text = text.replace(f'"""{build.__doc__}"""', "", 1)
    return sum(bool(line.strip()) for line in text.splitlines())


def lines_of_file(path: Path) -> int:
    """Of a program in C++: its file without blank lines and lines of comment."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return sum(bool(line) and not line.startswith("//") for line in lines)
