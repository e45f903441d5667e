"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

MpiArgs = Annotated[
    str, typer.Option(metavar="WORDS", help="more words for mpirun or srun: '--hostfile hosts'")
]
