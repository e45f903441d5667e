"""Where a file may be written: one rule for all that write files, as tasuki/file/output.hpp is the programs'.

Only regular files are replaced, whole or not at all; devices, pipes, sockets and folders are refused.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasuki.errors import TasukiError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def make_folder(folder: Path, option: str) -> Path:
    """Makes the folder where it is not there, and says which option to change where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TasukiError(
            f"cannot make the folder {folder}: {error.strerror}", f"choose another {option}"
        ) from None
    return folder


def make_parent(path: Path, option: str) -> None:
    """Makes the folder of the file `path`."""
    make_folder(path.parent, option)


def _cannot(path: Path, why: str, option: str) -> TasukiError:
    return TasukiError(f"cannot write {path}: {why}", f"choose another {option}")


def refuse_output(path: Path, option: str) -> None:
    """Raises TasukiError where no file can be written under `path`; writes nothing. `option` is what the
    user changes. For the start of a command: what it does may take long."""
    try:
        mode = path.stat().st_mode if os.path.lexists(path) else None
        home = path.parent.stat()
        if not stat.S_ISDIR(home.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "its folder is no folder")
        longest = os.pathconf(path.parent, "PC_NAME_MAX")
    except OSError as error:
        why = "it is a symbolic link that leads nowhere" if _place(path) != path else error.strerror
        raise _cannot(path, why or str(error), option) from None
    if len(os.fsencode(_part(path).name)) > longest:
        raise _cannot(path, "its name is too long", option)
    if mode is not None and not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no file")
        raise TasukiError(f"{option} {path} is {kind}", f"choose another {option}")
    if not os.access(_place(path).parent, os.W_OK | os.X_OK) or (
        mode is not None and not os.access(path, os.W_OK)
    ):
        raise _cannot(path, "it may not be written by this user", option)


def refuse_outputs(folder: Path, patterns: str, option: str) -> None:
    """As refuse_output(), of what is in `folder` by a name that is going to be written: "a.png b*.png"."""
    for pattern in patterns.split():
        for path in sorted(folder.glob(pattern)):
            refuse_output(path, option)


def _place(path: Path) -> Path:
    """The file that is replaced: where `path` is a link, what the link leads to."""
    return path.resolve() if os.path.islink(path) else path  # noqa: PTH114 -- a name that is too long is no link


def _part(path: Path) -> Path:
    """What is written before it takes the place of `path`: of the same ending, which says what is written."""
    place = _place(path)
    return place.with_name(f".{place.stem}.part{place.suffix}")


@contextmanager
def written(path: Path, option: str = "--out") -> Iterator[Path]:
    """A name beside `path` to write to; it takes the place of `path` at the end, and is
    taken away where anything failed. A TasukiError says what cannot be written, and why."""
    refuse_output(path, option)
    part = _part(path)
    try:
        part.unlink(missing_ok=True)  # of a command that was killed, or what somebody put there
        yield part
        part.replace(_place(path))
    except OSError as error:
        raise _cannot(path, error.strerror or str(error), option) from None
    finally:
        try:
            part.unlink(missing_ok=True)
        except OSError:
            pass  # what is wrong with it was said


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Puts a file that holds `text` in the place of `path`."""
    with written(path, option) as part:
        part.write_text(text, encoding="utf-8")
