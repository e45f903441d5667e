"""Declarations: what stands for nodes, templates and arrays, where they are made, and how a unit and main
begin.

Things of the file are made by a function of the unit, which the run time calls before main; things of a
block where
their directive stands, with `cleanup`, so that they end with their scope.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.text import Text, compound, quoted
from tasuki.lang.analysis.things import Array, Coarray, Nodes, Template
from tasuki.lang.front import forms
from tasuki.lang.front.main_function import take_main
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Scope, Variable

_KINDS = {Nodes: "nodes", Template: "template"}


class Declarations:
    """Edits all that a unit declares."""

    def __init__(self, text: Text, entry: str, program: str, check: bool = False) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.entry, self.program = entry, program
        self._make: list[str] = ["tsk_check_begin();"] if check else []
        self._end: list[str] = []
        self.more_make: list[str] = []  # of `acc declare`
        self.more_end: list[str] = []
        self.regions = ""  # kinds of the compute regions; nothing where there are none

    def edit(self) -> None:
        for directive, records in self.m.records.items():
            scope = self.m.names.scope[directive]
            here = [piece for record in records for piece in self._of(record, directive, scope)]
            here += [piece for array in self._arrays(directive) for piece in self._array(array)]
            if here:
                self.edits.replace(*self.m.tree.whole[directive], " ".join(here))
        self._variables()
        self._main()
        self._unit()

    def _of(self, record: object, directive: Directive, scope: Scope) -> list[str]:
        if isinstance(record, (forms.Nodes, forms.Template)):
            thing = next(t for t in self.m.things if t.record is record)
            return self._thing(
                thing, self.text.nodes(thing) if isinstance(thing, Nodes) else self.text.template(thing)
            )
        if isinstance(record, forms.Distribute):
            template = scope.thing(record.name.value)
            if template is None or template.distribute is None:
                return []
            return self._at(scope, self.text.distribute(template))
        if isinstance(record, forms.TemplateFix):
            return self._at(scope, self.text.template_fix(record, scope))
        return []

    def _at(self, scope: Scope, call: str) -> list[str]:
        """A call where it stands, or in the unit's function."""
        if scope.is_file:
            self._make.append(call)
            return []
        return [call]

    def _thing(self, thing: Nodes | Template, call: str) -> list[str]:
        kind = _KINDS[type(thing)]
        if thing.scope.is_file:
            self._make.append(call)
            self._end.append(f"tsk_{kind}_end(&{thing.name});")
            return [f"static struct tsk_{kind} {thing.name};"]
        return [f"struct tsk_{kind} {thing.name} __attribute__((cleanup(tsk_{kind}_end))) = {{0}};", call]

    def _arrays(self, directive: Directive) -> list[Array]:
        return [array for array in self.m.arrays.values() if array.directive is directive]

    def _array(self, array: Array) -> list[str]:
        variable, call = array.variable, self.text.array(array)
        if variable.is_parameter:
            return [f"struct tsk_array {array.name} __attribute__((cleanup(tsk_array_end))) = {{0}};", call]
        if variable.scope.is_file:
            if "extern" not in variable.storage:
                self._make.append(call)
                self._end.append(f"tsk_array_end(&{array.name});")
            return []
        return [call]

    def _variables(self) -> None:
        """Declarations that name distributed arrays, without them."""
        groups: dict[tuple[int, int], list[c_ast.Decl]] = {}
        for decl in self.m.names.variable:
            if decl in self.m.tree.whole:
                groups.setdefault(self.m.tree.whole[decl], []).append(decl)
        for whole, decls in groups.items():
            variables = [self.m.names.variable[decl] for decl in decls]
            arrays = [self.m.arrays.get(variable) or self.m.coarrays.get(variable) for variable in variables]
            if any(array is not None for array in arrays):
                self._group(whole, decls, arrays)

        for array in self.m.arrays.values():
            if "." in array.variable.name:
                first, last = self.m.tree.whole[array.variable.decl]
                self.edits.after(last, f" {self._declared(array.variable, array)}", first)

    def _group(self, whole: tuple[int, int], decls: list[c_ast.Decl], arrays: list) -> None:
        tree, every = self.m.tree, self.m.tree.tokens.every
        plain, own = [], []
        specifiers = (whole[0], tree.span_of(decls[0].type)[0] - 1)
        for decl, array in zip(decls, arrays, strict=True):
            if isinstance(array, Coarray):
                own.append(self._coarray(array, decl.init))
                continue
            if array is not None and not array.is_pointer:
                if decl.init is not None:
                    what = f"{decl.name} is distributed and has initial values"
                    raise self.m.wrong(array.at, what, "set them in a loop")
                own.append(self._declared(self.m.names.variable[decl], array))
                continue
            if array is not None:
                own.append(self._declared(self.m.names.variable[decl], array))
            first, last = tree.span_of(decl.type)
            plain.append((first, tree.span_of(decl.init)[1] if decl.init is not None else last))
        has_body = any(every[index].type == "LBRACE" for index in range(specifiers[0], specifiers[1] + 1))

        def make() -> str:
            words = self.edits.inline(*specifiers)
            names = ", ".join(self.edits.inline(*span) for span in plain)
            kept = f"{words} {names}; " if names else f"{words}; " if has_body else ""
            return kept + " ".join(own)

        self.edits.replace(*whole, make)

    def _declared(self, variable: Variable, array: Array) -> str:
        storage = " ".join(word for word in variable.storage if word in ("static", "extern"))
        head = f"{storage} " if storage else ""
        if variable.scope.is_file or storage:
            return f"{head}struct tsk_array {array.name};"
        return f"struct tsk_array {array.name} __attribute__((cleanup(tsk_array_end))) = {{0}};"

    def _coarray(self, coarray: Coarray, init: c_ast.Node | None) -> str:
        variable = coarray.variable
        if None in variable.dims():
            what = f"how long the coarray {variable.name} is, is not said"
            raise self.m.wrong(coarray.at, what, "write its extent")
        storage = " ".join(word for word in variable.storage if word in ("static", "extern"))
        head = f"{storage} " if storage else ""
        words = variable.element() + "".join(f"[{self.text.expr(dim)}]" for dim in variable.dims())
        codims = ["TSK_REST" if node is None else self.text.expr(node) for node in coarray.codims]
        on = f"&{coarray.on.name}" if coarray.on is not None else "0"
        call = (
            f"tsk_coarray_make({self.text.where(coarray.at)}, &{coarray.name}, {quoted(variable.name)}, "
            f"sizeof({words}), {len(codims)}, {compound('long', codims)}, {on});"
        )
        if init is not None:
            value = self.text.expr(init)
            value = value if isinstance(init, c_ast.InitList) else f"{{{value}}}"
            where = self.text.where(coarray.at)
            call += f" tsk_coarray_set({where}, &{coarray.name}, &({words}){value});"
        if not variable.scope.is_file:
            cleanup = "" if storage else " __attribute__((cleanup(tsk_coarray_end)))"
            return f"{head}struct tsk_coarray {coarray.name}{cleanup} = {{0, 0, 0}}; {call}"
        if "extern" not in variable.storage:
            self._make.append(call)
            self._end.append(f"tsk_coarray_end(&{coarray.name});")
        return f"{head}struct tsk_coarray {coarray.name};"

    def _main(self) -> None:
        call = take_main(self.m.names.functions, self.m.tree, self.edits)
        if call:
            program = f'"{self.program}"'
            self.edits.tail += (
                f"{call}int {self.entry}(int c, char **v) "
                f"{{ return tsk_main({program}, c, v, tsk_call_main); }}\n"
            )

    def _unit(self) -> None:
        self._make += self.more_make
        self._end += self.more_end
        if not self._make and not self.regions:
            return
        make, end = " ".join(self._make), " ".join(reversed(self._end))
        unit = f'"{self.program}", tsk_unit_make, tsk_unit_end, 0'
        unit += f", {self.regions}" if self.regions else ""
        self.edits.tail = (
            f"static void tsk_unit_make(void) {{ {make} }}\n"
            f"static void tsk_unit_end(void) {{ {end} }}\n"
            f"static struct tsk_unit tsk_this_unit = {{{unit}}};\n"
            "static void __attribute__((constructor)) tsk_unit_here(void) { tsk_unit_add(&tsk_this_unit); }\n"
        ) + self.edits.tail
