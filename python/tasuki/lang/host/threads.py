"""Threads of a rank that share a loop of `#pragma xmp loop`: which loops, and by which pragma.

    #pragma xmp loop (i) on t[i]
    for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];
    ->
    #pragma omp parallel for simd if(parallel: tsk_run_turns(tsk_w2.run) > 4096)
    for (int i = ..

They share the outermost loop. Bits are those of one thread: no sum of floating point is divided among them.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import assigned, loops_in
from tasuki.lang.analysis.plans import FEW, FEW_ROWS, Axis, Plan
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.types import descend
from tasuki.lang.host.reductions import ROUNDED
from tasuki.lang.host.rows import Rows


def may_thread(plan: Plan) -> bool:
    """Whether iterations are independent, the outermost loop is cut, and no sum is rounded."""
    if not plan.shown.independent or plan.axes[0].counted.loop is not plan.outer:
        return False
    if not all(is_settled(plan, axis) for axis in plan.axes[1:]):
        return False  # the run time is asked within the nest, by one thread at a time
    kinds = {plan.scope.find(name).basic() for _, name in plan.shown.reductions}
    operators = {op for op, _ in plan.shown.reductions}
    exact = operators <= {"max", "min"} or not kinds & ROUNDED
    arrays = any(plan.scope.find(name).dims() for _, name in plan.shown.reductions)
    return exact and not arrays


def is_settled(plan: Plan, axis: Axis) -> bool:
    """Whether an inner axis is the same for all iterations around it, so that it is asked for once."""
    changing = assigned(plan.outer)
    counts = axis.counted
    for node in (counts.first, counts.bound, counts.step, axis.offset):
        for each in descend(node):
            if isinstance(each, c_ast.FuncCall) or (isinstance(each, c_ast.ID) and each.name in changing):
                return False
    return True


def threads_of(plan: Plan, axis: Axis, run: str, rows: Rows) -> str:
    """The pragma before the outermost loop of a nest; empty before others. `run`: the iterations of this
    loop, in C. Where they are few, threads cost more than they gain: of a single loop, a piece, a rim.
    """
    if not plan.threads or axis.counted.loop is not plan.outer:
        return ""
    single = not any(loops_in(plan.outer))
    if single and plan.outer in rows:
        words = words_of(rows.m, bool(plan.shown.reductions))
        return rows.pragma_of(plan.outer, plan, f"{words}{_from(FEW, run)}")
    own = {*plan.shown.private, *_outside_indices(plan)} - {axis.counted.variable}
    sums = "".join(f" reduction({op}:{name})" for op, name in plan.shown.reductions)
    private = f" private({', '.join(sorted(own))})" if own else ""
    few = FEW if single else 0 if axis.unit and plan.record.border is None else FEW_ROWS
    marker = rows.text.edits.marker(rows.m.tree.whole[plan.outer][0])
    return f"\n#pragma omp parallel for{_from(few, run)}{private}{sums}\n{marker}"


def words_of(m: Meaning, sums: bool) -> str:
    """OpenMP's words for a loop of threads and vectors; translated.h knows who cannot sum by both."""
    apart = sums and m.names.file.find("TSK_NO_SHARED_VECTOR_SUMS") is not None
    return "parallel for" if apart else "parallel for simd"


def _from(few: int, run: str) -> str:
    return f" if(parallel: tsk_run_turns({run}) > {few})" if few else ""


def _outside_indices(plan: Plan) -> set[str]:
    """Loop variables of the nest that are declared outside of it."""
    return {axis.counted.variable for axis in plan.axes if axis.counted.declares is None}
