"""Which devices are replicas of one that the program sees."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable
from typing import Any

from tasuki.errors import TasukiError
from tasuki.gpus.spares import Devices


def replicated(devices: Devices, count: int, same_host: bool) -> tuple[Devices, list[list[int]], Devices]:
    """Devices that are used, which of them (by their place there) are replicas of one, and those left over.

    Replicas are of different hosts; of one host where it is the only one, or where `same_host` says so.
    """
    hosts = {host for host, _ in devices}
    apart: list[list[Hashable]] = [[host for host, _ in devices]]  # replicas differ in these
    if same_host or len(hosts) == 1:
        apart += [list(devices), list(range(len(devices)))]
    best: list[int] = []
    for names in apart:
        chosen = most_apart(names, count)
        if len(chosen) > len(best):
            best = chosen
    if not best:
        where = f" on {count} hosts" if len(apart) == 1 else ""
        raise TasukiError(
            f"--redundant {count} takes {count} devices{where} for each that the program sees, "
            f"and {len(devices)} on {len(hosts)} {'host' if len(hosts) == 1 else 'hosts'} are left",
            "name more hosts" + ("" if len(apart) > 1 else ", or --same-host"),
        )
    seen = len(best) // count
    used = sorted(best)
    groups = [[used.index(best[n]) for n in range(g, len(best), seen)] for g in range(seen)]
    left = [device for n, device in enumerate(devices) if n not in best]
    return [devices[n] for n in used], groups, left


def most_apart(names: list[Hashable], count: int) -> list[int]:
    """The most devices, by place, such that number n in it is of group n modulo the number of groups.

    No group has a name twice: each name stands in a row, and at most as often as there are groups.
    """
    for groups in range(len(names) // count, 0, -1):
        taken: Counter[Hashable] = Counter()
        places: dict[Hashable, list[int]] = {}
        for place, name in enumerate(names):
            if taken[name] < groups:
                taken[name] += 1
                places.setdefault(name, []).append(place)
        row = [place for own in places.values() for place in own]
        if len(row) >= groups * count:
            return row[: groups * count]
    return []


def refuse_models(devices: Devices, groups: list[list[int]], answers: list[dict[str, Any]]) -> None:
    """Raises where replicas are of different models, whose results differ in the last bits."""
    models = {
        (answer["host"], number): device["name"]
        for answer in answers
        for number, device in enumerate(answer["devices"])
    }
    for group in groups:
        kinds = sorted({models[devices[n]] for n in group})
        if len(kinds) > 1:
            raise TasukiError(
                f"a device would be of {' and '.join(kinds)}, which do not come to the same bits",
                "name hosts whose GPUs are of one model, or give a --tolerance",
            )


def refuse_tolerance(text: str, redundant: int) -> None:
    """Raises where the words of --tolerance are none, or there is nothing that could differ."""
    if redundant < 2:
        raise TasukiError(
            "--tolerance is for GPUs that compute the same", "add --redundant 2, or leave it out"
        )
    number = r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?"
    found = re.fullmatch(rf"f(32|64):(?P<relative>{number})(:(?P<absolute>{number}))?", text)
    if not found or float(found["relative"]) >= 1 or not math.isfinite(float(found["absolute"] or 0)):
        raise TasukiError(
            f"--tolerance {text} is none",
            "give f32:1e-5 or f64:1e-12, and an absolute one behind it for numbers near 0: f32:1e-5:1e-6",
        )


def together(devices: Devices) -> Devices:
    """The same, with those of a host behind each other."""
    hosts = list(dict.fromkeys(host for host, _ in devices))
    return sorted(devices, key=lambda device: hosts.index(device[0]))
