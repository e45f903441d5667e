"""Pictures that a command draws and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from rich.console import Console, RenderableType

from tasuki.errors import TasukiError
from tasuki.output import make_folder, refuse_outputs
from tasuki.picture_format import endings


class Run(Protocol):
    """One that left a folder."""

    @property
    def path(self) -> Path: ...
    @property
    def name(self) -> str: ...


class Analysis(Protocol):
    """What was found of a run."""

    @property
    def run(self) -> Run: ...


Found = TypeVar("Found", bound=Analysis)


def picture_folders(runs: Sequence[Run], out: Path | None, files: str) -> list[Path]:
    """Where the pictures of each run go: beside it, or into `out`, which several share by their names.
    TasukiError where something that is no file has a name of `files`."""
    folders = [run.path if out is None else out / run.name if len(runs) > 1 else out for run in runs]
    for folder in folders:
        refuse_outputs(folder, endings(files), "--out")
    return folders


def show_each(
    console: Console,
    found: Sequence[Found],
    tables: Callable[[Found], RenderableType] | None,
    draw: Callable[[Found, Path], list[Path]],
    folders: Sequence[Path],
) -> list[Path]:
    """Prints the tables of each run, where they are asked for, and draws its pictures, where there are
    folders for them; returns the pictures."""
    drawn: list[Path] = []
    for place, analysis in enumerate(found):
        if folders:
            drawn += draw(analysis, make_folder(folders[place], "--out"))
        if tables:
            if len(found) > 1:
                console.print(f"[bold]{analysis.run.name}[/bold]")
            console.print(tables(analysis))
    return drawn


def show_pictures(console: Console, result: Path, out: Path | None) -> None:
    """Draws the pictures of `result` and prints where they lie."""
    from tasuki.plot import plot_result

    pictures = plot_result(result, out)
    if not pictures:
        raise TasukiError(
            f"{result} has nothing to draw", "give the record of a run with phases or a snapshot", 1
        )
    for picture in pictures:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
