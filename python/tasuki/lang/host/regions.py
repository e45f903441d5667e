"""Statements that run on the device, or that are lent its addresses: what stands for each array in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis.things import Array
from tasuki.lang.front.types import Variable


@dataclass
class Path:
    """`p->x.y`: its text, and the variable that it begins with."""

    text: str
    base: c_ast.ID


def member_path(node: c_ast.Node) -> Path | None:
    """A member of a variable's, or of what a variable points to; None of anything else."""
    if not isinstance(node, c_ast.StructRef):
        return None
    if isinstance(node.name, c_ast.ID):
        return Path(f"{node.name.name}{node.type}{node.field.name}", node.name)
    path = member_path(node.name)
    return path and Path(f"{path.text}{node.type}{node.field.name}", path.base)


@dataclass(eq=False)
class Region:
    """A statement that runs on the device, if its clause `if` says so: what stands for each array in it."""

    condition: str = ""  # a variable of C; empty without a clause
    base: dict[Array, str] = field(default_factory=dict)
    name: dict[Variable, str] = field(default_factory=dict)
    member: dict[str, str] = field(default_factory=dict)  # by its text: `p->x`
    members: dict[c_ast.Node, Path] = field(default_factory=dict)  # where they stand
    twins: list[Variable] = field(default_factory=list)  # numbers whose copy on the device it means
