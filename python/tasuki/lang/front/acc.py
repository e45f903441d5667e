"""The dialect `#pragma acc`: OpenACC 2.7 as far as programs use it, as one record a directive."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pycparser import c_ast

from tasuki.lang.front.pragma import Cursor, Item
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import constant

DATA = {
    "copy": "COPY", "copyin": "COPYIN", "copyout": "COPYOUT", "create": "CREATE", "present": "PRESENT",
    "deviceptr": "DEVICEPTR", "delete": "DELETE",
}  # fmt: skip
_ALIASES = {f"{prefix}{name}": name for prefix in ("p", "present_or_") for name in list(DATA)[:4]}
_OPERATORS = ("+", "*", "max", "min", "&", "|", "^", "&&", "||")
_NUMBERS = (
    "num_gangs",
    "num_workers",
    "vector_length",
    "if",
    "collapse",
    "default",
    "device_num",
    "device_type",
)
_LISTS = ("private", "firstprivate", "use_device", "host", "self", "device", "reduction", "wait")
_FLAGS = ("independent", "auto", "seq", "read", "write", "capture", "if_present", "finalize", "nohost")
_NAMES = (
    "enter data", "exit data", "data", "parallel loop", "kernels loop", "serial loop", "parallel", "kernels",
    "serial", "loop", "update", "host_data", "wait", "declare", "atomic", "routine", "cache", "init",
    "shutdown", "set",
)  # fmt: skip


@dataclass
class Part:
    """A name in a data clause, with the section of it that is meant."""

    name: Spot
    section: list[Item] = field(default_factory=list)

    @property
    def begins_behind(self) -> bool:
        """Whether its section begins, or may begin, behind what the name leads to."""
        return any(item.first is not None and constant(item.first) != 0 for item in self.section)


@dataclass
class Acc:
    """One directive: its name, and its clauses by name."""

    at: Spot
    name: str
    data: list[tuple[str, Part]] = field(default_factory=list)
    lists: dict[str, list[Part]] = field(default_factory=dict)
    numbers: dict[str, list[c_ast.Node]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    reductions: list[tuple[str, Part]] = field(default_factory=list)

    @property
    def is_loop(self) -> bool:
        return self.name == "loop" or self.name.endswith(" loop")

    @property
    def is_compute(self) -> bool:
        return self.name.split(" ")[0] in ("parallel", "kernels", "serial")


def _parts(c: Cursor) -> list[Part]:
    found = []
    while True:
        part = Part(c.name("a variable"))
        while c.accept("->"):
            member = c.name("a member")
            part.name = replace(part.name, value=f"{part.name.value}->{member.value}")
        while c.accept("["):
            part.section.append(c.item(("]",)))
            c.expect("]")
        found.append(part)
        if not c.accept(","):
            return found


def _sizes(c: Cursor) -> list[c_ast.Node]:
    """`num: 4`, `length: 32`, plain numbers. `static:` asks for an order, and nothing follows from it."""
    values = []
    while True:
        name = c.peek() if c.peek(1) == ":" else ""
        if name in ("num", "static", "length"):
            c.at += 2
        if name != "static":
            values.append(c.expression())
        elif not c.accept("*"):
            c.expression()
        if not c.accept(","):
            return values


def _tile(c: Cursor) -> list[c_ast.Node | None]:
    """Sizes, or "*"."""
    sizes: list[c_ast.Node | None] = []
    while True:
        sizes.append(None if c.accept("*") else c.expression())
        if not c.accept(","):
            return sizes


def _clause(c: Cursor, made: Acc) -> None:
    word = c.peek()
    name = _ALIASES.get(word, word)
    if name in DATA:
        c.take()
        c.expect("(")
        made.data += [(name, part) for part in _parts(c)]
        c.expect(")")
    elif word == "reduction":
        c.take()
        c.expect("(")
        if c.peek() not in _OPERATORS:
            c.choose("operation of a reduction", _OPERATORS)
        op = c.take().value
        c.expect(":")
        made.reductions += [(op.lower(), part) for part in _parts(c)]
        c.expect(")")
    elif word in ("async", "wait", "gang", "worker", "vector"):
        c.take()
        values: list[c_ast.Node] = []
        if c.accept("("):
            values = _sizes(c)
            c.expect(")")
        made.numbers[word] = values
    elif word in _LISTS:
        c.take()
        c.expect("(")
        made.lists.setdefault("host" if word == "self" else word, []).extend(_parts(c))
        c.expect(")")
    elif word == "tile":
        c.take()
        c.expect("(")
        made.numbers[word] = [size for size in _tile(c) if size is not None]
        c.expect(")")
    elif word in _NUMBERS:
        c.take()
        c.expect("(")
        if c.peek() in ("none", "present", "*"):
            c.take()
            made.numbers[word] = []
        else:
            made.numbers[word] = [c.expression()]
        c.expect(")")
    elif word in _FLAGS or (word == "update" and made.name == "atomic"):
        made.flags.add(c.take().value.lower())
    else:
        known = (*DATA, *_ALIASES, *_NUMBERS, *_LISTS, *_FLAGS, "tile", "async", "gang", "worker", "vector")
        c.choose(f"clause of acc {made.name}", known)


def read(c: Cursor) -> list[Acc]:
    """The record of one directive."""
    for name in _NAMES:
        at = c.token
        if c.accept(*name.split(" ")):
            break
    else:
        c.choose("directive of acc", _NAMES)
    made = Acc(at, name)
    if name in ("wait", "routine", "cache") and c.accept("("):
        if name == "wait":
            made.numbers["wait"] = c.expressions()
        else:
            made.lists[name] = _parts(c)
        c.expect(")")
    while not c.done:
        _clause(c, made)
        c.accept(",")
    return [made]
