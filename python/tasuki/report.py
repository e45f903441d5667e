"""The tables that a run ends with."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.record import Record
from tasuki.units import bytes_text, seconds_text, shape_text


def _pairs(title: str) -> Table:
    table = Table(title=title, show_header=False, title_justify="left", title_style="bold", min_width=44)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _number(value: Any) -> str:  # noqa: ANN401 -- a program's results may be anything that JSON holds
    if value is None:
        return "not finite"
    if isinstance(value, list):
        return ", ".join(_number(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def device_text(record: Record) -> str:
    """The devices of a run in words: ``2 x NVIDIA H200 (cuda)``."""
    machine = record.machine
    name = str(machine.get("device_name") or "unknown device")
    kind = str(machine.get("device", "?"))
    count = int(machine.get("devices") or 1)
    threads = machine.get("threads_per_rank")
    tail = f", {threads} thread{'s' if threads != 1 else ''} a rank" if threads and kind == "host" else ""
    return f"{f'{count} x ' if count > 1 else ''}{name} ({kind}{tail})"


def summary(record: Record) -> Table:
    """What was run, on what, and its figure of merit."""
    table = _pairs(f"{record.program}{' (interrupted)' if record.interrupted else ''}")
    count = int(record.machine.get("ranks") or 1)
    nodes = int(record.machine.get("nodes") or 1)
    table.add_row("grid", shape_text(record.extents))
    place = f", {nodes} nodes" if nodes > 1 else ""
    table.add_row("ranks", f"{count} as {shape_text(record.ranks)}{place}")
    table.add_row("device", device_text(record))
    table.add_row("executor", record.executor)
    table.add_row("steps", f"{record.steps} in {seconds_text(record.seconds)}")
    for name, value in record.results.items():
        if name in ("steps", "iterations") and value == record.steps:
            continue  # said above
        table.add_row(name, _number(value))
    if record.merit:
        table.add_row(record.merit.name, Text(f"{record.merit.value:.4g}", style="bold green"))
    return table


def phases(record: Record) -> Table:
    """Where the time went."""
    table = Table(title="time by phase", title_justify="left", title_style="bold", min_width=44)
    table.add_column("phase", style="cyan")
    table.add_column("time", justify="right")
    table.add_column("share", justify="right")
    total = sum(record.phases_by_time.values())
    for name, value in record.phases_by_time.items():
        table.add_row(name, seconds_text(value), f"{100 * value / total:.1f} %" if total > 0 else "")
    return table


def channels(record: Record) -> Table:
    """What travelled by which channel."""
    table = Table(title="bytes by channel", title_justify="left", title_style="bold", min_width=44)
    table.add_column("channel", style="cyan")
    table.add_column("bytes", justify="right")
    table.add_column("messages", justify="right")
    for name, traffic in record.channels.items():
        table.add_row(name, bytes_text(traffic.bytes), str(traffic.messages))
    return table


def tables(record: Record) -> RenderableType:
    """All of it, one below the other."""
    parts: list[RenderableType] = [summary(record)]
    if record.phases_by_time:
        parts.append(phases(record))
    if record.channels:
        parts.append(channels(record))
    return Group(*parts)
