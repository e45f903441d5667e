"""Programs whose bytes go to servers by UCX come to the same, from worker to worker too; a worker that is
lost ends nothing else. Where the server does not allow it, one line says so; who asks for nothing has TLS.

ucx.py BIN
"""

from __future__ import annotations

import signal
import subprocess
import sys

from house import ROOT, SECONDS, SKIPPED, asked, expect, house

from peers import loses, run


def main() -> None:
    """Two servers that allow it, and one that does not."""
    given, _ = asked(__doc__, rounds=0)
    binaries = given.binaries.resolve()
    without = subprocess.run(
        [binaries / "tasuki-gpus-serve", "--ucx", "--device", "host", "--user", "nobody-of-this-name"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    if "without UCX" in without.stderr:
        print("this build has no UCX")
        sys.exit(SKIPPED)
    with house(binaries) as here, house(binaries) as there, house(binaries) as plain:
        here.compile(ROOT / "tests/remote/programs/peers.cu", "peers")
        here.compile(ROOT / "tests/remote/programs/pinned.cu", "pinned")
        here.compile(ROOT / "tests/remote/programs/latency.cu", "latency")
        assert here.tasuki("key").returncode == 0
        here.serve("--ucx", "--per-gpu", "2")
        for one, options in ((there, ("--ucx",)), (plain, ())):
            one.environment["XDG_CONFIG_HOME"] = here.environment["XDG_CONFIG_HOME"]
            one.serve(*options)
        hosts = [f"127.0.0.1@{one.port}[0]" for one in (here, there, plain)]
        expect(here.tasuki("run", "--hosts", hosts[0], "--ucx", "--", "./pinned"), 0, "^pinned: well$")
        run(here, ",".join(hosts[:2]), "--ucx")
        # From worker to worker, by threads that sleep for each other: one that is not woken sleeps on.
        words = ("run", "--hosts", ",".join(hosts[:2]), "--ucx", "--", "./latency", "pairs")
        expect(here.tasuki(*words), 0, "^D2D GB/s ")
        run(here, ",".join(hosts[1:]))
        refused = here.tasuki("run", "--hosts", hosts[2], "--ucx", "--quiet", "--", "./pinned")
        assert refused.returncode == 1, refused
        assert "its clients are encrypted; start it with --ucx" in refused.stderr, refused.stderr
        loses(here, there, signal.SIGKILL, TASUKI_GPUS_UCX="1")
        loses(here, there, signal.SIGSTOP, TASUKI_GPUS_UCX="1")
        for one in (here, there, plain):
            assert one.end() == 0


if __name__ == "__main__":
    main()
