"""What the names in a directive mean, from where it stands; a name that means nothing gets the nearest one
that does.
"""

from __future__ import annotations

import difflib

from pycparser import c_ast

from tasuki.lang.analysis.members import members_of
from tasuki.lang.analysis.things import MOST_DIMS, Meaning, Nodes, Template
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.pragma import Dims
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Scope, Variable, resolve_expression


class Lookup:
    """Looks names up for one directive after the other."""

    def __init__(self, meaning: Meaning) -> None:
        self.m = meaning
        self.directive: Directive = meaning.names.directives[0] if meaning.names.directives else None
        self.scope: Scope = meaning.names.file

    def resolve_names(self, record: object) -> None:
        """Looks up the names in all expressions of a record."""
        todo = [record]
        while todo:
            each = todo.pop()
            if isinstance(each, c_ast.Node):
                resolve_expression(self.m.names, each, self.scope)
            elif isinstance(each, (list, tuple)):
                todo += each
            elif isinstance(each, dict):
                todo += each.values()
            elif hasattr(each, "__dataclass_fields__") and not isinstance(each, Spot):
                todo += [getattr(each, name) for name in each.__dataclass_fields__]

    def thing(self, name: Spot, kind: type, what: str, mend: str) -> Nodes | Template:
        found = self.scope.thing(name.value)
        if isinstance(found, kind):
            return found
        if found is not None:
            other = "nodes" if isinstance(found, Nodes) else "a template"
            raise self.m.wrong(name, f"{name.value} is {other}, in the place of {what}", f"name {what}")
        known = [n for n, t in self.all_things().items() if isinstance(t, kind)]
        near = difflib.get_close_matches(name.value, known, 1)
        hint = f"did you mean {near[0]}?" if near else mend
        verb = "are" if kind is Nodes else "is"
        raise self.m.wrong(
            name, f"no {what.removeprefix('the ')} {name.value} {verb} declared before this", hint
        )

    def all_things(self) -> dict[str, object]:
        found: dict[str, object] = {}
        scope: Scope | None = self.scope
        while scope is not None:
            found = scope.things | found
            scope = scope.parent
        return found

    def limit(self, dims: Dims) -> None:
        if len(dims) > MOST_DIMS:
            raise self.m.wrong(dims.at, f"{len(dims)} dimensions", f"use at most {MOST_DIMS}")

    def variable(self, name: Spot) -> Variable:
        found = self.scope.find(name.value)
        if isinstance(found, Variable):
            return found
        known = [
            n for n, v in self.m.names.file.names.items() if isinstance(v, Variable) and not v.is_function()
        ]
        near = difflib.get_close_matches(name.value, [*known, *self.scope.names], 1)
        mend = f"did you mean {near[0]}?" if near else "declare it before this directive"
        raise self.m.wrong(name, f"{name.value} is not declared", mend)

    def arrays(self, name: Spot) -> list[Variable]:
        """What `align` and `shadow` name: a variable, or a member of all variables of a struct."""
        return members_of(self.m.tree, self.m.names, self.scope, name) or [self.variable(name)]

    def ref(self, name: Spot) -> Nodes | Template:
        found = self.scope.thing(name.value)
        if found is None:
            what = f"{name.value} is neither nodes nor a template"
            near = difflib.get_close_matches(name.value, list(self.all_things()), 1)
            raise self.m.wrong(name, what, f"did you mean {near[0]}?" if near else "declare it before")
        return found
