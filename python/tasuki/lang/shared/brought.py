"""Sections in the data clauses of SMint: what is brought before a loop, or before each run of its iterations.

brought = Brought(unit, scope)
brought.bring(part, None, "", "")            # copyin(x[ ])
brought.bring(part, counts, "tsk_l1", "int")  # copyin(u[i - 1:3][ ]): for the iterations of a run
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.bodies import names_in
from tasuki.lang.analysis.counted import Counted
from tasuki.lang.analysis.text import compound
from tasuki.lang.front.types import Scope, Variable
from tasuki.lang.shared.clauses import Part
from tasuki.lang.shared.shared import Unit


class Brought:
    """Makes the calls for the sections of a directive; names are those of its scope."""

    def __init__(self, unit: Unit, scope: Scope) -> None:
        self.unit, self.scope = unit, scope

    def array(self, part: Part) -> Variable:
        """The array of a section; Wrong where it has none."""
        variable = self.scope.find(part.name.value)
        if not isinstance(variable, Variable):
            raise self.unit.wrong(part.name, f"{part.name.value} is not declared", "declare it before")
        behind = variable.pointer_dims()
        dims = variable.dims() or ([None, *behind] if behind is not None else [])
        if (
            variable not in self.unit.shared
            and not isinstance(variable.decl.type, c_ast.PtrDecl)
            and not (variable.is_parameter and dims)
        ):
            what = f"{part.name.value} is not shared: every process has its own"
            raise self.unit.wrong(part.name, what, "leave it out, or share it")
        if not dims or len(part.items) > len(dims):
            what = f"{part.name.value} has {len(dims)} axes, and this section {len(part.items)}"
            raise self.unit.wrong(part.name, what, "write one bracket for each axis")
        return variable

    def moves(self, part: Part, counts: Counted) -> bool:
        """Whether a section depends on the loop's variable."""
        nodes = [
            node for item in part.items if item for node in (item.first, item.second) if node is not None
        ]
        return any(counts.variable in names_in(node) for node in nodes)

    def bring(self, part: Part, counts: Counted | None, name: str, kind: str) -> str:
        """The call that brings a section: before the loop, or with `counts` before a run of iterations."""
        variable = self.array(part)
        shared = self.unit.shared.get(variable)
        text = shared.text if shared else variable.name
        axes = len(variable.dims() or [None, *(variable.pointer_dims() or ())])
        element = [text + "[0]" * a for a in range(axes + 1)]
        whole = [f"sizeof {element[a]} / sizeof {element[a + 1]}" for a in range(axes)]
        if not shared:
            whole[0] = "0"
        rows = []
        for axis in range(axes):
            item = part.items[axis] if axis < len(part.items) else None
            if item is None:
                rows += ["0", "-1"]
            else:
                rows += [
                    f"({self.unit.expr(item.first)})",
                    f"({self.unit.expr(item.second)})" if item.colon else "1",
                ]

        def fill(value: str, begin: int) -> str:
            sets = " ".join(f"tsk_p[{begin + k}] = {row};" for k, row in enumerate(rows))
            if counts is None:
                return f"{{ {sets} }} "
            return f"{{ const tsk_k {counts.variable} = (tsk_k){name}.{value}; {sets} }} "

        named = f"typedef {kind} tsk_k; " if counts is not None else ""
        write, keep = int(part.kind in ("copy", "copyout")), int(counts is not None)
        return (
            f"{{ {named}long tsk_p[{4 * axes}]; {fill('first', 0)}{fill('last', 2 * axes)}"
            f"sms_bring({self.unit.where(part.name)}, {text}, {axes}, "
            f"{compound('unsigned long', whole)}, tsk_p, sizeof {element[axes]}, {write}, {keep}); }} "
        )
