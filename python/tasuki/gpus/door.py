"""Programs that run with remote GPUs, and can be asked to move one."""

from __future__ import annotations

import os
import re
import socket
import stat
from pathlib import Path

from tasuki.errors import TasukiError


def folder() -> Path:
    """Where their sockets are: as the gate's, in a folder of this user alone."""
    named = os.environ.get("XDG_RUNTIME_DIR")
    if named:
        return Path(named)
    path = Path(f"/tmp/tasuki-gpus-{os.geteuid()}")
    path.mkdir(mode=0o700, exist_ok=True)
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise TasukiError(f"{path} is no folder of yours alone", "remove it, or set XDG_RUNTIME_DIR")
    return path


def running() -> dict[int, Path]:
    """By process."""
    found = {}
    for path in folder().glob("tasuki-gpus-run-*.sock"):
        process = int(re.sub(r"\D", "", path.name))
        if Path(f"/proc/{process}").exists():
            found[process] = path
        else:
            path.unlink(missing_ok=True)  # it was killed
    return found


def request(path: Path, words: str) -> None:
    """Asks, and waits until it is done. Raises what went wrong."""
    with socket.socket(socket.AF_UNIX) as door:
        try:
            door.connect(str(path))
            door.sendall(f"{words}\n".encode())
            answer = door.makefile().readline().strip()
        except OSError as error:
            raise TasukiError(
                f"{path} does not answer ({error.strerror})", "look whether the program runs"
            ) from None
    if answer != "ok":
        text, _, mend = answer.removeprefix("error ").partition("; ")
        raise TasukiError(text or "the program has ended meanwhile", mend or "look at what it said")
