"""What the body of a loop does with its variables.

set_first(loop.stmt, "t")        # whether each iteration sets t before it reads it
is_linear(sub, "i", changing)    # whether a subscript counts with i in equal steps
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import descend


def writes(body: c_ast.Node) -> Iterator[tuple[c_ast.Node, c_ast.Node]]:
    """Statements that write, and what they write, in the order of the text."""
    for node in descend(body):
        if isinstance(node, c_ast.Assignment):
            yield node, node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--"):
            yield node, node.expr


def set_whole(loop: c_ast.Node) -> set[str]:
    """Variables that are set as a whole or declared below a node; elements behind a pointer are not it."""
    targets = [target for _, target in writes(loop)]
    targets += [each.expr for each in descend(loop) if isinstance(each, c_ast.UnaryOp) and each.op == "&"]
    declared = {each.name for each in descend(loop) if isinstance(each, c_ast.Decl)}
    return declared | {target.name for target in targets if isinstance(target, c_ast.ID)}


def names_in(node: c_ast.Node | None) -> set[str]:
    return {each.name for each in descend(node) if isinstance(each, c_ast.ID)}


def is_linear(node: c_ast.Node, variable: str, changing: set[str]) -> bool:
    """Whether an expression counts with a variable in equal steps, and stays the same otherwise."""
    if variable not in names_in(node):
        calls = any(isinstance(each, (c_ast.FuncCall, c_ast.Assignment)) for each in descend(node))
        return not calls and not names_in(node) & changing
    match node:
        case c_ast.ID():
            return True
        case c_ast.BinaryOp(op="+" | "-", left=left, right=right):
            return is_linear(left, variable, changing) and is_linear(right, variable, changing)
        case c_ast.BinaryOp(op="*", left=left, right=right):
            one = variable not in names_in(left) or variable not in names_in(right)
            return one and is_linear(left, variable, changing) and is_linear(right, variable, changing)
        case c_ast.UnaryOp(op="-" | "+", expr=inner) | c_ast.Cast(expr=inner):
            return is_linear(inner, variable, changing)
    return False


def set_first(node: c_ast.Node, name: str) -> bool | None:
    """Whether the first thing that is done with a variable is to set it; None where nothing is."""
    if name not in names_in(node):
        return None
    match node:
        case c_ast.Compound():
            for item in node.block_items or ():
                found = None if isinstance(item, Directive) else set_first(item, name)
                if found is not None:
                    return found
            return None
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
            return name not in names_in(value)
        case c_ast.Assignment(op="=", lvalue=c_ast.StructRef(name=c_ast.ID(name=target)), rvalue=value) if (
            target == name
        ):
            return name not in names_in(value)
        case c_ast.For():
            if name in names_in(node.init):
                return set_first(node.init, name)
            return name not in names_in(node.cond) and set_first(node.stmt, name)
        case c_ast.If():
            return (
                name not in names_in(node.cond)
                and bool(
                    set_first(node.iftrue, name) and (node.iffalse is None or set_first(node.iffalse, name))
                )
                and node.iffalse is not None
            )
    return False
