"""Predictions of what was measured, and forecasts from there to more devices."""

from __future__ import annotations

from collections.abc import Sequence

from tasuki.errors import TasukiError
from tasuki.model.forecast import Forecast, ask
from tasuki.model.measured import Measured


def compare(measurements: Sequence[Measured], words: Sequence[str] = ()) -> Forecast:
    """Predicts each measurement. The bandwidth that a program's sweeps reach is taken from its measurement on
    one device where there is one; all else is from the constants (`words`: for tasuki-model)."""
    machines = list(dict.fromkeys(m.machine for m in measurements))
    if not measurements:
        raise TasukiError("no record is of a program that the model knows", "give other records")
    named = any(word.split("=")[0] in ("--machine", "--constants") for word in words)
    if len(machines) > 1 and not named:
        raise TasukiError(
            f"records of several machines: {', '.join(machines)}", "give those of one, or add --machine NAME"
        )
    where = ["--machine", machines[0]] if machines[0] and not named else []
    ordered = sorted(measurements, key=lambda m: (m.words, m.devices, m.executor))
    return ask(["batch", "-", *where, *words], "\n".join(m.line() for m in ordered) + "\n")


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
