"""The function of a lifted nest's cells, as C text.

    static void tsk_cells_3_0(const struct tsk_cells *tsk_s) {
      double *const tsk_p0 = (double *)tsk_s->array[0].at; ..
      for (int j = (int)tsk_s->lo[0]; ..) { double *const tsk_r0 = tsk_p0 + (j) * tsk_p0_0; ..
    #pragma omp simd
      for (int i = ..) { tsk_r0[i] = ..; } } }

The user's own compiler gets it with the user's own options, so a cell has the bits that the loop gives it.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted, assigned
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.lift.plan import Access, Nest


def kind_of(text: Text, counts: Counted) -> str:
    """C's type of a loop's variable."""
    if counts.declares is not None:
        return text.m.names.variable[counts.declares].element()
    variable = text.m.names.scope[counts.loop].find(counts.variable)
    return variable.element() if isinstance(variable, Variable) else "int"


class Cells:
    """The function of a nest's cells."""

    def __init__(
        self,
        text: Text,
        uses: dict[c_ast.ID, Use],
        nest: Nest,
        accesses: list[Access],
        given: list[Variable],
    ) -> None:
        self.text, self.m, self.uses, self.nest, self.given = text, text.m, uses, nest, given
        self.number = {access.array: at for at, access in enumerate(accesses)}
        self.accesses = accesses
        self.rows: dict[tuple[Array, tuple[str, ...]], str] = {}
        self.changing = assigned(nest.body) | {nest.indices[-1]}
        self.begins = {self.m.tree.span_of(use.node)[0]: use for use in uses.values()}

    def function(self, name: str) -> str:
        body = self._text(*self.m.tree.whole.get(self.nest.body) or self.m.tree.span_of(self.nest.body))
        heads = [self._pointer(access) for access in self.accesses]
        for variable in self.nest.given:
            kind, at = variable.element(), self.given.index(variable)
            heads.append(f"const {kind} tsk_v_{variable.name} = *(const {kind} *)tsk_s->given[{at}];")
        rows = "".join(f" {self._row(*key, name)}" for key, name in self.rows.items())
        tails, sums = "", ""
        for number, live in enumerate(self.nest.live):
            kind, variable = live.variable.element(), live.variable.name
            heads.append(f"{kind} {variable} = *({kind} *)tsk_s->reduced[{number}];")
            tails += f" *({kind} *)tsk_s->reduced[{number}] = {variable};"
            sums += f" reduction({live.op}:{variable})"
        loops = [self._loop(axis, sums) for axis in range(len(self.nest.axes))]
        outer = "".join(f"{loop} {{ " for loop in loops[:-1])
        inner = f"{rows} {loops[-1]} {{ {self._own()}{body} }}{' }' * (len(loops) - 1)}"
        return (
            f"static void {name}(const struct tsk_cells *tsk_s) {{ {' '.join(heads)} {outer}{inner}{tails} }}"
        )

    def _own(self) -> str:
        """Variables of an iteration. A sum that no step but the last leaves is one: nobody reads it."""
        scope = self.m.names.scope[self.nest.plan.directive]
        words = []
        for name in dict.fromkeys(self.nest.plan.shown.private):
            if name not in self.nest.indices:
                words.append(f"{scope.find(name).element()} {name}; ")
        live = {each.variable.name for each in self.nest.live}
        for name in [name for _, name in self.nest.plan.shown.reductions if name not in live]:
            words.append(f"{scope.find(name).element()} {name} = 0; (void){name}; ")
        return "".join(words)

    def _pointer(self, access: Access) -> str:
        at, kind = self.number[access.array], access.array.variable.element()
        const = "" if access.written else "const "
        words = [f"{const}{kind} *const tsk_p{at} = ({const}{kind} *)tsk_s->array[{at}].at;"]
        for dim in range(access.array.dims):
            if dim != self._x(access.array):
                words.append(
                    f"const long tsk_p{at}_{dim} = tsk_s->array[{at}].step[{dim}]; (void)tsk_p{at}_{dim};"
                )
        return " ".join(words)

    def _x(self, array: Array) -> int:
        return max(dim for dim, way in enumerate(array.aligned) if way.dim >= 0)

    def _loop(self, axis: int, sums: str) -> str:
        counts = self.nest.axes[axis].counted
        kind = kind_of(self.text, counts)
        name, end = counts.variable, f"tsk_e{axis}"
        pragma = f"\n#pragma omp simd{sums}\n" if axis == len(self.nest.axes) - 1 else ""
        head = f"const {kind} {end} = ({kind})tsk_s->hi[{axis}]; {pragma}"
        return f"{head}for ({kind} {name} = ({kind})tsk_s->lo[{axis}]; {name} < {end}; {name}++)"

    def _row(self, array: Array, lead: tuple[str, ...], name: str) -> str:
        at, kind = self.number[array], array.variable.element()
        const = "" if self.accesses[at].written else "const "
        return f"{const}{kind} *const {name} = {self._place(array, lead)};"

    def _place(self, array: Array, lead: tuple[str, ...]) -> str:
        at, x = self.number[array], self._x(array)
        dims = [dim for dim in range(array.dims) if dim != x]
        terms = [f"({sub}) * tsk_p{at}_{dim}" for dim, sub in zip(dims, lead, strict=True)]
        return " + ".join([f"tsk_p{at}", *terms])

    def _element(self, use: Use) -> str:
        """A use by its row, where that stays in the innermost loop."""
        x = self._x(use.array)
        subs = [self._text(*self.m.tree.span_of(sub)) for sub in use.subs]
        lead = tuple(sub for dim, sub in enumerate(subs) if dim != x)
        inside = {
            node.name
            for dim, sub in enumerate(use.subs)
            if dim != x
            for node in descend(sub)
            if isinstance(node, c_ast.ID)
        }
        if inside & self.changing:
            return f"({self._place(use.array, lead)})[{subs[x]}]"
        row = self.rows.setdefault((use.array, lead), f"tsk_r{len(self.rows)}")
        return f"{row}[{subs[x]}]"

    def _text(self, first: int, last: int) -> str:
        """Tokens first .. last in one line: arrays by fields, variables that are given by their copies."""
        every, text = self.m.tree.tokens.every, self.m.tree.tokens.text
        skip = {
            self.m.tree.whole[node][0]: self.m.tree.whole[node][1]
            for node in descend(self.nest.body)
            if isinstance(node, Directive)
        }
        names = {
            self.m.tree.span_of(node)[0]: node
            for node in descend(self.nest.plan.outer)
            if isinstance(node, c_ast.ID) and self.m.names.use.get(node) in self.nest.given
        }
        out: list[str] = []
        index = first
        while index <= last:
            if index in skip:
                index = skip[index] + 1
                continue
            use, token = self.begins.get(index), every[index]
            if out and every[index - 1].end != token.start:
                out.append(" ")
            if use is not None and self.m.tree.span_of(use.node)[1] <= last:
                out.append(self._element(use))
                index = self.m.tree.span_of(use.node)[1] + 1
                continue
            out.append(f"tsk_v_{names[index].name}" if index in names else text[token.start : token.end])
            index += 1
        return "".join(out)
