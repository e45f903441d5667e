"""Steps that were measured, of records and of lines of tasuki-bench-steps, as tasuki-model reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.record import Record, read_record
from tasuki.units import shape_text


def _shape(value: Any) -> str:  # noqa: ANN401 -- any JSON
    return shape_text([int(n) for n in value])


# What of a record's options sets what a step does, and how it is written. Others do not touch its time.
_OPTIONS: dict[str, dict[str, Callable[[Any], str]]] = {
    "laplace": {"nx": str, "ny": str, "precision": str, "boundary": str, "residual-every": str},
    "himeno": {"size": str, "gosa": str},
    "diffusion": {"extents": _shape, "points": str, "precision": str},
}


@dataclass(frozen=True)
class Measured:
    """A time that was measured: seconds of a step. `words` are the program and its size for tasuki-model."""

    words: tuple[str, ...]
    devices: int
    executor: str
    seconds: float
    machine: str = ""  # the device's name, "host", or "" where nobody wrote it down
    ranks: tuple[int, ...] = ()
    halo: int = 0

    def line(self) -> str:
        """As `tasuki-model batch` reads it."""
        return json.dumps({name: value for name, value in vars(self).items() if name != "machine"})


def measured_of(record: Record) -> Measured:
    """The measurement in a record. A TasukiError where its program is none that can be predicted."""
    options = _OPTIONS.get(record.program)
    if options is None:
        raise TasukiError(
            f"{record.path} is of {record.program}, whose steps tasuki-model does not know",
            f"give records of {', '.join(_OPTIONS)}",
        )
    words = [record.program]
    for name, write in options.items():
        value = record.options.get(name)
        if value:  # 0: never, as is no option
            words += [f"--{name}", write(value)]
    cuda = record.machine.get("device") == "cuda"
    halos = [max(pair) for pair in record.data["grid"].get("halo", [])]
    return Measured(
        words=tuple(words),
        devices=int(record.machine.get("ranks") or 1),
        executor=record.executor,
        machine=str(record.machine.get("device_name")) if cuda else "host",
        seconds=record.seconds / max(1, record.steps),
        ranks=record.ranks,
        halo=max(halos, default=0),
    )


def _looks(about: list[str]) -> list[str]:
    """norm: in every step, a step late; norm10: in every tenth, at once."""
    if "norm" in about:
        return ["--norm"]
    every = next((word.removeprefix("norm") for word in about if word.startswith("norm")), "")
    return ["--look-every", every] if every else []


# What a line of tasuki-bench-steps names: LAPLACE/512x512/norm is a program, a size and words about it.
def measured_of_step(row: dict[str, Any]) -> Measured | None:
    """The measurement in a line of tasuki-bench-steps; None where it was refused or is of something else."""
    if "refused" in row or "seconds" not in row:
        return None
    program, size, *about = str(row["case"]).split("/")
    devices = int(row["ranks"])
    looks = _looks(about)
    if program == "himeno":
        words = ["--size", size, *([] if looks else ["--gosa", "last"])]
    else:
        extents = [int(n) for n in size.split("x")]
        if "block" in about:
            extents[-1] *= devices
        if program == "laplace":
            words = ["--nx", str(extents[0]), "--ny", str(extents[1])]
            words += ["--boundary", "nvidia"] if "nvidia" in about else []
        elif program == "diffusion":
            words = ["--extents", shape_text(extents), "--points", "27" if "27" in about else "7"]
        else:
            return None
    return Measured(
        words=(program, *words, *looks),
        devices=devices,
        executor=str(row.get("chosen", row["executor"])),
        seconds=float(row["seconds"]),
        machine=str(row.get("machine", "")),
        ranks=tuple(int(n) for n in row.get("blocks", ())),
        halo=max((max(pair) for pair in row.get("halo", ())), default=0),
    )


def read_measured(paths: Iterable[Path]) -> list[Measured]:
    """The measurements in records (.json) and in what tasuki-bench-steps wrote (.jsonl)."""
    found: list[Measured] = []
    for path in paths:
        if path.suffix != ".jsonl":
            found.append(measured_of(read_record(path)))
            continue
        try:
            rows = [
                json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
            ]
            found += [m for m in map(measured_of_step, rows) if m]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise TasukiError(
                f"{path} holds no measured steps ({error})", "give what `make bench` wrote"
            ) from None
    return found


def is_measured(path: Path) -> bool:
    """Whether a file holds what was measured; else it may be a model of terms."""
    if path.suffix == ".jsonl":
        return True
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and "run" in data
