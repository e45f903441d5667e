"""The problems of arrays.py in PyTorch: torch.compile of a few steps of rolls or slices."""

from __future__ import annotations

import math

import torch
from array_problems import OFFSETS, RATE, WEIGHTS, Array, Library, Program, Way

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def diffusion(n: int, points: int) -> Program:
    """A sum of rolled tensors; four steps a call, each of which becomes a kernel."""
    weights = [(WEIGHTS[points][sum(map(abs, o))], o) for o in OFFSETS]

    @torch.compile(dynamic=False)
    def four(u: Array) -> Array:
        for _ in range(4):
            u = u + RATE * sum(weight * torch.roll(u, o, (0, 1, 2)) for weight, o in weights if weight)
        return u

    def start() -> Array:
        x = torch.arange(n, device=DEVICE, dtype=torch.float64)
        return torch.cos(2 * math.pi / n * (x[:, None, None] + x[:, None] + x))

    def advance(u: Array, steps: int) -> Array:
        for _ in range(steps // 4):
            u = four(u)
        return u

    return Program(start, advance)


def laplace(n: int, threshold: float | None) -> Program:
    """A copy whose inner slice is updated; the host looks at the norm of every step."""

    def relax(u: Array) -> Array:
        v = u.clone()
        v[1:-1, 1:-1] = 0.25 * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1])
        return v

    @torch.compile(dynamic=False)
    def four(u: Array) -> Array:
        for _ in range(4):
            u = relax(u)
        return u

    @torch.compile(dynamic=False)
    def measured(u: Array) -> tuple[Array, Array]:
        v = relax(u)
        return v, torch.sum((v - u) ** 2)

    def start() -> Array:
        u = torch.zeros((n, n), device=DEVICE)
        u[-1] = 1
        return u

    def advance(u: Array, steps: int) -> Array:
        if threshold is None:
            for _ in range(steps // 4):
                u = four(u)
            return u
        for _ in range(steps):
            u, change = measured(u)
            if change.item() < threshold:
                break
        return u

    return Program(start, advance)


def unfit(device: str, devices: int) -> str:
    """Why it does not run on these devices."""
    if {"cuda": "cuda", "host": "cpu"}[device] != DEVICE:
        return f"runs on {DEVICE} here"
    return "" if devices == 1 else "has no program for several devices here"


def wait(_: Array) -> None:
    """For the device."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


LIBRARY = Library(
    version=f"PyTorch {torch.__version__}",
    ways=(Way("torch.compile", "diffusion", diffusion), Way("torch.compile", "laplace", laplace)),
    unfit=unfit,
    wait=wait,
    numpy=lambda u: u.cpu().numpy(),
)
