"""A native program whose standard output is closed, full, or a pipe that nobody reads.

standard_output.py PRINTS PROGRAM: PRINTS is tests/base/prints.cpp, PROGRAM any that has --help. What they
print is lost, so a line says so and the status is not 0; what they write into files is whole.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LOST = "tasuki: cannot write to standard output: "


def run(words: list[str], output: str, keep: tuple[int, ...] = ()) -> tuple[int, str, str]:
    """Status, stdout and stderr of a program with `output` behind it, as a shell has it."""
    done = subprocess.run(
        ["bash", "-c", f'"$@" {output}', "bash", *words],
        capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, pass_fds=keep,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def check(what: str, holds: bool, seen: object) -> None:
    """Ends with 1 where something does not hold."""
    if not holds:
        sys.exit(f"{what}: {seen}")


def lost(what: str, words: list[str], output: str, file: Path | None) -> None:
    """What is printed is lost and said to be, the file is whole."""
    status, _, said = run(words, output)
    lines = [line for line in said.splitlines() if line]
    check(what, status == 1 and len(lines) == 1 and lines[0].startswith(LOST), (status, said))
    if file:
        check(f"{what}: the file", file.read_text() == "kept\n", file.read_text())
        file.unlink()


def main() -> None:
    """All cases; each command of its own."""
    prints, program = sys.argv[1:]
    launch = shlex.split(os.environ["TASUKI_MPIEXEC"])
    version = subprocess.run([launch[0], "--version"], capture_output=True, text=True, check=False).stdout
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        alone = [prints, str(file)]
        status, out, said = run(alone, "")
        check("shown", (status, out, said) == (0, "shown\n", ""), (status, out, said))
        # All of the first three, so that the next file opened would be one of them.
        for output in (">&-", ">&- <&-"):
            lost(f"alone {output}", alone, output, file)
        if Path("/dev/full").exists():
            lost("alone, full", alone, ">/dev/full", file)
            lost("help, full", [program, "--help"], ">/dev/full", None)
        lost("help, closed", [program, "--help"], ">&-", None)
        if "Open MPI" in version or "OpenRTE" in version:
            lost("under mpirun", [*launch, "2", *alone], ">&-", file)
        reader, writer = os.pipe()
        os.close(reader)
        status, _, said = run(alone, f">&{writer}", (writer,))
        os.close(writer)
        check("a pipe that nobody reads", (status, said) == (141, ""), (status, said))


if __name__ == "__main__":
    main()
