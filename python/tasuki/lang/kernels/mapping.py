"""`--acc-mapping asked`: which threads take which iterations, as gang, worker and vector say it.

    #pragma acc parallel loop gang num_gangs(8) vector_length(64)
    for (j ..)
    #pragma acc loop vector
      for (i ..)                     ->  8 blocks of 64 threads: block b takes j = b, b + 8, ..,
                                         thread t of it i = t, t + 64, ..

A gang is a block, a worker a row of its threads (y), a vector's lanes are along x. Loops of one `collapse`
are one loop. A loop that says nothing, around those that do, is each thread's own; where none says `gang`,
the outermost directive that says nothing does. Nothing is done twice: without a loop of gangs there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

from pycparser import c_ast

from tasuki.lang.front.acc import Acc
from tasuki.lang.front.types import constant

LEVELS = ("gang", "worker", "vector")
MOST = 1024  # threads of a block
SIZES = {"gang": "num_gangs", "worker": "num_workers", "vector": "vector_length"}


@dataclass
class Group:
    """Loops that are shared out as one: how many, and among what."""

    loops: int
    levels: set[str] = field(default_factory=set)

    @property
    def flags(self) -> str:
        return ", ".join(str(level in self.levels).lower() for level in LEVELS)


@dataclass
class Mapping:
    """The groups of a nest, outermost first, and the sizes that are asked for, by level."""

    groups: list[Group]
    sizes: dict[str, c_ast.Node]

    @property
    def levels(self) -> set[str]:
        return set().union(*(group.levels for group in self.groups))

    def asked_for(self) -> list[c_ast.Node | None]:
        """Sizes by level, as a launch is given them."""
        return [self.sizes.get(level) for level in LEVELS]

    def shape(self, most: str) -> str:
        """C++ text of the grid and the block; `most`: blocks of one with sums, else 0."""
        at, gangs, others = 0, [], []
        for group in self.groups:
            turns = [f"tsk_{k}.turns" for k in range(at, at + group.loops)]
            (gangs if "gang" in group.levels else others).extend(turns)
            at += group.loops
            if "gang" in group.levels:
                beside = [str(level in group.levels).lower() for level in LEVELS[1:]]
        gang = "tsk_gangs"
        if not gangs:
            gangs, beside, gang = ["1"], ["false", "false"], "1"
        uses = [str(level in self.levels).lower() for level in LEVELS[1:]]
        every = " * ".join(others) or "1"
        words = [" * ".join(gangs), every, *uses, *beside, most]
        return f"tsk_asked_shape({gang}, tsk_workers, tsk_length, {', '.join(words)})"

    def loops(self) -> tuple[list[str], str]:
        """Headers of the groups' loops, with each loop's turn; what closes them."""
        lines, at = [], 0
        for number, group in enumerate(self.groups):
            axes = range(at, at + group.loops)
            turns = " * ".join(f"tsk_{k}.turns" for k in axes)
            lines.append(f"  TSK_ASKED(tsk_u{number}, {turns}, {group.flags}) {{")
            rest = f"tsk_u{number}"
            for k in reversed(axes):
                lines.append(f"  const long tsk_t{k} = {rest}{f' % tsk_{k}.turns' if k > at else ''};")
                rest = f"{rest} / tsk_{k}.turns"
            at += group.loops
        return lines, "  " + "}" * len(self.groups)


def levels_of(record: Acc | None) -> set[str]:
    """What a directive says of a loop."""
    return set(LEVELS) & record.numbers.keys() if record else set()


def read_mapping(compute: Acc, records: list[list[Acc]]) -> Mapping | str | None:
    """The mapping of loops whose directives are `records`, outermost first, of the region `compute`.

    None: nothing is asked for. Text: what is wrong with what is.
    """
    every = [compute, *(record for each in records for record in each)]
    sizes: dict[str, c_ast.Node] = {}
    for record in every:
        for level, name in SIZES.items():
            given = record.numbers.get(name) or record.numbers.get(level)
            if given:
                sizes.setdefault(level, given[0])
    groups: list[Group] = []
    said: list[bool] = []
    at = 0
    while at < len(records):
        deep = [record.numbers["collapse"][0] for record in records[at] if record.numbers.get("collapse")]
        count = min(constant(deep[0]) or 1 if deep else 1, len(records) - at)
        groups.append(Group(count, set().union(*map(levels_of, records[at]))))
        said.append(bool(records[at]))
        at += count
    levels = set().union(*(group.levels for group in groups))
    if not levels and not sizes:
        return None
    if "gang" not in levels:
        silent = [k for k, group in enumerate(groups) if not group.levels and (said[k] or not any(said))]
        free = silent[0] if silent else None
        before = set().union(*(group.levels for group in groups[:free]))
        if free is not None and not before:
            groups[free].levels.add("gang")
            if not levels:
                groups[free].levels |= {"vector", *(["worker"] if "worker" in sizes else [])}
    while groups and not groups[-1].levels:
        groups.pop()
    order = [LEVELS.index(level) for group in groups for level in sorted(group.levels, key=LEVELS.index)]
    for before, after in pairwise(order):
        if after <= before:
            return f"a loop of {LEVELS[after]}s stands inside of one of {LEVELS[before]}s"
    made = Mapping(groups, sizes)
    used = [constant(sizes[level]) or 1 for level in LEVELS[1:] if level in sizes and level in made.levels]
    if prod(used) > MOST:
        return f"a block of {prod(used)} threads is asked for, and {MOST} are the most"
    return made
