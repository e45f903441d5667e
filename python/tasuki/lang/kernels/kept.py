"""Sums of kernels that stay on the device: until the host reads the variable, or the data region ends.

    #pragma acc data copyin(a)
    for (..) {
    #pragma acc parallel loop reduction(+:s)
      for (..) s += a[i];                        // no copy and no wait
    }                                            // tsk_acc_settle() before the region ends
    use(s)

A variable stays where the text shows each place that reads it: a number of a function's own whose address
is taken nowhere, and that no directive names but by `reduction` and data clauses. What the host does with it
inside of the region becomes `(*(tsk_acc_settle(), &s))`. Any other sum is brought back behind its loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from pycparser import c_ast

from tasuki.lang.analysis.shown import is_below
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.acc import Acc, Part
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.kernels.nest import Nest


class Kept:
    """Which sums stay, and the edits that bring them back."""

    def __init__(self, m: Meaning, edits: Edits) -> None:
        self.m, self.edits = m, edits
        self._regions = {
            m.names.next.get(directive): directive
            for directive, records in m.records.items()
            if any(isinstance(each, Acc) and each.name == "data" for each in records)
        }
        self._stays: set[tuple[c_ast.Node, Variable]] = set()  # by the kernel's statement

    def plan(self, nests: list[Nest]) -> None:
        """Looks at the sums of all kernels."""
        found: dict[c_ast.Node, set[Variable]] = {}
        for nest in nests:
            for variable in nest.sums:
                region = self._region(nest.statement, variable)
                if region is not None and self._is_shown(variable, region):
                    self._stays.add((nest.statement, variable))
                    found.setdefault(region, set()).add(variable)
        for region, variables in found.items():
            first, last = self.m.tree.whole[region]
            self.edits.after(last, " tsk_acc_settle();", first)
            for node in descend(region):
                if not isinstance(node, c_ast.ID) or self.m.names.use.get(node) not in variables:
                    continue
                if not any(is_below(self.m, node, nest.statement) for nest in nests):
                    self.edits.replace(*self.m.tree.span_of(node), f"(*(tsk_acc_settle(), &{node.name}))")

    def before(self, nest: Nest) -> str:
        """What a launch begins with: it may read what another one has summed."""
        summed = {variable for _, variable in self._stays}
        return "tsk_acc_settle(); " if summed & nest.scalars.keys() else ""

    def behind(self, nest: Nest) -> str:
        """What follows a launch."""
        all_stay = all((nest.statement, variable) in self._stays for variable in nest.sums)
        return "" if all_stay else " tsk_acc_settle();"

    def _region(self, statement: c_ast.Node, variable: Variable) -> c_ast.Node | None:
        """The innermost data region around a kernel that the variable outlives."""
        each = self.m.names.parent.get(statement)
        while each is not None:
            if each in self._regions and not _is_left(each):
                return None if is_below(self.m, variable.decl, each) else each
            each = self.m.names.parent.get(each)
        return None

    def _is_shown(self, variable: Variable, region: c_ast.Node) -> bool:
        """Whether the text shows all that the host does with a variable."""
        if variable.scope.is_file or {"static", "extern", "register"} & set(variable.storage):
            return False
        if variable.dims() or variable.pointer_dims() is not None:
            return False
        for node, used in self.m.names.use.items():
            parent = self.m.names.parent.get(node)
            if used is variable and isinstance(parent, c_ast.UnaryOp) and parent.op == "&":
                return False
        for directive, records in self.m.records.items():
            scope = self.m.names.scope.get(directive)
            if scope is None or scope.find(variable.name) is not variable:
                continue
            if any(variable.name in _names(record) for record in records):
                return False
        first, last = self.m.tree.whole[region]
        every, text = self.m.tree.tokens.every, self.m.tree.tokens.text
        others = re.findall(r"(?m)^[ \t]*#[ \t]*pragma.*$", text[every[first].start : every[last].end])
        word = re.compile(rf"\b{re.escape(variable.name)}\b")
        return not any(word.search(line) for line in others)


def _is_left(region: c_ast.Node) -> bool:
    """Whether a jump may leave a region, or come into it."""
    todo = [(region, False, False)]
    while todo:
        node, looped, switched = todo.pop()
        if isinstance(node, (c_ast.Return, c_ast.Goto, c_ast.Label)):
            return True
        if isinstance(node, c_ast.Continue) and not looped:
            return True
        if isinstance(node, c_ast.Break) and not (looped or switched):
            return True
        looped = looped or isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile))
        switched = switched or isinstance(node, c_ast.Switch)
        todo += [(child, looped, switched) for _, child in node.children()]
    return False


def _names(record: object) -> Iterator[str]:
    """What a directive names, but for sums and data of acc."""
    if isinstance(record, Acc):
        yield from _names([record.lists, record.numbers, [part.section for _, part in record.data]])
    elif isinstance(record, Part):
        yield record.name.value
        yield from _names(record.section)
    elif isinstance(record, Spot):
        yield record.value
    elif isinstance(record, c_ast.Node):
        yield from (node.name for node in descend(record) if isinstance(node, c_ast.ID))
    elif isinstance(record, dict):
        yield from _names(list(record.values()))
    elif isinstance(record, (list, tuple, set)):
        for each in record:
            yield from _names(each)
    elif is_dataclass(record):
        for each in fields(record):
            yield from _names(getattr(record, each.name))
