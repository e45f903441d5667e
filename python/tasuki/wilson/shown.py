"""What runs of wilson say, printed and drawn."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.shown import picture_folders, show_each


def show(
    folders: Sequence[Path],
    bin_size: int = 1,
    discard: int = 0,
    out: Path | None = None,
    plot: bool = True,
    as_json: bool = False,
) -> None:
    """Prints and draws what one run says, or two."""
    from tasuki.wilson import pictures
    from tasuki.wilson.analysis import analyze as look
    from tasuki.wilson.analysis import compare, comparison_to_json, to_json
    from tasuki.wilson.folder import load
    from tasuki.wilson.tables import comparison_table, tables

    if len(folders) > 2:
        raise TasukiError(f"{len(folders)} folders are too many", "give one run, or two to compare")
    runs = [load(folder) for folder in folders]
    folders_of = picture_folders(runs, out, pictures.FILES) if plot else []
    found = [look(run, bin_size, discard) for run in runs]
    console = Console(width=None if sys.stdout.isatty() else 120)
    drawn = show_each(console, found, None if as_json else tables, pictures.draw, folders_of)
    lines = compare(*found) if len(found) == 2 else []
    if as_json:
        report = [to_json(analysis) for analysis in found]
        both = {"schema": 1, "runs": report, "comparison": comparison_to_json(lines)}
        print(json.dumps(both if lines else report[0], indent=2))
        return
    if lines:
        console.print(comparison_table(lines, (found[0].run.name, found[1].run.name)))
    for picture in drawn:
        console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
