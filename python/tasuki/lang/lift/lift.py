"""Time loops understood as a whole: `tasuki cc --lift`, which is the default.

    for (int k = 0; k < n; k++) { loops of xmp, reflects }

becomes a program of the core where each of its statements is a sweep, a copy of one array into another, a
reflect, or sets a scalar that no cell reads. The run time does all steps but the last one, so that variables,
sums and shadows end up as the loop itself leaves them; a sum that only the last step leaves is only done
there. `described` says of each time loop how it is done, or what stops it, with its place.
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text
from tasuki.lang.front.tokens import Spot
from tasuki.lang.kernels.kernels import Kernels
from tasuki.lang.lift.on_gpus import make
from tasuki.lang.lift.plan import NotLifted, TimeLoop, scope_of
from tasuki.lang.lift.steps import Judge
from tasuki.lang.lift.text import ahead, begin, functions, go_on

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


class Lift:
    """Finds a unit's time loops, and edits those that it can lift."""

    def __init__(
        self, text: Text, uses: dict[c_ast.ID, Use], plans: list[Plan], number: Callable[[], int]
    ) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.plans, self.number = uses, plans, number
        self.loops: list[TimeLoop] = []

    def plan(self, against: str = "") -> None:
        """Looks at all loops around loops of xmp. `against`: what stops all of them."""
        around = [self._around(plan) for plan in self.plans]
        for loop in dict.fromkeys(loop for loop in around if loop is not None):
            made = TimeLoop(loop, self.number(), why=against)
            self.loops.append(made)
            if against:
                continue
            try:
                Judge(self.m, self.uses, self.plans, made).judge()
            except NotLifted as stops:
                made.why = str(stops)

    def kernels(self, kernels: Kernels) -> None:
        """Makes kernels of those that GPUs can do as a whole."""
        for made in self.loops:
            if not made.why:
                make(kernels, made)

    def edit(self) -> None:
        for made in self.loops:
            if made.why:
                continue
            self._loop(made)
            function = scope_of(self.m, made.loop).function
            first = self.m.tree.whole[function][0]
            marker = self.edits.marker(first)
            self.edits.before(first, lambda m=made, at=marker: f"{functions(self.text, self.uses, m)}\n{at}")

    def _loop(self, made: TimeLoop) -> None:
        first, last = self.m.tree.whole[made.loop]
        if isinstance(made.loop, c_ast.While):
            self.edits.before(first, lambda m=made: f"{{ {ahead(self.text, m)}")
            self.edits.after(last, " }", first)
            return
        marks = made.ends is not None and made.ends.form == "break"
        if not made.now_and_then:
            self.edits.replace(*self.m.tree.span_of(made.counts.first), lambda m=made: begin(self.text, m))
        if marks or made.now_and_then:
            self.edits.before(first, f"{{ int tsk_over{made.number} = 0; ")
            self.edits.after(last, " }", first)
            self.edits.replace(*self.m.tree.span_of(made.loop.cond), lambda m=made: self._condition(m))

    def _condition(self, made: TimeLoop) -> str:
        cond = self.edits.inline(*self.m.tree.span_of(made.loop.cond))
        if made.now_and_then:
            return f"{go_on(self.text, made)}, ({cond})"
        return f"!tsk_over{made.number} && ({cond})"

    def described(self) -> list[str]:
        """Lines of a report."""
        lines = []
        for made in self.loops:
            place = self.m.tree.tokens.place(self._first(made.loop))
            lines.append(f"{place}: time loop: {_how(made)}")
        return lines

    def _first(self, node: c_ast.Node) -> Spot:
        return self.m.tree.tokens.every[self.m.tree.whole[node][0]]

    def _around(self, plan: Plan) -> c_ast.Node | None:
        each = self.m.names.parent.get(plan.outer)
        while each is not None and not isinstance(each, _LOOPS):
            each = self.m.names.parent.get(each)
        return each


def _how(made: TimeLoop) -> str:
    if made.why:
        return f"not lifted: {made.why}"
    sweeps = len(made.nests) - len(made.swaps)
    words = [f"{sweeps} sweep{'s' if sweeps != 1 else ''} a step"]
    for nest in made.swaps:
        to, source = nest.copy()
        words.append(f"{to.variable.name} = {source.variable.name} is a swap")
    if made.now_and_then:
        words.append("but for steps with a branch")
    if made.on_gpus:
        words.append("on GPUs too")
    if made.ends is not None:
        words.append(f"until {', '.join(live.variable.name for live in made.live)} ends it")
    return f"lifted: {', '.join(words)}"
