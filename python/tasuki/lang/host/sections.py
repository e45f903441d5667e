"""Statements of sections: gmove and array.

a[0:n] = b[2:n:2]     two struct tsk_section for tsk_gmove
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.conform import agree, alike, is_own_number, lengths_agree, parts, variable_of
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array
from tasuki.lang.front import forms
from tasuki.lang.front.parse import Coindexed, Directive, Section
from tasuki.lang.front.types import Variable, descend

_MODES = {"": "TSK_GMOVE", "in": "TSK_GMOVE_IN", "out": "TSK_GMOVE_OUT"}


class Sections:
    """Edits the statements that name sections."""

    def __init__(self, text: Text, uses: dict[c_ast.ID, Use], number: Callable[[], int]) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.number = uses, number

    # ---- what a section is

    def section(self, node: c_ast.Node, before: list[str], like: Variable | None) -> str:
        """The address of a struct tsk_section; a value that is no place is kept in a variable of `before`."""
        name, subs = parts(node)
        variable = self.m.names.use.get(name) if name is not None else None
        if variable is None or variable.is_function():
            return self._value(node, before, like)
        if like is not None and not alike(like, variable) and is_own_number(self.m, node):
            return self._value(node, before, like)
        array = self.m.arrays.get(variable)
        coarray = self.m.coarrays.get(variable)
        kind, words = variable.basic(), variable.element()
        dims = array.extents if array is not None else variable.dims()
        if len(subs) > len(dims) or (variable.pointer_dims() is not None and array is None and subs):
            return self._pointed(name, subs, kind, words)
        if array is not None:
            extents = [self._extent(array, dim) for dim in range(array.dims)]
        else:
            extents = [self.text.expr(dim) if dim is not None else "0" for dim in dims]
        slices = [self._slice(sub, extents[dim]) for dim, sub in enumerate(subs)]
        slices += [f"{{0, {extents[dim]}, 1, 0}}" for dim in range(len(subs), len(dims))]
        of = f"&{array.name}" if array is not None else "0"
        co = f"&{coarray.name}" if coarray is not None else "0"
        # A parameter that is written as an array is a pointer.
        start = variable.name if variable.is_parameter and dims else f"&{variable.name}"
        at = "0" if array is not None or coarray is not None else f"(void *){start}"
        return self.struct(of, co, at, words, kind, extents, slices)

    def struct(
        self, of: str, co: str, at: str, words: str, kind: str, extents: list[str], slices: list[str]
    ) -> str:
        longs = ", ".join(extents) or "0"
        return (
            f"&(struct tsk_section){{{of}, {co}, {at}, sizeof({words}), TSK_{kind}, {len(extents)}, "
            f"{{{longs}}}, {{{', '.join(slices) or '{0, 0, 0, 0}'}}}}}"
        )

    def _extent(self, array: Array, dim: int) -> str:
        """The extent of a dimension; of a parameter that says none 0, with which no section may end."""
        node = array.extents[dim]
        return self.text.expr(node) if node is not None else "0"

    def _pointed(self, name: c_ast.ID, subs: list[c_ast.Node], kind: str, words: str) -> str:
        """A section of what a pointer points to: its first dimension has no extent."""
        if len(subs) != 1:
            token = self.m.tree.first(name)
            raise self.m.wrong(
                token, f"a section of {name.name}, which is a pointer", "give it one dimension"
            )
        extent = "0"
        sub = subs[0]
        if isinstance(sub, Section):
            if sub.count is None:
                raise self.m.wrong(
                    self.m.tree.first(name), "a pointer's section has no end", "write its length"
                )
            first = self.text.expr(sub.first) if sub.first is not None else "0"
            step = self.text.expr(sub.step) if sub.step is not None else "1"
            extent = f"({first}) + ({self.text.expr(sub.count)}) * ({step})"
        else:
            extent = f"({self.text.expr(sub)}) + 1"
        return self.struct(
            "0", "0", f"(void *){name.name}", words, kind, [extent], [self._slice(sub, extent)]
        )

    def _slice(self, sub: c_ast.Node, extent: str) -> str:
        if not isinstance(sub, Section):
            return f"{{{self.text.expr(sub)}, 1, 1, 1}}"
        first = self.text.expr(sub.first) if sub.first is not None else "0"
        step = self.text.expr(sub.step) if sub.step is not None else "1"
        if sub.count is not None:
            count = self.text.expr(sub.count)
        elif extent == "0":
            spot = self.m.tree.tokens.every[self.m.tree.span_of(sub)[0]]
            raise self.m.wrong(spot, "how long this section is, is not known", "write its length")
        else:
            count = f"(({extent}) - ({first}) + ({step}) - 1) / ({step})"
        return f"{{{first}, {count}, {step}, 0}}"

    def _value(self, node: c_ast.Node, before: list[str], like: Variable | None) -> str:
        """Any other expression: its value, in the type of the other side."""
        if any(isinstance(each, Section) for each in descend(node)):
            mend = "assign one section to another, or use `#pragma xmp array`"
            raise self.m.wrong(self.m.tree.first(node), "a section stands in an expression", mend)
        words, kind = (like.element(), like.basic()) if like is not None else ("double", "DOUBLE")
        name = f"tsk_v{self.number()}"
        before.append(f"{words} {name} = {self.text.expr(node)}; ")
        return self.struct("0", "0", f"(void *)&{name}", words, kind, [], [])

    # ---- gmove

    def gmove(self, directive: Directive, record: forms.Gmove) -> None:
        statement = self.m.names.next.get(directive)
        if not isinstance(statement, c_ast.Assignment) or statement.op != "=":
            raise self.m.wrong(
                directive.at, "no assignment stands behind gmove", "put it before `a[..] = b[..];`"
            )
        left, right = statement.lvalue, statement.rvalue
        self._claim(statement)
        agree(self.m, left, right)
        for side, mode in ((right, "in"), (left, "out")):
            variable = variable_of(self.m, side)
            if record.mode == mode and (variable is None or variable not in self.m.arrays):
                what = f"gmove {mode} of {variable.name if variable else 'a value'}, which is not distributed"
                raise self.m.wrong(self.m.tree.first(side), what, "use gmove alone, or a distributed array")
            if record.mode == mode and variable is not None:
                self.m.arrays[variable].lends = True

        def make() -> str:
            before: list[str] = []
            one, other = variable_of(self.m, left), variable_of(self.m, right)
            if one and other and not alike(one, other) and not is_own_number(self.m, right):
                value, words = f"tsk_v{self.number()}", other.element()  # C converts it
                before.append(f"{words} {value} = {self.text.expr(left)}; ")
                to = self.struct("0", "0", f"(void *)&{value}", words, other.basic(), [], [])
                back = f" {self.text.expr(left)} = {value};"
            else:
                to, back = self.section(left, before, None), ""
            source = self.section(right, before, one)
            args = f"{_MODES[record.mode]}, {to}, {source}, {self.text.sides(record.sides)}"
            call = f"tsk_gmove({self.text.where(directive.at)}, {args}, {self.text.async_(record.wait)});"
            return f"{{ {''.join(before)}{call}{back} }}"

        self.edits.replace(*self.m.tree.whole[statement], make)

    def _claim(self, statement: c_ast.Node) -> None:
        """Uses that are the two sides themselves are no accesses."""
        for side in (statement.lvalue, statement.rvalue):
            name, _ = parts(side.expr if isinstance(side, Coindexed) else side)
            if name is not None:
                self.uses.pop(name, None)

    def local(self, statement: c_ast.Assignment) -> None:
        """`a[1:n] = a[0:n]` of a rank's own arrays, without a directive: what is read is read before."""
        left, right = statement.lvalue, statement.rvalue
        self._claim(statement)
        for side in (left, right):
            variable = variable_of(self.m, side)
            if variable in self.m.arrays:
                token = self.m.tree.first(side)
                mend = "put `#pragma xmp gmove` or `#pragma xmp array` before it"
                raise self.m.wrong(token, f"a section of {variable.name}, which is distributed, in C", mend)
        agree(self.m, left, right)

        def make() -> str:
            before: list[str] = []
            to = self.section(left, before, None)
            source = self.section(right, before, variable_of(self.m, left))
            where = self.text.where(self.m.tree.first(left))
            return f"{{ {''.join(before)}tsk_gmove({where}, TSK_GMOVE, {to}, {source}, TSK_HOST, TSK_NOW); }}"

        self.edits.replace(*self.m.tree.whole[statement], make)

    # ---- array

    def array(self, directive: Directive, record: forms.ArrayOn) -> None:
        """`a[0:n] = b[0:n] + 1`: a loop over the sections of the left side, by its owners."""
        statement = self.m.names.next.get(directive)
        if not isinstance(statement, c_ast.Assignment):
            raise self.m.wrong(
                directive.at, "no assignment stands behind array", "put it before `a[:] = ..;`"
            )
        name, subs = parts(statement.lvalue)
        array = self.m.array_of(name) if name is not None else None
        if array is None or len(subs) != array.dims:
            what = "the left side is no section of a distributed array"
            mend = "give a triplet or a subscript for each dimension"
            raise self.m.wrong(self.m.tree.first(statement.lvalue), what, mend)
        del record  # its owners are the array's: `on` names the template that it is aligned with
        loop = f"tsk_l{self.number()}"
        heads, indices = [], []
        subs_of = ["{TSK_OWN, 0, 0, 0}"] * array.template.dims
        for dim, sub in enumerate(subs):
            way = array.aligned[dim]
            if way.dim >= 0:
                subs_of[way.dim] = "{TSK_ALL, 0, 0, 0}"
            if not isinstance(sub, Section):
                if way.dim >= 0:
                    offset = "0" if way.offset is None else f"{way.sign}({self.text.expr(way.offset)})"
                    subs_of[way.dim] = f"{{TSK_ONE, ({self.text.expr(sub)}) + {offset}, 1, 1}}"
                continue
            index = f"tsk_s{self.number()}"
            heads.append(self._array_for(array, dim, sub, index, loop))
            indices.append((index, sub, array.extents[dim]))
        self._same_array(statement, name, array, subs)
        ref = f"&(struct tsk_ref){{0, &{array.template.name}, {len(subs_of)}, {{{', '.join(subs_of)}}}}}"
        for node in descend(statement):
            use = self.uses.get(node) if isinstance(node, c_ast.ID) else None
            subs_here = use.subs if use is not None else self._plain_subs(node)
            if subs_here:
                self._replace_sections(node, subs_here, indices)
        begin = f"tsk_loop_begin({self.text.where(directive.at)}, &{loop}, {ref}, 0);"
        first, last = self.m.tree.whole[statement]
        self.edits.replace(
            *self.m.tree.whole[directive],
            f"{{ struct tsk_loop {loop}; {begin} while (tsk_loop_next(&{loop}))",
        )
        self.edits.before(first, " ".join(heads) + " ")
        self.edits.after(last, " }", self.m.tree.whole[directive][0])

    def _plain_subs(self, node: c_ast.Node) -> list[c_ast.Node]:
        if not isinstance(node, c_ast.ID):
            return []
        subs = []
        parent = self.m.names.parent.get(node)
        while isinstance(parent, c_ast.ArrayRef) and parent.name is node:
            subs.append(parent.subscript)
            node, parent = parent, self.m.names.parent.get(parent)
        return subs

    def _array_for(self, array: Array, dim: int, sub: Section, index: str, loop: str) -> str:
        first = self.text.expr(sub.first) if sub.first is not None else "0"
        step = self.text.expr(sub.step) if sub.step is not None else "1"
        extent = self._extent(array, dim)
        bound = f"({first}) + ({self.text.expr(sub.count)}) * ({step})" if sub.count is not None else extent
        way = array.aligned[dim]
        if way.dim < 0:
            return f"for (long {index} = {first}; {index} < {bound}; {index} += {step})"
        offset = "0" if way.offset is None else f"{way.sign}({self.text.expr(way.offset)})"
        walk = f"tsk_w{self.number()}"
        axis = f"tsk_loop_axis(&{loop}, {way.dim}, {offset}, {first}, {bound}, {step})"
        return (
            f"for (struct tsk_walk {walk} = tsk_walk({axis}); {walk}.turn < {walk}.axis.runs; "
            f"tsk_walk_on(&{walk})) for (long {index} = {walk}.run.first; {index} < {walk}.run.last; "
            f"{index} += {walk}.run.step)"
        )

    def _same_array(
        self, statement: c_ast.Assignment, name: c_ast.ID, array: Array, subs: list[c_ast.Node]
    ) -> None:
        every = self.m.tree.tokens.every

        def words(node: c_ast.Node) -> str:
            first, last = self.m.tree.span_of(node)
            return " ".join(token.value for token in every[first : last + 1])

        for node in descend(statement.rvalue):
            use = self.uses.get(node) if isinstance(node, c_ast.ID) else None
            if (
                use is not None
                and use.array is array
                and [words(s) for s in use.subs] != [words(s) for s in subs]
            ):
                what = f"{name.name} is read at another place than it is written"
                raise self.m.wrong(self.m.tree.first(node), what, "copy it to another array first")

    def _replace_sections(
        self, node: c_ast.ID, subs: list[c_ast.Node], indices: list[tuple[str, Section, c_ast.Node | None]]
    ) -> None:
        own = [sub for sub in subs if isinstance(sub, Section)]
        if not own:
            return
        use = self.uses.get(node)
        if use is not None:
            use.section_served = True
        if len(own) != len(indices):
            what = f"sections of {len(indices)} and {len(own)} dimensions do not conform"
            raise self.m.wrong(self.m.tree.first(node), what, "give both as many triplets")
        variable = self.m.names.use.get(node)
        array = self.m.arrays.get(variable)
        dims = array.extents if array is not None else variable.dims() if variable is not None else []
        extents = [dim for dim, sub in zip(dims, subs, strict=False) if isinstance(sub, Section)]
        extents += [None] * (len(own) - len(extents))
        for sub, extent, (_, left, whole) in zip(own, extents, indices, strict=True):
            lengths_agree(self.m, (left, whole), (sub, extent), self.m.tree.first(node))
        for sub, (index, left, _) in zip(own, indices, strict=True):
            self.edits.replace(
                *self.m.tree.span_of(sub), lambda s=sub, i=index, le=left: self._index(s, i, le)
            )

    def _index(self, sub: Section, index: str, left: Section) -> str:
        def part(node: c_ast.Node | None, default: str) -> str:
            return self.text.expr(node) if node is not None else default

        mine, theirs = part(sub.first, "0"), part(left.first, "0")
        step, other = part(sub.step, "1"), part(left.step, "1")
        if mine == theirs and step == other:
            return index
        return f"({mine}) + ({index} - ({theirs})) / ({other}) * ({step})"
