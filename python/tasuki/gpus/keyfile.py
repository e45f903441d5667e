"""The key of remote GPUs: 32 random bytes as hexadecimal digits, in a file that its owner alone can read."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from tasuki.errors import TasukiError


def default_path() -> Path:
    """Where programs and gates look: ``$XDG_CONFIG_HOME/tasuki/gpus.key``, else in ``~/.config``."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "tasuki" / "gpus.key"


def new_key() -> str:
    """A line for a key file."""
    return secrets.token_hex(32) + "\n"


def save(path: Path) -> None:
    """A new key in a new file of mode 0600."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise TasukiError(f"there is a key already: {path}", "use it, or remove it first") from None
    with os.fdopen(descriptor, "w") as file:
        file.write(new_key())


def write_to_output(descriptor: int) -> bool:
    """A new key into the empty file that an output goes to, now its owner's alone; False where it is none."""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode) or about.st_size:  # a log of other things is no place for a key
        return False
    os.fchmod(descriptor, 0o600)  # before there is something to read
    os.write(descriptor, new_key().encode())
    return True
