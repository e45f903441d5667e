"""The problems of arrays.py in CuPy: kernels by hand, a thread a cell."""

from __future__ import annotations

import cupy as cp
from array_problems import RATE, Array, Library, Program, Way


def diffusion(n: int, points: int) -> Program:
    """A raw kernel for either stencil."""
    source = r"""
    #define U(a, b, c) u[((size_t)(c) * n + (b)) * n + (a)]
    #define CROSS(c) (U(e, y, c) + U(w, y, c) + U(x, s, c) + U(x, t, c))
    #define FOUR(c) (U(e, s, c) + U(w, s, c) + U(e, t, c) + U(w, t, c))
    extern "C" __global__ void step(const double* __restrict__ u, double* __restrict__ v, int n, double r) {
      const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      const int z = blockIdx.z;
      if (x >= n || y >= n) return;
      const int e = x + 1 < n ? x + 1 : 0, w = x > 0 ? x - 1 : n - 1;
      const int t = y + 1 < n ? y + 1 : 0, s = y > 0 ? y - 1 : n - 1;
      const int a = z + 1 < n ? z + 1 : 0, b = z > 0 ? z - 1 : n - 1;
      const double here = U(x, y, z), faces = CROSS(z) + U(x, y, a) + U(x, y, b);
    #if POINTS == 7
      v[((size_t)z * n + y) * n + x] = here + r * (faces - 6 * here);
    #else
      const double edges = FOUR(z) + CROSS(a) + CROSS(b), corners = FOUR(a) + FOUR(b);
      v[((size_t)z * n + y) * n + x] = here + r / 30 * (14 * faces + 3 * edges + corners - 128 * here);
    #endif
    }"""
    kernel = cp.RawKernel(source, "step", options=(f"-DPOINTS={points}",))
    block = (64, 4)
    grid = (-(-n // block[0]), -(-n // block[1]), n)

    def start() -> Array:
        x = cp.arange(n)
        return cp.cos(2 * cp.pi / n * (x[:, None, None] + x[:, None] + x))

    def advance(u: Array, steps: int) -> Array:
        v = cp.empty_like(u)
        for _ in range(steps):
            kernel(grid, block, (u, v, cp.int32(n), cp.float64(RATE)))
            u, v = v, u
        return u

    return Program(start, advance)


def laplace(n: int, threshold: float | None) -> Program:
    """A raw kernel, and a reduction whose result the host looks at in every step."""
    source = r"""
    extern "C" __global__ void relax(const float* __restrict__ u, float* __restrict__ v, int n) {
      const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
      if (x >= n - 1 || y >= n - 1) return;
      const size_t i = (size_t)y * n + x;
      v[i] = 0.25f * (u[i + 1] + u[i - 1] + u[i + n] + u[i - n]);
    }"""
    relax = cp.RawKernel(source, "relax")
    changed = cp.ReductionKernel("T u, T v", "T sum", "(v - u) * (v - u)", "a + b", "sum = a", "0", "changed")
    block = (64, 4)
    grid = (-(-(n - 2) // block[0]), -(-(n - 2) // block[1]))

    def start() -> Array:
        u = cp.zeros((n, n), cp.float32)
        u[-1] = 1
        return u

    def advance(u: Array, steps: int) -> Array:
        v = u.copy()
        for _ in range(steps):
            relax(grid, block, (u, v, cp.int32(n)))
            u, v = v, u
            if threshold is not None and changed(v, u).item() < threshold:
                break
        return u

    return Program(start, advance)


def unfit(device: str, devices: int) -> str:
    """Why it does not run on these devices."""
    if device != "cuda":
        return "runs on GPUs alone"
    if cp.cuda.runtime.getDeviceCount() < 1:
        return "sees no GPU"
    return "" if devices == 1 else "has no program for several devices here"


LIBRARY = Library(
    version=f"CuPy {cp.__version__}",
    ways=(Way("CuPy, raw kernels", "diffusion", diffusion), Way("CuPy, raw kernels", "laplace", laplace)),
    unfit=unfit,
    wait=lambda _: cp.cuda.Device().synchronize(),
    numpy=cp.asnumpy,
)
