"""What a program's kernels need, by way of ``tasuki-gpus-look``, which reads PTX as servers do."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from tasuki.programs import locate


@dataclass(frozen=True)
class Kernels:
    """Of one fat binary. `lacks`: why a server without a GPU cannot run them; "": it can."""

    malloc: bool  # a kernel allocates memory
    lacks: str


def look(section: bytes) -> list[Kernels]:
    """Those of a section ``.nv_fatbin``; none where the native programs are not built: nothing runs then."""
    program = locate("gpus-look")
    if program is None:
        return []
    done = subprocess.run([str(program)], input=section, capture_output=True, check=False)
    if done.returncode:
        return []
    return [Kernels(one["malloc"], one["lacks"]) for one in json.loads(done.stdout)["binaries"]]
