"""The grammar of directives that declare: nodes, templates, and which arrays lie on them.

nodes p[4]    template t[N]    distribute t[block] onto p    align a[i] with t[i]    shadow a[1]
"""

from __future__ import annotations

from tasuki.lang.front.forms import (
    Align,
    Coarray,
    Distribute,
    Format,
    Nodes,
    Shadow,
    StaticDesc,
    Template,
    TemplateFix,
)
from tasuki.lang.front.pragma import Cursor


def nodes(c: Cursor) -> list[Nodes]:
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


def template(c: Cursor) -> list[Template]:
    if c.has_dims():
        dims = c.dims("extents")
        c.expect("::")
        return [Template(name, dims) for name in c.names("the template")]
    return [Template(c.name("the template"), c.dims("extents"))]


def read_format(c: Cursor) -> Format:
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


def read_formats(c: Cursor) -> tuple[list[Format], bool]:
    found = []
    if c.accept("("):
        found.append(read_format(c))
        while c.accept(","):
            found.append(read_format(c))
        c.expect(")")
        return found[::-1], True
    if c.peek() != "[":
        c.wrong("the list of formats is missing", "write it as [block][cyclic] or (cyclic, block)")
    while c.accept("["):
        found.append(read_format(c))
        c.expect("]")
    return found, False


def distribute(c: Cursor) -> list[Distribute]:
    name = None if c.has_dims() else c.name("the template")
    formats, is_round = read_formats(c)
    c.expect("onto")
    onto = c.name("the nodes")
    if name is None:
        c.expect("::")
        return [Distribute(each, formats, is_round, onto) for each in c.names("the template")]
    return [Distribute(name, formats, is_round, onto)]


def align(c: Cursor) -> list[Align]:
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


def shadow(c: Cursor) -> list[Shadow]:
    if c.has_dims():
        widths = c.dims("widths")
        c.expect("::")
        return [Shadow(name, widths) for name in c.names("an array")]
    made = [Shadow(c.name("an array"), c.dims("widths"))]
    while c.accept(","):
        made.append(Shadow(c.name("an array"), c.dims("widths")))
    return made


def template_fix(c: Cursor) -> list[TemplateFix]:
    formats = read_formats(c)[0] if c.has_dims() else None
    name = c.name("the template")
    return [TemplateFix(name, formats, c.dims("extents") if c.has_dims() else None)]


def static_desc(c: Cursor) -> list[StaticDesc]:
    c.accept("::")
    return [StaticDesc(c.names("an array"))]


def coarray(c: Cursor) -> list[Coarray]:
    if c.accept("on"):
        on = c.name("the nodes")
        c.expect("::")
        return [Coarray(c.names("a variable"), on)]
    made = Coarray(c.names("a variable"))
    c.expect(":")
    made.codims = c.dims("codimensions").items
    return [made]
