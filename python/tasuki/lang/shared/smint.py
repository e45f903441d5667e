"""The directives of SMint: where each may stand, and what single, critical and barrier become.

    #pragma SMint shared ::[NPROCS][](0, NPROCS)
    #pragma SMint parallel for copyin(x[ ]) reduction(+:s) schedule(owner: a)
    #pragma SMint single
    #pragma SMint critical (name)
    #pragma SMint barrier

`parallel for` is translated by tasuki.lang.shared.dealt.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.counted import root
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.pragma import Cursor
from tasuki.lang.front.types import Variable, descend, resolve_expression
from tasuki.lang.shared.clauses import Said, read
from tasuki.lang.shared.shared import Unit


class Directives:
    """All directives of a unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.said: dict[Directive, Said] = {}
        self.done_by: dict[c_ast.Node, Directive] = {}  # a statement, by the directive before it
        self.number = 0

    def _try(self, step: object) -> None:
        try:
            step()
        except Wrong as wrong:
            self.unit.findings.add(wrong.finding)

    def read(self) -> None:
        """Reads them all, and takes what they share."""
        for directive in self.unit.names.directives:
            self._try(lambda d=directive: self._read(d))

    def _read(self, directive: Directive) -> None:
        unit = self.unit
        said = read(Cursor(unit.tree, directive, unit.names.typedefs))
        scope = unit.names.scope[directive]
        for part in said.parts:
            for item in part.items:
                for node in (item.first, item.second) if item is not None else ():
                    if node is not None:
                        resolve_expression(unit.names, node, scope)
        follows = unit.names.next.get(directive)
        if said.kind == "shared":
            if not isinstance(follows, c_ast.Decl):
                raise unit.wrong(said.at, "no declaration stands behind this", "put it before an array's")
            for decl in unit.groups[unit.tree.whole[follows]]:
                unit.add(decl, said.map)
        elif said.kind != "barrier":
            if follows is None or isinstance(follows, c_ast.Decl):
                raise unit.wrong(said.at, "no statement stands behind this", "put it before one")
            self.done_by[follows] = directive
        self.said[directive] = said

    def around(self, node: c_ast.Node) -> list[Said]:
        """The directives whose statements a node lies in, the innermost first."""
        found = []
        each: c_ast.Node | None = node
        while each is not None:
            if each in self.done_by:
                found.append(self.said[self.done_by[each]])
            each = self.unit.names.parent.get(each)
        return found

    def is_settled(self, directive: Directive) -> int:
        """1 where a synchronisation stands directly before a directive."""
        block = self.unit.names.parent.get(directive)
        items = getattr(block, "block_items", None) or []
        at = next((k for k, item in enumerate(items) if item is directive), 0)
        before = items[at - 1] if at else None
        kind = self.said[before].kind if before in self.said else ""
        if before in self.done_by:
            kind = self.said[self.done_by[before]].kind
        return int(kind in ("parallel", "single", "barrier"))

    def edit(self, deal: Callable[[Directive, Said], None]) -> None:
        """Edits all of them; what cannot be is said. `deal` does a parallel for."""
        for directive, said in self.said.items():
            self.unit.edits.replace(*self.unit.tree.whole[directive], "")
            self._try(lambda d=directive, s=said: self._place(d, s))
            if said.kind == "parallel":
                self._try(lambda d=directive, s=said: deal(d, s))
            elif said.kind != "shared":
                self._try(lambda d=directive, s=said: getattr(self, f"_{s.kind}")(d, s))
        if self.said:
            self._look_outside()

    def _place(self, directive: Directive, said: Said) -> None:
        """What waits for all processes does not stand in what some do."""
        around = self.around(directive)
        inside = next((each for each in around if each.kind in ("parallel", "single", "critical")), None)
        if inside is not None and said.kind in ("parallel", "single", "barrier"):
            words = {"parallel": "a parallel for"}
            what = f"{words.get(said.kind, said.kind)} stands inside of {words.get(inside.kind, inside.kind)}"
            raise self.unit.wrong(said.at, what, "put it behind that, for all processes")
        if said.kind == "critical" and not around and self._function(directive) == "main":
            what = "critical stands outside of a parallel for, so every process does it"
            raise self.unit.wrong(said.at, what, "use single")

    def _function(self, node: c_ast.Node) -> str:
        function = self.unit.names.scope[node].function if node in self.unit.names.scope else None
        return function.decl.name if function is not None else ""

    def _barrier(self, directive: Directive, said: Said) -> None:
        del said
        self.unit.edits.replace(*self.unit.tree.whole[directive], "sms_sync();")

    def _critical(self, directive: Directive, said: Said) -> None:
        number = zlib.crc32(said.lock.encode()) & 0x7FFFFFFF if said.lock else 0
        self.refuse_leaving(self.unit.names.next[directive], True)
        self._wrap(directive, f"{{ sms_lock({number}); {{", f"}} sms_unlock({number}); }}")

    def _single(self, directive: Directive, said: Said) -> None:
        unit, statement = self.unit, self.unit.names.next[directive]
        self.refuse_leaving(statement, True)
        given = "".join(
            f" sms_single_give({_address(variable)}, sizeof {variable.name});"
            for variable in self._set_in(statement)
        )
        begin = f"sms_single_begin({unit.where(said.at)}, {self.is_settled(directive)})"
        self._wrap(directive, f"{{ if ({begin}) {{", f"}}{given} sms_single_end(); }}")

    def _wrap(self, directive: Directive, before: str, behind: str) -> None:
        span = self.unit.tree.whole[directive]
        self.unit.edits.replace(*span, before)
        last = self.unit.tree.whole[self.unit.names.next[directive]][1]
        self.unit.edits.after(last, f" {behind}", span[0])

    def refuse_leaving(self, statement: c_ast.Node, is_block: bool) -> None:
        """break, goto, return: what begins for all ends for all. A block's own loops may break."""
        todo = [(statement, not is_block)]
        while todo:
            node, in_loop = todo.pop()
            leaves = isinstance(node, (c_ast.Return, c_ast.Goto))
            if not in_loop and isinstance(node, (c_ast.Break, c_ast.Continue)):
                leaves = True
            if leaves:
                token = self.unit.tree.tokens.every[self.unit.tree.whole[node][0]]
                what = f"{type(node).__name__.lower()} leaves what a directive stands before"
                raise self.unit.wrong(token, what, "leave behind it, by a variable")
            inner = in_loop or isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch))
            todo += [(child, inner) for _, child in node.children() if not isinstance(node, Directive)]

    def _set_in(self, statement: c_ast.Node) -> list[Variable]:
        """Each process's own variables that a statement sets, or may set by their addresses."""
        found: dict[Variable, None] = {}
        inside = {node for node in descend(statement) if isinstance(node, c_ast.Decl)}
        for node in descend(statement):
            targets: list[c_ast.Node] = []
            if isinstance(node, c_ast.Assignment):
                targets = [node.lvalue]
            elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--", "&"):
                targets = [node.expr]
            elif isinstance(node, c_ast.FuncCall) and node.args is not None:
                targets = [
                    each for each in node.args.exprs if isinstance(each, c_ast.ID) and self._is_array(each)
                ]
            for target in targets:
                name = root_id(target)
                variable = self.unit.names.use.get(name) if name is not None else None
                if variable is None or variable in self.unit.shared or variable.decl in inside:
                    continue
                if variable.is_function():
                    continue
                by_dot = isinstance(target, c_ast.StructRef) and target.type == "."
                if target is name or variable.dims() or by_dot:  # else through a pointer
                    found[variable] = None
        return [variable for variable in found if not (variable.is_parameter and variable.dims())]

    def _is_array(self, node: c_ast.ID) -> bool:
        variable = self.unit.names.use.get(node)
        return variable is not None and bool(variable.dims()) and not variable.is_parameter

    def _look_outside(self) -> None:
        """Writes of what is shared, and output, that every process does."""
        unit = self.unit
        with_directives = {
            id(unit.names.scope[d].function) for d, said in self.said.items() if said.kind != "shared"
        }
        for function in unit.names.functions:
            if id(function) not in with_directives and function.decl.name != "main":
                continue
            for node in descend(function.body):
                says = isinstance(node, c_ast.FuncCall) and root(node.name) in ("printf", "puts", "putchar")
                if says and not self.around(node):
                    at = unit.tree.first(node.name)
                    unit.findings.warning(
                        unit.place(at),
                        f"every process calls {at.value}",
                        "put it into `#pragma SMint single`",
                    )
                self._look_at_write(node)

    def _look_at_write(self, node: c_ast.Node) -> None:
        unit, target, twice = self.unit, None, False
        if isinstance(node, c_ast.Assignment):
            target, twice = node.lvalue, node.op != "="
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--"):
            target, twice = node.expr, True
        name = root_id(target) if target is not None else None
        if name is None or unit.shared_of(name) is None or self.around(node):
            return
        place = unit.place(unit.tree.first(name))
        mend = "put it into `#pragma SMint single` or a parallel for"
        if twice:
            unit.findings.error(place, f"every process changes {name.name} here, one after another", mend)
        else:
            unit.findings.warning(place, f"every process writes {name.name} here", mend)


def root_id(node: c_ast.Node) -> c_ast.ID | None:
    """The name that an expression of subscripts and fields begins with."""
    while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
        node = node.name
    return node if isinstance(node, c_ast.ID) else None


def _address(variable: Variable) -> str:
    return variable.name if variable.dims() else f"&{variable.name}"
