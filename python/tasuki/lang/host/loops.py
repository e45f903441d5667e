"""Loops of `#pragma xmp loop`: each rank does its part of them, in the order of the program's loop.

    #pragma xmp loop (j,i) on t[j][i]
    for (int j = 1; j < N; j++)
    ->
    { struct tsk_loop tsk_l1; tsk_loop_begin(.., &tsk_l1, ..); while (tsk_loop_next(&tsk_l1))
    for (struct tsk_walk tsk_w2 = ..; ..) { const int tsk_e2 = ..; for (int j = ..; j < tsk_e2; j++)

Only the headers change; a header is found by its variable, so nests need not be tight. Rows of arrays are
taken before
the innermost loop, as local pointers.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted, counted, leaves, turned
from tasuki.lang.analysis.indices import split_index
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.shown import shown
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Nodes, Template
from tasuki.lang.front import forms
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import descend
from tasuki.lang.host.reductions import Reductions
from tasuki.lang.host.rows import Rows
from tasuki.lang.host.threads import is_settled, may_thread, threads_of

PIECES_END = " } } } }"  # of the body, the piece, the walk, and what is declared around it


class Loops:
    """Plans and edits all loops of a unit."""

    def __init__(self, text: Text, uses: dict[c_ast.ID, Use], rows: Rows, number: object) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.rows, self.number = uses, rows, number
        self.reductions = Reductions(text, number)
        self.plans: list[Plan] = []

    def plan(self, directive: Directive, record: forms.Loop) -> Plan:
        """Finds the for of each index and the dimension that it runs along."""
        scope = self.m.names.scope[directive]
        outer = self.m.names.next[directive]
        fors = self._fors(outer)
        on = record.on.dims.items if record.on.dims else []
        wanted = [token.value for token in record.indices]
        wanted = wanted or [name for name in fors if self._dim(on, name) is not None]
        tokens = {token.value: token for token in record.indices}
        axes = []
        for name in wanted:
            token = tokens.get(name, record.at)
            if name not in fors:
                raise self.m.wrong(
                    token, f"no loop counts {name}", "list the variables of the loops behind this"
                )
            counts = counted(fors[name])
            why = counts if isinstance(counts, str) else turned(counts)
            if why:
                mend = "write it as for (i = first; i < bound; i += step)"
                raise self.m.wrong(self.m.tree.tokens.every[self.m.tree.whole[fors[name]][0]], why, mend)
            dim = self._dim(on, name)
            if dim is None:
                what = f"{name} does not stand in {record.on.name.value}[..]"
                raise self.m.wrong(token, what, "put it where the loop is to be cut")
            _, offset, sign = split_index(on[dim].first, {name: 0})
            axes.append(Axis(counts, dim, offset, sign, self._unit(scope.thing(record.on.name.value), dim)))
        if not axes:
            raise self.m.wrong(record.at, "no index of the loop stands behind on", "write on t[i]")
        self._refuse_leaving(outer)
        plan = Plan(record, directive, scope, outer, axes, self.number())
        plan.shown = shown(self.m, plan.outer, plan.axes, plan.record.reductions, self.uses)
        plan.threads = may_thread(plan)
        self.plans.append(plan)
        return plan

    def _fors(self, outer: c_ast.For) -> dict[str, c_ast.For]:
        """The loops of a nest by variable, outermost first."""
        found: dict[str, c_ast.For] = {}
        for node in descend(outer):
            if isinstance(node, c_ast.For):
                name = _variable(node)
                if name:
                    found.setdefault(name, node)
        return found

    def _dim(self, on: list, name: str) -> int | None:
        for dim, item in enumerate(on):
            if item.first is not None and not item.colon and split_index(item.first, {name: 0})[0]:
                return dim
        return None

    def _unit(self, thing: Nodes | Template, dim: int) -> bool:
        return isinstance(thing, Nodes) or thing.format(dim) in ("*", "block", "gblock")

    def _refuse_leaving(self, outer: c_ast.For) -> None:
        gone = leaves(outer.stmt)
        if gone is not None:
            token = self.m.tree.tokens.every[self.m.tree.whole[gone][0]]
            word = type(gone).__name__.lower()
            if isinstance(gone, c_ast.Return):
                what = "return leaves a loop that several nodes do, and the others go on"
                place, mend = self.m.tree.tokens.place(token), "note it in a variable, and reduce that"
                self.m.findings.warning(place, what, mend)
                return
            raise self.m.wrong(
                token, f"{word} leaves a loop that several nodes do", "leave by a condition in the body"
            )

    def edit(self, plan: Plan) -> None:
        """Puts the calls around the nest, and new headers in it."""
        record, where = plan.record, self.text.where(plan.record.at)
        ref = self.text.ref(record.on, plan.scope, plan.indices, dict.fromkeys(self._fors(plan.outer), 0))
        head, tail = self.reductions.around(plan, ref)
        plan.threads = plan.threads and not plan.exact
        border = self._border(plan)
        begin = (
            f"{{ {head}struct tsk_loop {plan.name}; tsk_loop_begin({where}, &{plan.name}, {ref}, {border}); "
            f"while (tsk_loop_next(&{plan.name}))"
        )
        span = self.m.tree.whole[plan.directive]
        self.edits.replace(*span, begin)
        last = self.m.tree.whole[plan.outer][1]
        self.edits.after(last, f"{tail} }}", span[0])

    def headers(self, plan: Plan) -> None:
        """Puts new headers in a nest; after all that stands around it, so that braces close in turn."""
        for axis in plan.axes:
            self._header(plan, axis)
        self.rows.around({axis.counted.loop for axis in plan.axes}, plan.outer)
        self.reductions.take_up(plan)
        self.reductions.look_for_places(plan)

    def _header(self, plan: Plan, axis: Axis) -> None:
        counts, number = axis.counted, self.number()
        whole = self.m.tree.whole[counts.loop]
        body = self.m.tree.whole[counts.loop.stmt]
        walk, end = f"tsk_w{number}", f"tsk_e{number}"
        pragmas = self.edits.move_pragmas(whole[0])
        if plan.exact and "omp" in pragmas:
            what = "a directive of OpenMP at a sum that has the same bits on any number of ranks"
            raise self.m.wrong(plan.record.at, what, "leave it out, or compile without --deterministic")
        is_outer = counts.loop is plan.outer
        has_outer = any(each.counted.loop is plan.outer for each in plan.axes)  # where they are asked for
        if not is_outer and has_outer and is_settled(plan, axis):
            plan.settled[axis.dim] = f"tsk_x{number}"

        def make() -> str:
            kind = self._kind(counts)
            call = plan.settled.get(axis.dim) if not is_outer else None
            declares = f"{kind} " if counts.declares is not None else ""
            compare = ">" if counts.down else "<"
            rows, place = self.rows.rows(counts.loop, f"{walk}.run.first"), self.rows.place(counts.loop)
            run = f"{place}_run" if place else f"{walk}.run"
            pragma = pragmas or threads_of(plan, axis, run, self.rows)
            pragma = self.rows.pragma(counts.loop, plan, pragma)
            start = self._settled(plan) if is_outer else ""
            walked = f"struct tsk_walk {walk} = tsk_walk({call or self._axis(plan, axis)})"
            turns = f"{walk}.turn < {walk}.axis.runs; tsk_walk_on(&{walk})"
            if place:  # the rank's elements lie side by side, over all of its pieces
                return start + self._pieces(counts, walk, place, (walked, turns, rows, pragma))
            if call and axis.unit:  # one run, asked for before the nest: no call is left in it
                run = f"{call}_run"
                return (
                    f"{{ const {kind} {end} = ({kind}){run}.last; {rows}{pragma}"
                    f"for ({declares}{counts.variable} = ({kind}){run}.first; "
                    f"{counts.variable} {compare} {end}; {self._turn(counts, axis, walk)})"
                )
            return (
                f"{start}for ({walked}; {turns}) "
                f"{{ const {kind} {end} = ({kind}){walk}.run.last; {rows}{pragma}"
                f"for ({declares}{counts.variable} = ({kind}){walk}.run.first; "
                f"{counts.variable} {compare} {end}; {self._turn(counts, axis, walk)})"
            )

        self.edits.replace(whole[0], body[0] - 1, make)
        ends = PIECES_END if self.rows.place(counts.loop) else " }"
        self.edits.after(whole[1], f"{ends} }}" if is_outer else ends, whole[0])

    def _pieces(self, counts: Counted, walk: str, place: str, parts: tuple[str, str, str, str]) -> str:
        """The header of a loop over cyclic pieces: `place` counts the rank's elements over all of them."""
        walked, turns, rows, pragma = parts
        kind, less = self._kind(counts), "-" if counts.down else ""
        declares = f"const {kind} " if counts.declares is not None else ""
        return (
            f"{{ {walked}; if ({walk}.axis.runs) {{ {rows}long {place}_at = 0; for (; {turns}) "
            f"{{ const struct tsk_run {place}_run = {walk}.run; const long {place}_from = {place}_at; "
            f"{place}_at += tsk_run_turns({place}_run); {pragma}"
            f"for (long {place}_k = {place}_from; {place}_k < {place}_at; {place}_k++) {{ "
            f"const long {place} = {less}{place}_k; "
            f"{declares}{counts.variable} = "
            f"({kind})({place}_run.first + ({place}_k - {place}_from) * {place}_run.step); "
        )

    def _axis(self, plan: Plan, axis: Axis) -> str:
        """The call that says which iterations are this rank's."""
        counts = axis.counted
        first, bound = self.text.expr(counts.first), self.text.expr(counts.bound)
        if counts.inclusive:
            bound = f"({bound}) {'-' if counts.down else '+'} 1"
        step = "1" if counts.step is None else f"({self.text.expr(counts.step)})"
        step = f"-{step}" if counts.down else step
        offset = "0"
        if axis.offset is not None:
            offset = f"{'-' if axis.sign == '-' else ''}({self.text.expr(axis.offset)})"
        if plan.record.on.dims.round and isinstance(plan.scope.thing(plan.record.on.name.value), Nodes):
            offset += " - 1"  # nodes count from 1 there, and from 0 at run time
        return f"tsk_loop_axis(&{plan.name}, {axis.dim}, {offset}, {first}, {bound}, {step})"

    def _settled(self, plan: Plan) -> str:
        by_dim = {axis.dim: axis for axis in plan.axes}
        words = []
        for dim, name in plan.settled.items():
            words.append(f"const struct tsk_axis {name} = {self._axis(plan, by_dim[dim])}; ")
            if by_dim[dim].unit:
                words.append(f"const struct tsk_run {name}_run = tsk_run_of(&{name}); ")
        return "{ " + "".join(words)

    def _turn(self, counts: Counted, axis: Axis, walk: str) -> str:
        if not axis.unit:
            return f"{counts.variable} += {walk}.run.step"
        if counts.step is None:
            return f"{counts.variable}{'--' if counts.down else '++'}"
        return f"{counts.variable} {'-' if counts.down else '+'}= {self.text.expr(counts.step)}"

    def _kind(self, counts: Counted) -> str:
        if counts.declares is not None:
            return self.m.names.variable[counts.declares].element()
        scope = self.m.names.scope[counts.loop]
        variable = scope.find(counts.variable)
        return variable.element() if variable is not None and hasattr(variable, "element") else "int"

    def _border(self, plan: Plan) -> str:
        border = plan.record.border
        if border is None:
            return "0"
        if len(border.widths) != len(plan.axes):
            what = f"{len(border.widths)} widths for {len(plan.axes)} indices"
            raise self.m.wrong(border.widths[0].at, what, "give one for each")
        lo, hi, unbound = ["0"] * 7, ["0"] * 7, ["0"] * 7
        # Widths stand in the order of the reference's list, as it was written.
        dims = range(len(plan.record.on.dims))
        order = list(dims)[::-1] if plan.record.on.dims.round else list(dims)
        cut = [dim for dim in order if dim in {axis.dim for axis in plan.axes}]
        for width, dim in zip(border.widths, cut, strict=True):
            lo[dim] = self.text.expr(width.lo)
            hi[dim] = self.text.expr(width.hi) if width.hi is not None else lo[dim]
            unbound[dim] = str(int(width.marked))
        kind = {"expand": "TSK_EXPAND", "margin": "TSK_MARGIN", "peel_and_wait": "TSK_PEEL"}[border.kind]
        wait = self.text.async_(border.wait)
        return (
            f"&(struct tsk_border){{{kind}, {{{', '.join(lo)}}}, {{{', '.join(hi)}}}, "
            f"{{{', '.join(unbound)}}}, {wait}}}"
        )


def _variable(loop: c_ast.For) -> str:
    match loop.init:
        case c_ast.DeclList(decls=[c_ast.Decl(name=str(name))]):
            return name
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
            return name
    return ""
