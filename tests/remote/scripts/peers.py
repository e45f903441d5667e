"""Devices of one program: what one copies from and to another goes from worker to worker, whether one reaches
the other's memory or is of another server. Where there is no way between them, it goes through the client and
comes to the same. A worker that is lost or hangs keeps no stream of another's.

peers.py BIN
"""

from __future__ import annotations

import re
import signal
import subprocess

from house import ROOT, SECONDS, House, asked, children_of, comes_true, expect, hit, house

SENT = re.compile(r"^tasuki: \d+ calls of 2 devices in .*: (\S+) (k|M|G)?B out, ", re.MULTILINE)
POWERS = {None: 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
COPIED = 12 << 20  # bytes of each of the program's copies between devices
SILENCE = "1"


def sent(done: subprocess.CompletedProcess[str]) -> float:
    """Bytes from the client to the workers, as the last lines say."""
    found = SENT.search(done.stderr)
    assert found, done.stderr
    return float(found[1]) * POWERS[found[2]]


def workers(here: House) -> list[int]:
    """Of a server."""
    assert here.server
    return children_of(here.server.pid)


def run(here: House, hosts: str, *options: str, reaches: bool = False, past: bool = True) -> None:
    """Whether the devices reach each other's memory; and whether the bytes have gone past the client."""
    done = here.tasuki("run", "--hosts", hosts, *options, "--", "./peers", str(int(reaches)))
    expect(done, 0, "^peers: well$")
    bytes_out = sent(done)
    assert (bytes_out < COPIED) == past, f"{hosts} {options}: {bytes_out} bytes\n{done.stderr}"
    assert comes_true(lambda: not workers(here))


def loses(here: House, there: House, how: signal.Signals, **changes: str) -> None:
    """The worker of the second device ends, or stops, while streams of the first wait for it."""
    environment = {
        **here.settings(f"127.0.0.1@{here.port}[0],127.0.0.1@{there.port}[0]"),
        "TASUKI_GPUS_SILENCE": SILENCE,
        **changes,
    }
    words = ["./peers", "until"]
    with subprocess.Popen(
        words, cwd=here.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout
            assert program.stdout.readline() == "goes round\n"
            worker = workers(there)
            assert len(worker) == 1
            assert hit(worker[0], how)
            out, errors = program.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{how.name}: the program hangs") from None
        finally:
            program.kill()
    assert program.returncode == 0, errors
    assert out == "cudaErrorDevicesUnavailable\npeers: well\n", f"{out}\n{errors}"
    # By the client, or by the other device's worker, whichever finds it first.
    lost = ("tasuki: device 1 (", f"the connection to 127.0.0.1@{there.port} is gone")
    assert any(what in errors for what in lost), errors
    hit(worker[0], signal.SIGKILL)
    assert comes_true(lambda: not workers(here) and not workers(there))


def main() -> None:
    """By each way to a server, and with two servers."""
    given, _ = asked(__doc__, rounds=0)
    with house(given.binaries.resolve()) as here, house(given.binaries.resolve()) as there:
        here.compile(ROOT / "tests/remote/programs/peers.cu", "peers")
        assert here.tasuki("key").returncode == 0
        there.environment["XDG_CONFIG_HOME"] = here.environment["XDG_CONFIG_HOME"]
        here.serve("--per-gpu", "3")
        there.serve()
        by_memory, by_tcp = f"localhost@{here.port}", f"127.0.0.1@{here.port}"
        other = f"127.0.0.1@{there.port}"
        run(here, f"{by_memory}[0,1]", reaches=True)
        run(here, f"{by_memory}[0,1]", "--strict", reaches=True)
        run(here, f"{by_tcp}[0,1]")
        run(here, f"{by_memory}[0],{by_tcp}[1]")
        run(here, f"{by_tcp}[0],{other}[0]")
        run(here, f"{other}[0],{by_memory}[0]", "--strict")  # whose socket the other server does not find
        run(
            here, f"{by_memory}[0,1]", "--spare", f"{by_memory}[2]", past=False
        )  # a log has to hold the bytes
        loses(here, there, signal.SIGKILL)
        loses(here, there, signal.SIGSTOP)
        assert here.end() == 0
        assert there.end() == 0


if __name__ == "__main__":
    main()
