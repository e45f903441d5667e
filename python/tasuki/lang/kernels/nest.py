"""What a statement of an OpenACC region is as a kernel: the loops that threads share out, and each
variable's part in it.

nest = read_nest(ask, statement)
nest.axes              # loops, outermost first; those that are `shared` among threads stand first
nest.scalars[variable] # "value", "own", "start", "sum", "cell"; "unread": what nobody reads behind the kernel

A loop is shared out where the program says that it may be (`parallel loop`, `loop`, `collapse`,
`independent`), or where that is shown; else one thread does the statement in order, and `why` says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted, assigned, counted, root_id
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.references import Use, use_of
from tasuki.lang.analysis.shown import is_below, shown, written_first
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, constant, descend
from tasuki.lang.kernels.mapping import LEVELS, Mapping, levels_of, read_mapping

OPERATORS = {
    "+": "plus", "-": "plus", "*": "times", "max": "most", "min": "least", "&": "bits_and", "|": "bits_or",
    "^": "bits_xor", "&&": "both", "||": "either",
}  # fmt: skip


@dataclass(eq=False)
class Turn:
    """One loop of a kernel that the host asks the bounds of: its header, and the axis where xmp cuts it."""

    counts: Counted
    axis: Axis | None
    shared: bool = False


@dataclass(eq=False)
class Plain:
    """An array of the program's own, as a Use knows one."""

    variable: Variable
    dims: int


@dataclass
class Ask:
    """What is asked of a region: its statement is `statement`, of the directive `record`."""

    m: Meaning
    record: Acc
    uses: dict[c_ast.ID, Use]
    plan: Plan | None
    loops: dict[c_ast.Node, Acc]  # `acc loop` by the for behind it
    named: set[Variable]  # scalars that a data clause names, here or around
    asked: bool = False  # gang, worker and vector are taken literally


@dataclass
class Nest:
    """A kernel's loops and variables. Without axes one thread does `statement`."""

    statement: c_ast.Node
    axes: list[Turn] = field(default_factory=list)
    body: c_ast.Node | None = None  # of the innermost shared loop; all of the statement where there is none
    early: list[c_ast.Decl] = field(default_factory=list)  # declared between loops that are shared
    scalars: dict[Variable, str] = field(default_factory=dict)
    sums: dict[Variable, str] = field(default_factory=dict)  # operator
    why: str = ""  # why nothing is shared
    mapping: Mapping | None = None  # where it is asked for

    @property
    def shared(self) -> list[Turn]:
        return [turn for turn in self.axes if turn.shared]


def read_nest(ask: Ask, statement: c_ast.Node) -> Nest:
    """Looks at one statement of a region."""
    nest = Nest(statement, body=statement)
    chain = _chain(statement, nest) if isinstance(statement, c_ast.For) else []
    shared = _shared(ask, nest, chain)
    if ask.asked and shared:
        shared = _asked(ask, nest, chain[:shared])
    for loop in chain[:shared]:
        nest.axes.append(Turn(counted(loop), _axis(ask, loop), True))
    if shared:
        nest.body = chain[shared - 1].stmt
    else:
        nest.early.clear()
    nest.early = [decl for decl in nest.early if not is_below(ask.m, decl, nest.body)]
    for axis in ask.plan.axes if ask.plan else ():
        if axis.counted.loop not in chain[:shared]:
            nest.axes.append(Turn(axis.counted, axis))
    _scalars(ask, nest)
    return nest


def _axis(ask: Ask, loop: c_ast.For) -> Axis | None:
    return next((axis for axis in ask.plan.axes if axis.counted.loop is loop), None) if ask.plan else None


def _chain(outer: c_ast.For, nest: Nest) -> list[c_ast.For]:
    """Loops that count, each the only statement of the one around it, with bounds that stay as they are."""
    changing = assigned(outer)
    found: list[c_ast.For] = []
    each: c_ast.Node | None = outer
    while isinstance(each, c_ast.For) and _is_plain(each, changing):
        found.append(each)
        each = _only(each.stmt, nest.early)
    return found


def _only(body: c_ast.Node, early: list[c_ast.Decl]) -> c_ast.Node | None:
    if not isinstance(body, c_ast.Compound):
        return body
    rest = [item for item in body.block_items or () if not isinstance(item, Directive)]
    decls = [item for item in rest if isinstance(item, c_ast.Decl) and item.init is None]
    others = [item for item in rest if item not in decls]
    if len(others) != 1:
        return None
    early += decls
    return _only(others[0], early)


def _is_plain(loop: c_ast.For, changing: set[str]) -> bool:
    counts = counted(loop)
    if isinstance(counts, str):
        return False
    for part in (counts.first, counts.bound, counts.step):
        for node in descend(part):
            if not isinstance(node, (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Cast,
                                     c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType)):  # fmt: skip
                return False
            if isinstance(node, c_ast.ID) and node.name in changing:
                return False
            if isinstance(node, c_ast.UnaryOp) and node.op not in ("+", "-", "~", "!"):
                return False
    return True


def _shared(ask: Ask, nest: Nest, chain: list[c_ast.For]) -> int:
    """How many loops of the chain threads share out."""
    if not chain:
        nest.why = "its bounds are read on the device, or it is no loop that counts"
        return 0
    if ask.record.name.startswith("serial"):
        nest.why = "`serial` asks for it"
        return 0
    said = most = 0  # loops of the chain: of which the program says it, and which are shared
    is_asked = not ask.record.name.startswith("kernels")
    for depth, loop in enumerate(chain):
        first = ask.record if depth == 0 and ask.record.is_loop else None
        for record in (first, ask.loops.get(loop)):
            if record is None:
                continue
            if "seq" in record.flags:
                nest.why = "`seq` asks for it"
                return most
            if "auto" not in record.flags and (is_asked or "independent" in record.flags):
                deep = record.numbers.get("collapse")
                said = max(said, depth + (constant(deep[0]) or 1 if deep else 1))
        if depth >= said:
            nest.why = _against(ask, chain[: depth + 1])
            if nest.why:
                return most
        most = depth + 1
    return most


