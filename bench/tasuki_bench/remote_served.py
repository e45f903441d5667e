"""A server of this machine's devices, and programs that are started on them, for the table of remote GPUs."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.programs import find_program

SERVER = "gpus-serve"
SECONDS = 300  # for a program: many times what it takes


@dataclass(frozen=True)
class Served:
    """A server: its port, and the environment in which its programs are started."""

    port: int
    folder: Path  # of whatever is left behind
    environment: Mapping[str, str]

    def hosts(self, option: str) -> str:
        """{here}: by shared memory; {tcp}: by TCP."""
        return option.format(here=f"localhost@{self.port}", tcp=f"127.0.0.1@{self.port}")

    def run(self, options: Sequence[str], program: Sequence[str]) -> list[str]:
        """The command that starts a program on its devices."""
        given = [self.hosts(option) for option in options]
        return [sys.executable, "-m", "tasuki", "gpus", "run", "--quiet", *given, "--", *program]

    def clients(self, device: int) -> list[dict[str, Any]]:
        """Of a device, as the server says."""
        words = [str(find_program("gpus-ask")), "status", "--hosts", f"localhost@{self.port}"]
        said = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True)
        clients: list[dict[str, Any]] = json.loads(said.stdout)["hosts"][0]["devices"][device]["clients"]
        return clients


def output(way: str, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What a program prints that ends well."""
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    if done.returncode:
        raise TasukiError(f"{way}: status {done.returncode}: {done.stderr.strip()}", "run it by hand")
    return done.stdout


def has_ucx() -> bool:
    """Whether the server was built with it: else the rows of UCX say why they are not there."""
    words = [str(find_program(SERVER)), "--ucx", "--user", "nobody-of-this-name"]  # it does not start
    said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=SECONDS).stderr
    return "without UCX" not in said


@contextlib.contextmanager
def served(device: str, per_gpu: int) -> Iterator[Served]:
    """A server of all devices of a kind, each of them so many times."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder}
        key = [sys.executable, "-m", "tasuki", "gpus", "key"]
        subprocess.run(key, env=environment, check=True, stdout=subprocess.DEVNULL)
        words = [str(find_program(SERVER)), "--device", device, "--port", str(port)]
        words += ["--per-gpu", str(per_gpu)]
        words += ["--allow-root"] if os.geteuid() == 0 else []
        words += ["--ucx"] if has_ucx() else []
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as server:
            try:
                line = server.stdout.readline() if server.stdout else ""
                if not line.startswith("serving "):
                    raise TasukiError(
                        f"the server says {line.strip()!r}", "start `tasuki gpus serve` by hand"
                    )
                yield Served(port, Path(folder), environment)
            finally:
                server.terminate()
