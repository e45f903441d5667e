"""How long a program waits for a spare: from when its worker is killed, or stopped, until the spare is in."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from tasuki.errors import TasukiError
from tasuki_bench.remote_served import SECONDS, Served

ON = ("--hosts", "{here}[0]", "--spare", "{here}[1]", "--image", "2s")
CAME = "comes in for"
HITS = {"killed": signal.SIGKILL, "silent": signal.SIGSTOP}


def replaced(served: Served, program: str, mib: int, how: str) -> float:
    """Seconds, on a device with an image of so much memory. `program` is `rounds`, compiled."""
    enough = served.folder / f"enough-{how}"
    command = served.run(ON, [program, str(mib), "until", str(enough)])
    with subprocess.Popen(
        command, env=served.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            began = time.monotonic()
            while not (clients := [one for one in served.clients(0) if (one["told"] or {}).get("image")]):
                if running.poll() is not None or time.monotonic() > began + SECONDS:
                    raise TasukiError("no image of the device was taken", "run it by hand")
                time.sleep(0.1)
            began = time.monotonic()
            os.kill(clients[0]["process"], HITS[how])
            assert running.stderr
            said = next((line for line in running.stderr if CAME in line), "")
            took = time.monotonic() - began
            enough.touch()
            if running.wait(SECONDS) or not said:
                raise TasukiError(f"no spare came in for the one that was {how}", "run it by hand")
        finally:
            running.kill()
    return took
