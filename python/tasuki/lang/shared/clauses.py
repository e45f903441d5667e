"""What a directive of SMint says: its kind, its map, its clauses.

said = read(Cursor(tree, directive, typedefs))
said.kind, said.parts, said.reductions, said.owner
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tasuki.lang.front.pragma import Cursor, Item
from tasuki.lang.front.tokens import Spot
from tasuki.lang.shared.mpc import Map, read_map

KINDS = ("shared", "parallel", "single", "critical", "barrier")
CLAUSES = ("copyin", "copyout", "copy", "create", "reduction", "schedule")
OPERATORS = ("+", "-", "*", "max", "min", "&", "|", "^", "&&", "||")
PAGE = "see docs/lang/shared.md"


@dataclass
class Part:
    """`a[lo:len][ ]` of a data clause; an item of None is all of an axis."""

    kind: str
    name: Spot
    items: list[Item | None]


@dataclass
class Said:
    """What a directive says."""

    kind: str
    at: Spot
    map: Map | None = None
    parts: list[Part] = field(default_factory=list)
    reductions: list[tuple[str, Spot]] = field(default_factory=list)
    owner: Spot | None = None
    even: bool = False
    lock: str = ""


def read(cursor: Cursor) -> Said:
    """The text of a directive."""
    if cursor.peek() not in KINDS:
        cursor.choose("directive of SMint", [*KINDS[2:], "parallel for", "shared"])
    said = Said(cursor.peek(), cursor.take())
    if said.kind == "shared":
        if cursor.peek() != "::":
            cursor.wrong("the map of what is shared is missing", "write one, as ::[NPROCS](0, NPROCS)")
        said.map, cursor.at = read_map(cursor.tokens, cursor.at)
        cursor.accept(";")
    elif said.kind == "parallel":
        cursor.expect("for")
        while not cursor.done:
            cursor.accept(",")
            _clause(cursor, said)
    elif said.kind == "critical" and cursor.accept("("):
        said.lock = cursor.name("a critical section").value
        cursor.expect(")")
    if not cursor.done:
        cursor.wrong(f"'{cursor.raw()}' is not expected here", f"leave it out, or {PAGE}")
    return said


def _clause(cursor: Cursor, said: Said) -> None:
    if cursor.peek() not in CLAUSES:
        cursor.choose("clause of parallel for", CLAUSES)
    kind = cursor.take().value
    cursor.expect("(")
    if kind == "reduction":
        operator = cursor.raw()
        if operator not in OPERATORS:
            cursor.choose("operator of a reduction", OPERATORS)
        cursor.take()
        cursor.expect(":")
        said.reductions += [(operator, name) for name in cursor.names("a variable")]
    elif kind == "schedule":
        if cursor.accept("even"):
            said.even = True
        elif cursor.accept("owner"):
            cursor.expect(":")
            said.owner = cursor.name("an array")
        else:
            cursor.choose("schedule", ("even", "owner"))
    else:
        said.parts.append(_part(cursor, kind))
        while cursor.accept(","):
            said.parts.append(_part(cursor, kind))
    cursor.expect(")")


def _part(cursor: Cursor, kind: str) -> Part:
    part = Part(kind, cursor.name("an array"), [])
    while cursor.accept("["):
        if cursor.peek() == "]":
            part.items.append(None)
        else:
            item = cursor.item(("]",))
            if item.star or item.step is not None or (item.colon and item.second is None):
                cursor.wrong("a section is [first:count], [one] or [ ]", "write one of them", item.at)
            part.items.append(None if item.all else item)
        cursor.expect("]")
    return part
