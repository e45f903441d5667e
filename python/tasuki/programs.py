"""Where the native programs are: TASUKI_BIN, the package's own bin folder, the build folders, PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tasuki.errors import TasukiError

PROGRAMS: dict[str, str] = {
    "himeno": "the RIKEN Himeno benchmark (pressure Poisson, 19 points)",
    "laplace": "2-D Laplace equation, five-point Jacobi",
    "diffusion": "3-D diffusion, 7 or 27 points",
    "argon": "replica exchange of Lennard-Jones systems",
    "wilson": "lattice QCD: Wilson fermions on gauge fields, propagators, hadron correlators",
}

HAVE_FOLDERS = ("argon", "wilson")  # they leave more than a record, and go on from it: --folder, --resume

_TOOLS = (
    "info",
    "bench",
    "model",
    "tune",
    "gpus",
)  # native programs with commands of their own: nothing to run


def bin_folders() -> Iterator[Path]:
    """The folders that may hold native programs, the one to prefer first."""
    forced = os.environ.get("TASUKI_BIN")
    if forced:
        yield Path(forced)
        return
    package = Path(__file__).resolve().parent
    yield package / "bin"
    source = package.parent.parent  # the repository, where the package runs from a clone
    if (source / "CMakeLists.txt").is_file():
        for preset in ("cuda", "host"):  # the cuda build holds both devices
            yield source / "build" / preset / "bin"
    yield from (Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)


def known_programs() -> list[str]:
    """The short names of all programs that can be run here, those that come with Tasuki first."""
    found = dict.fromkeys(name for name in PROGRAMS if locate(name))
    for folder in bin_folders():
        for path in sorted(folder.glob("tasuki-*")) if folder.is_dir() else []:
            name = path.name.removeprefix("tasuki-")
            if os.access(path, os.X_OK) and path.is_file() and not name.startswith(_TOOLS):
                found.setdefault(name)
    return list(found)


def locate(name: str) -> Path | None:
    """The native program `name` (``himeno`` for ``tasuki-himeno``), or None."""
    for folder in bin_folders():
        path = folder / f"tasuki-{name}"
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def is_ours(program: Path) -> bool:
    """Whether a program is one of Tasuki's, which all take the same options, rather than a user's own."""
    return program.name.startswith("tasuki-")


def find_program(name: str) -> Path:
    """The program `name`: a short name of Tasuki's own, a path, or a name in PATH."""
    if os.sep in name:
        own = shutil.which(name)
        if own:
            return Path(own).resolve()
        what = (
            "is a folder"
            if Path(name).is_dir()
            else "cannot be run"
            if Path(name).exists()
            else "is not there"
        )
        raise TasukiError(f"the program {name} {what}", "build it, or check its path")
    found = locate(name.removeprefix("tasuki-"))
    if found:
        return found
    elsewhere = shutil.which(name) if name else None
    if elsewhere:
        return Path(elsewhere)
    if name and Path(name).is_file():
        raise TasukiError(
            f"there is no program '{name}' in PATH", f"write ./{name} to run the one in this folder"
        )
    known = known_programs()
    if known:
        mend = f"choose one of {', '.join(known)}, or give the path of your own program"
        raise TasukiError(f"there is no program '{name}'", mend)
    where = os.environ.get("TASUKI_BIN")
    mend = "set TASUKI_BIN to their folder" if where else "build them with `make host`, or set TASUKI_BIN"
    raise TasukiError(f"no native programs were found{f' in {where}' if where else ''}", mend)
