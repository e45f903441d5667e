"""The result record that every run leaves: a JSON file, read into plain dataclasses."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.proof import check_seal

SCHEMA = 1


@dataclass(frozen=True)
class Traffic:
    """What one channel carried, summed over the ranks."""

    bytes: int
    messages: int


@dataclass(frozen=True)
class Merit:
    """The figure that a program is judged by, with its unit as the name: ``GFLOP/s``."""

    name: str
    value: float


@dataclass(frozen=True)
class Record:
    """One run. Extents, ranks and blocks are x first; times are seconds; `data` is the whole JSON object."""

    path: Path
    program: str
    finished: str
    interrupted: bool
    extents: tuple[int, ...]
    ranks: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    mapping: tuple[int, ...]  # the rank of each block; empty: rank r has block r
    executor: str
    steps: int
    seconds: float
    phases: dict[str, float]
    channels: dict[str, Traffic]
    merit: Merit | None
    results: dict[str, Any]
    machine: dict[str, Any]
    options: dict[str, Any]
    data: dict[str, Any] = field(repr=False)

    @property
    def phases_by_time(self) -> dict[str, float]:
        """The phases that took time, the longest first and `other` last."""
        order = sorted(self.phases, key=lambda name: (name == "other", -self.phases[name]))
        return {name: self.phases[name] for name in order if self.phases[name] > 0}

    @property
    def cells(self) -> int:
        """The number of cells of the grid, those of the boundary included."""
        product = 1
        for extent in self.extents:
            product *= extent
        return product

    def rank_of(self, block: int) -> int:
        """The rank that has a block; blocks count x first."""
        return self.mapping[block] if self.mapping else block

    @property
    def snapshot(self) -> Path | None:
        """The snapshot that the run was asked for, where it can be found: as named, or beside the record."""
        name = self.options.get("snapshot")
        if not isinstance(name, str) or not name:
            return None
        for candidate in (Path(name), self.path.parent / name, self.path.parent / Path(name).name):
            if candidate.is_file():
                return candidate
        return None


def _number(value: Any) -> float:  # noqa: ANN401 -- any JSON
    """JSON has no word for a number that is not finite; a record says null."""
    return math.nan if value is None else float(value)


def read_record(path: Path) -> Record:
    """Reads and checks the record at `path`; a TasukiError says what is wrong with it."""
    try:
        raw = path.read_bytes()
        check_seal(path, raw)
        data = json.loads(raw.decode("utf-8"))
    except FileNotFoundError:
        raise TasukiError(f"there is no file {path}", "give the record that `tasuki run` named") from None
    except OSError as error:
        raise TasukiError(f"cannot read {path}: {error.strerror}", "check the file") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise TasukiError(
            f"{path} is not a result record: {error}", "give a .json that a run wrote"
        ) from None
    if not isinstance(data, dict) or "schema" not in data:
        raise TasukiError(f"{path} is not a result record", "give a .json that a run wrote")
    if data["schema"] != SCHEMA:
        raise TasukiError(
            f"{path} has schema {data['schema']}, this tasuki reads {SCHEMA}", "use the tasuki that wrote it"
        )
    try:
        grid, run = data["grid"], data["run"]
        merit = data.get("merit")
        return Record(
            path=path,
            program=str(data["program"]),
            finished=str(data.get("finished", "")),
            interrupted=bool(data.get("interrupted", False)),
            extents=tuple(int(n) for n in grid["extents"]),
            ranks=tuple(int(n) for n in grid["ranks"]),
            blocks=tuple(tuple(int(n) for n in axis) for axis in grid.get("blocks", [])),
            mapping=tuple(int(rank) for rank in grid.get("mapping", [])),
            executor=str(run["executor"]),
            steps=int(run["steps"]),
            seconds=_number(run["seconds"]),
            phases={str(name): _number(value) for name, value in run.get("phases", {}).items()},
            channels={
                str(name): Traffic(int(value["bytes"]), int(value["messages"]))
                for name, value in run.get("channels", {}).items()
            },
            merit=Merit(str(merit["name"]), _number(merit["value"])) if merit else None,
            results=dict(data.get("results") or {}),
            machine=dict(data.get("machine") or {}),
            options=dict(data.get("options") or {}),
            data=data,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TasukiError(
            f"{path} is a damaged result record ({type(error).__name__}: {error})", "run the program again"
        ) from None
