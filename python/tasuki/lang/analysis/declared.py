"""Directives that declare: which nodes, templates and distributed arrays there are, and what does not fit."""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis import senseless
from tasuki.lang.analysis.indices import split_index
from tasuki.lang.analysis.lookup import Lookup
from tasuki.lang.analysis.things import Aligned, Array, Coarray, Nodes, Template
from tasuki.lang.front import forms
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, constant


class Declared(Lookup):
    """Takes up one record after the other; a record's function has its name."""

    def _nodes(self, record: forms.Nodes) -> None:
        self.limit(record.dims)
        for item in record.dims.items:
            if item.colon or (item.first is None and not item.star):
                raise self.m.wrong(item.at, "an extent of nodes is a number or *", "write a number or *")
        senseless.extents(self.m.tree, record.dims)
        senseless.declared_once(self.m.tree, self.scope, record.name)
        if record.part_of:
            self.ref(record.part_of.name)
        thing = Nodes(record, self.scope, self.directive)
        self.scope.things[record.name.value] = thing
        self.m.things.append(thing)

    def _template(self, record: forms.Template) -> None:
        self.limit(record.dims)
        senseless.declared_once(self.m.tree, self.scope, record.name)
        thing = Template(record, self.scope, self.directive)
        self.scope.things[record.name.value] = thing
        self.m.things.append(thing)

    def _distribute(self, record: forms.Distribute) -> None:
        template = self.thing(record.name, Template, "the template", "declare it with `#pragma xmp template`")
        onto = self.thing(record.onto, Nodes, "the nodes", "declare them with `#pragma xmp nodes` before")
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

    def _templatefix(self, record: forms.TemplateFix) -> None:
        template = self.thing(record.name, Template, "the template", "declare it before")
        for count, what in ((record.formats, "format"), (record.dims, "extent")):
            if count and len(count) != template.dims:
                given = counted(len(count), what)
                raise self.m.wrong(
                    record.name, f"{given} for {counted(template.dims, 'dimension')}", "give one for each"
                )
        senseless.template_fix(self.m.tree, record, template.record.dims, template.fixed_later)
        if record.formats:
            template.fixed_later = True

    def _align(self, record: forms.Align) -> None:
        for variable in self.arrays(record.array):
            self._align_one(record, variable)

    def _align_one(self, record: forms.Align, variable: Variable) -> None:
        template = self.thing(
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
        senseless.template_lives(self.m.tree, record.template, template.scope, variable)
        aligned = self._ways(record)
        self.m.arrays[variable] = Array(
            variable, template, aligned, self.directive, record.array, extents, is_pointer=is_pointer
        )

    def _ways(self, record: forms.Align) -> list[Aligned]:
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

    def _shadow(self, record: forms.Shadow) -> None:
        for variable in self.arrays(record.array):
            self._shadow_one(record, variable)

    def _shadow_one(self, record: forms.Shadow, variable: Variable) -> None:
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

    def _staticdesc(self, record: forms.StaticDesc) -> None:
        for name in record.names:
            if self.scope.thing(name.value) is not None:
                continue  # nodes and templates are kept whole anyhow
            array = self.m.arrays.get(self.variable(name))
            if array:
                array.is_static_desc, array.directive = True, self.directive

    def _coarray(self, record: forms.Coarray) -> None:
        for name in record.names:
            variable = self.variable(name)
            if record.on is not None:
                on = self.thing(record.on, Nodes, "the nodes", "declare them before")
                self.m.coarrays.setdefault(variable, Coarray(variable, name, [None])).on = on
            else:
                codims = [None if item.star else item.first for item in record.codims]
                self.m.coarrays[variable] = Coarray(variable, name, codims)

    def _image(self, record: forms.Image) -> None:
        self.thing(record.nodes, Nodes, "the nodes", "declare them before")


def counted(number: int, what: str) -> str:
    """1 format, 2 formats."""
    return f"{number} {what}{'s' if number != 1 else ''}"
