"""Functions of the file that a cell of a lifted loop calls.

    static double limit(double x) { return x > most ? most : x; }
    v[j][i] = limit(u[j][i]);      // lifted, where no step sets `most`

What makes the loop's iterations independent has shown that they only compute a value (analysis/pure.py). The
cells' function stands before the one with the time loop, so what it calls has to be known there; and what it
calls may read variables of the file, which have to be the same in every step.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.pure import is_local
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.lift.plan import NotLifted, scope_of


class Calls:
    """`changing`: names that a step sets, whatever for."""

    def __init__(self, m: Meaning, changing: set[str]) -> None:
        self.m, self.changing = m, changing

    def look(self, call: c_ast.FuncCall, plan: Plan) -> None:
        """Whether a cell may call it; NotLifted says why not."""
        name, token = call.name.name, self.m.tree.first(call)
        if not self._is_known(name, plan):
            raise NotLifted(self.m, token, f"{name}()", "is declared behind the function with the time loop")
        for variable in self._reads(name):
            if variable.name in self.changing:
                what = f"reads {variable.name}, which is another in every step"
                raise NotLifted(self.m, token, f"{name}()", what)

    def _is_known(self, name: str, plan: Plan) -> bool:
        """Whether the file has said it before the function with the time loop."""
        here = scope_of(self.m, plan.outer).function
        for item in self.m.tree.unit.ext:
            if item is here:
                return False
            decl = item.decl if isinstance(item, c_ast.FuncDef) else item
            if isinstance(decl, c_ast.Decl) and decl.name == name:
                return True
        return False

    def _reads(self, name: str) -> Iterator[Variable]:
        """Variables that outlive a call of it, or of what it calls, and that it reads."""
        body = next(each.body for each in self.m.names.functions if each.decl.name == name)
        for node in descend(body):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None:
                continue
            if not variable.is_function():
                yield from () if is_local(variable) else (variable,)
            elif any(each.decl.name == node.name for each in self.m.names.functions):
                yield from self._reads(node.name)
