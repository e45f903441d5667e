"""What the directives of a unit mean: nodes, templates and arrays by scope, and what each statement's
directives ask.

    meaning = understand(tree, findings)
    meaning.arrays[variable]           # an Array, where a variable is distributed
    meaning.records[directive]         # records of xmp or acc

Names are looked up from where a directive stands; what does not fit is said here, before anything is
translated.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis import senseless
from tasuki.lang.analysis.members import members_of
from tasuki.lang.front import acc, own, xmp
from tasuki.lang.front.diagnose import Findings, Wrong
from tasuki.lang.front.parse import Directive, Tree
from tasuki.lang.front.pragma import Cursor, Dims
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Names, Scope, Variable, constant, descend, resolve, resolve_expression

MOST_DIMS = 7
DIALECTS = {"xmp": xmp, "acc": acc, "tasuki": own}


@dataclass(eq=False)
class Nodes:
    """Nodes p[..] of a scope."""

    record: xmp.Nodes
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

    record: xmp.Template
    scope: Scope
    directive: Directive
    distribute: xmp.Distribute | None = None
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
    shadow: xmp.Shadow | None = None
    is_pointer: bool = False
    is_static_desc: bool = False

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


class _Reader:
    def __init__(self, meaning: Meaning) -> None:
        self.m = meaning
        self.directive: Directive = meaning.names.directives[0] if meaning.names.directives else None
        self.scope: Scope = meaning.names.file

    def all(self) -> None:
        for decl, variable in self.m.names.variable.items():
            if decl.type in self.m.tree.codims:
                at = self.m.tree.first(decl.type)
                self.m.coarrays[variable] = Coarray(variable, at, self.m.tree.codims[decl.type])
        for directive in self.m.names.directives:
            self.directive, self.scope = directive, self.m.names.scope[directive]
            self.m.records[directive] = []
            try:
                cursor = Cursor(self.m.tree, directive, self.m.names.typedefs)
                records = DIALECTS[directive.word].read(cursor)
                self.m.records[directive] = records
                for record in records:
                    self._resolve(record)
                    reader = getattr(self, f"_{type(record).__name__.lower()}", None)
                    if reader is not None:
                        reader(record)
            except Wrong as wrong:
                self.m.records[directive] = []  # said once
                self.m.findings.add(wrong.finding)

    def _resolve(self, record: object) -> None:
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

    def _thing(self, name: Spot, kind: type, what: str, mend: str) -> Nodes | Template:
        found = self.scope.thing(name.value)
        if isinstance(found, kind):
            return found
        if found is not None:
            other = "nodes" if isinstance(found, Nodes) else "a template"
            raise self.m.wrong(name, f"{name.value} is {other}, and {what} is wanted", f"name {what}")
        known = [n for n, t in self._all_things().items() if isinstance(t, kind)]
        near = difflib.get_close_matches(name.value, known, 1)
        hint = f"did you mean {near[0]}?" if near else mend
        raise self.m.wrong(name, f"{what} {name.value} is not declared before this", hint)

    def _all_things(self) -> dict[str, object]:
        found: dict[str, object] = {}
        scope: Scope | None = self.scope
        while scope is not None:
            found = scope.things | found
            scope = scope.parent
        return found

    def _limit(self, dims: Dims) -> None:
        if len(dims) > MOST_DIMS:
            raise self.m.wrong(dims.at, f"{len(dims)} dimensions", f"use at most {MOST_DIMS}")

    def _nodes(self, record: xmp.Nodes) -> None:
        self._limit(record.dims)
        for item in record.dims.items:
            if item.colon or (item.first is None and not item.star):
                raise self.m.wrong(item.at, "an extent of nodes is a number or *", "write a number or *")
        senseless.extents(self.m.tree, record.dims)
        senseless.declared_once(self.m.tree, self.scope, record.name)
        if record.part_of:
            self._ref(record.part_of.name)
        thing = Nodes(record, self.scope, self.directive)
        self.scope.things[record.name.value] = thing
        self.m.things.append(thing)

    def _template(self, record: xmp.Template) -> None:
        self._limit(record.dims)
        senseless.declared_once(self.m.tree, self.scope, record.name)
        thing = Template(record, self.scope, self.directive)
        self.scope.things[record.name.value] = thing
        self.m.things.append(thing)

    def _distribute(self, record: xmp.Distribute) -> None:
        template = self._thing(
            record.name, Template, "the template", "declare it with `#pragma xmp template`"
        )
        onto = self._thing(record.onto, Nodes, "the nodes", "declare them with `#pragma xmp nodes` before")
        if len(record.formats) != template.dims:
            count = len(record.formats)
            what = (
                f"{counted(count, 'format')} for {counted(template.dims, 'dimension')} of {record.name.value}"
            )
            raise self.m.wrong(record.formats[0].at, what, "give one for each, * where it is not cut")
        cut = sum(each.kind != "*" for each in record.formats)
        if cut != onto.dims and cut:
            there = f"{counted(cut, 'dimension')} of {record.name.value}"
            what = f"{there} to cut, and {record.onto.value} has {onto.dims}"
            raise self.m.wrong(record.onto, what, "cut as many as the nodes have dimensions")
        senseless.distributed_once(self.m.tree, record.name, template.distribute)
        senseless.formats(self.m.tree, record, onto.record.dims, self.scope)
        template.distribute, template.onto = record, onto
        template.fixed_later |= any(each.kind == "gblock" and each.later for each in record.formats)

    def _templatefix(self, record: xmp.TemplateFix) -> None:
        template = self._thing(record.name, Template, "the template", "declare it before")
        for count, what in ((record.formats, "format"), (record.dims, "extent")):
            if count and len(count) != template.dims:
                given = counted(len(count), what)
                raise self.m.wrong(
                    record.name, f"{given} for {counted(template.dims, 'dimension')}", "give one for each"
                )
        senseless.template_fix(self.m.tree, record, template.record.dims, template.fixed_later)
        if record.formats:
            template.fixed_later = True

    def _variable(self, name: Spot) -> Variable:
        found = self.scope.find(name.value)
        if isinstance(found, Variable):
            return found
        known = [
            n for n, v in self.m.names.file.names.items() if isinstance(v, Variable) and not v.is_function()
        ]
        near = difflib.get_close_matches(name.value, [*known, *self.scope.names], 1)
        mend = f"did you mean {near[0]}?" if near else "declare it before this directive"
        raise self.m.wrong(name, f"{name.value} is not declared", mend)

    def _arrays(self, name: Spot) -> list[Variable]:
        """What `align` and `shadow` name: a variable, or a member of all variables of a struct."""
        return members_of(self.m.tree, self.m.names, self.scope, name) or [self._variable(name)]

    def _align(self, record: xmp.Align) -> None:
        for variable in self._arrays(record.array):
            self._align_one(record, variable)

    def _align_one(self, record: xmp.Align, variable: Variable) -> None:
        template = self._thing(
            record.template, Template, "the template", "declare it with `#pragma xmp template`"
        )
        if len(record.target) != template.dims:
            have, given = counted(template.dims, "dimension"), len(record.target)
            what = f"{record.template.value} has {have}, and {given} are listed"
            raise self.m.wrong(record.target.at, what, "give one for each")
        extents = variable.dims()
        count = len(record.source)
        behind = variable.pointer_dims()
        is_pointer = not variable.is_parameter and not extents and behind is not None
        if not extents and behind is not None:
            extents = [None, *behind]
            if variable.is_parameter and len(extents) != count:
                extents = [None] * count
        if len(extents) != count:
            what = f"{record.array.value} has {counted(len(extents), 'dimension')}, and {count} are listed"
            raise self.m.wrong(record.source.at, what, "give a subscript for each dimension of the array")
        before = self.m.arrays.get(variable)
        senseless.aligned_once(self.m.tree, record.array, before.at if before else None)
        aligned = self._ways(record)
        self.m.arrays[variable] = Array(
            variable, template, aligned, self.directive, record.array, extents, is_pointer=is_pointer
        )

    def _ways(self, record: xmp.Align) -> list[Aligned]:
        """Matches `[j][i]` with `t[j+1][*]`, by names; colons among themselves in order."""
        by_name: dict[str, int] = {}
        colons = []
        for at, item in enumerate(record.source.items):
            if isinstance(item.first, c_ast.ID) and not item.colon:
                if item.first.name in by_name:
                    raise self.m.wrong(
                        item.at, f"{item.first.name} stands twice", "use a name for each dimension"
                    )
                by_name[item.first.name] = at
            elif item.all:
                colons.append(at)
            elif not item.star:
                raise self.m.wrong(item.at, "a subscript of align is a name, * or :", "write a name")
        aligned = [Aligned() for _ in record.source.items]
        for dim, item in enumerate(record.target.items):
            if item.star:
                continue
            if item.all:
                if not colons:
                    raise self.m.wrong(item.at, "a ':' without one in the array's list", "write * or a name")
                self._one(aligned, colons.pop(0), Aligned(dim), item.at)
                continue
            name, offset, sign = split_index(item.first, by_name)
            if name is None:
                what = "no index of the array's list stands here"
                raise self.m.wrong(
                    item.at, what, f"write one of {', '.join(by_name) or '*'}, plus a constant"
                )
            self._one(aligned, by_name[name], Aligned(dim, offset, sign), item.at)
        return aligned

    def _one(self, aligned: list[Aligned], at: int, way: Aligned, token: Spot) -> None:
        if aligned[at].dim >= 0:
            raise self.m.wrong(
                token, "a dimension of the array is aligned twice", "align it with one dimension"
            )
        aligned[at] = way

    def _shadow(self, record: xmp.Shadow) -> None:
        for variable in self._arrays(record.array):
            self._shadow_one(record, variable)

    def _shadow_one(self, record: xmp.Shadow, variable: Variable) -> None:
        array = self.m.arrays.get(variable)
        if array is None:
            raise self.m.wrong(
                record.array, f"{record.array.value} is not aligned", "align it before its shadow"
            )
        if len(record.widths) != array.dims:
            have, given = counted(array.dims, "dimension"), len(record.widths)
            what = f"{record.array.value} has {have}, and {given} widths are listed"
            raise self.m.wrong(record.widths.at, what, "give one for each, 0 where there is none")
        if record.widths.round:
            raise self.m.wrong(
                record.widths.at, "widths of a shadow stand in brackets", "write shadow a[1][1]"
            )
        senseless.shadow(self.m.tree, record.widths)
        for dim, item in enumerate(record.widths.items):
            wide = item.star or constant(item.first) != 0 or (item.second and constant(item.second) != 0)
            way = array.aligned[dim]
            if wide and not item.star and way.dim >= 0 and array.template.format(way.dim) == "cyclic":
                what = f"a shadow on a cyclic dimension of {record.array.value}"
                raise self.m.wrong(item.at, what, "distribute it by block, or leave the shadow out")
        array.shadow, array.directive = record, self.directive

    def _staticdesc(self, record: xmp.StaticDesc) -> None:
        for name in record.names:
            if self.scope.thing(name.value) is not None:
                continue  # nodes and templates are kept whole anyhow
            array = self.m.arrays.get(self._variable(name))
            if array:
                array.is_static_desc, array.directive = True, self.directive

    def _coarray(self, record: xmp.Coarray) -> None:
        for name in record.names:
            variable = self._variable(name)
            if record.on is not None:
                on = self._thing(record.on, Nodes, "the nodes", "declare them before")
                self.m.coarrays.setdefault(variable, Coarray(variable, name, [None])).on = on
            else:
                codims = [None if item.star else item.first for item in record.codims]
                self.m.coarrays[variable] = Coarray(variable, name, codims)

    def _image(self, record: xmp.Image) -> None:
        self._thing(record.nodes, Nodes, "the nodes", "declare them before")

    def _reflect(self, record: xmp.Reflect) -> None:
        for name in record.arrays:
            array = self.m.arrays.get(self._variable(name))
            if array is None:
                raise self.m.wrong(name, f"{name.value} is not distributed", f"align it before {record.kind}")
            if array.shadow is None:
                raise self.m.wrong(
                    name, f"{name.value} has no shadow", f"write `#pragma xmp shadow {name.value}[..]`"
                )
            if record.widths and len(record.widths) != array.dims:
                have, given = counted(array.dims, "dimension"), len(record.widths)
                what = f"{name.value} has {have}, and {given} widths are listed"
                raise self.m.wrong(record.widths[0].at, what, "give one for each")
            for width, item in zip(record.widths, array.shadow.widths.items, strict=False):
                self._within(name, width, item)

    def _within(self, name: Spot, width: xmp.Width, item: object) -> None:
        have = (constant(item.first), constant(item.second) if item.colon else constant(item.first))
        want = (constant(width.lo), constant(width.hi) if width.hi is not None else constant(width.lo))
        for asked, there in zip(want, have, strict=True):
            if asked is not None and there is not None and asked > there and not item.star:
                what = f"a width of {asked}, and the shadow of {name.value} is {there} there"
                raise self.m.wrong(width.at, what, "widen the shadow, or ask for less")

    def _file(self, record: own.File) -> None:
        for name in record.arrays:
            if self._variable(name) not in self.m.arrays:
                what = f"{name.value} is not distributed: every node has one of its own"
                raise self.m.wrong(name, what, f"align it before {record.kind}")

    def _ref(self, name: Spot) -> Nodes | Template:
        found = self.scope.thing(name.value)
        if found is None:
            what = f"{name.value} is neither nodes nor a template"
            near = difflib.get_close_matches(name.value, list(self._all_things()), 1)
            raise self.m.wrong(name, what, f"did you mean {near[0]}?" if near else "declare it before")
        return found

    def _on(self, record: xmp.Loop | xmp.Task | xmp.ArrayOn) -> None:
        thing = self._ref(record.on.name)
        if record.on.dims and len(record.on.dims) != thing.dims:
            have, given = counted(thing.dims, "dimension"), len(record.on.dims)
            what = f"{record.on.name.value} has {have}, and {given} are listed"
            raise self.m.wrong(record.on.dims.at, what, "give one for each")

    _task = _arrayon = _on

    def _loop(self, record: xmp.Loop) -> None:
        self._on(record)
        if not isinstance(self.m.names.next.get(self.directive), c_ast.For):
            raise self.m.wrong(record.at, "no for loop stands behind this", "put it directly before a for")
        senseless.indices(self.m.tree, record)

    def _acc(self, record: acc.Acc) -> None:
        senseless.acc_loop(self.m.tree, record, self.directive, self.m.names.next.get(self.directive))

    def _collective(self, record: xmp.Collective) -> None:
        for ref in (record.on, record.source):
            if ref is not None:
                self._ref(ref.name)


def counted(number: int, what: str) -> str:
    """1 format, 2 formats."""
    return f"{number} {what}{'s' if number != 1 else ''}"


def split_index(node: c_ast.Node | None, names: dict[str, int]) -> tuple[str | None, c_ast.Node | None, str]:
    """`i`, `i + 2`, `i - n` as name, offset and its sign; no name where it is none of these."""
    if isinstance(node, c_ast.ID) and node.name in names:
        return node.name, None, "+"
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        sides = [(node.left, node.right, node.op)]
        if node.op == "+":
            sides.append((node.right, node.left, "+"))
        for one, other, op in sides:
            inner, offset, sign = split_index(one, names)
            used = {each.name for each in descend(other) if isinstance(each, c_ast.ID)}
            if inner is not None and offset is None and not used & set(names):
                return inner, other, op
            del sign
    return None, None, "+"


def understand(tree: Tree, findings: Findings) -> Meaning:
    """Resolves names and reads all directives; what is wrong is among the findings."""
    meaning = Meaning(tree, resolve(tree), findings)
    _Reader(meaning).all()
    return meaning
