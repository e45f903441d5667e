"""`tasuki cc --report`: how every loop of a unit is done, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasuki.lang.analysis.plans import Plan
    from tasuki.lang.rewrite import Translated


def report(made: Translated) -> str:
    """A line for every array, loop, kernel and time loop: what an array is, whether a loop is one of vectors
    and by which strides it goes, whether a time loop is lifted, and why not.
    """
    tokens = made.meaning.tree.tokens
    lines = []
    for array in made.meaning.arrays.values():
        record = array.template.distribute
        formats = "".join(f"[{each.kind}]" for each in record.formats) if record else "not distributed"
        shadow = "with a shadow" if array.shadow else "no shadow"
        name = array.template.record.name.value
        lines.append(f"{tokens.place(array.at)}: array {array.variable.name}: by {name}, {formats}, {shadow}")
    for plan in made.plans:
        how = f"{_how(plan)}{_strides(plan)}"
        lines.append(f"{tokens.place(plan.record.at)}: loop ({', '.join(plan.indices)}): {how}")
    lines += made.threads + made.kernels + made.lifts
    return "".join(f"{line}\n" for line in lines)


def _how(plan: Plan) -> str:
    if not plan.shown.independent:
        return f"in order: {plan.shown.why}"
    if plan.exact:
        return "in order: --deterministic sums what each iteration adds"
    own = f", own {', '.join(plan.shown.private)}" if plan.shown.private else ""
    sums = "".join(f", {op}:{name}" for op, name in plan.shown.reductions)
    ways = "threads and vectors" if plan.threads else "vectors"
    return f"{ways}: its iterations are independent{own}{sums}"


def _strides(plan: Plan) -> str:
    """`; by rows: u, v`: how the text reaches the elements of each array."""
    forms = ("by rows", "by pieces", "by subscripts")
    return "".join(f"; {form}: {', '.join(plan.strides[form])}" for form in forms if form in plan.strides)
