"""Which language a source is in: it says so itself.

    dialect_of(Path("a.c"), ["cc"], ["-DN=8"])     # SHARED: `shared` arrays, #pragma SMint, or sms.h

A source of none is taken as one of directives, which leaves it as it is.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tasuki.lang import runtime


@dataclass(frozen=True)
class Dialect:
    """What a source is preprocessed and linked with."""

    library: str
    head: str  # a header of ours that is put in front
    words: tuple[str, ...]  # pragmas that are ours
    defines: tuple[str, ...] = ()
    compile: tuple[str, ...] = ()

    def folder(self) -> Path:
        return runtime.headers(self.head)


DIRECTIVES = Dialect(
    "tasuki_xmp",
    runtime.HEADER,
    ("xmp", "acc", "tasuki"),
    ("-D_XCALABLEMP=202012", "-D_XCALABLEACC=202012", "-D_OPENACC=201811"),
    # No contraction of a * b + c: a loop has the same bits as vector and as scalar, on any ranks, and lifted.
    ("-fopenmp", "-ffp-contract=off"),
)
SHARED = Dialect("tasuki_sms", "shared.h", ("SMint",))

_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
_DIRECTIVE = re.compile(r"(?m)^[ \t]*#[ \t]*pragma[ \t]+SMint\b")
_WORD = re.compile(r"\bshared[ \t\n]+(?=[A-Za-z_])|\bsms_startup\b")


def dialect_of(source: Path, compiler: Sequence[str], options: Sequence[str]) -> Dialect:
    """The language of a source, by what the preprocessor leaves of it and its headers."""
    found = [DIRECTIVES.folder()] + ([folder] if (folder := _shared_folder()) else [])
    command = [*compiler, "-E", *options, *(f"-I{folder}" for folder in found), *runtime.mpi_includes()]
    done = subprocess.run([*command, str(source)], capture_output=True, check=False)
    text = done.stdout.decode(errors="surrogateescape")
    if _DIRECTIVE.search(text):
        return SHARED
    code = _STRING.sub('""', re.sub(r"(?m)^[ \t]*#.*$", "", text))
    return SHARED if _WORD.search(code) else DIRECTIVES


def _shared_folder() -> Path | None:
    try:
        return SHARED.folder()
    except runtime.TasukiError:
        return None
