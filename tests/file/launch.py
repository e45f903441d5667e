"""Starts a program under mpirun as the tests here need it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMP_NUM_THREADS": "1",
}

# How ranks are started, up to their number; the build says it.
LAUNCHER = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun -n"))


def start(command: Sequence[str], ranks: int) -> subprocess.Popen[str]:
    """`command` on `ranks` ranks, its output in a pipe."""
    return subprocess.Popen(
        [*LAUNCHER, str(ranks), *command],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
