"""How ranks are started: mpirun of Open MPI, mpiexec of MPICH, or srun inside a SLURM allocation."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasuki.errors import TasukiError
from tasuki.words import option_value


@dataclass(frozen=True)
class Launcher:
    """A way to start ranks: `kind` is ``openmpi``, ``mpich``, ``srun`` or ``mpi`` (an unknown one)."""

    kind: str
    path: str
    version: str


@functools.cache
def _identify(path: str) -> Launcher:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
        text = done.stdout + done.stderr
    except (OSError, subprocess.TimeoutExpired):
        text = ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else "unknown version"
    if "Open MPI" in text or "OpenRTE" in text or "PRRTE" in text or "prte" in text.lower():
        return Launcher("openmpi", path, first)
    if "HYDRA" in text.upper():
        for line in lines:
            if line.lower().startswith("version"):
                return Launcher("mpich", path, "HYDRA " + line.split(":", 1)[-1].strip())
        return Launcher("mpich", path, first)
    return Launcher("srun" if os.path.basename(path) == "srun" else "mpi", path, first)  # noqa: PTH119


def find_launcher(environment: Mapping[str, str] | None = None) -> Launcher | None:
    """The launcher of this machine, or None. TASUKI_LAUNCHER names one by its path."""
    env = os.environ if environment is None else environment
    forced = env.get("TASUKI_LAUNCHER")
    if forced:
        path = shutil.which(forced)
        if not path:
            raise TasukiError(f"TASUKI_LAUNCHER={forced} cannot be run", "name an mpirun, mpiexec or srun")
        return _identify(path)
    if "SLURM_JOB_ID" in env:
        srun = shutil.which("srun")
        if srun:
            return _identify(srun)
    for name in ("mpirun", "mpiexec"):
        path = shutil.which(name)
        if path:
            return _identify(path)
    return None


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_ranks(text: str | None, environment: Mapping[str, str] | None = None) -> int:
    """The number of ranks that `text` asks for; SLURM's own, or 1, where it asks for none."""
    env = os.environ if environment is None else environment
    if text is None:
        slurm = env.get("SLURM_NTASKS", "")
        return int(slurm) if slurm.isdigit() and int(slurm) > 0 else 1
    try:
        count = int(text)
    except ValueError:
        raise TasukiError(f"-n {text} is no whole number", "give the number of ranks, 1 or more") from None
    if count < 1:
        raise TasukiError(f"-n {text} asks for no ranks", "give the number of ranks, 1 or more")
    return count


def ranks_for(text: str | None, arguments: Sequence[str]) -> int:
    """The number of ranks: -n, or the product of a process grid that the program is given."""
    grid = option_value(arguments, "--ranks") or os.environ.get("TASUKI_RANKS")
    if text is None and grid:
        factors = grid.lower().split("x")
        if all(factor.isdigit() and int(factor) > 0 for factor in factors):
            product = 1
            for factor in factors:
                product *= int(factor)
            return product
    return parse_ranks(text)


def launch_command(
    program: Sequence[str], ranks: int, mpi_args: str = "", environment: Mapping[str, str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment that start `ranks` ranks of `program`."""
    env = dict(os.environ if environment is None else environment)
    launcher = find_launcher(env)
    extra = shlex.split(mpi_args)
    if launcher is None:
        if ranks == 1 and not extra:
            return list(program), env  # MPI starts a single rank without a launcher
        raise TasukiError(
            f"cannot start {ranks} ranks without mpirun or srun", "install Open MPI or MPICH, or use -n 1"
        )
    if launcher.kind == "openmpi":
        options = ["-n", str(ranks), "--bind-to", "none"]
        names_hosts = any(word.lstrip("-") in ("host", "H", "hostfile", "machinefile") for word in extra)
        if ranks > cores() and not names_hosts:
            options.append("--oversubscribe")
        if os.geteuid() == 0:  # a container's only user; Open MPI wants to hear that this is meant
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    else:
        options = ["-n", str(ranks)]
    return [launcher.path, *options, *extra, *program], env
