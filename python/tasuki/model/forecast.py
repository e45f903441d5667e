"""What the native ``tasuki-model`` says: rows of predicted times by part."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import locate

PARTS = ("compute", "latency", "bandwidth", "host")
AGREES = 0.10  # of the measured time: what is further off is marked

_ERROR = "tasuki: "
_FLAGS = ("--norm",)


@dataclass(frozen=True)
class Row:
    """A predicted time: seconds of a step by part, of one executor or case on so many devices."""

    series: str
    devices: int
    parts: dict[str, float]
    seconds: float
    efficiency: float
    halo: str = ""  # its depth, or "direct"
    ranks: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    chosen: bool = False
    not_here: str = ""
    program: str = ""
    measured: float = 0.0
    calibrates: bool = False

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.seconds / self.measured

    @property
    def agrees(self) -> bool:
        """Within a tenth of what was measured."""
        return abs(self.ratio - 1) <= AGREES

    @property
    def size(self) -> str:
        """The program and its size in short: ``laplace 4096 4096 float``."""
        words = self.program.split()
        flags = [word.removeprefix("--") for word in words if word in _FLAGS]
        return " ".join([*(word for word in words if not word.startswith("--")), *flags])


@dataclass(frozen=True)
class Forecast:
    """What tasuki-model says: `source` tells where its constants are from."""

    name: str
    source: str
    rows: tuple[Row, ...]

    @property
    def series(self) -> list[str]:
        """The executors or cases, in their order."""
        return list(dict.fromkeys(row.series for row in self.rows))


def parse_forecast(text: str) -> Forecast:
    """Reads the JSON of tasuki-model."""
    try:
        data = json.loads(text)
        rows = tuple(
            Row(
                series=str(row["series"]),
                devices=int(row["devices"]),
                parts={part: float(row.get("parts", {}).get(part, math.nan)) for part in PARTS},
                seconds=float(row.get("seconds", math.nan)),
                efficiency=float(row.get("efficiency", math.nan)),
                halo=str(row.get("halo") or ""),
                ranks=tuple(int(n) for n in row.get("ranks", ())),
                block=tuple(int(n) for n in row.get("block", ())),
                chosen=bool(row.get("chosen", False)),
                not_here=str(row.get("not_here", "")),
                program=str(row.get("program", "")),
                measured=float(row.get("measured", 0.0)),
                calibrates=bool(row.get("calibrates", False)),
            )
            for row in data["rows"]
        )
        return Forecast(str(data["name"]), str(data.get("source", "")), rows)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TasukiError(
            f"tasuki-model wrote no table ({error})", "build it again with `make host`"
        ) from None


def ask(words: Sequence[str], lines: str = "") -> Forecast:
    """What the native tasuki-model says with these words, given `lines` on standard input."""
    program = locate("model")
    if program is None:
        raise TasukiError("tasuki-model is not built", "build the native programs with `make host`")
    command, environment = launch_command([str(program), *words, "--json"], 1)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False,
            input=lines,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TasukiError(f"{program} cannot be run ({error})", "build it again with `make host`") from None
    if done.returncode == 0:
        return parse_forecast(done.stdout)
    for line in done.stderr.splitlines():
        if line.startswith(_ERROR):
            what, _, mend = line.removeprefix(_ERROR).rpartition("; ")
            raise TasukiError(what or mend, mend if what else "see `tasuki-model --help`", done.returncode)
    tail = done.stderr.strip().splitlines()[-1:] or ["it printed no error"]
    raise TasukiError(f"tasuki-model failed: {tail[0]}", "see `tasuki-model --help`", done.returncode)
