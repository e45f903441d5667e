"""What a nest of a time loop reads and writes, as a sweep of the core declares it.

    for (j = 1; j < n; j++) for (i = 1; i < n; i++) u[j][i] = (v[j-1][i] + v[j+1][i]) / 2;
    ->
    u: written; v: read at (-1, 0) and (1, 0)

A nest is a sweep where its loops are tight, count up by one, and reach every array by their indices plus
numbers. NotLifted says what is against it, and where.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import assigned
from tasuki.lang.analysis.indices import split_index
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.pure import LIBRARY
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.parse import Coindexed, Directive
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, constant, descend
from tasuki.lang.lift.calls import Calls
from tasuki.lang.lift.plan import Access, Live, Nest, NotLifted, order_of


class Reader:
    """Reads nests; `changing`: names that the time loop around them sets."""

    def __init__(
        self, m: Meaning, uses: dict[c_ast.ID, Use], changing: set[str], dead: set[str], live: dict[str, Live]
    ) -> None:
        self.m, self.uses, self.changing, self.dead, self.live = m, uses, changing, dead, live
        self.calls = Calls(m, changing | dead | set(live))

    def read(self, plan: Plan) -> Nest:
        if plan.shown.why:
            raise self._wrong(plan.record.at, "the loop", f"may not be done in any order: {plan.shown.why}")
        if plan.record.border is not None:
            raise self._wrong(plan.record.at, plan.record.border.kind, "does cells of neighbours")
        body = self._body(plan)
        axes = self._in_order(plan, body)
        nest = Nest(plan, axes, body, {}, [], [self._bounds(axis) for axis in axes])
        always = not any(isinstance(node, c_ast.Continue) for node in descend(body))
        for node in descend(body):
            self._node(nest, node, always)
        return nest

    def _wrong(self, token: Spot, what: str, because: str) -> NotLifted:
        return NotLifted(self.m, token, what, because)

    def _first(self, node: c_ast.Node) -> Spot:
        span = self.m.tree.whole.get(node) or self.m.tree.span_of(node)
        return self.m.tree.tokens.every[span[0]]

    def _body(self, plan: Plan) -> c_ast.Node:
        """The statement within all loops that are cut, which stand directly in each other."""
        left = [axis.counted.loop for axis in plan.axes]
        node: c_ast.Node = plan.outer
        while left:
            while isinstance(node, c_ast.Compound):
                items = [item for item in node.block_items or () if not isinstance(item, Directive)]
                if len(items) != 1:
                    raise self._wrong(self._first(node), "the nest", "has statements between its loops")
                node = items[0]
            if node not in left:
                raise self._wrong(
                    self._first(node), "the nest", "has a loop that is not cut around one that is"
                )
            left.remove(node)
            node = node.stmt
        return node

    def _in_order(self, plan: Plan, body: c_ast.Node) -> list[Axis]:
        """The axes as the dimensions of the first array go."""
        found = [self.uses[node].array for node in descend(body) if node in self.uses]
        if not found:
            raise self._wrong(plan.record.at, "the loop", "uses no distributed array")
        order = order_of(found[0])
        by_dim = {axis.dim: axis for axis in plan.axes}
        if sorted(by_dim) != sorted(order):
            name = found[0].variable.name
            raise self._wrong(plan.record.at, "the loop", f"goes along other dimensions than {name} has")
        return [by_dim[dim] for dim in order]

    def _bounds(self, axis: Axis) -> tuple[str, ...]:
        counts = axis.counted
        if counts.down or (counts.step is not None and constant(counts.step) != 1):
            raise self._wrong(self._first(counts.loop), "the loop", "does not count up by one")
        for node in (counts.first, counts.bound):
            self.steady(node, "the loop's bound")
        every = self.m.tree.tokens.every
        spans = [self.m.tree.span_of(node) for node in (counts.first, counts.bound)]
        text = [" ".join(token.value for token in every[first : last + 1]) for first, last in spans]
        return (*text, str(counts.inclusive))

    def steady(self, node: c_ast.Node | None, what: str) -> None:
        """An expression that is the same in every step."""
        for each in descend(node):
            if isinstance(each, (c_ast.FuncCall, c_ast.Assignment)) or (
                isinstance(each, c_ast.UnaryOp) and each.op in ("p++", "p--", "++", "--", "*")
            ):
                raise self._wrong(self._first(each), what, "may be another in every step")
            if isinstance(each, c_ast.ID) and each.name in self.changing:
                raise self._wrong(self._first(each), each.name, "is another in every step")

    def _node(self, nest: Nest, node: c_ast.Node, always: bool) -> None:
        if isinstance(node, (Coindexed, c_ast.Return)):
            raise self._wrong(self._first(node), "a statement", "is none of a cell alone")
        if isinstance(node, c_ast.FuncCall) and node.name.name not in LIBRARY:
            self.calls.look(node, nest.plan)
            return
        if isinstance(node, Directive) and node.word != "acc":
            raise self._wrong(node.at, f"the directive {node.word}", "stands in a cell")
        if not isinstance(node, c_ast.ID):
            return
        use = self.uses.get(node)
        if use is not None:
            self._use(nest, use, always)
            return
        variable = self.m.names.use.get(node)
        if variable is None or variable.is_function() or _is_inside(variable, nest.body):
            return
        name = variable.name
        if name in nest.indices or name in nest.plan.shown.private:
            return
        if name in {each for _, each in nest.plan.shown.reductions}:
            if name in self.live and self.live[name] not in nest.live:
                nest.live.append(self.live[name])
            if name not in self.dead and name not in self.live:
                raise self._wrong(self._first(node), name, "is reduced over steps, or read by a later one")
            if not self._only_reduces(node, nest):
                raise self._wrong(self._first(node), name, "is read by a cell, and reduced")
            return
        if variable.dims() or variable.pointer_dims() is not None or variable.basic() == "BYTES":
            raise self._wrong(self._first(node), name, "is neither a distributed array nor a number")
        if name in self.changing:
            raise self._wrong(self._first(node), name, "is another in every step")
        if {"register", "_Thread_local"} & set(variable.storage) or "volatile" in (variable.decl.quals or []):
            raise self._wrong(self._first(node), name, "has no address that stays")
        if variable not in nest.given:
            nest.given.append(variable)

    def _only_reduces(self, node: c_ast.ID, nest: Nest) -> bool:
        """Whether a reduction's variable stands in an assignment to it, or in an if around nothing else."""
        reduced = {each for _, each in nest.plan.shown.reductions}
        each: c_ast.Node = node
        while each is not nest.body:
            each = self.m.names.parent[each]
            if isinstance(each, c_ast.Assignment):
                return isinstance(each.lvalue, c_ast.ID) and each.lvalue.name in reduced
            if isinstance(each, c_ast.UnaryOp) and each.op in ("p++", "p--", "++", "--"):
                return True
            if isinstance(each, c_ast.If):
                inside = [part for part in (each.iftrue, each.iffalse) if part is not None]
                return all(assigned(part) <= reduced for part in inside)
        return False

    def _use(self, nest: Nest, use: Use, always: bool) -> None:
        array, name = use.array, use.name.name
        if not use.complete or use.has_section:
            raise self._wrong(self._first(use.name), name, "is used as a whole")
        if array.variable.basic() == "BYTES":
            raise self._wrong(self._first(use.name), name, "has elements that are no numbers")
        if order_of(array) != [axis.dim for axis in nest.axes]:
            raise self._wrong(self._first(use.name), name, "has its dimensions in another order")
        if any(way.dim >= 0 and array.template.format(way.dim) not in ("*", "block", "gblock")
               for way in array.aligned):  # fmt: skip
            raise self._wrong(self._first(use.name), name, "is not cut into blocks")
        offset = self._offset(nest, use)
        access = nest.accesses.setdefault(array, Access(array))
        write = self._written(use)
        if write is not None:
            if any(offset):
                raise self._wrong(
                    self._first(use.name), name, "is written beside the iteration's own element"
                )
            plain = isinstance(write, c_ast.Assignment) and write.op == "="
            components = len(offset) < array.dims
            kept = components or not plain or not always or self._guarded(write, nest.body)
            access.by = access.by if kept or access.by else write
            access.written = True
            access.kept |= kept and access.by is None
        if write is None or not isinstance(write, c_ast.Assignment) or write.op != "=":
            if any(offset) and sum(map(bool, offset)) >= access.order:
                access.at = self._first(use.name)
            if any(offset) or access.by is None or self._within(use.node, access.by):
                access.reads.add(offset)

    def _within(self, node: c_ast.Node, around: c_ast.Node) -> bool:
        each: c_ast.Node | None = node
        while each is not None and each is not around:
            each = self.m.names.parent.get(each)
        return each is around

    def _offset(self, nest: Nest, use: Use) -> tuple[int, ...]:
        found = []
        along = iter(nest.axes)
        for sub, way in zip(use.subs, use.array.aligned, strict=True):
            if way.dim < 0:
                if {each.name for each in descend(sub) if isinstance(each, c_ast.ID)} & set(nest.indices):
                    what = "has an index of the loop where it is not cut"
                    raise self._wrong(self._first(use.name), use.name.name, what)
                continue
            variable = next(along).counted.variable
            name, offset, sign = split_index(sub, {variable: 0})
            distance = 0 if offset is None else constant(offset)
            if name is None or distance is None:
                what = f"has a subscript that is not {variable} plus a number"
                raise self._wrong(self._first(use.name), use.name.name, what)
            found.append(distance if sign == "+" else -distance)
        return tuple(found)

    def _written(self, use: Use) -> c_ast.Node | None:
        parent = self.m.names.parent.get(use.node)
        if isinstance(parent, c_ast.Assignment) and parent.lvalue is use.node:
            return parent
        if isinstance(parent, c_ast.UnaryOp) and parent.op in ("p++", "p--", "++", "--", "&"):
            if parent.op == "&":
                raise self._wrong(self._first(use.name), use.name.name, "has its address taken")
            return parent
        return None

    def _guarded(self, write: c_ast.Node, body: c_ast.Node) -> bool:
        """Whether a cell may come past a write without doing it."""
        each: c_ast.Node | None = write
        while each is not None and each is not body:
            each = self.m.names.parent.get(each)
            if not isinstance(each, (c_ast.Compound, c_ast.Assignment, c_ast.ExprList)):
                return True
        return False


def _is_inside(variable: Variable, body: c_ast.Node) -> bool:
    return any(node is variable.decl for node in descend(body))
