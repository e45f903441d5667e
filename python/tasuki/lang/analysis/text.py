"""C text of what directives name: expressions, references, and the calls that make nodes, templates and
arrays.

What is called is declared in lang/runtime/translated.h.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.indices import split_index
from tasuki.lang.analysis.things import Array, Coarray, Meaning, Nodes, Template
from tasuki.lang.front import forms
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.pragma import Dims, Item, Ref
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Scope, Variable

FORMATS = {"*": "TSK_KEPT", "block": "TSK_BLOCK", "cyclic": "TSK_CYCLIC", "gblock": "TSK_GBLOCK"}
SIDES = {"host": "TSK_HOST", "acc": "TSK_DEVICE"}


def quoted(text: str) -> str:
    """A C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def compound(kind: str, rows: list[str]) -> str:
    """A compound literal of an array: (long[]){1, 2}."""
    return f"({kind}[]){{{', '.join(rows)}}}"


class Text:
    """Makes C text out of records; expressions in it have had their edits."""

    def __init__(self, meaning: Meaning, edits: Edits) -> None:
        self.m, self.edits = meaning, edits

    def expr(self, node: c_ast.Node) -> str:
        return self.edits.inline(*self.m.tree.span_of(node))

    def here(self, coarray: Coarray) -> str:
        """This image's own part of a coarray, as the variable that it was."""
        variable = coarray.variable
        dims = "".join(f"[{self.expr(dim)}]" for dim in variable.dims())
        kind = f"{variable.element()} (*){dims}" if dims else f"{variable.element()} *"
        return f"(*({kind}){coarray.name}.at)"

    def count(self, variable: Variable, token: Spot) -> str:
        """How many elements an array has. One that is a parameter is a pointer: its declaration says it."""
        dims = variable.dims()
        if not dims or dims[0] is None or variable.pointer_dims() is not None:
            what = f"{variable.name} is a pointer: how much it points to is not known"
            raise self.m.wrong(token, what, f"declare it as an array, {variable.name}[n]")
        if not variable.is_parameter:
            return f"sizeof({variable.name}) / sizeof({variable.element()})"
        return " * ".join(f"({self.expr(dim)})" for dim in dims)

    def where(self, token: Spot) -> str:
        return self.m.where(token)

    def async_(self, node: c_ast.Node | None) -> str:
        return "TSK_NOW" if node is None else f"({self.expr(node)})"

    def sides(self, sides: set[str], variable: Variable | None = None) -> str:
        """Which copies a directive is about. A number of the program's may have none on the device."""
        words = [SIDES[side] for side in sorted(sides)] or ["TSK_HOST"]
        if "acc" in sides and variable is not None and not variable.dims() and not variable.is_address():
            words.append("TSK_NUMBER")
        return " | ".join(words)

    def range_of(self, item: Item, is_round: bool, less: int) -> tuple[str, str, str]:
        """First, count and step of lower:upper:step or start:length:step; `less` comes off the first."""
        if item.first is None or item.second is None:
            raise self.m.wrong(item.at, "a range here has both ends", "write them, or ':' for all")
        first, second = self.expr(item.first), self.expr(item.second)
        step = self.expr(item.step) if item.step is not None else "1"
        begin = f"({first}) - {less}" if less else first
        count = f"(({second}) - ({first})) / ({step}) + 1" if is_round else second
        return begin, count, step

    def sub(self, item: Item, is_round: bool, of_nodes: bool) -> str:
        """A dimension of a reference as struct tsk_sub."""
        if item.star:
            return "{TSK_OWN, 0, 0, 0}"
        if item.all:
            return "{TSK_ALL, 0, 0, 0}"
        less = 1 if of_nodes and is_round else 0
        if item.colon:
            return f"{{TSK_RANGE, {', '.join(self.range_of(item, is_round, less))}}}"
        first = self.expr(item.first)
        return f"{{TSK_ONE, ({first}) - 1, 1, 1}}" if less else f"{{TSK_ONE, {first}, 1, 1}}"

    def ref(
        self,
        ref: Ref | None,
        scope: Scope,
        indices: dict[str, int] | None = None,
        others: dict[str, int] | None = None,
    ) -> str:
        """A reference as the address of a struct tsk_ref; 0 for none.

        Dimensions of a loop's indices are TSK_ALL; those of variables of loops that are not cut TSK_OWN.
        """
        if ref is None:
            return "0"
        thing = scope.thing(ref.name.value)
        of_nodes = isinstance(thing, Nodes)
        first = f"&{thing.name}, 0" if of_nodes else f"0, &{thing.name}"
        if ref.dims is None:
            return f"&(struct tsk_ref){{{first}, 0, {{{{0, 0, 0, 0}}}}}}"
        subs = []
        for item in ref.dims.items:
            if not item.colon and indices and split_index(item.first, indices)[0]:
                subs.append("{TSK_ALL, 0, 0, 0}")
            elif not item.colon and others and split_index(item.first, others)[0]:
                subs.append("{TSK_OWN, 0, 0, 0}")
            else:
                subs.append(self.sub(item, ref.dims.round, of_nodes))
        return f"&(struct tsk_ref){{{first}, {len(subs)}, {{{', '.join(subs)}}}}}"

    def nodes(self, nodes: Nodes) -> str:
        record = nodes.record
        extents = ["TSK_REST" if i.star else self.expr(i.first) for i in record.dims.items]
        of = self.ref(record.part_of, nodes.scope)
        if record.of_executing:
            of = "&(struct tsk_ref){0, 0, 0, {{0, 0, 0, 0}}}"
        name = quoted(record.name.value)
        sizes = f"{len(extents)}, {compound('long', extents)}"
        return f"tsk_nodes_make({self.where(record.name)}, &{nodes.name}, {name}, {sizes}, {of});"

    def extents(self, dims: Dims) -> str:
        rows = []
        for item in dims.items:
            if item.all:
                rows.append("{0, -1}")
            elif item.colon:
                begin, count, _ = self.range_of(item, dims.round, 0)
                rows.append(f"{{{begin}, {count}}}")
            elif item.first is None:
                raise self.m.wrong(
                    item.at, "an extent of a template is a number, a range or ':'", "write one"
                )
            else:
                rows.append(f"{{{int(dims.round)}, {self.expr(item.first)}}}")
        return compound("struct tsk_extent", rows)

    def template(self, template: Template) -> str:
        record = template.record
        head = f"{self.where(record.name)}, &{template.name}, {quoted(record.name.value)}, {template.dims}"
        return f"tsk_template_make({head}, {self.extents(record.dims)});"

    def formats(self, formats: list[forms.Format]) -> str:
        rows = []
        for each in formats:
            width = self.expr(each.width) if each.width is not None else "0"
            sizes = (
                f"0, (const int *)({width})"
                if each.kind == "gblock" and each.width is not None
                else f"{width}, 0"
            )
            rows.append(f"{{{FORMATS[each.kind]}, {sizes}}}")
        return compound("struct tsk_format", rows)

    def distribute(self, template: Template) -> str:
        record = template.distribute
        where = self.where(record.name)
        formats = self.formats(record.formats)
        return f"tsk_distribute({where}, &{template.name}, &{template.onto.name}, {formats});"

    def template_fix(self, record: forms.TemplateFix, scope: Scope) -> str:
        formats = self.formats(record.formats) if record.formats else "0"
        extents = self.extents(record.dims) if record.dims else "0"
        template = scope.thing(record.name.value)
        return f"tsk_template_fix({self.where(record.name)}, &{template.name}, {formats}, {extents});"

    def array(self, array: Array) -> str:
        """The call that makes an array."""
        variable = array.variable
        extents = [self.expr(node) if node is not None else "-1" for node in array.extents]
        ways = []
        for way in array.aligned:
            offset = (
                "0" if way.offset is None else f"{'-' if way.sign == '-' else ''}({self.expr(way.offset)})"
            )
            ways.append("{TSK_NOT_ALIGNED, 0, 0}" if way.dim < 0 else f"{{TSK_WITH, {way.dim}, {offset}}}")
        shadow = compound("struct tsk_shadow", self._shadow(array.shadow)) if array.shadow else "0"
        memory = variable.name if variable.is_parameter else "0"
        longs = "0" if array.is_pointer else compound("long", extents)
        lends = f"{array.name}.lends = 1; " if array.lends else ""
        lends += f"{array.name}.compares = 1; " if array.compares else ""
        return (
            f"{lends}tsk_array_make({self.where(array.at)}, &{array.name}, {quoted(variable.name)}, "
            f"sizeof({variable.element()}), {array.dims}, {longs}, &{array.template.name}, "
            f"{compound('struct tsk_align', ways)}, {shadow}, {memory});"
        )

    def _shadow(self, record: forms.Shadow) -> list[str]:
        rows = []
        for item in record.widths.items:
            if item.star:
                rows.append("{0, 0, 1}")
            elif item.colon:
                rows.append(f"{{{self.expr(item.first)}, {self.expr(item.second)}, 0}}")
            else:
                rows.append(f"{{{self.expr(item.first)}, {self.expr(item.first)}, 0}}")
        return rows
