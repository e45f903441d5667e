"""``tasuki gpus move``: a device of a program that runs goes to another GPU."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from tasuki.errors import TasukiError


def move(
    device: Annotated[int, typer.Argument(min=0, help="number, as the program counts them")],
    to: Annotated[str, typer.Argument(metavar="HOST:GPU", help="c:1")],
    process: Annotated[
        int | None, typer.Option("--process", metavar="PID", help="of the program, where several run")
    ] = None,
) -> None:
    """Move a device of a program that runs, which notices nothing.

    tasuki gpus run --hosts a,b --movable -- ./many
    tasuki gpus move 0 c:1
    """
    from tasuki.gpus.door import request, running

    found = re.fullmatch(r"(.+):([0-9]+)", to)
    if not found:
        raise TasukiError(f"{to} names no GPU", "give host and number, as c:1")
    doors = running()
    if process is None and len(doors) > 1:
        raise TasukiError(
            f"{len(doors)} programs run with movable GPUs: {', '.join(map(str, sorted(doors)))}",
            "choose one by --process",
        )
    if not doors or (process is not None and process not in doors):
        raise TasukiError("no such program runs with movable GPUs", "start it by: tasuki gpus run --movable")
    request(doors[process or next(iter(doors))], f"move {device} {found[1]}[{found[2]}]")
