"""Subscripts that are an index plus a constant: `i`, `i + 2`, `i - n`."""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.front.types import descend


def split_index(node: c_ast.Node | None, names: dict[str, int]) -> tuple[str | None, c_ast.Node | None, str]:
    """`i`, `i + 2`, `i - n` as name, offset and its sign; no name where it is none of these."""
    if isinstance(node, c_ast.ID) and node.name in names:
        return node.name, None, "+"
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        sides = [(node.left, node.right, node.op)]
        if node.op == "+":
            sides.append((node.right, node.left, "+"))
        for one, other, op in sides:
            inner, offset, sign = split_index(one, names)
            used = {each.name for each in descend(other) if isinstance(each, c_ast.ID)}
            if inner is not None and offset is None and not used & set(names):
                return inner, other, op
            del sign
    return None, None, "+"
