"""Rows of arrays, taken once before an innermost loop, so that a compiler sees one index and makes vectors
of it.

    for (i = 1; i < n; i++) u[j][i] = v[j-1][i]
    ->  { double *restrict tsk_r1 = (double *)tsk_a_u.at + (j) * tsk_a_u.step[0]; ..  for (..) tsk_r1[i] =
    tsk_r2[i] }

A loop over cyclic pieces goes along rows too: the elements of a rank lie side by side over all pieces, so
one place counts up (`tsk_r1[tsk_q1]`), and nothing is divided in the loop.

`restrict` is said of an array of which one row alone is used, or that is only read; never of parameters,
which may
be the same memory. A loop whose iterations are shown to be independent gets `omp simd`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis.counted import assigned, counted, loops_in, root
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.references import Use, place
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array
from tasuki.lang.front.types import descend


@dataclass(eq=False)
class _Row:
    array: Array
    use: Use
    lead: tuple[str, ...]
    name: str
    place: str = ""  # of a loop over cyclic pieces: what counts the rank's elements
    uses: list[Use] = field(default_factory=list)


@dataclass
class _Nest:
    rows: list[_Row]
    shared: set[Array]  # written, and used by several rows
    place: str = ""


class Rows:
    """Which uses go by a row, and where the rows are declared."""

    def __init__(
        self, text: Text, uses: dict[c_ast.ID, Use], number: Callable[[], int], base: Callable[[Use], str]
    ) -> None:
        self.text, self.m, self.uses, self.number, self.base = text, text.m, uses, number, base
        self._nests: dict[c_ast.For, _Nest] = {}
        self._of: dict[c_ast.ID, _Row] = {}

    def plan(self, plan: Plan) -> None:
        """Looks for innermost loops below a loop that is cut, and for the rows that they go along."""
        for node in descend(plan.outer):
            if isinstance(node, c_ast.For) and node not in self._nests and not any(loops_in(node)):
                self._plan_innermost(node, plan)
        for node in descend(plan.outer):
            use = self.uses.get(node) if isinstance(node, c_ast.ID) else None
            if use is not None:
                names = plan.strides.setdefault(self._form(use), [])
                if use.array.variable.name not in names:
                    names.append(use.array.variable.name)

    def _form(self, use: Use) -> str:
        """How the text reaches an element, in the words of `--report`."""
        row = self._of.get(use.name)
        if row is None:
            return "by subscripts"
        return "by pieces" if row.place else "by rows"

    def place(self, loop: c_ast.For) -> str:
        """What counts the elements of a loop over cyclic pieces; empty where it has no such rows."""
        nest = self._nests.get(loop)
        return nest.place if nest else ""

    def _pieces(self, loop: c_ast.For, plan: Plan) -> Axis | None:
        """The axis of a loop over cyclic pieces that go side by side in memory."""
        axis = next((axis for axis in plan.axes if axis.counted.loop is loop), None)
        if axis is None or axis.unit or axis.counted.step is not None:
            return None
        return None if "#" in self.text.edits.gap_before(self.m.tree.whole[loop][0]) else axis

    def _is_own(self, use: Use, axis: Axis, plan: Plan) -> bool:
        """Whether an iteration means the element that its rank is asked for."""
        array = use.array
        way, last = array.aligned[-1], use.subs[-1] if use.subs else None
        same = way.dim == axis.dim and array.template is plan.scope.thing(plan.record.on.name.value)
        if not same or way.offset is not None or axis.offset is not None or array.linear(array.dims - 1):
            return False
        return isinstance(last, c_ast.ID) and last.name == axis.counted.variable

    def _plan_innermost(self, loop: c_ast.For, plan: Plan) -> None:
        counts = counted(loop)
        if isinstance(counts, str):
            return
        changing = assigned(loop.stmt) | {counts.variable}
        written = {root(node.lvalue) for node in descend(loop.stmt) if isinstance(node, c_ast.Assignment)}
        axis, place = self._pieces(loop, plan), ""
        rows: dict[tuple[Array, tuple[str, ...]], _Row] = {}
        others: set[Array] = set()
        for node in descend(loop.stmt):
            use = self.uses.get(node) if isinstance(node, c_ast.ID) else None
            if use is None:
                continue
            own = axis is not None and self._is_own(use, axis, plan)
            if not self._along(use, changing, own):
                others.add(use.array)
                continue
            if own:
                place = place or f"tsk_q{self.number()}"
            key = (use.array, self._lead(use))
            if key not in rows:
                rows[key] = _Row(use.array, use, key[1], f"tsk_r{self.number()}", place if own else "")
            rows[key].uses.append(use)
            self._of[use.name] = rows[key]
        per_array: dict[Array, int] = {}
        for row in rows.values():
            per_array[row.array] = per_array.get(row.array, 0) + 1
        shared = {
            array
            for array, count in per_array.items()
            if array.variable.is_parameter
            or array in others
            or (count > 1 and array.variable.name in written)
        }
        self._nests[loop] = _Nest(list(rows.values()), shared, place)

    def _along(self, use: Use, changing: set[str], own: bool) -> bool:
        """Whether all but the last subscript stay as they are in the loop."""
        if not use.complete or use.has_section or not (own or use.array.linear(use.array.dims - 1)):
            return False
        for sub in use.subs[:-1]:
            for node in descend(sub):
                if isinstance(node, c_ast.ID) and node.name in changing:
                    return False
                if not isinstance(
                    node, (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Cast)
                ):
                    return False
                if isinstance(node, c_ast.UnaryOp) and node.op not in ("+", "-", "~", "!"):
                    return False
        return True

    def _lead(self, use: Use) -> tuple[str, ...]:
        every = self.m.tree.tokens.every
        spans = [self.m.tree.span_of(sub) for sub in use.subs[:-1]]
        return tuple(" ".join(t.value for t in every[first : last + 1]) for first, last in spans)

    def around(self, cut: set[c_ast.For], outer: c_ast.For) -> None:
        """Rows of innermost loops that are not cut themselves."""
        for loop in descend(outer):
            if isinstance(loop, c_ast.For) and loop in self._nests and loop not in cut:
                first, last = self.m.tree.whole[loop]
                rows = self.rows(loop)
                if rows:
                    pragmas = self.text.edits.move_pragmas(first)
                    self.text.edits.before(first, f"{{ {rows}{pragmas}")
                    self.text.edits.after(last, " }", first)

    def rows(self, loop: c_ast.For, first: str = "") -> str:
        """Declarations of a loop's rows; `first`: what a loop over cyclic pieces begins with."""
        nest = self._nests.get(loop)
        words = []
        for row in nest.rows if nest else ():
            kind = row.array.variable.element()
            restrict = "" if row.array in nest.shared else "restrict "
            lead = place(self.text, row.array, [self.text.expr(sub) for sub in row.use.subs[:-1]])
            if row.place:
                own = f"tsk_local(&{row.array.name}, {row.array.dims - 1}, {first})"
                lead = f"{lead} + {own}" if lead else own
            plus = f" + {lead}" if lead else ""
            words.append(f"{kind} *{restrict}const {row.name} = ({kind} *){self.base(row.use)}{plus}; ")
        return "".join(words)

    def pragma(self, loop: c_ast.For, plan: Plan, pragmas: str) -> str:
        """The pragma for vectors where it is shown and none is the program's."""
        if pragmas or loop not in self or plan.shown is None or not plan.shown.independent:
            return pragmas
        if plan.exact:  # one sum takes up what all iterations add
            return pragmas
        return self.pragma_of(loop, plan, "simd")

    def __contains__(self, loop: c_ast.For) -> bool:
        return loop in self._nests

    def pragma_of(self, loop: c_ast.For, plan: Plan, words: str) -> str:
        """`#pragma omp` of an innermost loop whose iterations are independent."""
        clauses = "".join(f" reduction({op}:{name})" for op, name in plan.shown.reductions)
        inside = {node.name for node in descend(loop) if isinstance(node, c_ast.ID)}
        private = [name for name in plan.shown.private if name in inside & assigned(loop.stmt)]
        clauses += f" private({', '.join(private)})" if private else ""
        counts = counted(loop)
        if self.place(loop) and counts.declares is None:
            clauses += f" lastprivate({counts.variable})"
        first = self.m.tree.whole[loop][0]
        return f"\n#pragma omp {words}{clauses}\n{self.text.edits.marker(first)}"

    def element(self, use: Use) -> str | None:
        """`tsk_r1[i + 1]` for a use that goes by a row."""
        row = self._of.get(use.name)
        return None if row is None else f"{row.name}[{row.place or self.text.expr(use.subs[-1])}]"
