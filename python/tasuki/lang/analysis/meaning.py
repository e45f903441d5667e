"""What the directives of a unit mean: nodes, templates and arrays by scope, and what each statement's
directives ask.

    meaning = understand(tree, findings)
    meaning.arrays[variable]           # an Array, where a variable is distributed
    meaning.records[directive]         # records of xmp or acc

Names are looked up from where a directive stands; what does not fit is said here, before anything is
translated.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis import senseless
from tasuki.lang.analysis.declared import Declared, counted
from tasuki.lang.analysis.things import Coarray, Meaning
from tasuki.lang.front import acc, forms, own, xmp
from tasuki.lang.front.diagnose import Findings, Wrong
from tasuki.lang.front.parse import Tree
from tasuki.lang.front.pragma import Cursor
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import constant, resolve

DIALECTS = {"xmp": xmp, "acc": acc, "tasuki": own}


class _Reader(Declared):
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
                    self.resolve_names(record)
                    reader = getattr(self, f"_{type(record).__name__.lower()}", None)
                    if reader is not None:
                        reader(record)
            except Wrong as wrong:
                self.m.records[directive] = []  # said once
                self.m.findings.add(wrong.finding)

    def _reflect(self, record: forms.Reflect) -> None:
        for name in record.arrays:
            array = self.m.arrays.get(self.variable(name))
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

    def _within(self, name: Spot, width: forms.Width, item: object) -> None:
        have = (constant(item.first), constant(item.second) if item.colon else constant(item.first))
        want = (constant(width.lo), constant(width.hi) if width.hi is not None else constant(width.lo))
        for asked, there in zip(want, have, strict=True):
            if asked is not None and there is not None and asked > there and not item.star:
                what = f"a width of {asked}, and the shadow of {name.value} is {there} there"
                raise self.m.wrong(width.at, what, "widen the shadow, or ask for less")

    def _file(self, record: own.File) -> None:
        for name in record.arrays:
            if self.variable(name) not in self.m.arrays:
                what = f"{name.value} is not distributed: every node has one of its own"
                raise self.m.wrong(name, what, f"align it before {record.kind}")

    def _on(self, record: forms.Loop | forms.Task | forms.ArrayOn) -> None:
        thing = self.ref(record.on.name)
        if record.on.dims and len(record.on.dims) != thing.dims:
            have, given = counted(thing.dims, "dimension"), len(record.on.dims)
            what = f"{record.on.name.value} has {have}, and {given} are listed"
            raise self.m.wrong(record.on.dims.at, what, "give one for each")

    _task = _arrayon = _on

    def _loop(self, record: forms.Loop) -> None:
        self._on(record)
        if not isinstance(self.m.names.next.get(self.directive), c_ast.For):
            raise self.m.wrong(record.at, "no for loop stands behind this", "put it directly before a for")
        senseless.indices(self.m.tree, record)

    def _acc(self, record: acc.Acc) -> None:
        senseless.acc_loop(self.m.tree, record, self.directive, self.m.names.next.get(self.directive))

    def _collective(self, record: forms.Collective) -> None:
        for ref in (record.on, record.source):
            if ref is not None:
                self.ref(ref.name)


def understand(tree: Tree, findings: Findings) -> Meaning:
    """Resolves names and reads all directives; what is wrong is among the findings."""
    meaning = Meaning(tree, resolve(tree), findings)
    _Reader(meaning).all()
    return meaning
