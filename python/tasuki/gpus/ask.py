"""What gates answer, by way of ``tasuki-gpus-ask``, which has the rules of the programs' library."""

from __future__ import annotations

import itertools
import json
import subprocess
from typing import Any

from tasuki.errors import TasukiError
from tasuki.gpus.parts import native


def ask(what: str, hosts: str, key: str | None) -> list[dict[str, Any]]:
    """An answer a host, in the order of `hosts`: see ``tasuki-gpus-ask``. Raises what a gate refuses."""
    words = [str(native("ask")), what, "--hosts", hosts, *(["--key", key] if key else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        line = done.stderr.strip().splitlines()[-1:] or [
            "tasuki-gpus-ask has ended; look at the system's log"
        ]
        text, _, mend = line[0].removeprefix("tasuki: ").partition("; ")
        raise TasukiError(text, mend)
    return json.loads(done.stdout)["hosts"]


def listed(answers: list[dict[str, Any]], per_gpu: int) -> list[tuple[str, int]]:
    """Host and number of each device, `per_gpu` times."""
    return [
        (answer["host"], device) for answer in answers for device in answer["chosen"] for _ in range(per_gpu)
    ]


def named(devices: list[tuple[str, int]]) -> str:
    """The hosts with each device by number: ``a[0,0,1,1],b[3,3]``."""
    words = [
        f"{host}[{','.join(str(device) for _, device in own)}]"
        for host, own in itertools.groupby(devices, key=lambda device: device[0])
    ]
    return ",".join(words)
