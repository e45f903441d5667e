"""Reductions of `#pragma xmp loop`: what stands before a loop and behind it, and what notes locations in it.

#pragma xmp loop (i) on t[i] reduction(+:sum)
->
{ double tsk_b1 = sum; sum = 0; .. tsk_reduce(.., &sum, 1, TSK_HOST, TSK_NOW); sum = tsk_b1 + sum; }

With --deterministic each iteration's part of a sum is taken up by one that rounds once, at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pycparser import c_ast

from tasuki.lang.analysis.bodies import names_in
from tasuki.lang.analysis.counted import Counted, counted
from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.text import Text
from tasuki.lang.front import forms
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.host.locations import elements

ROUNDED = {"FLOAT", "DOUBLE", "LDOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX"}


class Reductions:
    """Those of all loops of a unit; `number`: counts the names that are made."""

    def __init__(self, text: Text, number: Callable[[], int]) -> None:
        self.text, self.m, self.edits, self.number = text, text.m, text.edits, number

    def around(self, plan: Plan, ref: str) -> tuple[str, str]:
        """What stands before the loop, and behind it."""
        heads, tails = [], []
        for clause in plan.record.reductions:
            for item in clause.items:
                head, tail = self._reduction(plan, clause, item, ref)
                heads.append(head)
                tails.append(tail)
        return "".join(heads), "".join(tails)

    def _reduction(
        self, plan: Plan, clause: forms.ReductionClause, item: forms.ReductionItem, ref: str
    ) -> tuple[str, str]:
        name = item.variable.value
        variable = plan.scope.find(name)
        if variable is None or not hasattr(variable, "basic"):
            raise self.m.wrong(item.variable, f"{name} is not declared", "declare it before the loop")
        kind = variable.basic()
        if kind == "BYTES" or variable.pointer_dims() is not None:
            raise self.m.wrong(
                item.variable, f"{name} is no number", "reduce a variable of an arithmetic type"
            )
        if kind in ("FLOAT", "DOUBLE", "LDOUBLE") and clause.op in ("&", "|", "^"):
            raise self.m.wrong(
                item.variable, f"{name} is no integer, and '{clause.op}' takes integers", "choose another"
            )
        if item.locations:
            return self._located(plan, clause, item, ref)
        if variable.dims():
            return self._array_reduction(clause, item, variable, kind, ref)
        old = f"tsk_b{self.number()}"
        words = variable.element()
        head = f"{words} {old} = {name}; {name} = {start(clause.op, kind, name)}; "
        where = self.text.where(clause.at)
        if self.m.deterministic and is_rounded(clause.op, kind):
            self._refuse_inexact(clause, item, kind)
            exact = f"tsk_u{self.number()}"
            taken = f"tsk_exact_add(&{exact}, {name}); "
            plan.exact.append(f"{taken}{name} = 0; ")
            sum_of = f"({words})tsk_reduce_exact({where}, {ref}, &{exact})"
            return (
                f"{head}struct tsk_exact {exact} = {{{{0}}, 0}}; ",
                f" {taken}{name} = {old} + {sum_of};",
            )
        call = (
            f"tsk_reduce({where}, {ref}, TSK_{forms.OPERATORS[clause.op]}, TSK_{kind}, &{name}, 1, "
            "TSK_HOST, TSK_NOW); "
        )
        return head, f" {call}{name} = {joined(clause.op, old, name)};"

    def _refuse_inexact(self, clause: forms.ReductionClause, item: forms.ReductionItem, kind: str) -> None:
        """What --deterministic has no exact sum for."""
        what = f"{item.variable.value} would have other bits on another number of ranks, with --deterministic"
        if clause.op not in ("+", "-"):
            raise self.m.wrong(item.variable, what, "sum logarithms, or compile it without the option")
        if kind not in ("FLOAT", "DOUBLE"):
            raise self.m.wrong(item.variable, what, "sum a float or a double")

    def _located(
        self, plan: Plan, clause: forms.ReductionClause, item: forms.ReductionItem, ref: str
    ) -> tuple[str, str]:
        """A value with locations: the body's end notes at which iteration they were set."""
        number = self.number()
        name, kinds = item.variable.value, []
        value = plan.scope.find(name)
        heads = [f"{value.element()} tsk_v{number} = {name}; int tsk_f{number} = 0, tsk_s{number} = 0; "]
        order = self._around_innermost(plan)
        heads.append(f"long tsk_p{number}[{len(order)}] = {{0}}; ")
        looks, notes = [f"tsk_s{number}", f"{name} != tsk_v{number}"], [f"tsk_v{number} = {name};"]
        self._mark_sets(plan, value, f"tsk_s{number}")
        rows = []
        where_found = elements(self.text, item.locations, plan.scope)
        for at, (spot, variable) in enumerate(where_found):
            kinds.append(variable.basic())
            copy = f"tsk_m{number}_{at}"
            heads.append(f"{variable.element()} {copy} = {spot}; ")
            if spot not in plan.indices:
                looks.append(f"{spot} != {copy}")
            notes.append(f"{copy} = {spot};")
            rows.append(f"{{&{copy}, TSK_{kinds[-1]}}}")
        for at, counts in enumerate(order):
            sign = "-" if counts.down else ""
            notes.append(f"tsk_p{number}[{at}] = {sign}(long){counts.variable};")
        notes.append(f"tsk_f{number} = 1; tsk_s{number} = 0;")
        plan.places.append(f"if ({' || '.join(looks)}) {{ {' '.join(notes)} }}")
        where, op = self.text.where(clause.at), forms.OPERATORS[clause.op]
        listed = f"(struct tsk_location[]){{{', '.join(rows)}}}"
        back = " ".join(f"{spot} = tsk_m{number}_{at};" for at, (spot, _) in enumerate(where_found))
        head = f"{where}, {ref}, TSK_{op}, TSK_{value.basic()}, &{name}, {len(rows)}"
        found = f"tsk_f{number}, {len(order)}, tsk_p{number}, TSK_HOST, TSK_NOW"
        return "".join(heads), f" tsk_reduce_location({head}, {listed}, {found}); {back}"

    def _mark_sets(self, plan: Plan, variable: Variable, mark: str) -> None:
        """Each assignment to a variable sets a mark: with >= one may set what was there, at another place.
        `m = max(m, a[i])` may set nothing: there another value shows it."""
        for node in descend(plan.outer):
            if not isinstance(node, c_ast.Assignment) or self.m.names.use.get(node.lvalue) is not variable:
                continue
            if node.op != "=" or variable.name in names_in(node.rvalue):
                continue
            first, last = self.m.tree.span_of(node)
            self.edits.before(first, f"({mark} = 1, ")
            self.edits.after(last, ")", first)

    def _innermost(self, plan: Plan) -> c_ast.For:
        return max((axis.counted.loop for axis in plan.axes), key=lambda loop: self.m.tree.whole[loop][0])

    def _around_innermost(self, plan: Plan) -> list[Counted]:
        """The loops of a nest from its outermost to the last that is cut: the order of the whole loop."""
        found: list[Counted] = []
        each: c_ast.Node | None = self._innermost(plan)
        while each is not None:
            counts = counted(each) if isinstance(each, c_ast.For) else ""
            if isinstance(counts, Counted):
                found.insert(0, counts)
            each = None if each is plan.outer else self.m.names.parent.get(each)
        return found

    def take_up(self, plan: Plan) -> None:
        """Each iteration begins by giving up what the one before, or a statement around it, has summed."""
        for axis in plan.axes if plan.exact else []:
            first, last = self.m.tree.whole[axis.counted.loop.stmt]
            self.edits.before(first, f"{{ {''.join(plan.exact)}")
            self.edits.after(last, " }", first)

    def look_for_places(self, plan: Plan) -> None:
        if not plan.places:
            return
        innermost, end = self._innermost(plan), ""
        for node in continued(innermost.stmt):  # what the iteration has found is noted all the same
            end = end or f"tsk_c{self.number()}"
            self.edits.replace(*self.m.tree.whole[node], f"goto {end};")
        first, last = self.m.tree.whole[innermost.stmt]
        self.edits.before(first, "{ ")
        self.edits.after(last, f" {f'{end}: ' if end else ''}{' '.join(plan.places)} }}", first)

    def _array_reduction(
        self, clause: forms.ReductionClause, item: forms.ReductionItem, variable: object, kind: str, ref: str
    ) -> tuple[str, str]:
        """Arrays of a rank's own: every element as if it were a variable."""
        name, words = item.variable.value, variable.element()
        if self.m.arrays.get(variable):
            raise self.m.wrong(
                item.variable, f"{name} is distributed", "reduce a variable that every node has"
            )
        if self.m.deterministic and is_rounded(clause.op, kind):
            what = f"{name}, an array, would have other bits on another number of ranks, with --deterministic"
            raise self.m.wrong(item.variable, what, "sum a variable for each element")
        count = f"({self.text.count(variable, item.variable)})"
        old, at = f"tsk_b{self.number()}", f"tsk_i{self.number()}"
        cell = f"(({words} *){name})[{at}]"
        loop = f"for (unsigned long {at} = 0; {at} < {count}; {at}++)"
        first = start(clause.op, kind, cell)
        head = f"{words} {old}[{count}]; {loop} {{ {old}[{at}] = {cell}; {cell} = {first}; }} "
        where = self.text.where(clause.at)
        op = forms.OPERATORS[clause.op]
        call = f"tsk_reduce({where}, {ref}, TSK_{op}, TSK_{kind}, {name}, (long){count}, TSK_HOST, TSK_NOW); "
        return head, f" {call}{loop} {cell} = {joined(clause.op, f'{old}[{at}]', cell)};"


def continued(body: c_ast.Node) -> Iterator[c_ast.Continue]:
    """What goes on with the next iteration of a loop, of which this is the body."""
    if isinstance(body, c_ast.Continue):
        yield body
    elif not isinstance(body, (c_ast.For, c_ast.While, c_ast.DoWhile)):
        for _, child in body.children():
            yield from continued(child)


def is_rounded(op: str, kind: str) -> bool:
    """Whether the bits of a reduction depend on the order of its parts."""
    return op in ("+", "-", "*") and kind in ROUNDED


def start(op: str, kind: str, name: str) -> str:
    """What a part begins with, so that parts and the value before come out once each."""
    if op in ("max", "min"):
        return name  # the value before counts on every node alike
    return {"*": "1", "&": "~0" if kind != "BOOL" else "1", "&&": "1"}.get(op, "0")


def joined(op: str, old: str, new: str) -> str:
    """The value before and the sum of all parts."""
    if op in ("max", "min"):
        return new
    word = {"-": "+"}.get(op, op)
    return f"{old} {word} {new}"
