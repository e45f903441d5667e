"""Directives that no run could follow, seen before anything is translated: what is said twice, numbers that
cannot be, loops that are not there.

    #pragma xmp nodes p[0]                      // nodes of no rank
    #pragma acc parallel loop collapse(3)       // before two loops

Each function looks at a record and raises Wrong.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.front import forms
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.parse import Directive, Tree
from tasuki.lang.front.pragma import Dims
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Scope, Variable, constant


def declared_once(tree: Tree, scope: Scope, name: Spot) -> None:
    """Nodes and templates have their name alone in their scope."""
    if name.value in scope.things:
        raise _wrong(tree, name, f"{name.value} is declared twice", "give the second one another name")


def distributed_once(tree: Tree, name: Spot, before: forms.Distribute | None) -> None:
    if before is not None:
        where = tree.tokens.place(before.name).line
        what = f"{name.value} is distributed twice, in line {where} before"
        raise _wrong(tree, name, what, "declare a second template, and move arrays between both by gmove")


def aligned_once(tree: Tree, name: Spot, before: Spot | None) -> None:
    if before is not None:
        what = f"{name.value} is aligned twice, in line {tree.tokens.place(before).line} before"
        raise _wrong(tree, name, what, "align it once; gmove copies it to an array that lies otherwise")


def template_lives(tree: Tree, name: Spot, scope: Scope, variable: Variable) -> None:
    """An array of the file is made before main, so its template is of the file as well."""
    if variable.scope.is_file and not variable.is_parameter and not scope.is_file:
        what = f"{variable.name} is of the file, and {name.value} is a template of a function"
        mend = f"declare {name.value} and its nodes outside of functions, or {variable.name} in this one"
        raise _wrong(tree, name, what, mend)


def extents(tree: Tree, dims: Dims) -> None:
    """Nodes have one along each dimension at least."""
    for item in dims.items:
        value = constant(item.first)
        if value is not None and value < 1:
            raise _wrong(tree, item.at, f"{value} nodes along a dimension", "give it 1 or more, or *")


def formats(tree: Tree, record: forms.Distribute, onto: Dims, scope: Scope) -> None:
    """Widths are positive, and gblock has a size for each node."""
    cut = 0
    for each in record.formats:
        if each.kind == "*":
            continue
        nodes = constant(onto.items[cut].first)
        cut += 1
        if each.kind == "gblock":
            found = scope.find(each.width.name) if isinstance(each.width, c_ast.ID) else None
            sizes = found.dims() if isinstance(found, Variable) else []
            count = constant(sizes[0]) if len(sizes) == 1 else None
            if None not in (nodes, count) and count < nodes:
                what = f"{each.width.name} has {count} sizes, for {nodes} nodes"
                raise _wrong(tree, each.at, what, "give a size for each node, 0 where it has nothing")
        elif each.width is not None and (value := constant(each.width)) is not None and value < 1:
            what = f"a width of {value} in {each.kind}({value})"
            raise _wrong(tree, each.at, what, f"give it 1 or more, or write {each.kind}")


def shadow(tree: Tree, widths: Dims) -> None:
    for item in widths.items:
        for node in (item.first, item.second):
            value = constant(node)
            if value is not None and value < 0:
                raise _wrong(tree, item.at, f"a shadow of {value} elements", "give it a width of 0 or more")


def indices(tree: Tree, record: forms.Loop) -> None:
    seen: set[str] = set()
    for token in record.indices:
        if token.value in seen:
            raise _wrong(tree, token, f"{token.value} is listed twice", "list each loop variable once")
        seen.add(token.value)


def template_fix(tree: Tree, record: forms.TemplateFix, dims: Dims, later: bool) -> None:
    """What has its extents and its formats from the beginning cannot be fixed."""
    if not later and not any(item.all for item in dims.items):
        what = f"{record.name.value} has all of its extents and formats already"
        mend = f"leave this out, or write : for what comes later in `template {record.name.value}`"
        raise _wrong(tree, record.name, what, mend)


def acc_loop(tree: Tree, record: Acc, directive: Directive, behind: c_ast.Node | None) -> None:
    """A loop directive stands before a for, with as many in it as are collapsed."""
    if not record.is_loop:
        return
    if not isinstance(behind, c_ast.For):
        raise _wrong(tree, record.at, "no for loop stands behind this", "put it directly before a for")
    wanted = constant(next(iter(record.numbers.get("collapse", [])), None))
    depth, each = 0, behind
    while isinstance(each, c_ast.For):
        depth, each = depth + 1, _only(each.stmt)
    if wanted is not None and wanted > depth:
        token = next((one for one in directive.tokens if one.value == "collapse"), record.at)
        loops = "1 loop is" if depth == 1 else f"{depth} loops are"
        what = f"collapse({wanted}), and {loops} nested tightly"
        raise _wrong(tree, token, what, f"write collapse({depth}), or leave nothing between the loops")


def _only(body: c_ast.Node) -> c_ast.Node:
    """The only statement of a body, its directives left out."""
    while isinstance(body, c_ast.Compound):
        items = [item for item in body.block_items or [] if not isinstance(item, Directive)]
        if len(items) != 1:
            break
        body = items[0]
    return body


def _wrong(tree: Tree, token: Spot, what: str, mend: str) -> Wrong:
    return Wrong(tree.tokens.place(token), what, mend)
