"""``tasuki gpus move``: a device of a program that runs goes to another GPU."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from tasuki.errors import TasukiError


def move(
    device: Annotated[int, typer.Argument(min=0, help="number, as the program counts them")],
    to: Annotated[str, typer.Argument(metavar="HOST:GPU", help="c:1")],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="HOST:GPU", help="which replica of the device, where it has several"),
    ] = None,
    process: Annotated[
        int | None, typer.Option("--process", metavar="PID", help="of the program, where several run")
    ] = None,
) -> None:
    """Move a device of a program that runs, which notices nothing.

    tasuki gpus run --hosts a,b --movable -- ./many
    tasuki gpus move 0 c:1
    tasuki gpus move 0 c:1 --from b:0
    """
    from tasuki.gpus.door import request, running

    for gpu in filter(None, (to, origin)):
        if not re.fullmatch(r"\S+:[0-9]+", gpu):
            raise TasukiError(f"{gpu} names no GPU", "give host and number, as c:1")
    host, _, number = to.rpartition(":")
    doors = running()
    if process is None and len(doors) > 1:
        raise TasukiError(
            f"{len(doors)} programs run with movable GPUs: {', '.join(map(str, sorted(doors)))}",
            "choose one by --process",
        )
    if not doors or (process is not None and process not in doors):
        raise TasukiError(
            "no such program runs with movable GPUs",
            "start it by: tasuki gpus run --movable, or with --spare, --degrade or --redundant",
        )
    words = ["move", str(device), f"{host}[{number}]", *([origin] if origin else [])]
    request(doors[process or next(iter(doors))], " ".join(words))
