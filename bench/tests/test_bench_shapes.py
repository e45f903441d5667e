"""The table of shapes: invented numbers."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from tasuki_bench.kernels import Kernel, show_kernels
from tasuki_bench.shapes import shapes_table, show_shapes


def shown(thing: object) -> str:
    out = StringIO()
    Console(width=160, file=out).print(thing)
    return out.getvalue()


KERNELS = [
    Kernel("shape_3d_box1_double/plain/cuda/512x512x512", 1100e-6, 1.95e12),
    Kernel("shape_3d_box1_double/tasuki/cuda/512x512x512", 550e-6, 4.0e12),
    Kernel("shape_2d_star4_float/tasuki/cuda/8192x8192", 200e-6, 2.8e12),
    Kernel("laplace/plain/cuda/4096", 40e-6, 3e12),
    Kernel("laplace/tasuki/cuda/4096", 42e-6, 3e12),
]


def test_a_shape_has_its_rate_and_its_ratio() -> None:
    text = shown(shapes_table(KERNELS))
    assert "3d_box1_double/cuda/512x512x512" in text
    assert "250" in text  # Gcell/s, of 16 bytes a cell
    assert "0.50" in text
    assert "star4" not in text  # measured by hand nowhere
    assert "laplace" not in text


def test_shapes_have_a_table_of_their_own() -> None:
    out = StringIO()
    console = Console(width=160, file=out)
    show_kernels(console, KERNELS)
    show_shapes(console, KERNELS)
    text = out.getvalue()
    costs, _, shapes = text[text.index("against a loop by hand") :].partition("goal 0.9")
    assert "laplace" in costs
    assert "box1" not in costs
    assert "0.50" in shapes
