"""Scalars of a time loop: those that each step sets anew, and that the loop's condition or nobody reads.

err = 0; (a loop with reduction(max:err));    // dead: the last step alone has to leave it
while (err > eps)                             // live: each step does
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import assigned
from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.pure import LIBRARY
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.lift.plan import Live, NotLifted, TimeLoop, scope_of


class Scalars:
    """Looks at the scalars that a time loop sets; `dead` and `live` are the names of the two kinds."""

    def __init__(self, m: Meaning, uses: dict[c_ast.ID, Use], made: TimeLoop, changing: set[str]) -> None:
        self.m, self.uses, self.made, self.changing = m, uses, made, changing
        self.dead: set[str] = set()
        self.live: dict[str, Live] = {}

    def look(self, items: list[c_ast.Node], plans: dict[c_ast.Node, Plan]) -> None:
        """Of the statements of a step."""
        first: dict[str, c_ast.Node | None] = {}  # what the step begins with setting it to
        read: set[str] = set()
        done: set[str] = set()  # names that the step has set so far
        for item in items:
            if isinstance(item, Directive):
                continue
            if item in self.made.now_and_then:
                self._now_and_then(item, first, done)
                continue
            done |= assigned(item)
            if item in plans:
                reduced = {name for _, name in plans[item].shown.reductions}
                for name in _names(item):
                    first.setdefault(name, None)
                    if name not in reduced and name not in plans[item].shown.private:
                        read.add(name)
                continue
            target, value = "", item
            if isinstance(item, c_ast.Decl):
                target, value = item.name, item.init
            elif isinstance(item, c_ast.Assignment) and item.op == "=" and isinstance(item.lvalue, c_ast.ID):
                target, value = item.lvalue.name, item.rvalue
            names = _names(value)
            read |= names
            for name in names:
                first.setdefault(name, None)
            if target and value is None:
                first.setdefault(target, c_ast.ID(target))
            elif target:
                first.setdefault(target, value)
        settled = {name: value for name, value in first.items() if value is not None and name not in read}
        if self.made.ends is not None:
            self._condition(settled, [plans[item] for item in items if item in plans])
            self._left_behind()
        self.dead = set(settled) - set(self.live)

    def _wrong(self, token: Spot, what: str, because: str) -> NotLifted:
        return NotLifted(self.m, token, what, because)

    def _condition(self, settled: dict[str, c_ast.Node], plans: list[Plan]) -> None:
        ends = self.made.ends
        for node in descend(ends.cond):
            if isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") not in LIBRARY:
                token = self.m.tree.first(node)
                raise self._wrong(
                    token, f"{getattr(node.name, 'name', 'a pointer')}()", "may look at anything"
                )
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None or variable.is_function():
                continue
            token = self.m.tree.first(node)
            if variable.dims() or variable.pointer_dims() is not None or variable.basic() == "BYTES":
                raise self._wrong(token, node.name, "is no number, and ends the loop")
            if node.name not in self.changing:
                ends.given += [variable] if variable not in ends.given else []
                continue
            ops = [op for plan in plans for op, name in plan.shown.reductions if name == node.name]
            if node.name not in settled or len(ops) != 1:
                raise self._wrong(token, node.name, "ends the loop, and is no reduction of each step alone")
            if ops[0] not in ("max", "min"):
                raise self._wrong(token, node.name, "ends the loop, and a lifted loop sums in another order")
            if scope_of(self.m, self.made.loop).find(node.name) is not variable:
                raise self._wrong(token, node.name, "ends the loop, and is declared in a step")
            self.live[node.name] = Live(variable, ops[0], settled[node.name])
        if not self.live:
            token = self.m.tree.first(ends.cond)
            raise self._wrong(token, "the condition", "reads nothing that a step reduces")

    def _now_and_then(self, item: c_ast.If, first: dict[str, c_ast.Node | None], done: set[str]) -> None:
        """A branch that the loop itself does in some steps: known before, and given what the step has set."""
        counter = self.made.counts.variable
        for node in descend(item.cond):
            if isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") not in LIBRARY:
                name = getattr(node.name, "name", "a pointer")
                raise self._wrong(self.m.tree.first(node), f"{name}()", "may look at anything")
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None or variable.is_function() or variable.name == counter:
                continue
            if node.name in self.changing:
                raise self._wrong(self.m.tree.first(node), node.name, "is another in every step")
            if variable.dims() or variable.pointer_dims() is not None or variable.basic() == "BYTES":
                raise self._wrong(self.m.tree.first(node), node.name, "is no number")
            self.made.asked += [variable] if variable not in self.made.asked else []
        if counter in assigned(item):
            raise self._wrong(self.m.tree.first(item.cond), counter, "is set within the loop too")
        for node in descend(item.iftrue):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None or variable in self.m.arrays or variable.name == counter:
                continue
            if variable.name in self.changing - done:
                raise self._wrong(self.m.tree.first(node), variable.name, "goes from one step to the next")
            first.setdefault(variable.name, None)

    def _left_behind(self) -> None:
        """The last step is not the loop's own: nothing may read what it sets beside arrays and reductions."""
        loop = self.made.loop
        function = scope_of(self.m, loop).function
        begin, end = self.m.tree.whole[loop]
        counter = self.made.counts.variable if self.made.counts else ""
        inside = {
            self.m.names.use[node]
            for node in descend(loop)
            if isinstance(node, c_ast.ID) and node in self.m.names.use and node.name in assigned(loop)
        }
        kept = {variable for variable in inside if variable not in self.m.arrays}
        kept -= {live.variable for live in self.live.values()}
        seen: set[Variable] = set()
        again = any(isinstance(each, (c_ast.For, c_ast.While, c_ast.DoWhile)) for each in self._around(loop))
        for node in descend(function.body):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable not in kept or variable.name == counter or variable in seen:
                continue
            at = self.m.tree.whole.get(node, self.m.tree.span_of(node))[0]
            if begin <= at <= end or (at < begin and not again):
                continue
            seen.add(variable)
            parent = self.m.names.parent.get(node)
            sets = isinstance(parent, c_ast.Assignment) and parent.op == "=" and parent.lvalue is node
            if not sets:
                token = self.m.tree.first(node)
                raise self._wrong(token, variable.name, "is read, and is what the loop's last step left")
        globals_ = [variable for variable in kept if variable.scope.is_file and variable.name != counter]
        if globals_:
            token = self.m.tree.tokens.every[begin]
            what = f"sets {globals_[0].name}, which others may read"
            raise self._wrong(token, "the last step of the loop", what)

    def _around(self, node: c_ast.Node) -> list[c_ast.Node]:
        found = []
        each = self.m.names.parent.get(node)
        while each is not None:
            found.append(each)
            each = self.m.names.parent.get(each)
        return found


def _names(node: c_ast.Node | None) -> set[str]:
    return {each.name for each in descend(node) if isinstance(each, c_ast.ID)}
