"""Locations of a reduction: variables, elements and sections that go along with the value that is taken.

#pragma xmp reduction (max:m/n,k[1][0:3]/)      n, k[1][0], k[1][1], k[1][2]
"""

from __future__ import annotations

from itertools import product

from pycparser import c_ast

from tasuki.lang.analysis.text import Text
from tasuki.lang.front import forms
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.pragma import Item
from tasuki.lang.front.types import Scope, Variable, constant


def elements(text: Text, locations: list[forms.Location], scope: Scope) -> list[tuple[str, Variable]]:
    """C's words for each element that is meant, and the variable that it is of."""
    found = []
    for location in locations:
        name = location.name.value
        variable = scope.find(name)
        if not isinstance(variable, Variable):
            raise text.m.wrong(location.name, f"{name} is not declared", "declare it before")
        if variable.basic() == "BYTES":
            raise text.m.wrong(location.name, f"{name} is no number", "keep a number as the location")
        dims = variable.dims()
        if len(location.subs) > max(len(dims), variable.is_address()):
            what = f"{name} has {len(dims)} dimensions, and {len(location.subs)} subscripts stand here"
            raise text.m.wrong(location.subs[0].at, what, "give one for each")
        ways = [
            _places(text, item, dims[k] if k < len(dims) else None) for k, item in enumerate(location.subs)
        ]
        for dim in dims[len(location.subs) :]:
            ways.append(_run(text, location, 0, constant(dim), 1))
        found += [(name + "".join(f"[{sub}]" for sub in subs), variable) for subs in product(*ways)]
    return found


def _places(text: Text, item: Item, extent: c_ast.Node | None) -> list[str]:
    """The subscripts along a dimension."""
    if not item.colon:
        return [text.expr(item.first)]
    first = 0 if item.first is None else constant(item.first)
    step = 1 if item.step is None else constant(item.step)
    whole = constant(extent)
    count = constant(item.second)
    if item.second is None and None not in (first, step, whole):
        count = -(-(whole - first) // step)
    if None in (first, step, count):
        raise _unknown(text, item)
    return [str(first + k * step) for k in range(count)]


def _run(text: Text, location: forms.Location, first: int, count: int | None, step: int) -> list[str]:
    if count is None:
        raise _unknown(text, location)
    return [str(first + k * step) for k in range(count)]


def _unknown(text: Text, item: Item | forms.Location) -> Wrong:
    token = item.at if isinstance(item, Item) else item.name
    return text.m.wrong(token, "how many elements this is, is not known", "write numbers, as in a[0:4]")
