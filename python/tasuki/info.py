"""What is there and what is not: the native programs' view of the machine, and Python's."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tasuki import __version__
from tasuki.errors import TasukiError
from tasuki.failure import explain_failure
from tasuki.launch import cores, find_launcher, launch_command
from tasuki.programs import known_programs, locate
from tasuki.runner import ERROR, Outcome
from tasuki.units import bytes_text, seconds_text, shape_text


@dataclass(frozen=True)
class Part:
    """One part of the installation: there or not, and what it is or what its absence costs."""

    name: str
    there: bool
    detail: str


def python_parts() -> list[Part]:
    """What Python sees: itself, its packages, the launcher, the tools, the programs."""
    parts = [Part("tasuki", True, f"{__version__} on Python {platform.python_version()}")]
    for package in ("numpy", "h5py", "matplotlib", "rich", "typer"):
        try:
            parts.append(Part(package, True, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            parts.append(Part(package, False, "install it with pip"))
    for package in ("pymbar", "freud-analysis", "MDAnalysis"):
        try:
            parts.append(Part(package, True, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            parts.append(Part(package, False, "for `tasuki argon`: pip install 'tasuki[argon]'"))
    launcher = find_launcher()
    if launcher:
        parts.append(Part("launcher", True, f"{launcher.version} ({launcher.path})"))
    else:
        parts.append(Part("launcher", False, "no mpirun, mpiexec or srun: only one rank can run"))
    parts.append(Part("cores", True, str(cores())))
    for tool, use in (("nvidia-smi", "no NVIDIA driver: --device host only"), ("nvcc", "no CUDA compiler")):
        path = shutil.which(tool) or (f"/usr/local/cuda/bin/{tool}" if tool == "nvcc" else "")
        there = bool(path) and os.access(path, os.X_OK)
        parts.append(Part(tool, there, path if there else use))
    names = known_programs()
    where = locate(names[0]) if names else None
    detail = f"{', '.join(names)} ({where.parent})" if where else "none found: `make host`, or set TASUKI_BIN"
    parts.append(Part("programs", bool(names), detail))
    return parts


def native_info(options: Sequence[str], ranks: int = 1, mpi_args: str = "") -> dict[str, Any] | None:
    """What ``tasuki-info --json`` says with `options`, or None where it is not built. Its own error
    is passed on as a TasukiError."""
    program = locate("info")
    if program is None:
        return None
    command, environment = launch_command([str(program), "--json", *options], ranks, mpi_args)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TasukiError(f"{program} cannot be run ({error})", "build it again with `make host`") from None
    if done.returncode != 0:
        for line in done.stderr.splitlines():
            if line.startswith(ERROR):
                what, _, mend = line.removeprefix(ERROR).rpartition("; ")
                raise TasukiError(what or mend, mend if what else "", done.returncode)
        status = done.returncode if done.returncode > 0 else 128 - done.returncode
        why = explain_failure(program.name, Outcome(status, noise=done.stderr.splitlines()), command[0])
        what, _, mend = (why or "").removeprefix(ERROR).rpartition("; ")
        raise TasukiError(what, mend.replace("add --verbose", "run it by itself"), status)
    try:
        data = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise TasukiError(f"{program} wrote no JSON ({error})", "build it again with `make host`") from None
    if not isinstance(data, dict):
        raise TasukiError(f"{program} wrote no JSON object", "build it again with `make host`")
    return data


def native_parts(native: dict[str, Any]) -> list[Part]:
    """What the native programs have and see, from the answer of ``tasuki-info --json``."""
    build, mpi, cuda = (native.get(key) or {} for key in ("build", "mpi", "cuda"))
    hdf5, world = native.get("hdf5") or {}, native.get("world") or {}
    parts = [Part("programs", True, f"{native.get('tasuki')}, {build.get('compiler')}, {build.get('type')}")]
    aware = bool(mpi.get("gpu_aware"))
    parts.append(Part("MPI", bool(mpi.get("library")), str(mpi.get("library"))))
    staged = "GPU halos go through pinned host memory where no peer access is"
    parts.append(Part("GPU-aware MPI", aware, "sends from GPU memory" if aware else staged))
    built, devices, reason = cuda.get("built"), int(cuda.get("devices") or 0), cuda.get("reason") or ""
    parts.append(
        Part("CUDA", bool(built), f"runtime {cuda.get('version')}" if built else f"not built in; {reason}")
    )
    parts.append(Part("GPUs", devices > 0, str(devices) if devices else reason or "none found"))
    detail = str(hdf5.get("version")) if hdf5.get("built") else "no snapshots, no checkpoints"
    parts.append(Part("HDF5", bool(hdf5.get("built")), detail))
    space = native.get("space") or {}
    uffd = space.get("faults") == "uffd"
    touches = "arrays of a space notice touches by it" if uffd else f"by signals; {space.get('reason')}"
    parts.append(Part("userfaultfd", uffd, touches))
    refused = space.get("refused")
    size, page = (bytes_text(space.get(key) or 0) for key in ("bytes", "page"))
    range_of = f"{size} from {space.get('at')}, pages of {page}; ranks of a node share {space.get('shares')}"
    parts.append(Part("space", not refused, str(refused or range_of)))
    if shares := space.get("gpus_share"):
        parts.append(Part("space on GPUs", shares != "nothing", f"GPUs of a node share {shares}"))
    threads = world.get("threads_per_rank")
    hosts = ", ".join(world.get("hosts") or [])
    where = f"{world.get('ranks')} on {hosts}, {threads} thread{'s' if threads != 1 else ''} each"
    parts.append(Part("ranks", True, where))
    for rank, name in enumerate(world.get("device_names") or []):
        parts.append(Part(f"rank {rank}", True, str(name)))
    return parts


def why_no_snapshots() -> str:
    """Why the native programs may not be asked for snapshots; empty where they may."""
    try:
        native = native_info([])
    except TasukiError as error:
        return str(error)
    if native is None:
        return "tasuki-info, which knows whether there is HDF5, is not built"
    return "" if (native.get("hdf5") or {}).get("built") else "built without HDF5"


def _parts_table(title: str, parts: Sequence[Part]) -> Table:
    table = Table(title=title, show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for part in parts:
        mark = "[green]there[/]" if part.there else "[yellow]missing[/]"
        table.add_row(part.name, mark, escape(part.detail))
    return table


def info_tables(parts: Sequence[Part], native: dict[str, Any] | None) -> RenderableType:
    """The tables of ``tasuki info``."""
    shown: list[RenderableType] = [_parts_table("the command", parts)]
    if native is None:
        shown.append(Text("the native programs: tasuki-info is not built (`make host`)", style="yellow"))
        return Group(*shown)
    shown.append(_parts_table("the native programs", native_parts(native)))
    grid = native.get("grid")
    if isinstance(grid, dict):
        shown.append(grid_table(grid))
    mapping = native.get("mapping")
    if isinstance(mapping, dict) and len(mapping["ranks"]) > 1:
        shown.append(mapping_table(mapping))
    faces = native.get("faces")
    if isinstance(faces, list):
        shown.append(faces_table(faces))
    return Group(*shown)


def grid_table(grid: dict[str, Any]) -> Table:
    """How the grid is cut, an axis a line."""
    title = f"grid of {shape_text(grid['extents'])} cells on {shape_text(grid['ranks'])} ranks"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("axis", style="cyan")
    table.add_column("periodic")
    table.add_column("halo")
    table.add_column("blocks", overflow="fold")
    axes = zip("xyzt", grid["periodic"], grid["halo"], grid["blocks"], strict=False)
    for axis, periodic, (low, high), blocks in axes:
        table.add_row(axis, "yes" if periodic else "no", f"{low} and {high}", ", ".join(map(str, blocks)))
    return table


def mapping_table(mapping: dict[str, Any]) -> Table:
    """Which rank has which block, and what its faces are predicted to take against the naive order."""
    table = Table(title="mapping of blocks to ranks", title_justify="left", title_style="bold")
    table.add_column("", style="cyan")
    table.add_column("ranks of the blocks, x first", overflow="fold")
    table.add_column("faces of the slowest rank", justify="right")
    ranks = mapping["ranks"]
    table.add_row("taken", ", ".join(map(str, ranks)), seconds_text(mapping["predicted"]))
    table.add_row("naive", ", ".join(map(str, range(len(ranks)))), seconds_text(mapping["naive"]))
    return table


def faces_table(faces: Sequence[dict[str, Any]]) -> RenderableType:
    """Which face goes where, by which channel, with how many bytes of which shape."""
    if not faces:
        return Text("No face moves: one rank, and no periodic axis.")
    table = Table(title="faces, edges and corners", title_justify="left", title_style="bold")
    for column in ("from", "to", "direction", "channel", "bytes", "shape"):
        table.add_column(column, justify="right" if column in ("from", "to", "bytes") else "left")
    for face in faces:
        size = bytes_text(face["bytes"])
        words = (face["from"], face["to"], face["direction"], face["channel"], size, face["shape"])
        table.add_row(*(escape(str(word)) for word in words))
    return table
