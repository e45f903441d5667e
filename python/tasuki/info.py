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
from tasuki.launch import cores, find_launcher, launch_command
from tasuki.programs import known_programs, locate
from tasuki.runner import ERROR
from tasuki.units import bytes_text


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
        tail = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise TasukiError(f"{program} failed: {tail[0]}", "run it by itself to see more", done.returncode)
    try:
        data = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise TasukiError(f"{program} wrote no JSON ({error})", "build it again with `make host`") from None
    if not isinstance(data, dict):
        raise TasukiError(f"{program} wrote no JSON object", "build it again with `make host`")
    return data


def _flat(data: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in data.items():
        name = f"{prefix}{key.replace('_', ' ')}"
        if isinstance(value, dict):
            rows += _flat(value, f"{name} ")
        elif not (isinstance(value, list) and value and isinstance(value[0], (dict, list))):
            rows.append((name, value))
    return rows


def _cell(value: Any) -> str:  # noqa: ANN401 -- any JSON
    if value is None or value is False:
        return "[yellow]no[/]"
    if value is True:
        return "[green]yes[/]"
    if isinstance(value, list):
        return (
            "x".join(str(item) for item in value)
            if all(isinstance(i, int) for i in value)
            else ", ".join(str(item) for item in value)
        )
    return escape(str(value))


def info_tables(parts: Sequence[Part], native: dict[str, Any] | None) -> RenderableType:
    """The tables of ``tasuki info``."""
    table = Table(title="Python's side", show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for part in parts:
        mark = "[green]there[/]" if part.there else "[yellow]missing[/]"
        table.add_row(part.name, mark, escape(part.detail))
    shown: list[RenderableType] = [table]
    if native is None:
        shown.append(Text("the native side: tasuki-info is not built (`make host`)", style="yellow"))
        return Group(*shown)
    rows = _flat({key: value for key, value in native.items() if key != "faces"})
    side = Table(title="native side", show_header=False, title_justify="left", title_style="bold")
    side.add_column(style="cyan", no_wrap=True)
    side.add_column(overflow="fold")
    for name, value in rows:
        side.add_row(name, _cell(value))
    shown.append(side)
    faces = native.get("faces")
    if isinstance(faces, list) and faces:
        shown.append(faces_table(faces))
    return Group(*shown)


def faces_table(faces: Sequence[dict[str, Any]]) -> Table:
    """Which face goes where, by which channel, with how many bytes of which shape."""
    table = Table(title="faces", title_justify="left", title_style="bold")
    columns = list(dict.fromkeys(key for face in faces for key in face))
    for key in columns:
        numeric = all(isinstance(face.get(key), (int, float)) for face in faces)
        table.add_column(key.replace("_", " "), justify="right" if numeric else "left")
    for face in faces:
        table.add_row(*(_face_cell(key, face.get(key)) for key in columns))
    return table


def _face_cell(key: str, value: Any) -> str:  # noqa: ANN401 -- any JSON
    if key == "bytes" and isinstance(value, int):
        return bytes_text(value)
    return "" if value is None else _cell(value)
