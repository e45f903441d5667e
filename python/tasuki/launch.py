"""How ranks are started: mpirun of Open MPI, mpiexec of MPICH, or srun inside a SLURM allocation."""

from __future__ import annotations

import functools
import os
import re
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


_MOST_RANKS = 2**31 - 1  # MPI numbers them by an int
_MOST_A_CORE = 256  # on one host: each is a process, and more of them take the host down with them
# Set where mpirun is told of its hosts by what it runs under, or once for all.
_ALLOCATIONS = ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "OMPI_MCA_orte_default_hostfile")
_SETTINGS = ("TASUKI_", "OMP_")
_OURS = ("TASUKI_BIN", "TASUKI_LAUNCHER")  # of this command alone
_HOSTS = ("host", "H", "hostfile", "machinefile", "hosts", "f")


def checked_ranks(count: int, text: str) -> int:
    """`count`, where so many ranks can be; `text` is what asked for it."""
    if count < 1:
        raise TasukiError(f"{text} is less than one rank", "give the number of ranks, 1 or more")
    if count > _MOST_RANKS:
        raise TasukiError(f"{text} asks for more ranks than MPI can number", f"give at most {_MOST_RANKS}")
    return count


def parse_ranks(text: str | None, environment: Mapping[str, str] | None = None) -> int:
    """The number of ranks that `text` asks for; SLURM's own, or 1, where it asks for none."""
    env = os.environ if environment is None else environment
    if text is None:
        slurm = env.get("SLURM_NTASKS", "")
        return int(slurm) if slurm.isdecimal() and int(slurm) > 0 else 1
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise TasukiError(f"-n {text} is not a whole number", "give the number of ranks, 1 or more")
    return checked_ranks(int(text) if len(text) < 1000 else _MOST_RANKS + 1, f"-n {text}")


def ranks_for(text: str | None, arguments: Sequence[str]) -> int:
    """The number of ranks: -n, or the product of a process grid that the program is given."""
    grid = option_value(arguments, "--ranks") or os.environ.get("TASUKI_RANKS")
    if text is None and grid:
        factors = grid.lower().split("x")
        if all(re.fullmatch("[0-9]{1,999}", factor) and int(factor) > 0 for factor in factors):
            product = 1
            for factor in factors:
                product *= int(factor)
            return checked_ranks(product, f"--ranks {grid}")
    return parse_ranks(text)


def _extra_words(mpi_args: str) -> list[str]:
    try:
        return shlex.split(mpi_args)
    except ValueError as error:
        raise TasukiError(f"--mpi-args {mpi_args} cannot be read ({error})", "close its quotes") from None


def _on_this_host(extra: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether all ranks are started here, rather than on hosts that somebody names."""
    named = any(word.lstrip("-").split("=")[0] in _HOSTS for word in extra if word.startswith("-"))
    return not named and not any(environment.get(name) for name in _ALLOCATIONS)


def crowding(ranks: int, mpi_args: str = "", environment: Mapping[str, str] | None = None) -> str | None:
    """A line for ranks that have to take turns on the cores of this host; None where there are enough."""
    env = os.environ if environment is None else environment
    if ranks <= cores() or not _on_this_host(_extra_words(mpi_args), env):
        return None
    return f"{ranks} ranks share {cores()} core{'s' if cores() > 1 else ''}"


def launch_command(
    program: Sequence[str], ranks: int, mpi_args: str = "", environment: Mapping[str, str] | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment that start `ranks` ranks of `program`."""
    env = dict(os.environ if environment is None else environment)
    launcher = find_launcher(env)
    extra = _extra_words(mpi_args)
    here = _on_this_host(extra, env)
    most = cores() * _MOST_A_CORE
    if here and ranks > most:
        raise TasukiError(
            f"-n {ranks} on a host of {cores()} cores", f"give at most {most}, or name hosts in --mpi-args"
        )
    if launcher is None:
        if ranks == 1 and not extra:
            return list(program), env  # MPI starts a single rank without a launcher
        raise TasukiError(
            f"cannot start {ranks} ranks without mpirun or srun", "install Open MPI or MPICH, or use -n 1"
        )
    if launcher.kind == "openmpi":
        options = ["-n", str(ranks), "--bind-to", "none"]
        if here and ranks > cores():
            options.append("--oversubscribe")
        if not here:  # other hosts do not see this environment, and ranks have to agree on their settings
            settings = sorted(name for name in env if name.startswith(_SETTINGS) and name not in _OURS)
            options += [word for name in settings for word in ("-x", name)]
        if os.geteuid() == 0:  # a container's only user; Open MPI wants to hear that this is meant
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            env.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    else:
        options = ["-n", str(ranks)]
    return [launcher.path, *options, *extra, *program], env
