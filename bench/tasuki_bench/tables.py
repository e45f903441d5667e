"""The rows of tasuki-bench-steps as tables, beside the bandwidth of memory and the times of rivals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tasuki_bench.steps import BEST, Group, Row, neighbours_cost

# Problem, size, rule of the norm, GPUs.
RivalKey = tuple[str, str, str, int]


@dataclass(frozen=True)
class RivalTime:
    """The fastest of the rivals that were run on this machine."""

    who: str
    seconds: float


def case_key(case: str, ranks: int) -> RivalKey:
    """What a rival's record calls a case: laplace/512x512/nvidia/norm on 2 is laplace, 512x512, every, 2."""
    program, size, *words = case.split("/")
    return program, size, "every" if "norm" in words else "off", ranks


def read_rivals(path: Path) -> dict[RivalKey, RivalTime]:
    """The fastest rival of each problem in a record of bench/peers/peers.py; empty where there is none."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["entries"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    best: dict[RivalKey, RivalTime] = {}
    for entry in entries:
        if entry["ours"] or entry["seconds"] <= 0:
            continue
        key = (entry["problem"], entry["size"], entry["norm"], int(entry["gpus"]))
        if key not in best or entry["seconds"] < best[key].seconds:
            best[key] = RivalTime(entry["who"], entry["seconds"])
    return best


def micros(seconds: float) -> str:
    """Microseconds with three digits."""
    value = 1e6 * seconds
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def fastest(rows: Sequence[Row]) -> Row | None:
    """The row with the least time."""
    return min((row for row in rows if row.measured), key=lambda row: row.seconds, default=None)


def _ratio(row: Row | None, other: float | None) -> str:
    return f"{other / row.seconds:.2f}" if row and other else ""


def _by_line(rows: Sequence[Row]) -> dict[tuple[str, int], dict[str, Row]]:
    """The lines of a table: a case on so many ranks, with a row for each way."""
    lines: dict[tuple[str, int], dict[str, Row]] = {}
    for row in sorted(rows, key=lambda row: row.ranks):
        lines.setdefault((row.case, row.ranks), {})[row.way] = row
    return lines


def group_table(
    group: Group,
    rows: Sequence[Row],
    stream: float | None = None,
    rivals: Mapping[RivalKey, RivalTime] | None = None,
) -> Table:
    """Microseconds a step, by case and way. `stream` is what the memory of a device moves, in bytes/s; the
    column ``of limit`` is the time that the least traffic takes at it, over the time of the fastest way."""
    rivals = rivals or {}
    device = "GPUs" if group.device == "cuda" else "ranks"
    table = Table(title=f"{group.title}: us a step", title_justify="left", title_style="bold")
    table.add_column("case")
    table.add_column(device, justify="right")
    ways = [way for way in group.ways if any(row.way == way.label for row in rows)]
    for way in ways:
        table.add_column(way.label, justify="right")
    has_limit = stream is not None and (group.device == "cuda" or any(row.cells > 1e6 for row in rows))
    has_rival = any(case_key(row.case, row.ranks) in rivals for row in rows)
    has_flop = group.name == "himeno"
    if has_limit:
        table.add_column("limit", justify="right")
        table.add_column("of limit", justify="right")
    if has_flop:
        table.add_column("GFLOP/s", justify="right")
    if has_rival:
        table.add_column("rival", justify="right")
        table.add_column("rival / best", justify="right")
    for label in group.against:
        table.add_column(f"{label} / {group.subject}", justify="right")
    last = None
    for (case, ranks), line in _by_line(rows).items():
        if last is not None and last != ranks:
            table.add_section()
        last = ranks
        best = fastest(list(line.values()))
        cells = [case, str(ranks)]
        cells += [micros(line[w.label].seconds) if _has(line, w.label) else "-" for w in ways]
        if has_limit:
            limit = best.limit(stream) if best else None
            cells += [
                micros(limit) if limit else "",
                f"{100 * limit / best.seconds:.0f} %" if limit and best else "",
            ]
        if has_flop:
            cells.append(f"{best.cells * best.flop_a_cell / best.seconds / 1e9:.0f}" if best else "")
        if has_rival:
            rival = rivals.get(case_key(case, ranks))
            cells += [micros(rival.seconds) if rival else "", _ratio(best, rival.seconds if rival else None)]
        subject = line.get(group.subject)
        for label in group.against:
            other = fastest(_others(line, group)) if label == BEST else line.get(label)
            both = subject is not None and subject.measured and other is not None and other.measured
            cells.append(_ratio(subject, other.seconds) if both else "")
        table.add_row(*cells)
    return table


def _others(line: Mapping[str, Row], group: Group) -> list[Row]:
    return [row for way, row in line.items() if way != group.subject]


def regrets(group: Group, rows: Sequence[Row]) -> list[tuple[float, str, int]]:
    """By how much the subject of a group is slower than the best of its other ways, the worst first: 0.05 is
    five percent; with the case and the number of ranks."""
    found = []
    for (case, ranks), line in _by_line(rows).items():
        subject, best = line.get(group.subject), fastest(_others(line, group))
        if subject and subject.measured and best:
            found.append((subject.seconds / best.seconds - 1, case, ranks))
    return sorted(found, reverse=True)


def regret_line(group: Group, rows: Sequence[Row]) -> str:
    """One line on them; empty where the group holds nothing against the best."""
    found = regrets(group, rows) if BEST in group.against else []
    if not found:
        return ""
    within = [sum(regret <= most for regret, _, _ in found) for most in (0.05, 0.15)]
    worst, case, ranks = found[0]
    return (
        f"{group.subject}: within 5 % of the best in {within[0]} of {len(found)} cases, "
        f"within 15 % in {within[1]}; the worst is {case} on {ranks}, {100 * worst:.0f} %"
    )


def _has(line: Mapping[str, Row], label: str) -> bool:
    return label in line and line[label].measured


def refusals(rows: Sequence[Row]) -> list[str]:
    """What stands behind every ``-``: who, on how many ranks, why; cases with one reason together."""
    why: dict[tuple[str, str], dict[str, set[int]]] = {}
    for row in rows:
        if row.refused:
            why.setdefault((row.way, row.refused), {}).setdefault(row.case, set()).add(row.ranks)
    every = len({row.case for row in rows})
    lines = []
    for (way, reason), cases in why.items():
        ranks = sorted(set().union(*cases.values()))
        names = "all cases" if len(cases) == every else ", ".join(cases)
        lines.append(f"{way}, {names} on {'/'.join(map(str, ranks))}: {reason}")
    return lines


def neighbours_table(group: Group, rows: Sequence[Row]) -> Table | None:
    """What exchange and synchronisation with one neighbour add to a step."""
    costs = neighbours_cost(rows)
    if not costs:
        return None
    table = Table(
        title="two ranks less one, the same block each: us a step", title_justify="left", title_style="bold"
    )
    table.add_column("block")
    ways = [way for way in group.ways if any(label == way.label for _, label in costs)]
    for way in ways:
        table.add_column(way.label, justify="right")
    for case in dict.fromkeys(case for case, _ in costs):
        cells = [costs.get((case, way.label)) for way in ways]
        table.add_row(case, *(f"{1e6 * cost:.2f}" if cost is not None else "-" for cost in cells))
    return table
