"""Pictures of the tables of small steps: time by size, strong scaling, ways against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tasuki.plot import save_figure
from tasuki.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SERIES, SKY, STYLE
from tasuki_bench.steps import Group, Row
from tasuki_bench.tables import fastest

_COLOURS = {  # of executors, in all pictures
    "eager": GREY,
    "overlapped": BLUE,
    "graph": GREEN,
    "blocked": PURPLE,
    "resident": ORANGE,
    "streamed": SKY,
    "auto": BLACK,
}
_BY_SIZE = ("laplace", "himeno", "sync", "gates")


def colours_of(group: Group) -> dict[str, str]:
    """Of each way of a group: its executor's, or one that no other has."""
    known = {way.label: _COLOURS[way.label] for way in group.ways if way.label in _COLOURS}
    left = [colour for colour in SERIES if colour not in known.values()]
    return known | dict(zip((way.label for way in group.ways if way.label not in known), left, strict=False))


def _short(case: str) -> str:
    """A case on an axis: its size, and its points."""
    _, size, *words = case.split("/")
    first = size.split("x")
    text = size if len(set(first)) > 1 or len(first) == 1 else f"{first[0]}^{len(first)}"
    return text + "".join(f"\n{word} points" for word in words if word.isdigit())


def _normed(case: str) -> bool:
    return "norm" in case.split("/")


def size_figure(group: Group, rows: Sequence[Row], stream: float | None = None) -> Figure:
    """Microseconds a step by size, a line a way; side by side the numbers of ranks, below each other the norm
    off and in every step. Dashed: the least traffic at the bandwidth of memory."""
    counts = sorted({row.ranks for row in rows})
    norms = sorted({_normed(row.case) for row in rows})
    figure, axes = plt.subplots(
        len(norms),
        len(counts),
        figsize=(1.6 + 3.3 * len(counts), 0.9 + 2.9 * len(norms)),
        squeeze=False,
        sharey=True,
        sharex="row",
    )
    for down, norm in enumerate(norms):
        for across, ranks in enumerate(counts):
            axis = axes[down][across]
            here = [row for row in rows if row.ranks == ranks and _normed(row.case) == norm]
            _draw_lines(axis, group, here, stream)
            rule = ("norm every step, " if norm else "norm off, ") if len(norms) > 1 else ""
            unit = "GPU" if group.device == "cuda" else "rank"
            axis.set_title(f"{rule}{ranks} {unit}{'s' if ranks > 1 else ''}", loc="left")
            if across == 0:
                axis.set_ylabel("us a step")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(8, len(labels)), frameon=False)
    figure.suptitle(group.title.split(",")[0])
    return figure


def _draw_lines(axis: Axes, group: Group, rows: Sequence[Row], stream: float | None) -> None:
    cases = list(dict.fromkeys(row.case for row in rows))
    for way in group.ways:
        times = {row.case: 1e6 * row.seconds for row in rows if row.way == way.label and row.measured}
        places = [place for place, case in enumerate(cases) if case in times]
        axis.plot(
            places,
            [times[cases[place]] for place in places],
            marker="o",
            ms=4,
            lw=1.4,
            color=colours_of(group)[way.label],
            label=way.label,
        )
    if stream and group.device == "cuda":
        limits = {row.case: row.limit(stream) for row in rows if row.measured}
        places = [place for place, case in enumerate(cases) if limits.get(case)]
        values = [1e6 * (limits[cases[place]] or 0) for place in places]
        axis.plot(places, values, ls="--", lw=1.0, color=RED, label="memory")
    axis.set_yscale("log")
    axis.set_xticks(range(len(cases)), [_short(case) for case in cases], fontsize=8)
    axis.grid(alpha=0.3, which="both", axis="y", lw=0.5)


def scaling_figure(rows: Sequence[Row], title: str) -> Figure | None:
    """Strong scaling of the fastest way of each case; none where there is but one number of ranks."""
    counts = sorted({row.ranks for row in rows if row.measured})
    if len(counts) < 2 or counts[0] != 1:
        return None
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), squeeze=False)
    drawn = 0
    for norm, axis in zip((False, True), axes[0], strict=True):
        axis.plot(counts, counts, ls="--", lw=1.0, color=GREY, label="ideal")
        cases = [case for case in dict.fromkeys(row.case for row in rows) if _normed(case) == norm]
        for place, case in enumerate(cases):
            best = {
                ranks: found.seconds
                for ranks in counts
                if (found := fastest([row for row in rows if row.case == case and row.ranks == ranks]))
            }
            if 1 not in best or len(best) < 2:
                continue
            colour = mpl.colormaps["viridis"](place / max(1, len(cases) - 1) * 0.9)
            speeds = [best[1] / seconds for seconds in best.values()]
            axis.plot(list(best), speeds, marker="o", ms=4, lw=1.4, color=colour, label=_short(case))
            drawn += 1
        axis.set_xticks(counts)
        axis.set_xlabel("devices")
        axis.set_ylabel("times as fast as one")
        axis.set_title("norm in every step" if norm else "norm off", loc="left")
        axis.grid(alpha=0.3)
        axis.legend(frameon=False, fontsize=8)
    figure.suptitle(f"{title}: strong scaling, the fastest executor")
    if drawn:
        return figure
    plt.close(figure)
    return None


def ways_figure(group: Group, rows: Sequence[Row]) -> Figure:
    """Bars side by side, a way each, by case and number of ranks."""
    lines = list(dict.fromkeys((row.case, row.ranks) for row in rows))
    figure, axis = plt.subplots(figsize=(max(5.0, 1.5 + 1.3 * len(lines)), 4.0))
    width = 0.8 / len(group.ways)
    for place, way in enumerate(group.ways):
        times = {(r.case, r.ranks): 1e6 * r.seconds for r in rows if r.way == way.label and r.measured}
        at = [i for i, line in enumerate(lines) if line in times]
        axis.bar(
            [i + (place - (len(group.ways) - 1) / 2) * width for i in at],
            [times[lines[i]] for i in at],
            width,
            color=colours_of(group)[way.label],
            label=way.label,
        )
    names = [
        f"{case.split('/')[0]} {_short(case)}{' norm' if _normed(case) else ''}\non {n}" for case, n in lines
    ]
    axis.set_xticks(range(len(lines)), names, fontsize=8)
    values = [1e6 * row.seconds for row in rows if row.measured]
    if max(values) > 20 * min(values):
        axis.set_yscale("log")
    axis.set_ylabel("us a step")
    axis.set_title(group.title, loc="left", fontsize=10)
    figure.legend(loc="outside lower center", frameon=False, ncols=len(group.ways), fontsize=8)
    return figure


def plot_groups(
    groups: Sequence[tuple[Group, Sequence[Row]]], folder: Path, stream: dict[str, float | None]
) -> list[Path]:
    """The pictures of all groups that have times, beside their record."""
    pictures = []
    with mpl.rc_context(STYLE):
        for group, rows in groups:
            if not any(row.measured for row in rows):
                continue
            stem = folder / f"{group.device}-{group.name}"
            limit = stream.get(group.device)
            by_size = group.name in _BY_SIZE
            figure = size_figure(group, rows, limit) if by_size else ways_figure(group, rows)
            pictures.append(save_figure(figure, stem.with_suffix(".png")))
            scaling = scaling_figure(rows, group.name) if group.name in ("laplace", "himeno") else None
            if scaling:
                pictures.append(save_figure(scaling, folder / f"{stem.name}-scaling.png"))
    return pictures
