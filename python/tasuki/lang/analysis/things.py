"""What directives declare: nodes, templates, distributed arrays, coarrays; and all that is known of a unit.

array.linear(0)              # whether a global subscript counts as it is in memory
meaning.arrays[variable]     # an Array, where a variable is distributed
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.front import forms
from tasuki.lang.front.diagnose import Findings, Wrong
from tasuki.lang.front.parse import Directive, Tree
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Names, Scope, Variable

MOST_DIMS = 7


@dataclass(eq=False)
class Nodes:
    """Nodes p[..] of a scope."""

    record: forms.Nodes
    scope: Scope
    directive: Directive

    @property
    def name(self) -> str:
        return f"tsk_n_{self.record.name.value}"

    @property
    def dims(self) -> int:
        return len(self.record.dims)


@dataclass(eq=False)
class Template:
    """A template and how it is distributed."""

    record: forms.Template
    scope: Scope
    directive: Directive
    distribute: forms.Distribute | None = None
    onto: Nodes | None = None
    fixed_later: bool = False

    @property
    def name(self) -> str:
        return f"tsk_t_{self.record.name.value}"

    @property
    def dims(self) -> int:
        return len(self.record.dims)

    def format(self, dim: int) -> str:
        """The format of a dimension; "" where a template_fix may bring another."""
        if self.distribute is None or self.fixed_later:
            return ""
        return self.distribute.formats[dim].kind


@dataclass
class Aligned:
    """How a dimension of an array lies: along a dimension of the template (dim < 0: on every node whole)."""

    dim: int = -1
    offset: c_ast.Node | None = None
    sign: str = "+"


@dataclass(eq=False)
class Array:
    """A distributed array: the variable, its template, and its parts."""

    variable: Variable
    template: Template
    aligned: list[Aligned]
    directive: Directive  # the last that says something of it: behind it, it can be made
    at: Spot
    extents: list[c_ast.Node | None]
    shadow: forms.Shadow | None = None
    is_pointer: bool = False
    is_static_desc: bool = False
    lends: bool = False  # a gmove in or out may reach it where its nodes take no part
    compares: bool = False  # --check compares its copies

    @property
    def name(self) -> str:
        return f"tsk_a_{self.variable.name.replace('.', '__')}"

    @property
    def dims(self) -> int:
        return len(self.extents)

    def linear(self, dim: int) -> bool:
        """Whether a global subscript counts as it is (see tsk_local in translated.h)."""
        way = self.aligned[dim]
        if way.dim < 0 or (self.shadow and self.shadow.widths.items[dim].star):
            return True
        return self.template.format(way.dim) in ("*", "block", "gblock")


@dataclass(eq=False)
class Coarray:
    """A variable that every image has, and which others reach: `int a[4]:[*]`."""

    variable: Variable
    at: Spot
    codims: list[c_ast.Node | None]  # None: "*"
    on: Nodes | None = None

    @property
    def name(self) -> str:
        return f"tsk_c_{self.variable.name}"


@dataclass
class Meaning:
    """All that is known of a unit."""

    tree: Tree
    names: Names
    findings: Findings
    deterministic: bool = False  # sums of floating point have the same bits on any number of ranks
    records: dict[Directive, list] = field(default_factory=dict)
    arrays: dict[Variable, Array] = field(default_factory=dict)
    coarrays: dict[Variable, Coarray] = field(default_factory=dict)
    things: list[Nodes | Template] = field(default_factory=list)

    def array_of(self, node: c_ast.Node) -> Array | None:
        """The distributed array that an expression names."""
        variable = self.names.use.get(node) if isinstance(node, c_ast.ID) else None
        return self.arrays.get(variable) if variable else None

    def where(self, token: Spot) -> str:
        """A C string of a place, for errors at run time."""
        return '"' + str(self.tree.tokens.place(token)).replace("\\", "\\\\").replace('"', '\\"') + '"'

    def wrong(self, token: Spot, what: str, mend: str) -> Wrong:
        return Wrong(self.tree.tokens.place(token), what, mend)
