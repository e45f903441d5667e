"""The tables of predicted times, beside the measured ones where there are any; the same as JSON."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tasuki.model.forecast import AGREES, PARTS, Forecast, Row
from tasuki.units import seconds_text, shape_text


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
        place = [row.halo, shape_text(row.block)] if deep else []
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
