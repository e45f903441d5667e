"""The dialect `#pragma xmp`: every directive of XcalableMP and XcalableACC as a small record.

Forms: XcalableMP specification 1.4, and docs/lang/directives.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.front.pragma import Cursor, Dims, Item, Ref
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


def _nodes(c: Cursor) -> list[Nodes]:
    if c.has_dims():
        dims = c.dims("extents")
        c.expect("::")
        return [Nodes(name, dims) for name in c.names("the nodes")]
    made = Nodes(c.name("the nodes"), c.dims("extents"))
    if c.accept("="):
        if c.peek() == "*":
            c.take()
            made.of_executing = True
        else:
            made.part_of = c.ref()
    return [made]


def _template(c: Cursor) -> list[Template]:
    if c.has_dims():
        dims = c.dims("extents")
        c.expect("::")
        return [Template(name, dims) for name in c.names("the template")]
    return [Template(c.name("the template"), c.dims("extents"))]


def _format(c: Cursor) -> Format:
    at = c.token
    if c.accept("*"):
        return Format(at, "*")
    kind = c.peek()
    if kind not in ("block", "cyclic", "gblock"):
        c.choose("format of a distribution", ("block", "cyclic", "gblock", "*"))
    c.take()
    made = Format(at, kind)
    if c.accept("("):
        if c.peek() == "*" and c.peek(1) == ")":
            c.take()
            made.later = True
        else:
            made.width = c.expression()
        c.expect(")")
    elif kind == "gblock":
        c.wrong("gblock says no sizes", "write gblock(array), or gblock(*) and a template_fix")
    return made


def _formats(c: Cursor) -> tuple[list[Format], bool]:
    found = []
    if c.accept("("):
        found.append(_format(c))
        while c.accept(","):
            found.append(_format(c))
        c.expect(")")
        return found[::-1], True
    if c.peek() != "[":
        c.wrong("the list of formats is missing", "write it as [block][cyclic] or (cyclic, block)")
    while c.accept("["):
        found.append(_format(c))
        c.expect("]")
    return found, False


def _distribute(c: Cursor) -> list[Distribute]:
    name = None if c.has_dims() else c.name("the template")
    formats, is_round = _formats(c)
    c.expect("onto")
    onto = c.name("the nodes")
    if name is None:
        c.expect("::")
        return [Distribute(each, formats, is_round, onto) for each in c.names("the template")]
    return [Distribute(name, formats, is_round, onto)]


def _align(c: Cursor) -> list[Align]:
    name = None if c.has_dims() else c.name("the array")
    source = c.dims("the array's dimensions")
    if source.round:
        source.items.reverse()  # arrays are C's in either form
    c.expect("with")
    template = c.name("the template")
    target = c.dims("the template's dimensions")
    if name is None:
        c.expect("::")
        return [Align(each, source, template, target) for each in c.names("an array")]
    return [Align(name, source, template, target)]


def _shadow(c: Cursor) -> list[Shadow]:
    if c.has_dims():
        widths = c.dims("widths")
        c.expect("::")
        return [Shadow(name, widths) for name in c.names("an array")]
    made = [Shadow(c.name("an array"), c.dims("widths"))]
    while c.accept(","):
        made.append(Shadow(c.name("an array"), c.dims("widths")))
    return made


def _operator(c: Cursor) -> str:
    op = c.peek()
    if op not in OPERATORS:
        c.choose("operation of a reduction", OPERATORS)
    c.take()
    return op


def _location(c: Cursor) -> Location:
    made = Location(c.name("a location"))
    while c.accept("["):
        made.subs.append(c.item(("]",)))
        c.expect("]")
    return made


def _reduction(c: Cursor) -> ReductionClause:
    at = c.token
    c.expect("(")
    op = _operator(c)
    c.expect(":")
    made = ReductionClause(at, op, [])
    while True:
        item = ReductionItem(c.name("a variable"), [])
        if c.peek() in ("[", ".", "->"):
            what = f"a part of {item.variable.value} stands in a reduction"
            c.wrong(what, f"reduce {item.variable.value} whole, or a variable that holds the part")
        if c.accept("/"):
            item.locations.append(_location(c))
            while c.accept(","):
                item.locations.append(_location(c))
            c.expect("/")
        made.items.append(item)
        if not c.accept(","):
            break
    c.expect(")")
    return made


def _widths(c: Cursor, mark: str) -> list[Width]:
    """( [/mark/] lo [: hi], .. ) in the order in which it is written."""
    found = []
    while True:
        at = c.token
        marked = c.accept("/", mark, "/")
        made = Width(at, c.expression(), None, marked)
        if c.accept(":"):
            made.hi = c.expression()
        found.append(made)
        if not c.accept(","):
            return found


def _loop(c: Cursor) -> list[Loop]:
    at = c.token
    indices: list[Spot] = []
    if c.has_dims():
        dims = c.dims("indices")
        items = dims.items[::-1] if dims.round else dims.items
        for item in items:
            if not isinstance(item.first, c_ast.ID) or item.colon:
                c.wrong("an index of the loop is no name", "list the loop variables, as in (i, j)", item.at)
            indices.append(item.at)
    c.expect("on")
    made = Loop(at, indices, c.ref())
    while not c.done:
        word = c.peek()
        if c.accept("reduction"):
            made.reductions.append(_reduction(c))
        elif c.accept("profile"):
            continue
        elif word in ("expand", "margin", "peel_and_wait"):
            c.take()
            c.expect("(")
            wait = None
            if word == "peel_and_wait":
                wait = c.expression()
                c.expect(",")
            made.border = Border(word, _widths(c, "unbound"), wait)
            c.expect(")")
        else:
            c.choose("clause of loop", ("reduction", "expand", "margin", "peel_and_wait", "profile"))
    return [made]


def _sides(c: Cursor, sides: set[str]) -> bool:
    if c.peek() in ("acc", "host"):
        sides.add(c.take().value.lower())
        return True
    return False


def _async(c: Cursor) -> c_ast.Node | None:
    if not c.accept("async"):
        return None
    c.expect("(")
    node = c.expression()
    c.expect(")")
    return node


def _reflect(kind: str):  # noqa: ANN202
    def read(c: Cursor) -> list[Reflect]:
        c.expect("(")
        made = Reflect(kind, c.names("an array"))
        c.expect(")")
        while not c.done:
            if c.accept("width"):
                c.expect("(")
                made.widths = _widths(c, "periodic")
                c.expect(")")
            elif c.accept("orthogonal"):
                made.orthogonal = True
            elif c.peek() == "async":
                made.wait = _async(c)
            elif not _sides(c, made.sides) and not c.accept("profile"):
                c.choose(f"clause of {kind}", ("width", "orthogonal", "async", "acc", "host", "profile"))
        return [made]

    return read


def _collective(kind: str):  # noqa: ANN202
    def read(c: Cursor) -> list[Collective]:
        made = Collective(kind)
        if kind in ("bcast", "wait_async"):
            c.expect("(")
            made.values = c.expressions()
            c.expect(")")
        elif kind == "reduction":
            made.reductions.append(_reduction(c))
        while not c.done:
            if c.accept("on"):
                made.on = c.ref()
            elif kind == "bcast" and c.accept("from"):
                made.source = c.ref()
            elif c.peek() == "async":
                made.wait = _async(c)
            elif not _sides(c, made.sides) and not c.accept("profile"):
                c.choose(f"clause of {kind}", ("on", "from", "async", "acc", "host"))
        return [made]

    return read


def _gmove(c: Cursor) -> list[Gmove]:
    made = Gmove("")
    while not c.done:
        if c.peek() in ("in", "out"):
            made.mode = c.take().value.lower()
        elif c.peek() == "async":
            made.wait = _async(c)
        elif not _sides(c, made.sides) and not c.accept("profile"):
            c.choose("clause of gmove", ("in", "out", "async", "acc", "host"))
    return [made]


def _array(c: Cursor) -> list[ArrayOn]:
    c.expect("on")
    return [ArrayOn(c.ref())]


def _task(c: Cursor) -> list[Task]:
    c.expect("on")
    made = Task(c.ref())
    while not c.done:
        if c.accept("nocomm"):
            made.nocomm = True
        elif not c.accept("profile"):
            c.choose("clause of task", ("nocomm", "profile"))
    return [made]


def _template_fix(c: Cursor) -> list[TemplateFix]:
    formats = _formats(c)[0] if c.has_dims() else None
    name = c.name("the template")
    return [TemplateFix(name, formats, c.dims("extents") if c.has_dims() else None)]


def _coarray(c: Cursor) -> list[Coarray]:
    if c.accept("on"):
        on = c.name("the nodes")
        c.expect("::")
        return [Coarray(c.names("a variable"), on)]
    made = Coarray(c.names("a variable"))
    c.expect(":")
    made.codims = c.dims("codimensions").items
    return [made]


def _static_desc(c: Cursor) -> list[StaticDesc]:
    c.accept("::")
    return [StaticDesc(c.names("an array"))]


def _image(c: Cursor) -> list[Image]:
    c.expect("(")
    made = Image(c.name("the nodes"))
    c.expect(")")
    return [made]


def _post_wait(kind: str):  # noqa: ANN202
    def read(c: Cursor) -> list[PostWait]:
        made = PostWait(kind)
        if kind == "post" or c.peek() == "(":
            c.expect("(")
            made.node = c.ref()
            if kind == "post" or c.peek() == ",":
                c.expect(",")
                made.tag = c.expression()
            c.expect(")")
        return [made]

    return read


def _lock(kind: str):  # noqa: ANN202
    def read(c: Cursor) -> list[Lock]:
        c.expect("(")
        made = Lock(kind, c.expression())
        c.expect(")")
        return [made]

    return read


def _tasks(_: Cursor) -> list[Tasks]:
    return [Tasks()]


DIRECTIVES = {
    "nodes": _nodes,
    "template": _template,
    "distribute": _distribute,
    "align": _align,
    "shadow": _shadow,
    "loop": _loop,
    "reflect": _reflect("reflect"),
    "reflect_init": _reflect("reflect_init"),
    "reflect_do": _reflect("reflect_do"),
    "reduce_shadow": _reflect("reduce_shadow"),
    "barrier": _collective("barrier"),
    "bcast": _collective("bcast"),
    "reduction": _collective("reduction"),
    "wait_async": _collective("wait_async"),
    "gmove": _gmove,
    "array": _array,
    "task": _task,
    "tasks": _tasks,
    "template_fix": _template_fix,
    "static_desc": _static_desc,
    "coarray": _coarray,
    "image": _image,
    "post": _post_wait("post"),
    "wait": _post_wait("wait"),
    "lock": _lock("lock"),
    "unlock": _lock("unlock"),
}


def read(c: Cursor) -> list:  # of the records above
    """The records of one directive, several where it names several things."""
    if c.done:
        c.wrong("the directive is empty", "see docs/lang/directives.md")
    word = c.peek()
    if word not in DIRECTIVES:
        c.choose("directive of xmp", DIRECTIVES)
    c.take()
    made = DIRECTIVES[word](c)
    c.end()
    return made
