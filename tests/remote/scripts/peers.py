"""Devices of one program that reach each other's memory: their workers on one host have it past the client.
Where they do not, what they copy goes through the client and comes to the same.

peers.py BIN
"""

from __future__ import annotations

import re
import subprocess

from house import ROOT, House, asked, comes_true, expect, house
from recover import workers

SENT = re.compile(r"^tasuki: \d+ calls of 2 devices in .*: (\S+) (k|M|G)?B out, ", re.MULTILINE)
POWERS = {None: 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
COPIED = 12 << 20  # bytes of each of the program's copies between devices


def sent(done: subprocess.CompletedProcess[str]) -> float:
    """Bytes from the client to the workers, as the last lines say."""
    found = SENT.search(done.stderr)
    assert found, done.stderr
    return float(found[1]) * POWERS[found[2]]


def run(here: House, hosts: str, reaches: bool, *options: str) -> None:
    """Whether the devices reach each other; and how the bytes have gone."""
    done = here.tasuki("run", "--hosts", hosts, *options, "--", "./peers", str(int(reaches)))
    expect(done, 0, "^peers: well$")
    bytes_out = sent(done)
    assert (bytes_out < COPIED) == reaches, f"{hosts} {options}: {bytes_out} bytes\n{done.stderr}"
    assert comes_true(lambda: not workers(here))


def main() -> None:
    """By each way to a server."""
    given, _ = asked(__doc__, rounds=0)
    with house(given.binaries.resolve()) as here:
        here.compile(ROOT / "tests/remote/programs/peers.cu", "peers")
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "3")
        by_memory, by_tcp = f"localhost@{here.port}", f"127.0.0.1@{here.port}"
        run(here, f"{by_memory}[0,1]", True)
        run(here, f"{by_memory}[0,1]", True, "--strict")
        run(here, f"{by_tcp}[0,1]", False)
        run(here, f"{by_memory}[0],{by_tcp}[1]", False)
        run(here, f"{by_memory}[0,1]", False, "--spare", f"{by_memory}[2]")  # a log has to hold the bytes
        assert here.end() == 0


if __name__ == "__main__":
    main()
