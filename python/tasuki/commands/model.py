"""``tasuki model``: predicts the time of a step, and compares it with measured times."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tasuki.argon.forecast import PROGRAM, forecast_words
from tasuki.errors import TasukiError
from tasuki.model.compare import compare, forecast_like
from tasuki.model.forecast import Forecast, ask
from tasuki.model.measured import is_measured, read_measured
from tasuki.model.tables import comparison_table, forecast_table, to_json
from tasuki.output import refuse_output
from tasuki.record import Record, read_record
from tasuki.words import without


def split_words(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files that stand first, and the words that follow them."""
    files = list(takewhile(lambda word: word.endswith((".json", ".jsonl")) and word[0] != "-", words))
    return [Path(name) for name in files], list(words[len(files) :])


def argon_records(files: Sequence[Path]) -> list[Record]:
    """The files as records of argon; none where any of them is something else."""
    if not files or not all(path.suffix == ".json" and is_measured(path) for path in files):
        return []
    records = [read_record(path) for path in files]
    return records if all(record.program == PROGRAM for record in records) else []


def report(words: Sequence[str], plot: Path | None, as_json: bool, console: Console) -> None:
    """What ``tasuki model`` prints and draws."""
    files, rest = split_words(words)
    if plot:
        refuse_output(plot, "--plot")
    for path in files:
        if not path.is_file():
            raise TasukiError(f"there is no file {path}", "give records, or a study's terms")
    forecast: Forecast | None = None
    compared: Forecast | None = None
    replicas = argon_records(files)
    if replicas:
        forecast = ask([*forecast_words(replicas), *rest])
    elif files and all(is_measured(path) for path in files):
        last, rest = without(rest, "--forecast")
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
        from tasuki.model.picture import plot_forecast

        picture = plot_forecast(forecast, compared.rows if compared else (), plot)
        if not as_json:
            console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)


def model(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT...", help="a program and its size; records .json, .jsonl; or a study's terms .json"
        ),
    ],
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="draw the result into this picture")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Predict the time of a step on any number of devices, by part: compute, latency, bandwidth, host.

    tasuki model himeno --size M --forecast 4096

    tasuki model bench/results/2-x-nvidia-h200/laplace-*.json

    tasuki model argon --size 256x14336 --machine "NVIDIA H200" --forecast 4096

    tasuki model models/dscuda-remd-2014.json

    For records, the table compares predicted and measured times; the speed of sweeps is taken from records of
    one device. More options: `tasuki-model himeno --help`; after records, --machine NAME, --constants FILE,
    --forecast N.
    """
    report(what, plot, as_json, Console(width=None if sys.stdout.isatty() else 140))
