"""What reads a client's bytes opens no path and starts no program, whatever a client may send: there is no
such call in these rooms. Prints each that there is. And the page of security lists the calls of the system
that the filter of a worker refuses.

opens.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("wire", "fatbin", "ptx", "device", "server")
NOT_OF_CLIENTS = {"programs"}  # the command's words, and the key
CALL = re.compile(
    r"\b(f?open(at|64)?|creat|[io]?fstream|unlink|rename|system|popen|exec[vlpe]+|posix_spawnp?|dlopen|fork)"
    r"\b *[({]"
)
MAY = {
    "remote/device/driver_calls.cpp": "dlopen",  # libcuda.so.1, by this name
    "remote/server/gate/children.cpp": "fork",  # a client's process
    "remote/server/gate/probe.cpp": "fork",
    "remote/server/gate/gate.cpp": "unlink",  # its own socket
    "remote/ptx/block.cpp": "open",  # a barrier
}


def unlisted() -> list[str]:
    """Calls that the filter refuses and the page does not name, or the other way round."""
    filtered = (ROOT / "remote/server/gate/confine.cpp").read_text().split("refused[] = {")[1].split("}")[0]
    page = (ROOT / "docs/remote/security.md").read_text().split("a filter (seccomp) refuses it")[1]
    refused, listed = re.findall(r"SYS_(\w+)", filtered), re.findall(r"`(\w+)`", page.split(". So it")[0])
    return [f"docs/remote/security.md and confine.cpp: {name}" for name in set(refused) ^ set(listed)]


def main() -> None:
    """Each source of these rooms."""
    files, found = 0, unlisted()
    for room in ROOMS:
        for path in sorted((ROOT / "remote" / room).rglob("*.[ch]pp")):
            name = str(path.relative_to(ROOT))
            if NOT_OF_CLIENTS & set(path.parts):
                continue
            files += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = line.split("//")[0]
                for call in CALL.finditer(code):
                    own = code[: call.start()].endswith((".", "::", "->", "void "))
                    if MAY.get(name) != call[1] and not own:
                        found.append(f"{name}:{number}: {line.strip()}")
    print("\n".join(found) or f"none in {files} sources")
    sys.exit(bool(found) or files < 50)


if __name__ == "__main__":
    main()
