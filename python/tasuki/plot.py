"""Pictures of a run: the field, the blocks of the ranks, the per-phase timing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # files only: no screen is needed

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from tasuki.errors import TasukiError
from tasuki.output import make_folder, refuse_outputs, written
from tasuki.picture_format import endings, named
from tasuki.record import Record, read_record
from tasuki.report import device_text
from tasuki.snapshot import Plane, Snapshot, open_snapshot
from tasuki.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, STYLE, YELLOW, colours
from tasuki.units import bytes_text, seconds_text, shape_text

_PHASE_COLOURS = {
    "sweep": BLUE,
    "interior": BLUE,
    "rim": SKY,
    "exchange": RED,
    "reduction": GREEN,
    "settle": YELLOW,
    "call": PURPLE,
    "other": GREY,
}
_MORE_COLOURS = (ORANGE, BLACK)
_WIDEST = 10.5  # inches
_MOST_PIXELS = 1200  # a plane with more cells along an axis is thinned: no screen shows them


def plot_result(result: Path, out: Path | None = None) -> list[Path]:
    """Draws all that `result`, a record (.json) or a snapshot (.h5), has to show; returns the pictures."""
    folder = make_folder(out or result.parent, "--out")
    stem = result.stem
    refuse_outputs(folder, endings(f"{stem}-*.png"), "--out")
    pictures: list[Path] = []
    with mpl.rc_context(STYLE):
        if result.suffix.lower() in (".h5", ".hdf5"):
            return _plot_snapshot(open_snapshot(result), folder, stem, None)
        record = read_record(result)
        if record.snapshot:
            pictures += _plot_snapshot(open_snapshot(record.snapshot), folder, stem, record)
        if record.blocks:
            pictures.append(save_figure(blocks_figure(record), folder / f"{stem}-blocks.png"))
        if record.phases_by_time:
            pictures.append(save_figure(phases_figure(record), folder / f"{stem}-phases.png"))
    return pictures


def save_figure(figure: Figure, path: Path, option: str = "--out") -> Path:
    """Writes `figure` to `path`, which `option` asked for, and lets go of it; a TasukiError says where it
    cannot."""
    path = named(path)
    try:
        with written(path, option) as part:
            figure.savefig(part, bbox_inches="tight", pad_inches=0.12)
    except ValueError as error:  # of matplotlib: a format that it does not know
        raise TasukiError(f"cannot write {path}: {error}", f"choose another {option}") from None
    finally:
        plt.close(figure)
    return path


def _plot_snapshot(snapshot: Snapshot, folder: Path, stem: str, record: Record | None) -> list[Path]:
    return [
        save_figure(field_figure(snapshot, name, record), folder / f"{stem}-{name.replace('/', '_')}.png")
        for name in snapshot.fields
    ]


def _thin(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    steps = [max(1, -(-extent // _MOST_PIXELS)) for extent in values.shape]
    return values[:: steps[0], :: steps[1]]


def field_figure(snapshot: Snapshot, name: str, record: Record | None = None) -> Figure:
    """The field itself (1-D, 2-D) or its middle planes (3-D, 4-D), one scale of colours for all of them."""
    planes = snapshot.planes(name)
    title = f"{record.program}: {name}" if record else name
    title += f" after {snapshot.step} step{'s' if snapshot.step != 1 else ''}"
    title += f", {shape_text(snapshot.extents)} cells"
    if len(planes) == 1 and not planes[0].vertical:
        return _line_figure(planes[0], name, title)
    finite = [plane.values[np.isfinite(plane.values)] for plane in planes]
    low = min((float(values.min()) for values in finite if values.size), default=0.0)
    high = max((float(values.max()) for values in finite if values.size), default=1.0)
    scale: dict[str, Any] = {"vmin": low, "vmax": high, "cmap": "viridis"}
    if low < 0 < high and min(-low, high) > 0.1 * max(-low, high):  # both signs matter: zero is white
        limit = max(-low, high)
        scale = {"vmin": -limit, "vmax": limit, "cmap": "RdBu_r"}
    widths = [_width(plane) for plane in planes]
    wide = 3.3 * sum(widths) + 1.4 + 0.5 * len(planes)
    scale_down = min(1.0, _WIDEST / wide)  # letters stay as large beside smaller planes
    figure, axes = plt.subplots(
        1,
        len(planes),
        figsize=(wide * scale_down, max(2.4, 4.6 * scale_down)),
        layout="compressed",  # planes keep their proportions and stand close
        squeeze=False,
        gridspec_kw={"width_ratios": widths},
    )
    for axis, plane in zip(axes[0], planes, strict=True):
        image = _draw_plane(axis, plane, scale)
    bar = figure.colorbar(image, ax=list(axes[0]), shrink=0.85, pad=0.02)
    bar.set_label(name)
    figure.suptitle(title)
    bad = sum(int(np.size(plane.values) - values.size) for plane, values in zip(planes, finite, strict=True))
    if bad:
        figure.text(0.01, 0.01, f"{bad} cells shown are not finite (grey)", color="#b00020")
    return figure


def _width(plane: Plane) -> float:
    rows, columns = plane.values.shape
    return float(min(2.5, max(0.5, columns / rows)))


def _draw_plane(axis: Axes, plane: Plane, scale: dict[str, Any]) -> Any:  # noqa: ANN401 -- AxesImage
    rows, columns = plane.values.shape
    axis.set_facecolor("#c8c8c8")  # shows through where a value is not finite
    image = axis.imshow(
        np.ma.masked_invalid(_thin(plane.values)),
        origin="lower",
        extent=(0, columns, 0, rows),
        aspect="equal" if 0.4 <= columns / rows <= 2.5 else "auto",
        interpolation="nearest",
        **scale,
    )
    axis.set_xlabel(f"{plane.horizontal} (cells)")
    axis.set_ylabel(f"{plane.vertical} (cells)")
    axis.set_title(plane.place)
    return image


def _line_figure(plane: Plane, name: str, title: str) -> Figure:
    figure, axis = plt.subplots(figsize=(7, 4))
    axis.plot(np.arange(plane.values.shape[1]) + 0.5, plane.values[0], lw=1.5)
    axis.set_xlabel("x (cells)")
    axis.set_ylabel(name)
    axis.set_title(title)
    axis.grid(alpha=0.3)
    return figure


def _edges(sizes: Sequence[int]) -> np.ndarray[Any, Any]:
    return np.concatenate([[0], np.cumsum(sizes)])


def blocks_figure(record: Record) -> Figure:
    """Which rank has which block: the grid itself in 2-D, in 3-D a drawing of the boxes."""
    figure = _blocks_3d(record) if len(record.extents) == 3 else _blocks_2d(record)
    ranks = int(np.prod(record.ranks))
    figure.suptitle(
        f"{record.program}: {shape_text(record.extents)} cells on {ranks} "
        f"rank{'s' if ranks != 1 else ''} ({shape_text(record.ranks)})"
    )
    return figure


def _blocks_2d(record: Record) -> Figure:
    """The first two axes; where there are more, a block drawn stands for all that lie behind it."""
    xs = _edges(record.blocks[0])
    ys = _edges(record.blocks[1]) if len(record.blocks) > 1 else np.array([0, max(1, int(xs[-1]) // 8)])
    wide, high = int(xs[-1]), int(ys[-1])
    figure, axis = plt.subplots(figsize=(min(10.0, max(5.0, 5.0 * wide / high)), 5.2))
    columns, rows = len(xs) - 1, len(ys) - 1
    behind = int(np.prod(record.ranks[2:])) if len(record.ranks) > 2 else 1
    shades = colours(columns * rows * behind)
    for j in range(rows):
        for i in range(columns):
            block = i + columns * j  # x fastest, as in memory
            rank = record.rank_of(block) if behind == 1 else block
            width, height = int(xs[i + 1] - xs[i]), int(ys[j + 1] - ys[j])
            axis.add_patch(
                Rectangle((xs[i], ys[j]), width, height, fc=shades[rank], ec="white", lw=2, alpha=0.6)
            )
            size = f"{width}x{height}" if len(record.extents) > 1 else str(width)
            if columns * rows <= 64:
                text = f"rank {rank}\n{size}" if behind == 1 else f"{behind} ranks\n{size}"
                axis.text(
                    (xs[i] + xs[i + 1]) / 2,
                    (ys[j] + ys[j + 1]) / 2,
                    text,
                    ha="center",
                    va="center",
                    fontsize=9,
                )
    axis.set_xlim(0, wide)
    axis.set_ylim(0, high)
    axis.set_aspect("equal" if 0.3 <= wide / high <= 3 else "auto")
    axis.set_xlabel("x (cells)")
    if len(record.extents) > 1:
        axis.set_ylabel("y (cells)")
    else:
        axis.set_yticks([])
    return figure


def _blocks_3d(record: Record) -> Figure:
    edges = [_edges(axis) for axis in record.blocks]
    shape = tuple(len(edge) - 1 for edge in edges)
    count = int(np.prod(shape))
    shades = colours(count)
    figure = plt.figure(figsize=(7.8, 6.2))
    axis = figure.add_subplot(projection="3d")
    extents = np.array(record.extents, dtype=float)
    gap = 0.012 * extents  # so that neighbours are seen apart
    for k in range(shape[2]):
        for j in range(shape[1]):
            for i in range(shape[0]):
                low = np.array([edges[0][i], edges[1][j], edges[2][k]], dtype=float) + gap
                high = np.array([edges[0][i + 1], edges[1][j + 1], edges[2][k + 1]], dtype=float) - gap
                size = np.maximum(high - low, 1e-3 * extents)
                rank = record.rank_of(i + shape[0] * (j + shape[1] * k))
                axis.bar3d(*low, *size, color=shades[rank], edgecolor="#303030", linewidth=0.6, alpha=0.9)
    axis.set_box_aspect(tuple(np.maximum(extents / extents.max(), 0.15)))
    axis.set_xlabel("x (cells)", labelpad=8)
    axis.set_ylabel("y (cells)", labelpad=8)
    axis.set_zlabel("z (cells)", labelpad=8)
    if count <= 16:
        handles = []
        for rank in range(count):
            block = record.mapping.index(rank) if record.mapping else rank
            i, rest = block % shape[0], block // shape[0]
            place = (i, rest % shape[1], rest // shape[1])
            cells = shape_text([record.blocks[axis_][place[axis_]] for axis_ in range(3)])
            handles.append(Patch(fc=shades[rank], ec="#303030", label=f"rank {rank}: {cells}"))
        figure.legend(handles=handles, loc="outside lower center", ncols=min(4, count), frameon=False)
    return figure


def phases_figure(record: Record) -> Figure:
    """A bar for each phase, its time on the rank that is slowest in it, beside the time of the whole run."""
    phases = record.phases_by_time
    figure, axis = plt.subplots(figsize=(8.4, 1.5 + 0.42 * len(phases)))
    spare = iter(_MORE_COLOURS * len(phases))
    longest = max(record.seconds, *phases.values())
    for row, (name, seconds) in enumerate(phases.items()):
        axis.barh(row, seconds, height=0.7, color=_PHASE_COLOURS.get(name) or next(spare))
        axis.text(
            seconds + 0.01 * longest, row, seconds_text(seconds), va="center",
            bbox={"fc": "white", "lw": 0, "pad": 1},
        )  # fmt: skip
    if record.seconds > 0:  # phases are not stacked: each is of another rank, so their sum may exceed the run
        axis.axvline(record.seconds, color=BLACK, lw=1.2, ls="--")
        axis.set_title(f"dashed: the whole run, {seconds_text(record.seconds)}", loc="right")
    axis.set_yticks(range(len(phases)), list(phases))
    axis.invert_yaxis()
    axis.set_xlabel("time of each phase on its slowest rank (s)")
    axis.set_xlim(0, 1.12 * longest)
    sent = sum(traffic.bytes for traffic in record.channels.values())
    ranks = int(record.machine.get("ranks") or np.prod(record.ranks))
    merit = f": {record.merit.value:.4g} {record.merit.name}" if record.merit else ""
    figure.suptitle(
        f"{record.program} {shape_text(record.extents)}, {record.steps} steps, {record.executor}{merit}\n"
        f"{device_text(record)}, {ranks} rank{'s' if ranks != 1 else ''}, {bytes_text(sent)} moved"
    )
    return figure
