"""``tasuki model``: predicted times of a step, beside the measured ones where there are any.

The predictions are made by the native ``tasuki-model``; here records become its options, and its rows
tables and pictures.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.argon.forecast import PROGRAM, forecast_words
from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import locate
from tasuki.record import Record, read_record
from tasuki.units import seconds_text, shape_text

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
    halo: int = 0
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
                halo=int(row.get("halo", 0)),
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
    tail = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
    raise TasukiError(f"tasuki-model failed: {tail[0]}", "see `tasuki-model --help`", done.returncode)


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


# What a line of tasuki-bench-steps names: LAPLACE/512x512/norm is a program, a size and words about it.
def measured_of_step(row: dict[str, Any]) -> Measured | None:
    """The measurement in a line of tasuki-bench-steps; None where it was refused or is of something else."""
    if "refused" in row or "seconds" not in row:
        return None
    program, size, *about = str(row["case"]).split("/")
    devices = int(row["ranks"])
    if program == "himeno":
        words = ["--size", size, *([] if "norm" in about else ["--gosa", "last"])]
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
        words=(program, *words, *(["--norm"] if "norm" in about else [])),
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


def compare(measurements: Sequence[Measured], words: Sequence[str] = ()) -> Forecast:
    """Predicts each measurement. The bandwidth that a program's sweeps reach is taken from its measurement on
    one device where there is one; all else is from the constants (`words`: for tasuki-model)."""
    machines = list(dict.fromkeys(m.machine for m in measurements))
    if not measurements:
        raise TasukiError(
            "there are no measured steps of programs that the model knows", "give other records"
        )
    named = any(word.split("=")[0] in ("--machine", "--constants") for word in words)
    if len(machines) > 1 and not named:
        raise TasukiError(
            f"records of several machines: {', '.join(machines)}", "give those of one, or say --machine NAME"
        )
    where = ["--machine", machines[0]] if machines[0] and not named else []
    ordered = sorted(measurements, key=lambda m: (m.words, m.devices, m.executor))
    return ask(["batch", "-", *where, *words], "\n".join(m.line() for m in ordered) + "\n")


def split_words(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files that stand first, and the words that follow them."""
    files = list(takewhile(lambda word: word.endswith((".json", ".jsonl")) and word[0] != "-", words))
    return [Path(name) for name in files], list(words[len(files) :])


def is_measured(path: Path) -> bool:
    """Whether a file holds what was measured; else it may be a model of terms."""
    if path.suffix == ".jsonl":
        return True
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and "run" in data


def _part(seconds: float) -> str:
    if seconds == 0:
        return ""
    return seconds_text(seconds) if seconds >= 1e-6 else f"{1e6 * seconds:.2f} us"


def _measured(row: Row) -> list[str | Text]:
    if not row.measured:
        return ["", ""]
    ratio = "calibrated" if row.calibrates else f"{row.ratio:.3f}"
    style = "dim" if row.calibrates else "green" if row.agrees else "red"
    return [_part(row.measured), Text(ratio, style=style)]


def _times(row: Row) -> list[str]:
    if row.not_here:
        return ["", "", "", "", f"not here: {row.not_here}", ""]
    return [*(_part(row.parts[part]) for part in PARTS), _part(row.seconds), f"{100 * row.efficiency:.1f} %"]


def forecast_table(forecast: Forecast) -> RenderableType:
    """The predicted times, by part."""
    table = Table(title=forecast.name, title_justify="left", title_style="bold")
    columns = ("devices", "executor", "halo", "block", *PARTS, "a step", "efficiency")
    deep = any(row.halo for row in forecast.rows)
    if not deep:
        columns = ("devices", "case", *PARTS, "a step", "efficiency")
    known = any(row.measured for row in forecast.rows)
    if known:
        columns = (*columns, "measured", "ratio")
    for column in columns:
        table.add_column(column, justify="left" if column in ("executor", "case", "block") else "right")
    last: object = None
    rivals = len(forecast.series) > 1 and deep
    for row in forecast.rows:
        key = row.devices if rivals else row.series
        if last is not None and last != key and (rivals or not deep):
            table.add_section()
        last = key
        place = [str(row.halo or ""), shape_text(row.block)] if deep else []
        style = "green" if row.chosen and rivals else ""
        measured = _measured(row) if known else []
        table.add_row(str(row.devices), row.series, *place, *_times(row), *measured, style=style)
    return Group(table, Text(forecast.source, style="dim")) if forecast.source else table


