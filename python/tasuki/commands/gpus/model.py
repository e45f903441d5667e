"""``tasuki gpus model``: the model of replica exchange on remote GPUs, from measurements."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def model(
    latency: Annotated[Path, typer.Argument(metavar="LATENCY.json", help="what `latency --json` wrote")],
    runs: Annotated[list[Path], typer.Argument(metavar="REMD.jsonl...", help="what `remd --json` wrote")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="write the model there, for `tasuki model`"),
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="of the forecast, where other than those that ran")
    ] = None,
    one_machine: Annotated[
        bool,
        typer.Option(
            "--one-machine", help="the devices share one machine's cores, as `serve --device host` does"
        ),
    ] = False,
    beside: Annotated[
        Path | None,
        typer.Option(metavar="MODEL.json", help="draw another model beside: models/dscuda-remd-2014.json"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="draw costs, times and efficiency into this picture")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Fit the model of the 2014 study to these servers, forecast to 4,096 devices, and compare it with runs.

    tasuki gpus run --hosts a,b -- latency --json latency.json

    tasuki gpus run --hosts a,b -- remd --devices 1,2,4 --json remd.jsonl

    tasuki gpus model latency.json remd.jsonl -o ours.json --plot ours.png
    """
    from tasuki.model.forecast import ask
    from tasuki.model.remote import beside as with_measured
    from tasuki.model.remote import fitted, only_measured, read_costs, read_runs
    from tasuki.model.tables import comparison_table, forecast_table, to_json
    from tasuki.output import refuse_output, write_text

    for path, option in ((out, "--out"), (plot, "--plot")):
        if path:
            refuse_output(path, option)
    costs, measured = read_costs(latency), read_runs(runs)
    made = json.dumps(fitted(costs, measured, replicas, one_machine), indent=2) + "\n"
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        file.write(made)
        file.flush()
        forecast = ask(["terms", file.name])
    if out:
        write_text(out, made)
    compared = None
    if replicas is None or all(run.replicas == replicas for run in measured):
        forecast = with_measured(forecast, measured)
        compared = only_measured(forecast)
    console = Console(width=None if sys.stdout.isatty() else 140)
    if as_json:
        print(json.dumps(to_json(forecast, compared), indent=2))
    else:
        if compared:
            console.print(comparison_table(compared))
        console.print(forecast_table(forecast))
    if plot:
        from tasuki.model.remote_picture import plot_remote
        from tasuki.model.study import read_study

        picture = plot_remote(costs, forecast, read_study(beside) if beside else None, plot)
        if not as_json:
            console.print(f"picture: {picture}", markup=False, highlight=False, soft_wrap=True)
