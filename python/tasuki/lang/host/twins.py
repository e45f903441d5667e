"""Numbers that have a copy on the device: those that a data clause names, and whose address is taken.

    int n = 1, *p = &n;
    #pragma acc data copy(n)
    #pragma acc parallel
    n += 1;                                 // p[0] += 1 would reach the copy by its address
    ->
    { int tsk_k1 = n; const int tsk_k2 = tsk_acc_take(.., &n, sizeof(n), ..);
    n += 1; if (tsk_k2) { tsk_acc_give(.., &n, sizeof(n), ..); n = tsk_k1; } }

A region does its own text with the number itself, which has the copy's value in it: so a kernel is given it
as any other. All other numbers are the host's alone, and need no copying.
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.bodies import writes
from tasuki.lang.analysis.counted import root_id
from tasuki.lang.analysis.text import Text, quoted
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.types import Scope, Variable, descend


class Twins:
    """Those of a unit; `number`: counts the names that are made."""

    def __init__(self, text: Text, number: Callable[[], int]) -> None:
        self.text, self.m, self.number = text, text.m, number
        self._by_address = {
            variable
            for node, variable in self.m.names.use.items()
            if _takes_address(self.m.names.parent.get(node))
        }

    def __contains__(self, variable: Variable | None) -> bool:
        """Whether data clauses give it a copy."""
        if variable is None or variable not in self._by_address or variable.is_function():
            return False
        is_number = not variable.dims() and not variable.is_address() and variable.basic() != "BYTES"
        known = variable in self.m.arrays or variable in self.m.coarrays
        return is_number and not known and "const" not in (variable.decl.quals or [])

    def meant(self, record: Acc, statement: c_ast.Node, own: set[str]) -> list[Variable]:
        """Numbers of a region's statement whose copy it reads or sets. `own`: what it names without one."""
        used = [self.m.names.use.get(node) for node in descend(statement) if isinstance(node, c_ast.ID)]
        found = [each for each in dict.fromkeys(used) if each in self and each.name not in own]
        return [each for each in found if self._is_named(each, record, statement)]

    def around(
        self, record: Acc, statement: c_ast.Node, meant: list[Variable], condition: str, queue: str
    ) -> tuple[str, str]:
        """What stands before a region's statement, and behind it."""
        heads, tails = [], []
        where = self.text.where(record.at)
        targets = [target for _, target in writes(statement)]
        targets += [node.expr for node in descend(statement) if _takes_address(node)]
        written = {self.m.names.use.get(root_id(target)) for target in targets}
        for variable in meant:
            name = variable.name
            before, taken = f"tsk_k{self.number()}", f"tsk_k{self.number()}"
            given = f"{where}, {quoted(name)}, &{name}, sizeof({name}), {queue}"
            asked = f"{condition} && " if condition else ""
            heads.append(f"const {variable.element()} {before} = {name}; ")
            heads.append(f"const int {taken} = {asked}tsk_acc_take({given}); ")
            back = f"tsk_acc_give({given}); " if variable in written else ""
            tails.append(f" if ({taken}) {{ {back}{name} = {before}; }}")
        return "".join(heads), "".join(tails)

    def _is_named(self, variable: Variable, record: Acc, statement: c_ast.Node) -> bool:
        """Whether a region means the copy: by a clause of it or around it, by `declare`, or as `kernels`."""
        if record.name.startswith("kernels") or self._names(record, variable):
            return True
        above = self._above(statement)
        for directive, records in self.m.records.items():
            scope = self.m.names.scope.get(directive)
            if scope is None or scope.find(variable.name) is not variable:
                continue
            around = self.m.names.next.get(directive) in above
            for each in records:
                if not isinstance(each, Acc) or not self._names(each, variable):
                    continue
                if (each.name == "data" and around) or (each.name == "declare" and self._holds(scope, above)):
                    return True
        return False

    def _names(self, record: Acc, variable: Variable) -> bool:
        return any(part.name.value == variable.name for _, part in record.data)

    def _above(self, statement: c_ast.Node) -> set[c_ast.Node]:
        found, each = set(), statement
        while each is not None:
            found.add(each)
            each = self.m.names.parent.get(each)
        return found

    def _holds(self, scope: Scope, above: set[c_ast.Node]) -> bool:
        return scope.is_file or scope.node in above


def _takes_address(node: c_ast.Node | None) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&"
