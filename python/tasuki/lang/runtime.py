"""Where the run time of translated programs is: its headers and libtasuki_xmp, and the MPI that it stands
on.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.programs import bin_folders

LIBRARY = "tasuki_xmp"
HEADER = "translated.h"


def _header_folders() -> Iterator[Path]:
    forced = os.environ.get("TASUKI_LANG")
    if forced:
        yield Path(forced)
    package = Path(__file__).resolve().parents[1]
    yield package / "include" / "tasuki" / "lang"
    yield package / "include"
    yield package.parent.parent / "lang" / "runtime"
    yield package.parent.parent / "lang" / "sms"


def headers(header: str = HEADER) -> Path:
    """The folder of translated.h, xmp.h and openacc.h, or that of another header."""
    for folder in _header_folders():
        if (folder / header).is_file():
            return folder
    raise TasukiError(
        "the headers of directives are not there", "install tasuki whole, or run it from a clone", 1
    )


def library(name: str = LIBRARY) -> Path:
    """The run time, a shared or static library."""
    for folder in bin_folders():
        for where in (folder.parent / "lib", folder.parent / "lib64", folder):
            for file in (f"lib{name}.so", f"lib{name}.a"):
                if (where / file).is_file():
                    return (where / file).absolute()  # programs look for it from anywhere
    raise TasukiError(
        f"the run time lib{name} is not there",
        f"build it with `cmake --build build/host --target {name}`",
        1,
    )


def has_library(name: str) -> bool:
    """Whether a run time was built."""
    try:
        library(name)
    except TasukiError:
        return False
    return True


@functools.cache
def _mpi(open_mpi: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """What mpicc would add; nothing where there is none."""
    mpicc = shutil.which("mpicc")
    if mpicc is None:
        return ()
    for option in (open_mpi, "-show"):
        done = subprocess.run([mpicc, option], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return tuple(word for word in shlex.split(done.stdout) if word.startswith(words))
    return ()


def mpi_includes() -> list[str]:
    """-I of MPI's headers, which xmp.h includes."""
    return list(_mpi("--showme:compile", ("-I",)))


def mpi_libraries() -> list[str]:
    """-L and -l of MPI, for programs that call it themselves."""
    return list(_mpi("--showme:link", ("-L", "-l", "-Wl,")))
