"""Who owns what of the arrays of a program of directives: asked of the program itself, and drawn.

name, u = owners_of(Path("laplace"), ranks=6)[0]  # an array at file scope, as its run time distributes it
u.ranks_at({0: 1, 1: 0})                          # the ranks that hold pieces of these coordinates: [2]
plot_owners(Path("laplace.c"), 6, None)           # laplace-owners.png
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from tasuki.errors import TasukiError
from tasuki.failure import explain_failure
from tasuki.lang.driver import compile_line
from tasuki.lang.started import is_translated
from tasuki.launch import launch_command
from tasuki.output import make_folder, refuse_output
from tasuki.picture_format import named
from tasuki.plot import save_figure
from tasuki.progress import OWNERS, Silent
from tasuki.runner import run_native
from tasuki.style import STYLE, colours

_MOST_PIECES = 48  # of an axis in a picture
_MOST_LABELS = 16  # along an axis: more of them would touch
_MOST_COLOURS = 16  # that a legend names
_COLUMNS = 3
_SHADE = 0.65  # numbers stay readable on it


@dataclass(frozen=True)
class Piece:
    """Consecutive indices of one owner; `coordinate` is that of the owner along the nodes' dimension."""

    first: int
    count: int
    coordinate: int


@dataclass(frozen=True)
class Axis:
    """A dimension of an array; `node_dim` is the dimension of the nodes that it is cut over, or below 0."""

    extent: int
    node_dim: int
    format: str
    shadow: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Distribution:
    """How an array lies on the nodes, the last dimension of which is the fastest."""

    nodes: tuple[int, ...]
    ranks: tuple[int, ...]
    axes: tuple[Axis, ...]

    def ranks_at(self, coordinates: dict[int, int]) -> list[int]:
        """The ranks at these coordinates along dimensions of the nodes: several of them hold copies."""
        along = [
            [coordinates[dim]] if dim in coordinates else range(extent)
            for dim, extent in enumerate(self.nodes)
        ]
        found = []
        for place in itertools.product(*along):
            number = 0
            for extent, coordinate in zip(self.nodes, place, strict=True):
                number = number * extent + coordinate
            found.append(self.ranks[number])
        return found


def parse_owners(line: str) -> tuple[str, Distribution] | None:
    """An array's name and distribution, or None where the line is of something else."""
    if not line.startswith(OWNERS):
        return None
    data: dict[str, Any] = json.loads(line[len(OWNERS) :])
    axes = tuple(
        Axis(**{**axis, "pieces": tuple(Piece(*piece) for piece in axis["pieces"])}) for axis in data["axes"]
    )
    return data["name"], Distribution(tuple(data["nodes"]), tuple(data["ranks"]), axes)


def owners_of(program: Path, ranks: int, mpi_args: str = "") -> list[tuple[str, Distribution]]:
    """The arrays at file scope of a program that `tasuki cc` compiled; its main is not run."""
    environment = {**os.environ, "TASUKI_OWNERS": "1", "TASUKI_DEVICE": "host", "TASUKI_PROGRESS": "none"}
    command, environment = launch_command([str(program.absolute())], ranks, mpi_args, environment)
    outcome = run_native(command, environment, Silent(), echo=False, hide_errors=False)
    if outcome.status:
        line = explain_failure(program.name, outcome, command[0])
        if line and not any(": error: " in said for said in outcome.noise):  # it was shown as it came
            print(line, file=sys.stderr)
        raise TasukiError(f"{program.name} did not make its arrays", "mend what is said above", 1)
    return [found for found in map(parse_owners, outcome.noise) if found]


def plot_owners(program: Path, ranks: int, out: Path | None, mpi_args: str = "") -> Path:
    """Draws them for a C source, which is compiled, or a compiled program; returns the picture."""
    if not program.is_file():
        raise TasukiError(f"there is no program {program}", "give a C source, or what `tasuki cc` made of it")
    picture = make_folder(out or program.parent, "--out") / f"{program.stem}-owners.png"
    refuse_output(named(picture), "--out")
    with tempfile.TemporaryDirectory() as folder:
        made = program
        if program.suffix == ".c":
            made = Path(folder) / program.stem
            if compile_line(["--device", "host", "-O0", "-w", str(program), "-o", str(made), "-lm"]):
                raise TasukiError(f"{program} was not compiled", "mend it, or give the compiled program", 1)
        if not is_translated(made):
            raise TasukiError(f"{program} is no program of directives", "compile it with `tasuki cc`")
        arrays = owners_of(made, ranks, mpi_args)
    if not arrays:
        raise TasukiError(
            f"{program} distributes no array at file scope",
            "move one there: those of functions are not drawn",
            1,
        )
    with mpl.rc_context(STYLE):
        return save_figure(owners_figure(program.stem, ranks, arrays), picture)


