"""What runs of wilson say, printed and drawn."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.output import make_folder, refuse_outputs
from tasuki.picture_format import endings


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
        raise TasukiError(f"{len(folders)} folders are given", "give one run, or two to compare")
    runs = [load(folder) for folder in folders]
    targets = [run.path if out is None else out / run.name if len(runs) > 1 else out for run in runs]
    for target in targets if plot else []:
        refuse_outputs(target, endings(pictures.FILES), "--out")
    found = [look(run, bin_size, discard) for run in runs]
    console = Console(width=None if sys.stdout.isatty() else 120)
    drawn: list[Path] = []
    for analysis, target in zip(found, targets, strict=True):
        if plot:
            drawn += pictures.draw(analysis, make_folder(target, "--out"))
        if not as_json:
            if len(found) > 1:
                console.print(f"[bold]{analysis.run.name}[/bold]")
            console.print(tables(analysis))
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
