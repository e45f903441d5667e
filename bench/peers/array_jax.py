"""The problems of arrays.py in JAX: jit of rolls or slices in loops of lax; several devices by shard_map."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from array_problems import CHUNK, OFFSETS, RATE, WEIGHTS, Array, Library, Program, Way
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

jax.config.update("jax_enable_x64", True)
# Before 0.7 it was an experiment.
shard_map: Any = (
    getattr(jax, "shard_map", None) or importlib.import_module("jax.experimental.shard_map").shard_map
)


def diffusion_rolls(n: int, points: int) -> Program:
    """A sum of rolled arrays. A call does a constant number of steps, so that none waits for the host."""
    weights = [(WEIGHTS[points][sum(map(abs, o))], o) for o in OFFSETS]

    @partial(jax.jit, donate_argnums=0)
    def chunk(u: Array) -> Array:
        def step(_: int, u: Array) -> Array:
            return u + RATE * sum(weight * jnp.roll(u, o, (0, 1, 2)) for weight, o in weights if weight)

        return lax.fori_loop(0, CHUNK, step, u)

    def start() -> Array:
        x = jnp.arange(n)
        return jnp.cos(2 * jnp.pi / n * (x[:, None, None] + x[:, None] + x))

    def advance(u: Array, steps: int) -> Array:
        for _ in range(steps // CHUNK):
            u = chunk(u)
        return u

    return Program(start, advance)


def diffusion_slices(n: int, points: int) -> Program:
    """A sum of slices of the array with a rim of a cell."""
    weights = [(WEIGHTS[points][sum(map(abs, o))], o) for o in OFFSETS]

    @partial(jax.jit, donate_argnums=0)
    def chunk(u: Array) -> Array:
        def step(_: int, u: Array) -> Array:
            p = jnp.pad(u, 1, mode="wrap")
            at = [(w, tuple(slice(1 + k, (k - 1) or None) for k in o)) for w, o in weights if w]
            return u + RATE * sum(weight * p[where] for weight, where in at)

        return lax.fori_loop(0, CHUNK, step, u)

    def start() -> Array:
        x = jnp.arange(n)
        return jnp.cos(2 * jnp.pi / n * (x[:, None, None] + x[:, None] + x))

    def advance(u: Array, steps: int) -> Array:
        for _ in range(steps // CHUNK):
            u = chunk(u)
        return u

    return Program(start, advance)


def laplace(n: int, threshold: float | None) -> Program:
    """An update of the inner slice; lax.while_loop compares the norm on the device."""

    def relax(u: Array) -> Array:
        mean = 0.25 * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1])
        return u.at[1:-1, 1:-1].set(mean)

    @partial(jax.jit, donate_argnums=0)
    def chunk(u: Array) -> Array:
        return lax.fori_loop(0, CHUNK, lambda _, u: relax(u), u)

    @partial(jax.jit, donate_argnums=0)
    def until(u: Array, steps: int) -> Array:
        def more(now: Array) -> Array:
            return (now[2] < steps) & (now[1] >= threshold)

        def step(now: Array) -> Array:
            v = relax(now[0])
            return v, jnp.sum((v - now[0]) ** 2), now[2] + 1

        return lax.while_loop(more, step, (u, jnp.float32(jnp.inf), 0))[0]

    def start() -> Array:
        return jnp.zeros((n, n), jnp.float32).at[-1].set(1)

    def advance(u: Array, steps: int) -> Array:
        if threshold is not None:
            return until(u, steps)
        for _ in range(steps // CHUNK):
            u = chunk(u)
        return u

    return Program(start, advance)


def diffusion_sharded(n: int, points: int, devices: int) -> Program:
    """Blocks of planes; ppermute brings the neighbours' planes, the other axes are padded."""
    weights = [(WEIGHTS[points][sum(map(abs, o))], o) for o in OFFSETS]
    mesh = jax.make_mesh((devices,), ("z",))
    planes = PartitionSpec("z")
    up = [(i, (i + 1) % devices) for i in range(devices)]
    down = [(j, i) for i, j in up]

    def step(_: int, u: Array) -> Array:
        below, above = lax.ppermute(u[-1:], "z", up), lax.ppermute(u[:1], "z", down)
        p = jnp.pad(jnp.concatenate([below, u, above]), ((0, 0), (1, 1), (1, 1)), mode="wrap")
        at = [(w, tuple(slice(1 + k, (k - 1) or None) for k in o)) for w, o in weights if w]
        return u + RATE * sum(weight * p[where] for weight, where in at)

    @partial(jax.jit, donate_argnums=0)
    @partial(shard_map, mesh=mesh, in_specs=planes, out_specs=planes)
    def chunk(u: Array) -> Array:
        return lax.fori_loop(0, CHUNK, step, u)

    @partial(jax.jit, out_shardings=NamedSharding(mesh, planes))
    def start() -> Array:
        x = jnp.arange(n)
        return jnp.cos(2 * jnp.pi / n * (x[:, None, None] + x[:, None] + x))

    def advance(u: Array, steps: int) -> Array:
        for _ in range(steps // CHUNK):
            u = chunk(u)
        return u

    return Program(start, advance)


def laplace_sharded(n: int, threshold: float | None, devices: int) -> Program:
    """Blocks of rows; ppermute brings the neighbours' rows, psum adds the norms."""
    mesh = jax.make_mesh((devices,), ("y",))
    rows, everywhere = PartitionSpec("y"), PartitionSpec()
    up = [(i, i + 1) for i in range(devices - 1)]
    down = [(j, i) for i, j in up]

    def relax(u: Array) -> Array:
        p = jnp.concatenate([lax.ppermute(u[-1:], "y", up), u, lax.ppermute(u[:1], "y", down)])
        mean = 0.25 * (u[:, 2:] + u[:, :-2] + p[2:, 1:-1] + p[:-2, 1:-1])
        y = lax.axis_index("y") * len(u) + jnp.arange(len(u))[:, None]
        return u.at[:, 1:-1].set(jnp.where((y > 0) & (y < n - 1), mean, u[:, 1:-1]))

    @partial(jax.jit, donate_argnums=0)
    @partial(shard_map, mesh=mesh, in_specs=rows, out_specs=rows)
    def chunk(u: Array) -> Array:
        return lax.fori_loop(0, CHUNK, lambda _, u: relax(u), u)

    @partial(jax.jit, donate_argnums=0)
    @partial(shard_map, mesh=mesh, in_specs=(rows, everywhere), out_specs=rows)
    def until(u: Array, steps: int) -> Array:
        def more(now: Array) -> Array:
            return (now[2] < steps) & (now[1] >= threshold)

        def step(now: Array) -> Array:
            v = relax(now[0])
            return v, lax.psum(jnp.sum((v - now[0]) ** 2), "y"), now[2] + 1

        return lax.while_loop(more, step, (u, jnp.float32(jnp.inf), 0))[0]

    @partial(jax.jit, out_shardings=NamedSharding(mesh, rows))
    def start() -> Array:
        return jnp.zeros((n, n), jnp.float32).at[-1].set(1)

    def advance(u: Array, steps: int) -> Array:
        if threshold is not None:
            return until(u, steps)
        for _ in range(steps // CHUNK):
            u = chunk(u)
        return u

    return Program(start, advance)


def unfit(device: str, devices: int) -> str:
    """Why it does not run on these devices."""
    backend = {"cuda": "gpu", "host": "cpu"}[device]
    if jax.default_backend() != backend:
        return f"runs on {jax.default_backend()} here, not on {backend}"
    seen = len(jax.devices())
    return "" if seen >= devices else f"sees {seen} devices, not {devices}"


LIBRARY = Library(
    version=f"JAX {jax.__version__}",
    ways=(
        Way("JAX, rolls", "diffusion", diffusion_rolls),
        Way("JAX, slices", "diffusion", diffusion_slices),
        Way("JAX, slices", "laplace", laplace),
        Way("JAX, shard_map", "diffusion", diffusion_sharded, several=True),
        Way("JAX, shard_map", "laplace", laplace_sharded, several=True),
    ),
    unfit=unfit,
    wait=jax.block_until_ready,
    numpy=np.asarray,
)