def owners_figure(program: str, ranks: int, arrays: Sequence[tuple[str, Distribution]]) -> Figure:
    """A panel for each distribution, named by the arrays that have it."""
    import matplotlib.pyplot as plt

    alike: dict[Distribution, list[str]] = {}
    for name, distribution in arrays:
        alike.setdefault(distribution, []).append(name)
    columns = min(_COLUMNS, len(alike))
    rows = -(-len(alike) // columns)
    figure, axes = plt.subplots(
        rows, columns, squeeze=False, figsize=(4.2 * columns + 0.6, 4.2 * rows + 0.6), layout="constrained"
    )
    shades = colours(ranks)
    labelled = True
    for axis, (distribution, names) in itertools.zip_longest(axes.flat, alike.items(), fillvalue=(None, [])):
        if distribution is None:
            axis.axis("off")
        else:
            labelled &= _draw(axis, names, distribution, shades)
    if not labelled and ranks <= _MOST_COLOURS:
        handles = [Patch(fc=shade, alpha=_SHADE, label=f"rank {rank}") for rank, shade in enumerate(shades)]
        figure.legend(handles=handles, loc="outside lower center", ncols=min(ranks, 8), frameon=False)
    figure.suptitle(f"{program}: the rank that owns each part, of {ranks} rank{'s' if ranks != 1 else ''}")
    return figure


def _draw(axis: Axes, names: Sequence[str], distribution: Distribution, shades: Sequence[Any]) -> bool:
    """The plane of two dimensions, those that are cut before others; whether every block is labelled."""
    dims = range(len(distribution.axes))
    cut = [dim for dim in dims if distribution.axes[dim].node_dim >= 0]
    shown = sorted((cut + [dim for dim in dims if dim not in cut])[:2])
    down = distribution.axes[shown[0]]
    across = distribution.axes[shown[1]] if len(shown) > 1 else Axis(1, -1, "", "", (Piece(0, 1, 0),))
    if len(shown) == 1:  # of one dimension: a strip from left to right
        down, across = across, down
    # Of a third dimension that is cut, the piece at index 0 is shown.
    fixed = {
        distribution.axes[dim].node_dim: distribution.axes[dim].pieces[0].coordinate
        for dim in cut
        if dim not in shown and distribution.axes[dim].pieces
    }
    blocks = list(itertools.product(down.pieces[:_MOST_PIECES], across.pieces[:_MOST_PIECES]))
    labelled = max(len(down.pieces), len(across.pieces)) <= _MOST_LABELS
    for row, column in blocks:
        at = {down.node_dim: row.coordinate, across.node_dim: column.coordinate}
        held = distribution.ranks_at(fixed | {dim: place for dim, place in at.items() if dim >= 0})
        corner = (column.first, row.first)
        axis.add_patch(
            Rectangle(corner, column.count, row.count, fc=shades[held[0]], ec="white", lw=0.8, alpha=_SHADE)
        )
        if labelled:
            text = ", ".join(map(str, held)) if len(held) <= 4 else f"{held[0]} .. {held[-1]}"
            middle = (column.first + column.count / 2, row.first + row.count / 2)
            axis.text(*middle, text, ha="center", va="center", fontsize=9)
    axis.set_xlim(0, _shown(across))
    axis.set_ylim(_shown(down), 0)  # the first index is above, as a matrix is written
    axis.set_aspect("equal" if 0.3 <= _shown(across) / _shown(down) <= 3 else "auto")
    for each in (axis.xaxis, axis.yaxis):
        each.set_major_locator(MaxNLocator(6, integer=True))
    axis.set_xlabel(_label(shown[-1], across))
    axis.set_ylabel(_label(shown[0], down) if len(shown) > 1 else "")
    if len(shown) == 1:
        axis.set_yticks([])
    shape = "".join(f"[{each.extent}]" for each in distribution.axes)
    shadow = "".join(f"[{each.shadow}]" for each in distribution.axes)
    nodes = "x".join(map(str, distribution.nodes))
    title = f"{', '.join(names)}{shape} on nodes {nodes}"
    axis.set_title(title + (f"\nshadow {shadow}" if set(shadow) - set("[0]") else ""))
    return labelled


def _shown(axis: Axis) -> int:
    """How many of its indices the picture has room for."""
    last = axis.pieces[:_MOST_PIECES][-1] if axis.pieces else Piece(0, 1, 0)
    return max(1, last.first + last.count)


def _label(dim: int, axis: Axis) -> str:
    part = "" if _shown(axis) >= axis.extent else f", first {_shown(axis)} of {axis.extent}"
    return f"dimension {dim}: {axis.format}{part}"
