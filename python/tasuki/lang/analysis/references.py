"""How the text reaches an element of a distributed array by its global subscripts.

u[j][i]  ->  ((double *)tsk_a_u.at)[(j) * tsk_a_u.step[0] + (i)]
u[j]     ->  ((double *)tsk_a_u.at + (j) * tsk_a_u.step[0])
u        ->  ((double (*)[tsk_a_u.held[1]])tsk_a_u.start)
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array, Meaning
from tasuki.lang.front.parse import Section


@dataclass(eq=False)
class Use:
    """A use of a distributed array: the largest expression of name and subscripts that means it."""

    array: Array
    node: c_ast.Node
    subs: list[c_ast.Node]
    name: c_ast.ID
    section_served: bool = False  # a statement of `array` has put subscripts for its sections

    @property
    def complete(self) -> bool:
        return len(self.subs) == self.array.dims

    @property
    def has_section(self) -> bool:
        return any(isinstance(sub, Section) for sub in self.subs)


def use_of(m: Meaning, name: c_ast.ID, array: Array) -> Use:
    """The use that begins with this name."""
    node: c_ast.Node = name
    subs: list[c_ast.Node] = []
    while len(subs) < array.dims:
        parent = m.names.parent.get(node)
        if not isinstance(parent, c_ast.ArrayRef) or parent.name is not node:
            break
        subs.append(parent.subscript)
        node = parent
    return Use(array, node, subs, name)


def place(text: Text, array: Array, subs: list[str]) -> str:
    """The sum of subscripts times strides, for the first of an array's dimensions."""
    del text
    terms = []
    for dim, sub in enumerate(subs):
        local = f"({sub})" if array.linear(dim) else f"tsk_local(&{array.name}, {dim}, {sub})"
        terms.append(local if dim == array.dims - 1 else f"{local} * {array.name}.step[{dim}]")
    return " + ".join(terms)


def element(text: Text, use: Use, base: str, at: str = "") -> str:
    """The text of a use, with `base` as the pointer that takes global subscripts; `at`: its place from there,
    where that is asked of the run time.
    """
    array, kind = use.array, use.array.variable.element()
    rest = array.dims - len(use.subs)
    behind = "".join(f"[{array.name}.held[{dim}]]" for dim in range(len(use.subs) + 1, array.dims))
    if not use.subs:
        pointer = f"{kind} (*){behind}" if behind else f"{kind} *"
        return f"(({pointer}){array.name}.start)"
    at = at or place(text, array, [text.expr(sub) for sub in use.subs])
    if rest == 0:
        return f"(({kind} *){base})[{at}]"
    if rest == 1:
        return f"(({kind} *){base} + {at})"
    return f"(({kind} (*){behind})(({kind} *){base} + {at}))"
