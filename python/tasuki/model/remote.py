"""The model of replica exchange on remote GPUs: its constants from what `latency` and `remd` measured.

>>> model = fitted(read_costs(Path("latency.json")), read_runs([Path("remd.jsonl")]))
>>> model["terms"][0]
{'name': '2 n LH', 'part': 'latency', 'count': 2, 'seconds': 2.1e-06, 'power': 1}

An interval takes T(n) = tGPU0 Nrep/n + (SH/BH + 2 n LH) + n LK + R + (SD/BD + n LD) + tCLT on n devices: the
model of the 2014 study of replica-exchange molecular dynamics on 1,024 GPUs, and one round trip R, which is
waited for once where copies are sent before they are asked for. Seconds and bytes throughout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tasuki.errors import TasukiError
from tasuki.model.forecast import Forecast

LARGEST = 4096
LATENCIES = ("LH", "LD", "LK")
BANDWIDTHS = ("BH", "BD")


@dataclass(frozen=True)
class Costs:
    """What `latency` measured: of a call by number of devices, and of a round."""

    device: str
    by_devices: dict[int, dict[str, float]]  # LH, LD, LK in seconds, BH, BD in bytes a second
    trip: float
    latency: float
    bandwidth: float

    @property
    def last(self) -> dict[str, float]:
        """On the most devices, as the study takes them."""
        return self.by_devices[max(self.by_devices)]


@dataclass(frozen=True)
class Run:
    """What `remd` measured on so many devices: a line of its file."""

    devices: int
    replicas: int
    atoms: int
    steps: int
    seconds: float
    host_seconds: float = 0.0
    kernel_seconds: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0

    @property
    def case(self) -> str:
        """The name of its case in a model."""
        return f"{self.atoms} atoms"


def _no(path: Path, what: str, error: Exception) -> TasukiError:
    return TasukiError(f"{path} is none of {what} ({error})", f"give what `{what} --json FILE` wrote")


def read_costs(path: Path) -> Costs:
    """The file of `latency --json`. A TasukiError where it is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        rounds = {name: float(data["rounds"][name]) for name in ("R", "L", "B")}
        costs = {
            int(row["devices"]): {name: float(row[name]) for name in (*LATENCIES, *BANDWIDTHS)}
            for row in data["costs"]
        }
        if not costs:
            raise ValueError("no costs")
        return Costs(str(data["device"]), costs, rounds["R"], rounds["L"], rounds["B"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise _no(path, "latency", error) from None


def read_runs(paths: Iterable[Path]) -> list[Run]:
    """The lines of `remd --json`. A TasukiError where a file has others."""
    runs = []
    for path in paths:
        try:
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
            for row in rows:
                if row["program"] != "remd":
                    raise ValueError(f"a line of {row['program']}")
                runs.append(Run(**{name: row[name] for name in Run.__annotations__ if name in row}))
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise _no(path, "remd", error) from None
    return runs


def _term(name: str, part: str, **values: float) -> dict[str, Any]:
    return {"name": name, "part": part, **values}


def _moved(name: str, count: float, bandwidth: float) -> list[dict[str, Any]]:
    """The time of so many bytes; none where the fit found that bytes cost nothing."""
    return [_term(name, "bandwidth", bytes=count, bytes_per_second=bandwidth)] if bandwidth > 0 else []


def _devices(runs: Sequence[Run]) -> list[int]:
    powers = [1 << k for k in range(LARGEST.bit_length())]
    return sorted({n for n in powers if n <= LARGEST} | {run.devices for run in runs})


def fitted(
    costs: Costs, runs: Sequence[Run], replicas: int | None = None, one_machine: bool = False
) -> dict[str, Any]:
    """The model as tasuki-model reads it, a case for each number of atoms.

    `replicas`: of the forecast, where they are other than those that ran; work and bytes grow with them.
    `one_machine`: the devices share the cores of one machine, so more of them do not compute faster.
    """
    if not runs:
        raise TasukiError("no run of remd is given", "give its file behind that of latency")
    last = costs.last
    cases = []
    for atoms in sorted({run.atoms for run in runs}):
        one = min((run for run in runs if run.atoms == atoms), key=lambda run: run.devices)
        if {(run.replicas, run.steps) for run in runs if run.atoms == atoms} != {(one.replicas, one.steps)}:
            raise TasukiError(
                f"the runs of {atoms} atoms differ in replicas or steps", "give those of one simulation"
            )
        count = replicas or one.replicas
        share = count / one.replicas
        compute = _term("tGPU0 Nrep/n", "compute", seconds=one.kernel_seconds * count, power=-1)
        if one_machine:
            compute = _term("tGPU0 Nrep", "compute", seconds=one.kernel_seconds * count, power=0)
        cases.append(
            {
                "name": one.case,
                "terms": [
                    compute,
                    *_moved("SH/BH", one.bytes_in * share, last["BH"]),
                    *_moved("SD/BD", one.bytes_out * share, costs.bandwidth),
                    _term("tCLT", "host", seconds=one.host_seconds * share),
                ],
            }
        )
    return {
        "schema": 1,
        "name": f"replica exchange on remote GPUs: {costs.device}",
        "source": f"fitted to what latency measured on 1 to {max(costs.by_devices)} devices and remd on "
        f"{min(run.devices for run in runs)}: T(n) = tGPU0 Nrep/n + (SH/BH + 2 n LH) + n LK + R + "
        f"(SD/BD + n LD) + tCLT, with {replicas or runs[0].replicas} replicas",
        "devices": _devices(runs),
        "terms": [
            _term("2 n LH", "latency", count=2, seconds=last["LH"], power=1),
            _term("n LK", "host", seconds=last["LK"], power=1),
            _term("R", "latency", seconds=costs.trip),
            _term("n LD", "latency", seconds=costs.latency, power=1),
        ],
        "cases": cases,
    }


def beside(forecast: Forecast, runs: Sequence[Run]) -> Forecast:
    """The forecast with the measured seconds in its rows, where there was a run."""
    measured = {(run.case, run.devices): run.seconds for run in runs}
    single = len({run.atoms for run in runs}) == 1
    rows = []
    for row in forecast.rows:
        case = runs[0].case if single and not row.series else row.series
        rows.append(replace(row, program="remd", measured=measured.get((case, row.devices), 0.0)))
    return replace(forecast, rows=tuple(rows))


def only_measured(forecast: Forecast) -> Forecast:
    """The rows that were measured."""
    return replace(forecast, rows=tuple(row for row in forecast.rows if row.measured))
