"""Records of argon as words of tasuki-model: what an interval between exchanges took."""

from __future__ import annotations

from collections.abc import Sequence

from tasuki.errors import TasukiError
from tasuki.record import Record

PROGRAM = "argon"


def interval(record: Record) -> float:
    """Seconds from one exchange to the next, checkpoints left out."""
    every = int(record.options.get("exchange_every") or 0)
    if every < 1 or record.steps < every:
        raise TasukiError(f"{record.path} has no complete interval", "give the record of a longer run")
    return (record.seconds - record.phases.get("checkpoint", 0.0)) * every / record.steps


def forecast_words(records: Sequence[Record]) -> list[str]:
    """The words that let tasuki-model predict what the records measured; of each number of devices the
    fastest counts. A TasukiError where they are not of one system and machine."""
    kinds = {
        (
            tuple(record.extents),
            int(record.options.get("exchange_every") or 0),
            "host" if record.machine.get("device") == "host" else str(record.machine.get("device_name")),
        )
        for record in records
    }
    if len(kinds) > 1:
        raise TasukiError("records of several systems or machines", "give those of one at a time")
    ((atoms, replicas), every, machine) = next(iter(kinds))
    took: dict[int, float] = {}
    for record in records:
        devices = int(record.machine.get("ranks") or 1)
        took[devices] = min(interval(record), took.get(devices, float("inf")))
    measured = ",".join(f"{devices}:{seconds!r}" for devices, seconds in sorted(took.items()))
    words = [PROGRAM, "--atoms", str(atoms), "--replicas", str(replicas), "--exchange-every", str(every)]
    return [
        *words,
        "--devices",
        ",".join(map(str, sorted(took))),
        "--measured",
        measured,
        "--machine",
        machine,
    ]
