"""What `tasuki gpus top` shows: a row a device and client, with rates between two answers of its gate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.markup import escape
from rich.table import Table

Answers = Sequence[Mapping[str, Any]]  # of tasuki-gpus-ask status
RATES = ("calls", "bytes_in", "bytes_out")
TOLD = ("waits for", "log", "image", "replicas", "faults")


@dataclass(frozen=True)
class Row:
    """One virtual device, with one of its clients or none."""

    host: str
    device: int
    name: str
    memory: int  # bytes that there are
    waiting: int  # clients in line
    client: Mapping[str, Any] | None
    rates: Mapping[str, float]  # a second


def rows(answers: Answers, before: Answers = (), seconds: float = math.inf) -> Iterator[Row]:
    """Rows of `answers`; their rates are those since `before`, `seconds` ago, or since the client came."""
    known = {(row["host"], client["process"]): client for row in before for client in _clients(row)}
    for answer in answers:
        for device in answer.get("devices", ()):
            for client in device["clients"] or [None]:
                old = known.get((answer["host"], client["process"])) if client else None
                yield Row(
                    answer["host"],
                    device["device"],
                    device["name"],
                    device["memory"],
                    device["waiting"],
                    client,
                    _rates(client, old, seconds) if client else {},
                )


def _clients(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for device in answer.get("devices", ()):
        yield from device["clients"]


def _rates(client: Mapping[str, Any], old: Mapping[str, Any] | None, seconds: float) -> dict[str, float]:
    if old is None:
        old, seconds = dict.fromkeys(RATES, 0), client["seconds"]
    return {name: max(0, client[name] - old[name]) / max(seconds, 1e-3) for name in RATES}


def size(number: float) -> str:
    """A number of bytes in three digits: ``1.50 GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def span(seconds: float) -> str:
    """A time of at least a tenth of a second in two digits or more: ``0.3 s``, ``12 s``, ``4 h``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    for unit, length in (("s", 1), ("min", 60), ("h", 3600)):
        if seconds < 100 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


def told(client: Mapping[str, Any] | None) -> dict[str, str]:
    """What a client says of its device, a cell each: empty where there is nothing to say."""
    said = (client or {}).get("told")
    if not said:
        return dict.fromkeys(TOLD, "")
    waits, image, replicas = said["waits_for"], said["image"], said["replicas"]
    agreement = f"{replicas['count']}: {replicas['agreed']} agreed" if replicas else ""
    if replicas and replicas["differed"]:
        agreement += f", {replicas['differed']} not"
    return {
        "waits for": f"{waits['call']} {span(waits['seconds'])}" if waits else "",
        "log": size(said["log"]) if said["log"] is not None else "",
        "image": f"{size(image['bytes'])}, {span(image['seconds'])} old" if image else "",
        "replicas": agreement,
        "faults": str(said["faults"]) if said["faults"] else "",
    }


def table(answers: Answers, before: Answers = (), seconds: float = math.inf) -> Table:
    """The rows as a table; a gate that does not answer is a row too.

    Columns of what clients tell are left out where none tells it.
    """
    shown = Table(box=None, pad_edge=False)
    for name in ("host", "GPU", "name", "program"):
        shown.add_column(name, no_wrap=True)
    for name in ("for", "calls/s", "in/s", "out/s", "memory", "in line"):
        shown.add_column(name, justify="right")
    looked = list(rows(answers, before, seconds))
    more = [name for name in TOLD if any(told(row.client)[name] for row in looked)]
    for name in more:
        shown.add_column(name, no_wrap=True, justify="left" if name == "waits for" else "right")
    for row in looked:
        client = row.client
        cells = [row.host, str(row.device), row.name, client["program"] if client else "-"]
        if client:
            cells += [f"{client['seconds']:.0f} s", f"{row.rates['calls']:.0f}"]
            cells += [size(row.rates["bytes_in"]), size(row.rates["bytes_out"])]
            cells.append(f"{size(client['memory'])} of {size(row.memory)}")
        else:
            cells += ["", "", "", "", size(row.memory)]
        cells += [str(row.waiting), *(told(client)[name] for name in more)]
        shown.add_row(*(escape("".join(c if c.isprintable() else "?" for c in cell)) for cell in cells))
    for answer in answers:
        if "error" in answer:
            shown.add_row(answer["host"], "-", escape(answer["error"].partition("; ")[0]))
        elif answer.get("leaving"):
            shown.add_row(answer["host"], "-", "takes no new clients")
    return shown
