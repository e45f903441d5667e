"""Loops that count: `for (i = first; i < bound; i += step)`, and what is read and written in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import constant, descend

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class Counted:
    """A loop's variable, where it was declared, and its header; step is text without its sign."""

    loop: c_ast.For
    variable: str
    declares: c_ast.Decl | None
    first: c_ast.Node
    bound: c_ast.Node
    inclusive: bool
    down: bool
    step: c_ast.Node | None  # none: 1


def counted(loop: c_ast.For) -> Counted | str:
    """What a header says, or why it is none that counts."""
    declares = None
    match loop.init:
        case c_ast.DeclList(decls=[c_ast.Decl() as only]) if only.init is not None:
            declares, variable, first = only, only.name, only.init
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=variable), rvalue=first):
            pass
        case _:
            return "its first part sets no loop variable"
    step, down = _step(loop.next, variable)
    if step == "none":
        return "its last part is no constant step"
    match loop.cond:
        case c_ast.BinaryOp(op=op, left=c_ast.ID(name=name), right=bound) if (
            name == variable and op in _TURNED
        ):
            pass
        case c_ast.BinaryOp(op=op, left=bound, right=c_ast.ID(name=name)) if (
            name == variable and op in _TURNED
        ):
            op = _TURNED[op]
        case c_ast.BinaryOp(op="!=", left=c_ast.ID(name=name), right=bound) if (
            name == variable and step is None
        ):
            op = ">" if down else "<"
        case _:
            return "its condition compares no loop variable with a bound"
    if (op[0] == ">") != down:
        return "its step and its condition go different ways"
    if constant(step) == 0:
        return "its step is 0"
    return Counted(loop, variable, declares, first, bound, op.endswith("="), down, step)


def turned(counts: Counted) -> str:
    """What a body changes of what its header counts by; empty where it leaves both alone."""
    changed = changed_in(counts.loop.stmt)
    if counts.variable in changed:
        return f"its body changes {counts.variable}, which its header counts"
    names = sorted({node.name for node in descend(counts.step) if isinstance(node, c_ast.ID)} & changed)
    return f"its body changes {names[0]}, and with it the step" if names else ""


def _step(node: c_ast.Node | None, variable: str) -> tuple[c_ast.Node | str | None, bool]:
    """The step as (node without sign or None for 1, whether it counts down)."""
    match node:
        case c_ast.UnaryOp(op="p++" | "++", expr=c_ast.ID(name=name)) if name == variable:
            return None, False
        case c_ast.UnaryOp(op="p--" | "--", expr=c_ast.ID(name=name)) if name == variable:
            return None, True
        case c_ast.Assignment(op="+=" | "-=" as op, lvalue=c_ast.ID(name=name), rvalue=by) if (
            name == variable
        ):
            return _signed(by, op == "-=")
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=name),
            rvalue=c_ast.BinaryOp(op="+" | "-" as op, left=left, right=right),
        ) if name == variable:
            if isinstance(left, c_ast.ID) and left.name == variable:
                return _signed(right, op == "-")
            if op == "+" and isinstance(right, c_ast.ID) and right.name == variable:
                return _signed(left, False)
    return "none", False


def _signed(by: c_ast.Node, down: bool) -> tuple[c_ast.Node | str, bool]:
    if isinstance(by, c_ast.UnaryOp) and by.op == "-":
        return by.expr, not down
    return by, down


def assigned(node: c_ast.Node) -> set[str]:
    """Names of variables that are written, declared or have their address taken below a node."""
    found = set()
    for each in descend(node):
        match each:
            case c_ast.Assignment(lvalue=target):
                found.add(root(target))
            case c_ast.UnaryOp(op="p++" | "p--" | "++" | "--" | "&", expr=target):
                found.add(root(target))
            case c_ast.Decl(name=str(name)):
                found.add(name)
    return found - {""}


def changed_in(node: c_ast.Node) -> set[str]:
    """Names of variables that are written below a node as a whole; what it declares is its own."""
    found, own = set(), set()
    for each in descend(node):
        match each:
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                found.add(name)
            case c_ast.UnaryOp(op="p++" | "p--" | "++" | "--", expr=c_ast.ID(name=name)):
                found.add(name)
            case c_ast.Decl(name=str(name)):
                own.add(name)
    return found - own


def root_id(node: c_ast.Node) -> c_ast.ID | None:
    """The name that an expression of subscripts and fields begins with."""
    while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
        node = node.name
    return node if isinstance(node, c_ast.ID) else None


def root(node: c_ast.Node) -> str:
    """The same as text; empty where there is none."""
    found = root_id(node)
    return found.name if found is not None else ""


def loops_in(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """All loops below a node, itself left out."""
    for each in descend(node):
        if each is not node and isinstance(each, (c_ast.For, c_ast.While, c_ast.DoWhile)):
            yield each


def leaves(body: c_ast.Node) -> c_ast.Node | None:
    """A break or goto in a body that leaves it, else a return, if any."""
    returns = None
    todo = [(body, False)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, c_ast.Return):
            returns = node
        if isinstance(node, c_ast.Goto) or (isinstance(node, c_ast.Break) and not inside):
            return node
        nested = inside or isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch))
        if not isinstance(node, Directive):
            todo += [(child, nested) for _, child in node.children()]
    return returns
