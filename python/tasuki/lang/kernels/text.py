"""The CUDA C++ of a statement of C: what the threads of a kernel do.

text = Body(m, uses, nest, number).text()

The statement's own text stays, line by line; what changes is how arrays are reached, which function of C's
library is meant, and the headers of loops that the host asks the bounds of. What C has and C++ has not is
refused at its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from pycparser import c_ast

from tasuki.lang.analysis.pure import LIBRARY
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Array, Meaning
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.parse import Coindexed, Directive, Section
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Variable, constant, descend
from tasuki.lang.host.regions import Path
from tasuki.lang.kernels.cxx import cxx
from tasuki.lang.kernels.nest import Nest, Turn


class Body:
    """One statement, or the body of a function that kernels call."""

    def __init__(
        self,
        m: Meaning,
        uses: dict[c_ast.ID, Use],
        node: c_ast.Node,
        nest: Nest | None,
        members: Mapping[c_ast.Node, Path] = MappingProxyType({}),
    ) -> None:
        self.m, self.uses, self.node, self.nest = m, uses, node, nest
        self.members = members  # `p->x`, which is a parameter of its own
        self.led = {each for member in members for each in descend(member)} - set(members)
        self.edits = Edits(m.tree.tokens)
        self.routines: list[c_ast.FuncDef] = []
        self.steps: dict[Variable, int] = {}  # arrays of variable length: how many strides each has
        self.turn_of: dict[c_ast.Node, tuple[int, Turn]] = {}
        if nest:
            self.turn_of = {
                turn.counts.loop: (at, turn) for at, turn in enumerate(nest.axes) if not turn.shared
            }

    def text(self) -> str:
        """Lines of CUDA C++, each with the user's number."""
        first, last = self.m.tree.whole.get(self.node) or self.m.tree.span_of(self.node)
        for index in range(first, last + 1):
            token = self.m.tree.tokens.every[index]
            if cxx(token.value) != token.value and token.type == "ID":
                self.edits.replace(index, index, cxx(token.value))
            elif token.type == "PPPRAGMA":
                self.edits.replace(index, index + 1, "")
        for node in descend(self.node):
            if node not in self.led:
                self._edit(node)
        made = self.edits.marker(first) + self.edits.lines(first, last)
        made = re.sub(r"(?m)^[ \t]*#[ \t]*pragma.*\n?", "", made)
        return re.sub(r"\n\s*\n+", "\n", made)

    def _wrong(self, node: c_ast.Node, what: str, mend: str) -> Exception:
        span = self.m.tree.whole.get(node) or self.m.tree.span_of(node)
        return self.m.wrong(self.m.tree.tokens.every[span[0]], f"{what}, in a kernel", mend)

    def _edit(self, node: c_ast.Node) -> None:
        match node:
            case Section() | Coindexed():
                raise self._wrong(node, "a section or another image", "move it out of the region")
            case c_ast.CompoundLiteral():
                raise self._wrong(node, "a compound literal, which C++ has not", "declare a variable")
            case c_ast.NamedInitializer():
                if len(node.name) > 1 or not isinstance(node.name[0], c_ast.ID):
                    raise self._wrong(node, "an initializer that C++ has not", "assign the elements")
            case c_ast.Return() if self.nest:
                raise self._wrong(node, "return", "leave the region at its end")
            case c_ast.Decl():
                self._declaration(node)
            case c_ast.FuncCall():
                self._call(node)
            case c_ast.For() if node in self.turn_of:
                self._header(node)
            case Directive() if self._is_atomic(node):
                self._atomic(node)
            case c_ast.StructRef() if node in self.members:
                self.edits.replace(*self.m.tree.span_of(node), member_name(self.members[node].text))
            case c_ast.ID():
                self._name(node)

    def _declaration(self, decl: c_ast.Decl) -> None:
        variable = self.m.names.variable.get(decl)
        if variable is None or variable.is_function():
            return
        if {"static", "extern"} & set(variable.storage):
            raise self._wrong(decl, f"{decl.name} is static", "declare it outside of the region")
        if any(constant(dim) is None for dim in variable.dims() if dim is not None):
            raise self._wrong(decl, f"{decl.name} has a variable length, which C++ has not",
                              "give it a constant one")  # fmt: skip
        self.refuse_type(variable, self.m.tree.tokens.every[self.m.tree.whole[decl][0]])

    def refuse_type(self, variable: Variable, at: Spot) -> None:
        """GPUs have no long double, and C++ no complex numbers of C's."""
        if variable.basic() in ("LDOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX"):
            what = f"{variable.name} is of type {variable.element()}, in a kernel"
            raise self.m.wrong(at, what, "use double, or leave the directive of acc out")

    def _call(self, node: c_ast.FuncCall) -> None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if not name:
            raise self._wrong(node, "a call by a pointer", "name the function")
        if name in LIBRARY:
            self.edits.replace(*self.m.tree.span_of(node.name), f"tsk_{name}")
            return
        found = next((f for f in self.m.names.functions if f.decl.name == name), None)
        if found is None:
            raise self._wrong(node, f"{name} is called, which is not defined in this file",
                              "define it here, or leave the directive of acc out")  # fmt: skip
        if found not in self.routines:
            self.routines.append(found)

    def _header(self, loop: c_ast.For) -> None:
        at, turn = self.turn_of[loop]
        counts = turn.counts
        kind = "" if counts.declares is None else f"{self.m.names.variable[counts.declares].element()} "
        name, compare = cxx(counts.variable), ">" if counts.down else "<"
        first, body = self.m.tree.whole[loop][0], self.m.tree.whole[loop.stmt][0]
        header = (
            f"for ({kind}{name} = tsk_{at}.first; {name} {compare} tsk_{at}.last; {name} += tsk_{at}.step) "
        )
        self.edits.replace(first, body - 1, header)

    def _name(self, node: c_ast.ID) -> None:
        variable = self.m.names.use.get(node)
        if variable is None:
            return
        use = self.uses.get(node)
        if use is not None:
            self._element(node, use)
        elif self.nest and self.nest.scalars.get(variable) == "cell":
            self.edits.replace(*self.m.tree.span_of(node), f"(*tsk_c_{variable.name})")
        elif self.nest and variable not in self.nest.scalars and variable not in self.nest.sums:
            self._plain(node, variable)

    def _element(self, node: c_ast.ID, use: Use) -> None:
        if not use.complete:
            raise self._wrong(node, f"{node.name} is used without all its subscripts", "write them")
        array = use.array

        def make() -> str:
            terms = []
            for dim, sub in enumerate(use.subs):
                text = f"({self.edits.inline(*self.m.tree.span_of(sub))})"
                if not array.linear(dim):
                    text = f"tsk_own({array.name}, {dim}, {text})"
                if dim < array.dims - 1:
                    text += f" * {step_of(array, dim)}"
                terms.append(text)
            return f"{cxx(array.variable.name)}[{' + '.join(terms)}]"

        self.edits.replace(*self.m.tree.span_of(use.node), make)

    def _plain(self, node: c_ast.ID, variable: Variable) -> None:
        """An array of variable length is one row of elements to C++."""
        behind = inner_dims(variable)
        if all(constant(dim) is not None for dim in behind):
            return
        subs, each = [], node
        while len(subs) <= len(behind):
            parent = self.m.names.parent.get(each)
            if not isinstance(parent, c_ast.ArrayRef) or parent.name is not each:
                raise self._wrong(node, f"{node.name} is used without all its subscripts", "write them")
            subs.append(parent.subscript)
            each = parent
        self.steps[variable] = len(behind)

        def make() -> str:
            terms = [f"({self.edits.inline(*self.m.tree.span_of(sub))})" for sub in subs]
            terms = [f"{t} * tsk_s_{variable.name}_{k}" for k, t in enumerate(terms[:-1])] + terms[-1:]
            return f"{cxx(variable.name)}[{' + '.join(terms)}]"

        self.edits.replace(*self.m.tree.span_of(each), make)

    def _is_atomic(self, node: Directive) -> bool:
        return any(getattr(record, "name", "") == "atomic" for record in self.m.records.get(node, ()))

    def _atomic(self, node: Directive) -> None:
        record = next(r for r in self.m.records[node] if getattr(r, "name", "") == "atomic")
        statement = self.m.names.next.get(node)
        if {"read", "write"} & record.flags:
            return  # a load or a store of a word is one
        lhs, change = None, statement
        if "capture" in record.flags and isinstance(statement, c_ast.Assignment) and statement.op == "=":
            lhs, change = statement.lvalue, statement.rvalue
        made = self._update(change)
        if made is None:
            raise self._wrong(node, "a form of atomic that is not made for GPUs", "write x += value")
        target, new, is_new = made
        span = self.m.tree.whole[statement]

        def make() -> str:
            x = self.edits.inline(*self.m.tree.span_of(target))
            call = f"tsk_atomic(&({x}), [&](auto tsk_x) {{ return (decltype(tsk_x))({new()}); }})"
            if lhs is None:
                return f"{call};"
            after = f"[&](auto tsk_x) {{ return {new()}; }}(tsk_was)" if is_new else "tsk_was"
            taken = self.edits.inline(*self.m.tree.span_of(lhs))
            return f"{{ const auto tsk_was = {call}; {taken} = {after}; }}"

        self.edits.replace(*span, make)

    def _update(self, node: c_ast.Node | None) -> tuple[c_ast.Node, Callable[[], str], bool] | None:
        """What is changed, its new value by `tsk_x`, and whether the statement has that value."""

        def of(part: c_ast.Node) -> str:
            return f"({self.edits.inline(*self.m.tree.span_of(part))})"

        match node:
            case c_ast.UnaryOp(op="p++" | "++" | "p--" | "--" as op, expr=target):
                return target, lambda: f"tsk_x {op[-1]} 1", not op.startswith("p")
            case c_ast.Assignment(op=op, lvalue=target, rvalue=value) if op != "=":
                return target, lambda: f"tsk_x {op[:-1]} {of(value)}", True
            case c_ast.Assignment(op="=", lvalue=target, rvalue=c_ast.BinaryOp() as sum_):
                same = self._words(target)
                if self._words(sum_.left) == same:
                    return target, lambda: f"tsk_x {sum_.op} {of(sum_.right)}", True
                if self._words(sum_.right) == same:
                    return target, lambda: f"{of(sum_.left)} {sum_.op} tsk_x", True
        return None

    def _words(self, node: c_ast.Node) -> list[str]:
        first, last = self.m.tree.span_of(node)
        return [token.value for token in self.m.tree.tokens.every[first : last + 1]]


def member_name(path: str) -> str:
    """A kernel's parameter for `p->x.y`."""
    return "tsk_m_" + path.replace("->", "__").replace(".", "_")


def inner_dims(variable: Variable) -> list[c_ast.Node | None]:
    """Extents of an array or pointer but the first."""
    behind = variable.pointer_dims()
    return variable.dims()[1:] if behind is None else behind


def step_of(array: Array, dim: int) -> str:
    """A kernel's stride of a distributed array: a parameter, or of the descriptor where it has that."""
    if all(array.linear(each) for each in range(array.dims)):
        return f"tsk_s_{cxx(array.variable.name)}_{dim}"
    return f"{array.name}.step[{dim}]"