def comparison_table(compared: Forecast) -> RenderableType:
    """Predicted beside measured; a prediction that is off by more than a tenth is red."""
    table = Table(title=f"predicted and measured, {compared.name}", title_justify="left", title_style="bold")
    columns = ("program", "devices", "executor", *PARTS, "predicted", "measured", "ratio", "efficiency")
    for column in columns:
        table.add_column(column, justify="left" if column in ("program", "executor") else "right")
    ones = {(row.program, row.series): row for row in compared.rows if row.devices == 1}
    last = None
    for row in compared.rows:
        if last is not None and last != row.program:
            table.add_section()
        last = row.program
        place = (row.size, str(row.devices), row.series)
        if row.not_here:
            table.add_row(*place, *[""] * 4, "not here", _part(row.measured), "", "", style="dim")
            continue
        one = ones.get((row.program, row.series))
        ratio = "calibrated" if row.calibrates else f"{row.ratio:.3f}"
        table.add_row(
            *place,
            *(_part(row.parts[part]) for part in PARTS),
            _part(row.seconds),
            _part(row.measured),
            Text(ratio, style="dim" if row.calibrates else "green" if row.agrees else "red"),
            f"{100 * one.measured / (row.measured * row.devices):.1f} %" if one else "",
        )
    told = [row for row in compared.rows if not row.calibrates and not row.not_here]
    lines = [compared.source] if compared.source else []
    if told:
        worst = max(told, key=lambda row: abs(math.log(row.ratio)))
        lines.append(
            f"{sum(row.agrees for row in told)} of {len(told)} predictions agree to {100 * AGREES:.0f} %; "
            f"the furthest is {worst.size} on {worst.devices} with {worst.series}: {worst.ratio:.2f} times"
        )
    return Group(table, *(Text(line, style="dim") for line in lines))


def to_json(forecast: Forecast | None, compared: Forecast | None) -> dict[str, Any]:
    """The same as plain JSON."""
    tables = {"forecast": forecast, "compared": compared}
    return {
        "schema": 1,
        **{
            name: {"name": table.name, "source": table.source, "rows": [vars(row) for row in table.rows]}
            for name, table in tables.items()
            if table
        },
    }


def _without(words: Sequence[str], name: str) -> tuple[str | None, list[str]]:
    """The value of the option `name`, and the words without it."""
    rest = list(words)
    for place, word in enumerate(rest):
        if word == name and place + 1 < len(rest):
            value = rest[place + 1]
            del rest[place : place + 2]
            return value, rest
        if word.startswith(name + "="):
            del rest[place]
            return word[len(name) + 1 :], rest
    return None, rest


def forecast_like(measurements: Sequence[Measured], last: str, words: Sequence[str]) -> Forecast:
    """1, 2, 4, .. devices of the program that was measured, calibrated by its measurement on one device."""
    first = measurements[0]
    if any((m.words, m.machine) != (first.words, first.machine) for m in measurements):
        raise TasukiError("records of several programs, sizes or machines", "forecast one of them at a time")
    where = list(words) or (["--machine", first.machine] if first.machine else [])
    one = next((m for m in measurements if m.devices == 1), None)
    took = ["--one-took", repr(one.seconds), "--one-with", one.executor] if one else []
    most = max(measurements, key=lambda m: m.devices)
    how = [] if "--executor" in words else ["--executor", most.executor]
    return ask([*first.words, "--forecast", last, *how, *where, *took])


def argon_records(files: Sequence[Path]) -> list[Record]:
    """The files as records of argon; none where any of them is something else."""
    if not files or not all(path.suffix == ".json" and is_measured(path) for path in files):
        return []
    records = [read_record(path) for path in files]
    return records if all(record.program == PROGRAM for record in records) else []


def report(words: Sequence[str], plot: Path | None, as_json: bool, console: Console) -> None:
    """What ``tasuki model`` prints and draws."""
    files, rest = split_words(words)
    forecast: Forecast | None = None
    compared: Forecast | None = None
    replicas = argon_records(files)
    if replicas:
        forecast = ask([*forecast_words(replicas), *rest])
    elif files and all(is_measured(path) for path in files):
        last, rest = _without(rest, "--forecast")
        measurements = read_measured(files)
        compared = compare(measurements, rest)
        if last:
            forecast = forecast_like(measurements, last, rest)
        elif plot:
            raise TasukiError("a picture is of a forecast", "add --forecast N")
    elif files:
        if len(files) > 1:
            raise TasukiError(
                "records and other files do not go together", "give records, or one file of terms"
            )
        forecast = ask(["terms", str(files[0]), *rest])
    else:
        forecast = ask(rest)
    if as_json:
        print(json.dumps(to_json(forecast, compared), indent=2))
    else:
        if compared:
            console.print(comparison_table(compared))
        if forecast:
            console.print(forecast_table(forecast))
    if plot and forecast:
        from tasuki.model_plot import plot_forecast

        picture = plot_forecast(forecast, compared.rows if compared else (), plot)
        if not as_json:
            console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
