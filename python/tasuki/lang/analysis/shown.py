"""What can be shown of a loop's body: that its iterations do not depend on each other.

Threads and vector instructions are only right then: every write goes to the iteration's own element of an
array, to a variable that the iteration writes before it reads it, or to the variable of a reduction; what
is written is read nowhere else; nothing unknown is called. Else the loop runs in order, and `why` says
what stands against it.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.bodies import names_in, writes
from tasuki.lang.analysis.counted import assigned, root, root_id
from tasuki.lang.analysis.plans import Axis, Shown
from tasuki.lang.analysis.pure import is_local, why_not_pure
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.forms import ReductionClause
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, descend

_VECTOR_OPS = {"+", "-", "*", "max", "min", "&", "|", "^", "&&", "||"}


def shown(
    m: Meaning, outer: c_ast.For, axes: list[Axis], clauses: list[ReductionClause], uses: dict[c_ast.ID, Use]
) -> Shown:
    """Looks at a nest whose loops `axes` are cut."""
    made = Shown()
    for clause in clauses:
        for item in clause.items:
            if item.locations or clause.op not in _VECTOR_OPS:
                made.why = f"{clause.op} keeps an order"
                return made
            made.reductions.append((clause.op, item.variable.value))
    indices = [axis.counted.variable for axis in axes]
    reduced = {name for _, name in made.reductions}
    scalars: list[Variable] = []
    own = _declared_in_cells(axes)
    for node in descend(outer):
        why = _against(m, node, uses, indices, own, scalars)
        if why:
            made.why = why
            return made
    written = _written_elements(m, outer, uses, indices)
    for name, use in uses.items():
        if use.array in written and is_below(m, name, outer):
            own = written[use.array]
            if not use.complete or any(_subs(m, use)[dim] != sub for dim, sub in own.items()):
                made.why = f"{use.array.variable.name} is written, and read at another place"
                return made
    inside = _declared_inside(outer)
    for variable in dict.fromkeys(scalars):
        if variable.name in inside or variable.name in indices or variable.name in reduced:
            continue
        if not written_first(outer, variable.name):
            made.why = f"{variable.name} goes from one iteration to the next"
            return made
        if not is_local(variable):
            made.why = f"{variable.name} is seen outside of this function"
            return made
        made.private.append(variable.name)
    return made


def _against(
    m: Meaning,
    node: c_ast.Node,
    uses: dict[c_ast.ID, Use],
    indices: list[str],
    own: set[c_ast.Decl],
    scalars: list,
) -> str:
    """What a single node says against independence; scalars that are written are noted."""
    if isinstance(node, c_ast.FuncCall):
        name = node.name.name if isinstance(node.name, c_ast.ID) else "a pointer"
        return why_not_pure(m, name, uses)
    if isinstance(node, (c_ast.While, c_ast.DoWhile, c_ast.Label, c_ast.Goto, c_ast.Switch)):
        return "it has a loop or jump that is not counted"
    if isinstance(node, Directive) and node.word == "xmp":
        return ""
    target = None
    if isinstance(node, c_ast.Assignment):
        target = node.lvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--", "&"):
        target = node.expr
    if target is None:
        return ""
    if isinstance(target, c_ast.ID):
        variable = m.names.use.get(target)
        if variable is None or variable.pointer_dims() is not None:
            return f"{target.name} is a pointer or unknown"
        scalars.append(variable)
        return ""
    name = root_id(target)
    variable = m.names.use.get(name) if name is not None else None
    if variable is not None and variable.decl in own and variable.pointer_dims() is None:
        return ""  # an array of the iteration's own
    if name is None or name not in uses:
        return f"{root(target) or 'something'} is written, which is not distributed"
    use = uses[name]
    if not use.complete:
        return f"{name.name} is written by a pointer"
    here = {each.name for sub in use.subs for each in descend(sub) if isinstance(each, c_ast.ID)}
    missing = [index for index in indices if index not in here]
    return f"an element of {name.name} is written by several {missing[0]}" if missing else ""


def _subs(m: Meaning, use: Use) -> tuple[str, ...]:
    every = m.tree.tokens.every
    spans = [m.tree.span_of(sub) for sub in use.subs]
    return tuple(" ".join(token.value for token in every[first : last + 1]) for first, last in spans)


def _written_elements(
    m: Meaning, outer: c_ast.For, uses: dict[c_ast.ID, Use], indices: list[str]
) -> dict[object, dict[int, str]]:
    """Arrays that are written, and where: the subscripts by which iterations differ."""
    found: dict[object, dict[int, str]] = {}
    for _, target in writes(outer):
        name = root_id(target)
        if name in uses:
            use = uses[name]
            differing = {
                dim: text
                for dim, (sub, text) in enumerate(zip(use.subs, _subs(m, use), strict=True))
                if names_in(sub) & set(indices)
            }
            found.setdefault(use.array, differing)
    return found


def is_below(m: Meaning, node: c_ast.Node, outer: c_ast.Node) -> bool:
    """Whether `node` is `outer`, or stands inside of it."""
    each: c_ast.Node | None = node
    while each is not None and each is not outer:
        each = m.names.parent.get(each)
    return each is outer


def _declared_in_cells(axes: list[Axis]) -> set[c_ast.Decl]:
    """What each iteration has for itself: declared within all loops that are cut, and not static."""
    inside = [
        {node for node in descend(axis.counted.loop.stmt) if isinstance(node, c_ast.Decl)} for axis in axes
    ]
    found = set.intersection(*inside) if inside else set()
    return {decl for decl in found if "static" not in (decl.storage or [])}


def _declared_inside(outer: c_ast.For) -> set[str]:
    return {node.name for node in descend(outer) if isinstance(node, c_ast.Decl)}


def written_first(outer: c_ast.For, name: str) -> bool:
    """Whether the first thing that a body does with a scalar is to set it, in a statement of the body
    itself.
    """
    body = outer.stmt
    while isinstance(body, c_ast.For) or (
        isinstance(body, c_ast.Compound)
        and body.block_items
        and sum(isinstance(item, c_ast.For) for item in body.block_items) == 1
        and not any(name in names_in(item) for item in body.block_items if not isinstance(item, c_ast.For))
    ):
        if isinstance(body, c_ast.For):
            if name in names_in(body.init) | names_in(body.cond) | names_in(body.next):
                return name in assigned(body.init) and name not in _read_in(body.init)
            body = body.stmt
        else:
            body = next(item for item in body.block_items if isinstance(item, c_ast.For))
    for item in body.block_items or () if isinstance(body, c_ast.Compound) else (body,):
        if isinstance(item, Directive) or name not in names_in(item):
            continue
        return (
            isinstance(item, c_ast.Assignment)
            and item.op == "="
            and isinstance(item.lvalue, c_ast.ID)
            and item.lvalue.name == name
            and name not in names_in(item.rvalue)
        )
    return True


def _read_in(init: c_ast.Node | None) -> set[str]:
    return names_in(init.rvalue) if isinstance(init, c_ast.Assignment) else names_in(init)
