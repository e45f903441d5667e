"""What can be seen of accesses before a program runs: those beyond a shadow, and arrays that lose their
directives where they are passed.

    #pragma xmp loop (i) on t[i]
    for (int i = 0; i < 7; i++) v[i] = u[i + 1];      // u has no shadow: some rank does not hold it
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.indices import split_index
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Array, Meaning, Template
from tasuki.lang.front.diagnose import Place, Wrong
from tasuki.lang.front.types import constant, descend


class Suspects:
    """Looks at all uses of a unit, when its loops are known; what is found is among the findings."""

    def __init__(self, meaning: Meaning, uses: dict[c_ast.ID, Use], plans: list[Plan]) -> None:
        self.m, self.uses, self.plans = meaning, uses, plans

    def look(self) -> None:
        for plan in self.plans:
            if plan.record.border is None:
                for node in descend(plan.outer):
                    use = self.uses.get(node) if isinstance(node, c_ast.ID) else None
                    if use is not None and use.complete and not use.has_section:
                        self._beyond(plan, use)
        for node in descend(self.m.tree.unit):
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.args:
                self._passed(node)

    def _beyond(self, plan: Plan, use: Use) -> None:
        thing = plan.scope.thing(plan.record.on.name.value)
        if not isinstance(thing, Template) or use.array.template is not thing:
            return
        for dim, sub in enumerate(use.subs):
            for axis in plan.axes:
                if axis.dim != use.array.aligned[dim].dim:
                    continue
                reach = self._reach(use.array, dim, sub, axis)
                if reach is None or self._guarded(plan, use) or not self._crosses(thing, axis, *reach):
                    continue
                name, (distance, width) = use.array.variable.name, reach
                has = f"a shadow of {width} there" if width else "no shadow there"
                raise Wrong(
                    self._place(sub),
                    f"{name} is used {abs(distance)} from the iteration's own element, and has {has}",
                    f"write `#pragma xmp shadow {name}[..]` as wide as that, and reflect it",
                )

    def _place(self, sub: c_ast.Node) -> Place:
        return self.m.tree.tokens.place(self.m.tree.first(sub))

    def _reach(self, array: Array, dim: int, sub: c_ast.Node, axis: Axis) -> tuple[int, int] | None:
        """How far a subscript is from the iteration's own element, and how wide the shadow is on that side;
        None where these are no numbers, or the dimension is whole on every node.
        """
        way = array.aligned[dim]
        index, offset, sign = split_index(sub, {axis.counted.variable: 0})
        if index is None:
            return None
        parts = ((offset, sign), (way.offset, way.sign), (axis.offset, "-" if axis.sign == "+" else "+"))
        distance = 0
        for node, sign_of in parts:
            value = 0 if node is None else constant(node)
            if value is None:
                return None
            distance += value if sign_of == "+" else -value
        width: int | None = 0
        if array.shadow is not None:
            item = array.shadow.widths.items[dim]
            if item.star:
                return None
            width = constant(item.second if item.colon and distance > 0 else item.first)
        return None if width is None else (distance, width)

    def _guarded(self, plan: Plan, use: Use) -> bool:
        """Whether the iteration decides by itself if it comes to this."""
        node: c_ast.Node | None = use.node
        while node is not None and node is not plan.outer:
            parent = self.m.names.parent.get(node)
            if isinstance(parent, (c_ast.If, c_ast.TernaryOp, c_ast.Switch, c_ast.While, c_ast.DoWhile)):
                return True
            if isinstance(parent, c_ast.BinaryOp) and parent.op in ("&&", "||"):
                return True
            if isinstance(parent, c_ast.UnaryOp) and parent.op in ("sizeof", "&"):
                return True
            node = parent
        return False

    def _crosses(self, template: Template, axis: Axis, distance: int, width: int) -> bool:
        """Whether an iteration of the first node reaches beyond its shadow into the second one's part, or the
        other way; no, where numbers of the program do not say it.
        """
        counts = axis.counted
        extent = self._extent(template, axis.dim)
        numbers = [constant(node) for node in (counts.first, counts.bound)]
        if extent is None or counts.down or counts.step is not None or None in numbers:
            return False
        offset = 0 if axis.offset is None else constant(axis.offset)
        if template.format(axis.dim) != "block" or offset is None:
            return False
        record = template.distribute.formats[axis.dim]
        nodes = self._nodes_along(template, axis.dim)
        if record.width is not None or nodes == 1:
            return False
        begin, count = extent
        edge = begin + -(-count // (nodes or 2))  # where the second node's part begins
        moved = offset if axis.sign == "+" else -offset
        first, last = numbers[0] + moved, numbers[1] + moved - (0 if counts.inclusive else 1)
        over = abs(distance) - width  # iterations next to the edge that reach too far
        low, high = (edge - over, edge - 1) if distance > 0 else (edge, edge + over - 1)
        return max(first, low) <= min(last, high)

    def _extent(self, template: Template, dim: int) -> tuple[int, int] | None:
        dims = template.record.dims
        item = dims.items[dim]
        first, second = constant(item.first), constant(item.second)
        if not item.colon:
            return None if first is None else (int(dims.round), first)
        if first is None or second is None:
            return None
        return (first, second - first + 1) if dims.round else (first, second)

    def _nodes_along(self, template: Template, dim: int) -> int | None:
        """How many nodes a dimension is cut over; None where that is `*`."""
        cut = [each.kind != "*" for each in template.distribute.formats]
        item = template.onto.record.dims.items[sum(cut[:dim])]
        return None if item.star else constant(item.first)

    def _passed(self, call: c_ast.FuncCall) -> None:
        for function in self.m.names.functions:
            if function.decl.name != call.name.name:
                continue
            params = getattr(function.decl.type.args, "params", None) or []
            for given, param in zip(call.args.exprs, params, strict=False):
                use = self.uses.get(given) if isinstance(given, c_ast.ID) else None
                variable = self.m.names.variable.get(param)
                if use is None or use.subs or use.array.is_pointer or variable in self.m.arrays:
                    continue
                what = f"{given.name} is passed to {call.name.name}, which gets this node's part of it"
                mend = f"align {variable.name} in {call.name.name}" if variable else ""
                self.m.findings.warning(self._place(given), what, mend)
