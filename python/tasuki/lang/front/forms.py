"""What a directive of `#pragma xmp` says, as a small record: one for each form of the grammar.

forms.Reflect("reflect", [u], widths=[..])    # of `#pragma xmp reflect (u) width(1, 1)`

Forms: XcalableMP specification 1.4, and docs/lang/directives.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.front.pragma import Dims, Item, Ref
from tasuki.lang.front.tokens import Spot


@dataclass
class Nodes:
    name: Spot
    dims: Dims
    part_of: Ref | None = None
    of_executing: bool = False  # "= *"


@dataclass
class Template:
    name: Spot
    dims: Dims


@dataclass
class Format:
    at: Spot
    kind: str  # "*", block, cyclic, gblock
    width: c_ast.Node | None = None  # of gblock: the array of sizes
    later: bool = False  # gblock(*)


@dataclass
class Distribute:
    name: Spot
    formats: list[Format]
    round: bool
    onto: Spot


@dataclass
class Align:
    array: Spot
    source: Dims
    template: Spot
    target: Dims


@dataclass
class Shadow:
    array: Spot
    widths: Dims


@dataclass
class Location:
    """What goes along with a value: a variable, or an element or section of one."""

    name: Spot
    subs: list[Item] = field(default_factory=list)


@dataclass
class ReductionItem:
    variable: Spot
    locations: list[Location]


@dataclass
class ReductionClause:
    at: Spot
    op: str
    items: list[ReductionItem]


@dataclass
class Width:
    at: Spot
    lo: c_ast.Node
    hi: c_ast.Node | None = None
    marked: bool = False  # /periodic/, /unbound/


@dataclass
class Border:
    kind: str  # expand, margin, peel_and_wait
    widths: list[Width]
    wait: c_ast.Node | None = None


@dataclass
class Loop:
    at: Spot
    indices: list[Spot]
    on: Ref
    reductions: list[ReductionClause] = field(default_factory=list)
    border: Border | None = None


@dataclass
class Reflect:
    kind: str  # reflect, reflect_init, reflect_do, reduce_shadow
    arrays: list[Spot]
    widths: list[Width] = field(default_factory=list)
    orthogonal: bool = False
    wait: c_ast.Node | None = None
    sides: set[str] = field(default_factory=set)


@dataclass
class Collective:
    """barrier, bcast, reduction, wait_async."""

    kind: str
    values: list[c_ast.Node] = field(default_factory=list)
    reductions: list[ReductionClause] = field(default_factory=list)
    on: Ref | None = None
    source: Ref | None = None
    wait: c_ast.Node | None = None
    sides: set[str] = field(default_factory=set)


@dataclass
class Gmove:
    mode: str  # "", in, out
    wait: c_ast.Node | None = None
    sides: set[str] = field(default_factory=set)


@dataclass
class ArrayOn:
    on: Ref


@dataclass
class Task:
    on: Ref
    nocomm: bool = False


@dataclass
class Tasks:
    pass


@dataclass
class TemplateFix:
    name: Spot
    formats: list[Format] | None
    dims: Dims | None


@dataclass
class StaticDesc:
    names: list[Spot]


@dataclass
class Coarray:
    names: list[Spot]
    on: Spot | None = None
    codims: list[Item] = field(default_factory=list)


@dataclass
class Image:
    nodes: Spot


@dataclass
class PostWait:
    kind: str  # post, wait
    node: Ref | None = None
    tag: c_ast.Node | None = None


@dataclass
class Lock:
    kind: str  # lock, unlock
    variable: c_ast.Node


OPERATORS = {
    "+": "SUM", "-": "DIFFERENCE", "*": "PRODUCT", "&": "BIT_AND", "|": "BIT_OR", "^": "BIT_XOR", "&&": "AND",
    "||": "OR", "max": "MAX", "min": "MIN", "firstmax": "FIRSTMAX", "firstmin": "FIRSTMIN",
    "lastmax": "LASTMAX", "lastmin": "LASTMIN",
}  # fmt: skip
