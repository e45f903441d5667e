"""The entries of arrays.py's record, and the tables that it prints of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from array_problems import case_of
from commands import Record
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Entry:
    """Who took how many seconds for a step of a case (all, where it is empty), or why not. `lines`: of the
    program; `error`: the largest of its own check."""

    who: str
    case: str
    devices: int
    seconds: float = 0.0
    steps: int = 0
    lines: int = 0
    error: float = 0.0
    ours: bool = False
    refused: str = ""

    def refuse(self, why: str) -> Entry:
        """The same, not timed."""
        return replace(self, refused=why)

    def took(self, seconds: float, steps: int, error: float = 0.0) -> Entry:
        """The same, timed."""
        return replace(self, seconds=seconds, steps=steps, error=error)


def table(entries: Sequence[Entry], problem: str, devices: int) -> Table | None:
    """Who by case, in microseconds a step; None where nobody has any."""
    here = [e for e in entries if e.case and case_of(e.case).problem == problem and e.devices == devices]
    if not here:
        return None
    cases = list(dict.fromkeys(e.case for e in here))
    plural = "s" if devices > 1 else ""
    found = Table(title=f"{problem}, {devices} device{plural}: us a step", title_justify="left")
    found.add_column("")
    found.add_column("lines", justify="right")
    for case in cases:
        found.add_column(case_of(case).title.removeprefix(f"{problem} "), justify="right")
    for who in dict.fromkeys(e.who for e in here):
        rows = {e.case: e for e in here if e.who == who}
        lines = max(e.lines for e in rows.values())
        texts = [f"{1e6 * rows[c].seconds:.4g}" if c in rows and rows[c].seconds else "-" for c in cases]
        ours = any(e.ours for e in rows.values())
        found.add_row(who, str(lines or ""), *texts, style="green" if ours else "")
    found.add_section()
    ratios = []
    for case in cases:
        times = [
            min((e.seconds for e in here if e.case == case and e.ours == ours and e.seconds), default=0.0)
            for ours in (True, False)
        ]
        ratios.append(f"{times[1] / times[0]:.2f} x" if all(times) else "-")
    found.add_row("best of the others / our best", "", *ratios)
    return found


def show_record(record: Record, console: Console) -> None:
    """Prints the tables of a record, and below them who was not timed and why."""
    entries = [Entry(**entry) for entry in record["entries"]]
    versions = ", ".join(record["versions"].values())
    console.print(f"{', '.join(record['machine'])}; {versions}", markup=False, highlight=False)
    for devices in dict.fromkeys(entry.devices for entry in entries):
        for problem in ("diffusion", "laplace"):
            found = table(entries, problem, devices)
            if found:
                console.print(found)
    for e in entries:
        if e.refused:
            what = f", {e.case}" if e.case else ""
            console.print(f"{e.who}{what} on {e.devices}: {e.refused}", markup=False, highlight=False)
    for line in record["notes"]:
        console.print(line, markup=False, highlight=False)
