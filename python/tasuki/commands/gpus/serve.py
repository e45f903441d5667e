"""``tasuki gpus serve``: the gate of this host."""

from __future__ import annotations

import os
from typing import Annotated

import typer

_HOSTS = "localhost"


def serve(
    context: typer.Context,
    drain: Annotated[
        bool,
        typer.Option(
            "--drain", help="let the server that runs here end, once its clients have gone elsewhere or ended"
        ),
    ] = False,
) -> None:
    """Serve this host's GPUs to CUDA programs; Ctrl-C ends it. All other options are the server's own."""
    from tasuki.gpus.ask import ask
    from tasuki.gpus.parts import native
    from tasuki.words import option_value

    words = list(context.args)
    if drain:
        socket, port = option_value(words, "--socket"), option_value(words, "--port")
        ask("drain", socket or (f"localhost@{port}" if port else _HOSTS), option_value(words, "--key"))
        return
    program = native("serve")
    os.execv(program, [str(program), *words])