def _asked(ask: Ask, nest: Nest, chain: list[c_ast.For]) -> int:
    """How many of these loops are shared, as their clauses say it."""
    records = []
    for depth, loop in enumerate(chain):
        found = (ask.record if depth == 0 and ask.record.is_loop else None, ask.loops.get(loop))
        records.append([record for record in found if record is not None])
    made = read_mapping(ask.record, records)
    if isinstance(made, str):
        raise ask.m.wrong(
            ask.record.at, made, "a gang has workers, and a worker a vector: write them in this order"
        )
    nest.mapping = made
    if made is None:
        return len(chain)
    count = sum(group.loops for group in made.groups)
    for loop, record in ask.loops.items():
        if levels_of(record) and loop not in chain[:count] and "seq" not in record.flags:
            level = min(levels_of(record), key=LEVELS.index)
            what = f"each thread does this loop of {level}s in order: other statements stand around it"
            ask.m.findings.warning(ask.m.tree.tokens.place(record.at), what, "nest it tightly")
    return count


def _against(ask: Ask, loops: list[c_ast.For]) -> str:
    """What stands against iterations of these loops that go side by side."""
    axes = [_axis(ask, loop) or Axis(counted(loop), -1, None, "+", True) for loop in loops]
    uses = {**_plain_uses(ask, loops[0]), **ask.uses}
    clauses = list(ask.plan.record.reductions) if ask.plan else []
    # What is private is each iteration's own, as a sum's part is.
    own = [("+", part) for _, part in _listed(ask, loops)]
    for op, part in [*_reductions(ask, loops), *own]:
        item = SimpleNamespace(variable=part.name, locations=[])
        clauses.append(SimpleNamespace(op=op, items=[item]))
    return shown(ask.m, loops[0], axes, clauses, uses).why


def _plain_uses(ask: Ask, outer: c_ast.For) -> dict[c_ast.ID, Use]:
    """Arrays of the program's own, which are not the same memory as others: no parameters, no pointers."""
    found: dict[c_ast.ID, Use] = {}
    arrays: dict[Variable, Plain] = {}
    for node in descend(outer):
        variable = ask.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
        if variable is None or variable in ask.m.arrays or variable.is_parameter:
            continue
        if dims := len(variable.dims()):
            found[node] = use_of(ask.m, node, arrays.setdefault(variable, Plain(variable, dims)))
    return found


def _records(ask: Ask, loops: list[c_ast.For]) -> list[Acc]:
    return [ask.record, *(ask.loops[loop] for loop in loops if loop in ask.loops)]


def _reductions(ask: Ask, loops: list[c_ast.For]) -> list[tuple[str, object]]:
    return [entry for record in _records(ask, loops) for entry in record.reductions]


def _listed(ask: Ask, loops: list[c_ast.For]) -> list[tuple[str, object]]:
    return [
        (key, part)
        for record in _records(ask, loops)
        for key in ("private", "firstprivate")
        for part in record.lists.get(key, ())
    ]


def _written(m: Meaning, statement: c_ast.Node) -> set[Variable]:
    found = set()
    for node in descend(statement):
        target = None
        if isinstance(node, c_ast.Assignment):
            target = node.lvalue
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--", "&"):
            target = node.expr
        name = root_id(target) if target is not None else None
        if name in m.names.use:
            found.add(m.names.use[name])
    return found


def _scalars(ask: Ask, nest: Nest) -> None:
    """Each variable of the program's that is no array: read, each iteration's own, summed, or written."""
    m = ask.m
    loops = [node for node in descend(nest.statement) if isinstance(node, c_ast.For)]
    chain = [turn.counts.loop for turn in nest.shared]
    inside = {m.names.variable.get(node) for node in descend(nest.statement) if isinstance(node, c_ast.Decl)}
    counting = {name for loop in loops if not isinstance(c := counted(loop), str) and (name := c.variable)}
    listed = {part.name.value: key for key, part in _listed(ask, loops)}
    sums = {part.name.value: op for op, part in _reductions(ask, chain)} if chain else {}
    if chain and ask.plan:
        sums |= {item.variable.value: c.op for c in ask.plan.record.reductions for item in c.items}
    written = _written(m, nest.statement)
    for node in descend(nest.statement):
        variable = m.names.use.get(node) if isinstance(node, c_ast.ID) else None
        if variable is None or variable in inside or variable in nest.scalars or variable in nest.sums:
            continue
        if variable.is_function() or variable in m.arrays:
            continue
        name = variable.name
        if name in sums and variable in written:
            nest.sums[variable] = sums[name]
        elif listed.get(name) == "private" or (name in counting and variable in written):
            nest.scalars[variable] = "own"
        elif variable.dims() or variable.pointer_dims() is not None:
            continue
        elif variable not in written:
            nest.scalars[variable] = "value"
        elif listed.get(name) == "firstprivate":
            nest.scalars[variable] = "start"
        elif not chain or (variable in ask.named and not written_first(nest.statement, name)):
            nest.scalars[variable] = "cell"
        else:
            nest.scalars[variable] = "start"
