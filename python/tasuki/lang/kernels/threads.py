"""Loops of OpenACC on the host, of arrays that are not distributed: threads share the outermost one.

    #pragma acc parallel loop collapse(2)
    for (int j = 1; j < n; j++) for (int i = 1; i < n; i++) v[j][i] = u[j][i];
    ->
    #pragma omp parallel for
    for (int j = ..)
    #pragma omp simd
      for (int i = ..) v[j][i] = u[j][i];

They are the loops that threads of a GPU would share: the program says that iterations are independent, or
it is shown. A sum of floating point keeps its order, so that a program prints what it prints as serial C;
`atomic` asks for one thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted
from tasuki.lang.analysis.plans import FEW
from tasuki.lang.analysis.pure import why_not_pure
from tasuki.lang.analysis.shown import written_first
from tasuki.lang.analysis.text import Text
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import descend
from tasuki.lang.host.threads import words_of
from tasuki.lang.kernels.kernels import Kernels
from tasuki.lang.kernels.nest import Nest, read_nest

_INEXACT = {"FLOAT", "DOUBLE", "LDOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX"}
_INNER = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass
class Made:
    """What a report says of a loop."""

    at: object
    indices: list[str]
    how: str


class Threads:
    """Finds the loops of a unit's regions that threads of the host share, and edits them."""

    def __init__(self, text: Text, kernels: Kernels) -> None:
        self.text, self.m, self.edits, self.kernels = text, text.m, text.edits, kernels
        self.made: list[Made] = []
        self._routines = {
            self.m.names.next.get(directive)
            for directive, records in self.m.records.items()
            if any(isinstance(record, Acc) and record.name == "routine" for record in records)
        }

    def plan(self) -> None:
        """Looks at all regions; loops of `xmp` have their own way (host/loops.py)."""
        for directive, _, statement, _, ask in self.kernels.asks():
            if ask.plan is not None or not isinstance(statement, c_ast.For):
                continue
            nest = read_nest(replace(ask, asked=False), statement)
            why = self._against(nest)
            how = f"in order: {why}" if why else self._edit(nest)
            indices = [turn.counts.variable for turn in nest.shared]
            self.made.append(Made(directive.at, indices, how))

    def described(self) -> list[str]:
        lines = []
        for each in self.made:
            indices = f" ({', '.join(each.indices)})" if each.indices else ""
            lines.append(f"{self.m.tree.tokens.place(each.at)}: loop of acc{indices}: {each.how}")
        return lines

    def _against(self, nest: Nest) -> str:
        """What stands against threads of the host."""
        if not nest.shared:
            return nest.why
        if "#pragma" in self.edits.gap_before(self.m.tree.whole[nest.statement][0]):
            return "another pragma stands before it"
        for variable, part in nest.scalars.items():
            if part == "cell":
                return f"{variable.name} is one variable of all iterations"
        for variable, op in nest.sums.items():
            if variable.dims() or (op not in ("max", "min") and variable.basic() in _INEXACT):
                return f"{op} of {variable.name} keeps an order"
        for node in descend(nest.statement):
            if isinstance(node, Directive) and any(
                isinstance(each, Acc) and each.name == "atomic" for each in self.m.records.get(node, ())
            ):
                return "it has `atomic`"
            if isinstance(node, (c_ast.Return, c_ast.Goto, c_ast.Label)):
                return "it has a jump"
            if isinstance(node, c_ast.FuncCall) and (why := self._call(node)):
                return why
        return "it has a jump" if _is_left(nest) else ""

    def _call(self, node: c_ast.FuncCall) -> str:
        """A function that is marked `routine` is the program's word for it."""
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if any(each.decl.name == name for each in self.m.names.functions if each in self._routines):
            return ""
        return why_not_pure(self.m, name, self.kernels.uses) if name else "it calls by a pointer"

    def _edit(self, nest: Nest) -> str:
        outer, inner = nest.shared[0].counts, nest.shared[-1].counts
        own, start = [], []  # of each iteration; the latter begin with the value from outside
        for variable, part in sorted(nest.scalars.items(), key=lambda each: each[0].name):
            if part == "own" or (part == "start" and written_first(outer.loop, variable.name)):
                own.append(variable.name)
            elif part == "start":
                start.append(variable.name)
        sums = "".join(f" reduction({op}:{v.name})" for v, op in nest.sums.items())
        clauses = (f" private({', '.join(own)})" if own else "") + sums
        innermost = not any(isinstance(node, _INNER) for node in descend(inner.loop.stmt))
        vectors = innermost and not start
        threads = clauses + (f" firstprivate({', '.join(start)})" if start else "")
        is_single = innermost and outer is inner
        if is_single:
            begin, bound = self.text.expr(outer.first), self.text.expr(outer.bound)
            far = f"({begin}) - ({bound})" if outer.down else f"({bound}) - ({begin})"
            threads += f" if(parallel: {far} > {FEW})"
        words = words_of(self.m, bool(sums)) if vectors and is_single else "parallel for"
        self._before(outer, f"omp {words}{threads}")
        if vectors and not is_single:
            counting = {turn.counts.variable for turn in nest.shared}
            rest = ", ".join(name for name in own if name not in counting)
            self._before(inner, f"omp simd{f' private({rest})' if rest else ''}{sums}")
        return f"threads{' and vectors' if vectors else ''}: its iterations are independent"

    def _before(self, counts: Counted, pragma: str) -> None:
        first = self.m.tree.whole[counts.loop][0]
        self.edits.before(first, f"\n#pragma {pragma}\n{self.edits.marker(first)}")


def _is_left(nest: Nest) -> bool:
    """Whether a `break` leaves one of the loops that are shared."""
    todo = [nest.body]
    while todo:
        node = todo.pop()
        if isinstance(node, c_ast.Break):
            return True
        if not isinstance(node, (*_INNER, c_ast.Switch)):
            todo += [child for _, child in node.children()]
    return False
