"""Whether a loop is a time loop that can be lifted: what stands in a step, and what is reflected when.

A step has sweeps (loops of xmp), reflects before what they bring is read, and scalars that nothing but the
last step leaves to anybody. `judge` fills in a TimeLoop; NotLifted says what is against it, and where.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import assigned
from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.pure import LIBRARY
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Array, Meaning
from tasuki.lang.front import forms
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import descend
from tasuki.lang.lift.header import read_header, statements
from tasuki.lang.lift.nest import Reader
from tasuki.lang.lift.plan import Nest, NotLifted, TimeLoop, scope_of
from tasuki.lang.lift.reflects import Reflects
from tasuki.lang.lift.scalars import Scalars

# Directives of acc that move nothing where host and device share their memory, which lifted loops need.
_ACC = {
    "data", "parallel", "kernels", "serial", "parallel loop", "kernels loop", "serial loop", "loop", "wait",
    "update",
}  # fmt: skip


class Judge:
    """Whether one loop is a time loop that can be lifted; NotLifted says why not."""

    def __init__(self, m: Meaning, uses: dict[c_ast.ID, Use], plans: list[Plan], made: TimeLoop) -> None:
        self.m, self.uses, self.plans, self.made = m, uses, plans, made
        self.changing: set[str] = set()  # names that a step sets
        self.reflects = Reflects(m, made)

    def judge(self) -> None:
        read_header(self.m, self.made)
        for node in descend(scope_of(self.m, self.made.loop).function.body):
            members = getattr(
                node, "decls" if isinstance(node, (c_ast.Struct, c_ast.Union)) else "values", None
            )
            is_type = isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and members is not None
            if isinstance(node, c_ast.Typedef) or is_type:
                raise self._wrong(
                    self._token(node), "a type", "is declared in a function: its cells are another"
                )
        plans = {plan.outer: plan for plan in self.plans}
        items = list(statements(self.made, self.made.loop.stmt))
        if isinstance(self.made.loop, c_ast.For) and self.made.ends is None:
            ifs = (item for item in items if isinstance(item, c_ast.If) and item.iffalse is None)
            self.made.now_and_then = list(ifs)
        steady = [item for item in items if item in self.made.now_and_then]
        self.changing = {name for item in items if item not in steady for name in assigned(item)}
        self.changing |= {self.made.counts.variable} if self.made.counts is not None else set()
        scalars = Scalars(self.m, self.uses, self.made, self.changing)
        scalars.look(items, plans)
        self.dead, self.live = scalars.dead, scalars.live
        reader = Reader(self.m, self.uses, self.changing - self.dead, self.dead, self.live)
        for live in self.live.values():
            reader.steady(live.start, live.variable.name)
        if self.made.counts is not None:
            begin = self.made.counts.first if isinstance(self.made.loop, c_ast.For) else None
            for node in (begin, self.made.counts.bound, self.made.counts.step):
                reader.steady(node, "the time loop's bound")
        for item in items:
            if item in self.made.now_and_then or item is self.made.counter:
                continue
            if isinstance(item, Directive):
                self._directive(item)
            elif item in plans:
                self._nest(reader.read(plans[item]))
            else:
                self._statement(item)
        if not self.made.nests:
            raise self._wrong(
                self._first(self.made.loop), "the loop", "has no loop of xmp in each of its steps"
            )
        self._swaps()

    def _wrong(self, token: Spot, what: str, because: str) -> NotLifted:
        return NotLifted(self.m, token, what, because)

    def _first(self, node: c_ast.Node) -> Spot:
        return self.m.tree.tokens.every[self.m.tree.whole[node][0]]

    def _token(self, node: c_ast.Node) -> Spot:
        return self._first(node) if node in self.m.tree.whole else self.m.tree.first(node)

    def _directive(self, directive: Directive) -> None:
        for record in self.m.records.get(directive, ()):
            if isinstance(record, forms.Loop):
                continue
            if isinstance(record, Acc) and record.name in _ACC:
                self.made.on_host |= record.name in ("data", "update")
                continue
            if isinstance(record, forms.Collective) and record.kind == "barrier":
                continue
            if isinstance(record, forms.Reflect):
                self.reflects.look(directive, record)
                self.made.on_host |= record.sides != {"acc"}
                continue
            word = directive.tokens[0].value if directive.tokens else directive.word
            raise self._wrong(directive.at, word, "is none of a sweep, a reflect and a copy")

    def _statement(self, node: c_ast.Node) -> None:
        """What a step does beside its nests: it may set scalars that no cell reads."""
        for each in descend(node):
            if isinstance(each, c_ast.FuncCall):
                name = each.name.name if isinstance(each.name, c_ast.ID) else "a pointer"
                if name not in LIBRARY:
                    token = self.m.tree.first(each)
                    raise self._wrong(token, f"{name}()", "may look at anything")
            if isinstance(each, c_ast.ID) and each in self.uses:
                what = "is used outside of the step's loops"
                raise self._wrong(self.m.tree.first(each), each.name, what)
        target = node.name if isinstance(node, c_ast.Decl) else ""
        if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
            target = node.lvalue.name
        if isinstance(node, c_ast.UnaryOp) and isinstance(node.expr, c_ast.ID):
            target = node.expr.name
        if not target:
            word = type(node).__name__.lower()
            raise self._wrong(self._first(node), word, "is none of a sweep, a reflect and a copy")
        if target not in self.dead and target not in self.live:
            raise self._wrong(self._first(node), target, "goes from one step to the next")

    def _nest(self, nest: Nest) -> None:
        for access in nest.accesses.values():
            self.reflects.seen(access)
        for access in nest.accesses.values():
            if access.written:
                self.reflects.fresh.pop(access.array, None)
        if self.made.nests and nest.indices and len(nest.axes) != len(self.made.nests[0].axes):
            what = "goes along other dimensions than the one before"
            raise self._wrong(nest.plan.record.at, "the loop", what)
        self.made.nests.append(nest)

    def _swaps(self) -> None:
        """Copies whose source is filled anew in every step, over the same cells, and read by nothing else."""
        taken: set[Array] = set()  # memories that change places do so in pairs
        for nest in self.made.nests:
            arrays = nest.copy()
            if arrays is None or taken & set(arrays):
                continue
            to, source = arrays
            others = [other for other in self.made.nests if other is not nest]
            fills = [other for other in others if source in other.accesses]
            if any(other.accesses[to].written for other in others if to in other.accesses) or len(fills) != 1:
                continue
            access = fills[0].accesses[source]
            plain = access.written and not access.kept and not access.reads
            if plain and fills[0].bounds == nest.bounds:
                self.made.swaps.append(nest)
                taken |= {to, source}
