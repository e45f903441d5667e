"""Programs of several sources, by make and CMake with CC="tasuki cc", print what plain cc's make prints.

test_several.py FOLDER_OF_LIBTASUKI_XMP

field.c has a distributed array, main.c declares it `extern`: two objects, and a library with its user.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def done(*words: object, **more: object) -> str:
    """What a command prints; its failure ends the test with all that it said."""
    made = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, timeout=200, **more
    )
    if made.returncode:
        raise SystemExit(f"{words} ended with {made.returncode}: {made.stdout}{made.stderr}")
    return made.stdout


def wrong_of_sent(launch: list[str], program: Path, settings: dict[str, str]) -> int:
    """Two inner edges of three nodes are 16 bytes, by the channel that the log names."""
    wrong = 0
    for channel in ("peer", "mpi"):
        environment = {**settings, "TASUKI_LOG": "info", "TASUKI_CHANNEL": channel}
        said = subprocess.run(
            [*launch, "3", program], env=environment, capture_output=True, text=True, timeout=100, check=True
        ).stderr
        sent = {each: 16 if each == channel else 0 for each in ("self", "peer", "mpi")}
        bytes_ = ", ".join(f"{count} bytes by {each}" for each, count in sent.items())
        line = f"main.c:7:9: reflect (u): 1 times, all ranks each time {bytes_}\n"
        if line not in said:
            print(f"{line!r} is not in {said!r}")
            wrong += 1
    return wrong


def main() -> int:
    """Prints what differs; ends with 0 where nothing does."""
    launch = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
    with tempfile.TemporaryDirectory(prefix="tasuki several ") as scratch:
        folder = Path(scratch)
        command = folder / "bin/tasuki"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tasuki "$@"\n')
        command.chmod(0o755)
        ours = {
            **os.environ,
            "PATH": f"{command.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "python"),
            "TASUKI_BIN": str(Path(sys.argv[1]).absolute().parent / "bin"),
            "OMP_NUM_THREADS": "1",
        }
        for name in ("plain", "make", "cmake"):
            shutil.copytree(HERE / "several", folder / name)
        done("make", "-C", folder / "plain", "CC=cc", "CFLAGS=-w", "program")
        wanted = done(folder / "plain/program")
        done("make", "-C", folder / "make", "CC=tasuki cc", "CFLAGS=-O1 -g", env=ours)
        cmake = folder / "cmake"
        done("cmake", "-S", cmake, "-B", cmake / "build", env={**ours, "CC": "tasuki cc"})
        done("cmake", "--build", cmake / "build", env=ours)
        wrong = 0
        for made in ("make/program", "make/with_library", "cmake/build/program"):
            program = folder / made
            for ranks in ("1", "3"):
                said = done(*launch, ranks, program, env=ours, cwd=program.parent)
                if said != wanted:
                    print(f"{made} on {ranks} ranks: {said!r} instead of {wanted!r}")
                    wrong += 1
        wrong += wrong_of_sent(launch, folder / "make/program", ours)
        print(f"3 programs of two sources print {wanted.strip()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
