"""Sections of both sides of an assignment: they have the same shape, where numbers of the program say which.

u[0:n][3] = v[0:n]       one dimension each; whether both are as long is seen at run time
u[0:2][3] = v[0:3]       is an error of the program (issue 551 of another implementation)
"""

from __future__ import annotations

from math import prod

from pycparser import c_ast

from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.parse import Coindexed, Section
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, constant

Range = tuple[Section | None, c_ast.Node | None]  # a triplet (none: all), and the extent of its dimension


def length(section: Section | None, extent: c_ast.Node | None) -> int | None:
    """How many elements lo:len:step has, where numbers of the program say it."""
    if section is None:
        return constant(extent)
    if section.count is not None:
        return constant(section.count)
    first = 0 if section.first is None else constant(section.first)
    step = 1 if section.step is None else constant(section.step)
    whole = constant(extent)
    return None if None in (first, step, whole) or step < 1 else max(0, -(-(whole - first) // step))


def parts(node: c_ast.Node) -> tuple[c_ast.ID | None, list[c_ast.Node]]:
    """The name that an expression of subscripts begins with, and the subscripts."""
    subs: list[c_ast.Node] = []
    while isinstance(node, c_ast.ArrayRef):
        subs.insert(0, node.subscript)
        node = node.name
    return (node if isinstance(node, c_ast.ID) else None), subs


def variable_of(m: Meaning, node: c_ast.Node) -> Variable | None:
    if isinstance(node, Coindexed):
        node = node.expr
    name, _ = parts(node)
    return m.names.use.get(name) if name is not None else None


def agree(m: Meaning, left: c_ast.Node, right: c_ast.Node) -> None:
    """Two sections have as many dimensions, where both have any, and as many elements along each."""
    types_agree(m, left, right)
    counts = [rank(m, node) for node in (left, right)]
    if all(counts) and counts[0] != counts[1]:
        what = f"sections of {counts[0]} and {counts[1]} dimensions do not conform"
        raise m.wrong(m.tree.first(right), what, "give both as many triplets")
    if all(counts):
        for one, other in zip(_ranges(m, left), _ranges(m, right), strict=True):
            lengths_agree(m, one, other, m.tree.first(right))


def agree_in_all(m: Meaning, left: c_ast.Node, right: c_ast.Node) -> None:
    """Sections of coarrays go over element by element, whatever their shapes; a single one to all."""
    types_agree(m, left, right)
    sizes = []
    for node in (left, right):
        lengths = [length(*each) for each in _ranges(m, node)] if rank(m, node) else [None]
        sizes.append(None if None in lengths else prod(lengths))
    if None not in sizes and sizes[0] != sizes[1]:
        what = f"{sizes[1]} elements are assigned to {sizes[0]}: these sections do not conform"
        raise m.wrong(m.tree.first(right), what, "give both as many elements")


_BYTES = {"CHAR": 1, "SCHAR": 1, "UCHAR": 1, "SHORT": 2, "USHORT": 2, "INT": 4, "UINT": 4,
          "LONG": 8, "ULONG": 8, "LLONG": 8, "ULLONG": 8}  # fmt: skip


def alike(one: Variable, other: Variable) -> bool:
    """Whether the bytes of an element of one are the value of an element of the other."""
    kinds = [variable.basic() for variable in (one, other)]
    return _BYTES.get(kinds[0], kinds[0]) == _BYTES.get(kinds[1], kinds[1])


def is_own_number(m: Meaning, node: c_ast.Node) -> bool:
    """Whether C reads or sets this by itself, so that it converts: a number in a rank's own memory."""
    variable = variable_of(m, node)
    if isinstance(node, Coindexed) or variable is None or variable in m.arrays:
        return False
    return rank(m, node) == 0 and not variable.is_address() and variable.basic() != "BYTES"


def types_agree(m: Meaning, left: c_ast.Node, right: c_ast.Node) -> None:
    """Elements go over as their bytes: both sides are of one type."""
    one, other = variable_of(m, left), variable_of(m, right)
    if one is None or other is None or other.is_function() or alike(one, other):
        return
    if is_own_number(m, left) or is_own_number(m, right):
        return
    what = f"elements of {other.name}, {other.element()}, are assigned to {one.name}, {one.element()}"
    raise m.wrong(m.tree.first(right), what, "declare both alike, or convert in a loop")


def lengths_agree(m: Meaning, left: Range, right: Range, token: Spot) -> None:
    """Two ranges of sections are as long as each other, where numbers of the program say how long."""
    one, other = length(*left), length(*right)
    if None in (one, other) or one == other:
        return
    at = m.tree.tokens.every[m.tree.span_of(right[0])[0]] if right[0] is not None else token
    what = f"{other} elements are assigned to {one}: these sections do not conform"
    raise m.wrong(at, what, "give both the same length")


def _ranges(m: Meaning, node: c_ast.Node) -> list[Range]:
    """What runs over elements: each triplet, and each dimension that no subscript stands for."""
    variable = variable_of(m, node)
    _, subs = parts(node.expr if isinstance(node, Coindexed) else node)
    array = m.arrays.get(variable)
    dims = array.extents if array is not None else variable.dims()
    ranges = [
        (sub, dims[dim] if dim < len(dims) else None)
        for dim, sub in enumerate(subs)
        if isinstance(sub, Section)
    ]
    return ranges + [(None, dims[dim]) for dim in range(len(subs), len(dims))]


def rank(m: Meaning, node: c_ast.Node) -> int:
    variable = variable_of(m, node)
    if variable is None:
        return 0
    _, subs = parts(node.expr if isinstance(node, Coindexed) else node)
    array = m.arrays.get(variable)
    dims = array.dims if array is not None else len(variable.dims())
    return sum(isinstance(sub, Section) for sub in subs) + max(dims - len(subs), 0)
