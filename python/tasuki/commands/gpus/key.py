"""``tasuki gpus key``: the secret that all hosts have a copy of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def key(
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="[~/.config/tasuki/gpus.key]")
    ] = None,
) -> None:
    """Make a key: who has it may run programs on the GPUs.

    tasuki gpus key
    tasuki gpus key > gpus.key

    The file is its owner's alone (mode 0600), also where the output goes to one. Copy it to all hosts.
    """
    from tasuki.gpus.keyfile import default_path, save, write_to_output

    if out is None and write_to_output(sys.stdout.fileno()):
        return
    path = out or default_path()
    save(path)
    print(f"key: {path}; copy it to the same place on all hosts: scp -p {path} HOST:{path}")
