"""Which devices stand by for those that are lost."""

from __future__ import annotations

import re

from tasuki.errors import TasukiError
from tasuki.gpus.ask import ask, listed

Devices = list[tuple[str, int]]


def split(devices: Devices, spare: str, per_gpu: int, key: str | None) -> tuple[Devices, Devices]:
    """Devices that the program sees, and spares: so many of the list's last, or all of further hosts."""
    if spare.isdigit():
        count = int(spare)
        if count >= len(devices):
            raise TasukiError(
                f"--spare {count} leaves no device of {len(devices)}",
                "name more hosts, or fewer spares",
            )
        return devices[: len(devices) - count], devices[len(devices) - count :]
    spares = listed(ask("list", spare, key), per_gpu)
    twice = [device for device in spares if device in devices]
    if twice:
        host, number = twice[0]
        raise TasukiError(
            f"--spare names device {number} of {host}, which is in use by --hosts", "name another"
        )
    return devices, spares


def bytes_of(text: str, option: str) -> int:
    """``1GiB`` as bytes."""
    found = re.fullmatch(r"([0-9]+)([KMG]i?B)", text)
    if not found or int(found[1]) == 0:
        raise TasukiError(f"{option} {text} is no size", "give one as 512MiB or 2GiB")
    number, unit = found.groups()
    return int(number) * (1024 if "i" in unit else 1000) ** ("KMG".index(unit[0]) + 1)


def every(image: str | None, log: int) -> dict[str, str]:
    """For the library: the log's limit, and images each ``60s``, ``500ms`` or ``2GiB`` of calls."""
    if image is None:
        return {"TASUKI_GPUS_LOG": str(log)}
    if found := re.fullmatch(r"([0-9]+)(ms|s|min)", image):
        time = int(found[1]) * {"ms": 1, "s": 1000, "min": 60_000}[found[2]]
        if time == 0:
            raise TasukiError(f"--image {image} is no time", "give one as 60s or 5min")
        return {"TASUKI_GPUS_LOG": str(log), "TASUKI_GPUS_IMAGE_MS": str(time)}
    size = bytes_of(image, "--image")
    return {"TASUKI_GPUS_LOG": str(max(log, 2 * size)), "TASUKI_GPUS_IMAGE_BYTES": str(size)}
