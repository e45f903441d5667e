"""``tasuki gpus check``: whether a program will find remote GPUs."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape


def check(
    program: Annotated[str, typer.Argument(help="a path, or a name in PATH")],
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Say what of a program works with remote GPUs, a line each. Ends with 1 where it cannot work."""
    from tasuki.gpus.check import findings
    from tasuki.gpus.parts import served_calls
    from tasuki.programs import find_program

    found = findings(find_program(program), served_calls())
    if as_json:
        print(json.dumps([vars(finding) for finding in found], indent=2))
    else:
        console = Console(soft_wrap=True)
        for finding in found:
            mark = (
                "[green]works[/]"
                if finding.works
                else "[red]fails[/]"
                if finding.breaks
                else "[yellow]note [/]"
            )
            console.print(f"{mark}  {escape(str(finding))}", highlight=False)
    if any(finding.breaks for finding in found):
        raise typer.Exit(1)
