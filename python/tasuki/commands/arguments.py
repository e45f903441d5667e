"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

MpiArgs = Annotated[
    str, typer.Option(metavar="WORDS", help="additional options for mpirun or srun: '--hostfile hosts'")
]
