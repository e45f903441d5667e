"""What a unit shares, and what its declarations and its uses become.

    unit = Unit(tree, findings); unit.mark(marks); unit.rename(); text = unit.finish("main")

An array `double a[N][N]` becomes a pointer to one, `double (*tsk_shared_a)[N][N]`, and its name
`(*tsk_shared_a)` wherever it stands: so sizeof, &, subscripts, and what it is as an argument stay what
they were.
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.analysis.text import quoted
from tasuki.lang.front.diagnose import Findings, Place, Wrong
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.main_function import take_main
from tasuki.lang.front.parse import Tree
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, descend, resolve
from tasuki.lang.shared.mpc import Map, Marks

MOST_AXES = 7


@dataclass(eq=False)
class Shared:
    """An array, or a single element, that all processes share."""

    variable: Variable
    map: Map | None  # none: another unit makes it
    at: Spot

    @property
    def pointer(self) -> str:
        return f"tsk_shared_{self.variable.name}"

    @property
    def text(self) -> str:
        return f"(*{self.pointer})"

    def element(self, axes: int) -> str:
        return self.text + "[0]" * axes


class Unit:
    """A translation unit: its tree, its names, what is shared in it, and its edits."""

    def __init__(self, tree: Tree, findings: Findings) -> None:
        self.tree, self.findings = tree, findings
        self.names = resolve(tree)
        self.edits = Edits(tree.tokens)
        self.shared: dict[Variable, Shared] = {}
        self.groups: dict[tuple[int, int], list[c_ast.Decl]] = {}
        for decl in self.names.variable:
            if decl in tree.whole:
                self.groups.setdefault(tree.whole[decl], []).append(decl)

    def place(self, token: Spot) -> Place:
        return self.tree.tokens.place(token)

    def wrong(self, token: Spot, what: str, mend: str) -> Wrong:
        return Wrong(self.place(token), what, mend)

    def where(self, token: Spot) -> str:
        return quoted(str(self.place(token)))

    def expr(self, node: c_ast.Node) -> str:
        return self.edits.inline(*self.tree.span_of(node))

    def token_of(self, decl: c_ast.Decl) -> Spot:
        """The name in a declaration."""
        first, last = self.tree.span_of(decl.type)
        every = self.tree.tokens.every
        return next(every[i] for i in range(first, last + 1) if every[i].value == decl.name)

    def shared_of(self, node: c_ast.Node) -> Shared | None:
        variable = self.names.use.get(node) if isinstance(node, c_ast.ID) else None
        return self.shared.get(variable) if variable is not None else None

    def add(self, decl: c_ast.Decl, given: Map | None) -> None:
        """Takes a declaration as one of what is shared; Wrong where it cannot be."""
        variable, at = self.names.variable[decl], self.token_of(decl)
        name, dims, outside = decl.name, variable.dims(), "extern" in variable.storage
        if not variable.scope.is_file and not outside:
            raise self.wrong(
                at, f"{name} is shared and stands in a function", "declare it outside of functions"
            )
        if decl.init is not None:
            raise self.wrong(at, f"{name} is shared and has initial values", "set them in a statement")
        if given is None and not outside:
            raise self.wrong(at, f"{name} is shared and has no map", "write one, as ::[NPROCS](0, NPROCS)")
        for dim in dims:
            named = self._variable_in(dim)
            if named:
                raise self.wrong(
                    at, f"an extent of {name} is {named}, a variable", "give a number that the compiler knows"
                )
        if given is not None:
            self._fit(variable, given, at)
        self.shared[variable] = Shared(variable, None if outside else given, at)

    def _variable_in(self, dim: c_ast.Node | None) -> str:
        todo = [dim] if dim is not None else []
        while todo:
            node = todo.pop()
            if isinstance(node, c_ast.ID) and node in self.names.use:
                return node.name
            if not (isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"):
                todo += [child for _, child in node.children()]
        return ""

    def _fit(self, variable: Variable, given: Map, at: Spot) -> None:
        """A map has a bracket for each axis; those of a typedef may be left out."""
        node, own = variable.decl.type, 0
        while isinstance(node, c_ast.ArrayDecl):
            node, own = node.type, own + 1
        have, axes = len(given.parts), len(variable.dims())
        if have not in (own, axes):
            what = f"{variable.name} has {axes} axes, and its map {have}"
            raise self.wrong(at, what, "write one [..] for each, [] where it is not cut")
        if have > MOST_AXES:
            raise self.wrong(at, f"{variable.name} has {have} axes", f"use at most {MOST_AXES}")

    def mark(self, marks: Marks) -> None:
        """What MpC declares."""
        every, maps = self.tree.tokens.all, list(marks.maps)
        for whole, decls in self.groups.items():
            last = self.tree.span_of(decls[0].type)[0]
            begin = every[whole[0] - 1].end if whole[0] else 0
            word = any(begin <= start < every[last].start for start, _ in marks.words)
            for decl in decls:
                end = self.tree.span_of(decl.type)[1]
                follows = every[end + 1].start if end + 1 < len(every) else len(self.tree.tokens.text)
                found = next((m for m in maps if every[end].end <= m.start < follows), None)
                if found is not None:
                    maps.remove(found)
                self._try(decl, word, found)
        for each in maps:
            self.findings.error(
                each.at, "a map stands behind no shared array", "write it behind the array's declarator"
            )

    def _try(self, decl: c_ast.Decl, word: bool, found: Map | None) -> None:
        is_pointer = isinstance(decl.type, (c_ast.PtrDecl, c_ast.FuncDecl))
        try:
            if found is not None and not word:
                at = self.token_of(decl)
                raise self.wrong(at, f"{decl.name} has a map and is not shared", "write shared before it")
            if word and (found is not None or not is_pointer):
                self.add(decl, found)
        except Wrong as wrong:
            self.findings.add(wrong.finding)

    def look_at_values(self) -> None:
        """An address of what is shared is no constant."""
        for decl, variable in self.names.variable.items():
            if decl.init is None or not (variable.scope.is_file or "static" in variable.storage):
                continue
            todo = [decl.init]
            while todo:
                node = todo.pop()
                if self.shared_of(node):
                    at = self.token_of(decl)
                    what = f"{decl.name} begins with the address of {node.name}, which is known at run time"
                    self.findings.add(self.wrong(at, what, "set it in a statement").finding)
                if not (isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"):
                    todo += [child for _, child in node.children()]

    def rename(self) -> None:
        """Puts pointers where names stood, in other people's pragmas too."""
        every = self.tree.tokens.every
        for decl, variable in self.names.variable.items():
            if variable in self.shared:
                at = self.token_of(decl).index
                self.edits.replace(at, at, self.shared[variable].text)
        for node in self.names.use:
            shared = self.shared_of(node)
            if shared:
                first, last = self.tree.span_of(node)
                at = next(i for i in range(first, last + 1) if every[i].value == node.name)
                self.edits.replace(at, at, shared.text)
        self.edits.rename_in_pragmas({each.variable.name: each.pointer for each in self.shared.values()})

    def finish(self, entry: str) -> str:
        """What stands behind the unit: the making of its arrays, and main."""
        made = [each for each in self.shared.values() if each.map is not None]
        if made:
            calls = "".join(
                f'# {each.at.lineno} "{each.at.filename}"\n{_make(self, each)}\n' for each in made
            )
            self.edits.tail += (
                f"static void tsk_unit_make(void) {{\n{calls}}}\n"
                "static struct sms_unit tsk_this_unit = {tsk_unit_make, 0};\n"
                "static void __attribute__((constructor)) tsk_unit_here(void) "
                "{ sms_unit_add(&tsk_this_unit); }\n"
            )
        starts = any(
            isinstance(node, c_ast.FuncCall)
            and isinstance(node.name, c_ast.ID)
            and node.name.name == "sms_startup"
            for node in descend(self.tree.unit)
        )
        if not starts:
            call = take_main(self.names.functions, self.tree, self.edits)
            if call:
                self.edits.tail += (
                    f"{call}int {entry}(int c, char **v) {{ return sms_main(c, v, tsk_call_main); }}\n"
                )
        return self.edits.whole()


def _make(unit: Unit, shared: Shared) -> str:
    """The call that makes an array."""
    axes = len(shared.map.parts)
    extents = [f"(long)(sizeof {shared.element(a)} / sizeof {shared.element(a + 1)})" for a in range(axes)]
    parts = [f"({part or 1})" for part in shared.map.parts]
    lists = f"(long[]){{{', '.join(extents) or 1}}}, (long[]){{{', '.join(parts) or 1}}}"
    return (
        f'{shared.pointer} = sms_make({unit.where(shared.at)}, "{shared.variable.name}", {axes}, {lists}, '
        f"sizeof {shared.element(axes)}, ({shared.map.first}), ({shared.map.nodes}));"
    )
