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
_ALIASES["dtype"] = "device_type"
_OPERATORS = ("+", "*", "max", "min", "&", "|", "^", "&&", "||")
_LISTS = ("private", "firstprivate", "use_device", "host", "self", "device")
_FLAGS = (
    "independent",
    "auto",
    "seq",
    "read",
    "write",
    "update",
    "capture",
    "if_present",
    "finalize",
    "nohost",
)
_NAMES = (
    "enter data", "exit data", "data", "parallel loop", "kernels loop", "serial loop", "parallel", "kernels",
    "serial", "loop", "update", "host_data", "wait", "declare", "atomic", "routine", "cache", "init",
    "shutdown", "set",
)  # fmt: skip

_MADE = ("copy", "copyin", "copyout", "create", "present", "deviceptr")
_QUEUES = ("if", "async", "wait")
_SIZES = ("num_gangs", "num_workers", "vector_length")
_ORDER = ("gang", "worker", "vector", "seq", "auto", "independent", "collapse", "tile")
_LOOP = (*_ORDER, "private", "reduction", "device_type")
_SERIAL = (*_MADE, *_QUEUES, "default", "private", "firstprivate", "reduction", "device_type")
_REGION = (*_SERIAL, *_SIZES)
_DEVICE = ("device_type", "device_num", "default_async")
# The clauses of each directive; behind device_type only those of _TUNED.
CLAUSES: dict[str, tuple[str, ...]] = {
    "enter data": ("copyin", "create", *_QUEUES),
    "exit data": ("copyout", "delete", "finalize", *_QUEUES),
    "data": (*_MADE, *_QUEUES, "default"),
    **dict.fromkeys(("parallel", "kernels"), _REGION),
    **dict.fromkeys(("parallel loop", "kernels loop"), (*_REGION, *_LOOP)),
    "serial": _SERIAL,
    "serial loop": (*_SERIAL, *_LOOP),
    "loop": _LOOP,
    "update": ("host", "self", "device", "if_present", "device_type", *_QUEUES),
    "host_data": ("use_device", "if", "if_present"),
    "wait": ("async", "if"),
    "declare": _MADE,
    "atomic": ("read", "write", "update", "capture"),
    "routine": (*_ORDER[:4], "nohost", "device_type"),
    "cache": (),
    **dict.fromkeys(("init", "shutdown", "set"), _DEVICE),
}
_TUNED = ("async", "wait", *_SIZES, *_ORDER)


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
    default: str = ""  # none, present
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
    word = c.take().value.lower()
    if word in _FLAGS:
        made.flags.add(word)
        return
    if word in ("async", "wait", "gang", "worker", "vector"):
        made.numbers[word] = []
        if c.accept("("):
            made.numbers[word] = _sizes(c)
            c.expect(")")
        return
    name = _ALIASES.get(word, word)
    c.expect("(")
    if name in DATA:
        made.data += [(name, part) for part in _parts(c)]
    elif word == "reduction":
        if c.peek() not in _OPERATORS:
            c.choose("operation of a reduction", _OPERATORS)
        op = c.take().value
        c.expect(":")
        made.reductions += [(op.lower(), part) for part in _parts(c)]
    elif word in _LISTS:
        made.lists.setdefault("host" if word == "self" else word, []).extend(_parts(c))
    elif word == "tile":
        made.numbers[word] = [size for size in _tile(c) if size is not None]
    elif word == "default":
        if c.peek() not in ("none", "present"):
            c.choose("default of a region", ("none", "present"))
        made.default = c.take().value.lower()
    else:
        made.numbers[word] = [c.expression()]
    c.expect(")")


def _kinds(c: Cursor) -> list[str]:
    """Those of `device_type(nvidia, host)`."""
    c.expect("(")
    found = []
    while True:
        found.append("*" if c.accept("*") else c.name("a kind of device").value.lower())
        if not c.accept(","):
            break
    c.expect(")")
    return found


def _clauses(c: Cursor, made: Acc) -> None:
    """What follows `device_type` is for devices of that kind: nvidia's counts, else that of all."""
    kinds: dict[str, Acc] = {}
    into, known = made, CLAUSES[made.name]
    while not c.done:
        word = _ALIASES.get(c.peek(), c.peek())
        if word not in known:
            c.choose(
                f"clause of acc {made.name}", (*known, *(a for a, name in _ALIASES.items() if name in known))
            )
        if word == "device_type":
            c.take()
            named = _kinds(c)
            if known is not _DEVICE:
                into = Acc(made.at, made.name)
                kinds.update(dict.fromkeys(named, into))
                known = (*(each for each in CLAUSES[made.name] if each in _TUNED), "device_type")
        else:
            _clause(c, into)
        c.accept(",")
    tuned = kinds.get("nvidia") or kinds.get("*")
    if tuned:
        made.numbers |= tuned.numbers
        made.flags |= tuned.flags


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
    _clauses(c, made)
    return [made]
