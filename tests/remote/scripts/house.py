"""A server of the host's cores in a folder of its own, and programs that are started with it."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 20  # in which whatever is waited for has come; a hang ends the test
SKIPPED = 77  # of ctest
SERVES = os.environ.get("TASUKI_TEST_SERVES", "host")  # cuda: `scripts/check-gpus`, on a machine with a GPU


def asked(about: str, rounds: int) -> tuple[argparse.Namespace, random.Random]:
    """What a script is asked for: the folder of programs and the rounds; and dice, whose seed it prints."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    seed = int(os.environ.get("TASUKI_TEST_SEED", given.seed))
    print(f"seed {seed}", flush=True)
    return given, random.Random(seed)


def comes_true(what: Callable[[], bool]) -> bool:
    """Whether it does in time."""
    end = time.monotonic() + SECONDS
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def children_of(process: int) -> list[int]:
    """The processes that a process has started, and whose end it has not yet seen."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if int((folder / "stat").read_text().rsplit(") ", 1)[1].split()[1]) == process:
                found.append(int(folder.name))
    return found


def hit(process: int, how: signal.Signals) -> bool:
    """Whether it was still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, how)
        return True
    return False


def shared_segments() -> set[str]:
    """What has a name in shared memory."""
    folder = Path("/dev/shm")
    return {path.name for path in folder.iterdir() if "tasuki" in path.name} if folder.is_dir() else set()


class House:
    """A folder with a server's socket, a key, and programs compiled by nvcc."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries, self.folder = binaries, folder
        self.server: subprocess.Popen[str] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TASUKI_")}
        self.environment = {
            **kept,
            "PYTHONPATH": f"{ROOT / 'python'}:{kept.get('PYTHONPATH', '')}",
            "TASUKI_BIN": str(binaries),
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "COLUMNS": "200",
        }

    def tasuki(self, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        """Runs `tasuki gpus`; what takes longer than it may ends the test."""
        return subprocess.run(
            [sys.executable, "-m", "tasuki", "gpus", *words],
            cwd=self.folder,
            env={**self.environment, **changes},
            capture_output=True,
            text=True,
            check=False,
            timeout=3 * SECONDS,
            stdin=subprocess.DEVNULL,
        )

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """The same, which goes on meanwhile."""
        return subprocess.Popen(
            [sys.executable, "-m", "tasuki", "gpus", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def compile(self, source: Path, name: str, *flags: str) -> None:
        """A program of the tests, with PTX beside its machine code unless the flags say otherwise."""
        words = [*self.ccache(), "nvcc", *(flags or ("-cudart", "shared", "-arch=sm_90"))]
        subprocess.run([*words, "-o", name, str(source)], cwd=self.folder, check=True, capture_output=True)

    @staticmethod
    def ccache() -> list[str]:
        """Nvcc takes seconds."""
        return ["ccache"] if shutil.which("ccache") else []

    def serve(self, *options: str) -> None:
        """Starts the server and waits until it listens."""
        root = ["--allow-root"] if os.geteuid() == 0 else []
        words = [
            self.binaries / "tasuki-gpus-serve",
            "--device",
            SERVES,
            "--port",
            str(self.port),
            *root,
            *options,
        ]
        self.server = subprocess.Popen(
            words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        assert self.server.stdout
        line = self.server.stdout.readline()
        assert line.startswith("serving "), line

    def end(self, how: int = signal.SIGTERM) -> int:
        """Ends the server; its status."""
        assert self.server
        self.server.send_signal(signal.SIGCONT)
        self.server.send_signal(how)
        status = self.server.wait(SECONDS)
        self.server = None
        return status

    def settings(self, hosts: str) -> dict[str, str]:
        """What `tasuki gpus run` puts into the environment: to start a program many times without Python."""
        library = self.binaries.parent / "lib" / "libtasuki-cudart.so"
        return {**self.environment, "LD_PRELOAD": str(library), "TASUKI_GPUS": hosts}


@contextlib.contextmanager
def house(binaries: Path) -> Iterator[House]:
    """A house that leaves nothing behind."""
    if not shutil.which("nvcc"):
        print("nvcc is not there, which compiles the programs of this test")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="tasuki-gpus-") as folder:
        made = House(binaries, Path(folder))
        try:
            yield made
        finally:
            if made.server:
                made.end(signal.SIGKILL)


def expect(done: subprocess.CompletedProcess[str], status: int, pattern: str) -> None:
    """Its status, and a line on standard error that fits; where the status is 0, its standard output."""
    text = done.stdout if status == 0 else done.stderr
    fits = re.search(pattern, text, re.MULTILINE)
    if done.returncode != status or not fits:
        said = f"{done.args}: status {done.returncode}, not {status}, or not {pattern}"
        sys.exit(f"{said}\n{done.stdout}{done.stderr}")
    if status and done.stderr.count("\n") != 1:
        sys.exit(f"{done.args}: more than one line\n{done.stderr}")


def many(devices: int, steps: int) -> str:
    """What programs/many.cu prints: each element is halved and has 1 added, exactly, in every step."""
    value = 0.0
    for _ in range(steps):
        value = 0.5 * value + 1.0  # a sum of powers of two: no more digits than a float has, for 20 steps
    assert steps <= 20
    return "".join(f"{device} {value:.7f}\n" for device in range(devices))
