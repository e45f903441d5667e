"""``tasuki gpus top``: who uses which GPU."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live


def top(
    hosts: Annotated[str, typer.Option(metavar="HOSTS", help="a,b@7500")] = "localhost",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="the key [~/.config/tasuki/gpus.key]")
    ] = None,
    every: Annotated[float, typer.Option(metavar="SECONDS", min=0.2, help="between looks")] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="look once, and end")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON, once")] = False,
) -> None:
    """Show a row a virtual device: who uses it, calls and bytes a second, memory, how many wait for it."""
    from tasuki.gpus.ask import ask
    from tasuki.gpus.status import table

    secret = str(key) if key else None
    answers = ask("status", hosts, secret)
    if as_json:
        print(json.dumps(answers, indent=2))
        return
    console = Console()
    if once or not sys.stdout.isatty():
        console.print(table(answers))
        return
    with Live(table(answers), console=console, auto_refresh=False) as live:
        looked = time.monotonic()
        while True:
            time.sleep(every)
            before, then = answers, looked
            answers, looked = ask("status", hosts, secret), time.monotonic()
            live.update(table(answers, before, looked - then), refresh=True)
