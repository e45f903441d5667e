"""The dialect `#pragma xmp`: the grammar of every directive of XcalableMP and XcalableACC.

Its records are in `forms`, directives that declare in `declaring`.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.front import declaring
from tasuki.lang.front.forms import (
    OPERATORS,
    ArrayOn,
    Border,
    Collective,
    Gmove,
    Image,
    Location,
    Lock,
    Loop,
    PostWait,
    ReductionClause,
    ReductionItem,
    Reflect,
    Task,
    Tasks,
    Width,
)
from tasuki.lang.front.pragma import Cursor
from tasuki.lang.front.tokens import Spot


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


# What reflect_init has said counts for reflect_do too.
_SIDES = ("acc", "host", "profile")
_OF_REFLECT = {
    "reflect": ("width", "orthogonal", "async", *_SIDES),
    "reflect_init": ("width", "orthogonal", *_SIDES),
    "reflect_do": _SIDES,
    "reduce_shadow": ("width", "orthogonal", "async", *_SIDES),
}


def _reflect(kind: str):  # noqa: ANN202
    def read(c: Cursor) -> list[Reflect]:
        c.expect("(")
        made = Reflect(kind, c.names("an array"))
        c.expect(")")
        while not c.done:
            if c.peek() not in _OF_REFLECT[kind]:
                c.choose(f"clause of {kind}", _OF_REFLECT[kind])
            if c.accept("width"):
                c.expect("(")
                made.widths = _widths(c, "periodic")
                c.expect(")")
            elif c.accept("orthogonal"):
                made.orthogonal = True
            elif c.peek() == "async":
                made.wait = _async(c)
            elif not _sides(c, made.sides):
                c.expect("profile")
        return [made]

    return read


_OF_COLLECTIVE = {
    "barrier": ("on", "profile"),
    "wait_async": ("on", "profile"),
    "bcast": ("on", "from", "async", *_SIDES),
    "reduction": ("on", "async", *_SIDES),
}


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
            if c.peek() not in _OF_COLLECTIVE[kind]:
                c.choose(f"clause of {kind}", _OF_COLLECTIVE[kind])
            if c.accept("on"):
                made.on = c.ref()
            elif c.accept("from"):
                made.source = c.ref()
            elif c.peek() == "async":
                made.wait = _async(c)
            elif not _sides(c, made.sides):
                c.expect("profile")
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
    "nodes": declaring.nodes,
    "template": declaring.template,
    "distribute": declaring.distribute,
    "align": declaring.align,
    "shadow": declaring.shadow,
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
    "template_fix": declaring.template_fix,
    "static_desc": declaring.static_desc,
    "coarray": declaring.coarray,
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
