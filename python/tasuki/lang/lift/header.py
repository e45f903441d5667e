"""What a time loop's header says: how it counts, what ends it, and which statements are a step's.

for (k = 0; k < n && err > eps; k++) { .. }
while (k < n && err > eps) { ..; k++; }
for (k = 0; k < n; k++) { ..; if (err < eps) break; }
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from tasuki.lang.analysis.bodies import names_in, writes
from tasuki.lang.analysis.counted import assigned, counted, root
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.parse import Directive
from tasuki.lang.lift.plan import Ending, NotLifted, TimeLoop


def read_header(m: Meaning, made: TimeLoop) -> None:
    """Fills in how the loop counts, and what ends it."""
    loop = made.loop
    begins = m.tree.tokens.every[m.tree.whole[loop][0]]
    if isinstance(loop, c_ast.While):
        made.ends = Ending(loop.cond, "while")
        _count(made, loop)
        return
    if not isinstance(loop, c_ast.For):
        raise NotLifted(m, begins, "do", "looks at its condition behind its first step")
    counts = counted(loop)
    both = loop.cond if isinstance(loop.cond, c_ast.BinaryOp) and loop.cond.op == "&&" else None
    for count, cond in [(both.left, both.right), (both.right, both.left)] if both else []:
        alone = counted(c_ast.For(loop.init, count, loop.next, loop.stmt))
        if not isinstance(alone, str):
            counts, made.ends = alone, Ending(cond, "for")
    if isinstance(counts, str):
        raise NotLifted(m, begins, "for", f"counts no steps: {counts}")
    made.counts = counts
    if counts.variable in assigned(loop.stmt):
        raise NotLifted(m, begins, counts.variable, "is set within the loop too")
    last = [item for item in statements(made, loop.stmt) if not isinstance(item, Directive)][-1]
    if made.ends is None and _breaks(last) and names_in(last.cond) & assigned(loop.stmt):
        made.ends = Ending(last.cond, "break")


def _count(made: TimeLoop, loop: c_ast.While) -> None:
    """`while (k < n && err > eps) { ..; k++; }` counts as a for does."""
    both = isinstance(loop.cond, c_ast.BinaryOp) and loop.cond.op == "&&"
    left, right = (loop.cond.left, loop.cond.right) if both else (loop.cond, None)
    for item in statements(made, loop.stmt):
        target = item.expr if isinstance(item, c_ast.UnaryOp) else getattr(item, "lvalue", None)
        if not isinstance(target, c_ast.ID):
            continue
        if sum(root(written) == target.name for _, written in writes(loop)) != 1:
            continue
        begin = c_ast.Assignment("=", target, target)
        for count, rest in [(left, right), (right, left)] if both else [(left, right)]:
            found = counted(c_ast.For(begin, count, item, loop.stmt))
            if not isinstance(found, str):
                made.counts, made.counter = found, item
                made.ends = Ending(rest, "while") if rest is not None else None


def statements(made: TimeLoop, node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The statements of a step, those of plain blocks among them; the one that ends the loop is none."""
    if made.ends is not None and _breaks(node) and node.cond is made.ends.cond:
        return
    if isinstance(node, c_ast.Compound):
        for item in node.block_items or ():
            yield from statements(made, item)
    elif not isinstance(node, c_ast.EmptyStatement):
        yield node


def _breaks(node: c_ast.Node) -> bool:
    """`if (..) break;`"""
    if not isinstance(node, c_ast.If) or node.iffalse is not None:
        return False
    inside = node.iftrue
    while isinstance(inside, c_ast.Compound) and len(inside.block_items or ()) == 1:
        inside = inside.block_items[0]
    return isinstance(inside, c_ast.Break)
