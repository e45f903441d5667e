"""Variables of other images: read, assigned, locked, and as words that nobody sees half written.

a[i]:[k] = x                      tsk_put; x = a[i]:[k] + 1 reads by tsk_get
a[i]:[k] += x, a[i]:[k]++         tsk_get, then tsk_put: others may write in between
a[0:n]:[k] = b[0:n]:[j]           by memory of this image
xmp_atomic_define(n:[k], 3)       the same of a word
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.conform import agree_in_all, rank, variable_of
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Coarray
from tasuki.lang.front import forms
from tasuki.lang.front.parse import Coindexed, Directive, Section
from tasuki.lang.front.types import Scope, descend
from tasuki.lang.host.sections import Sections

_IN_ORDER = 5  # __ATOMIC_SEQ_CST, which a preprocessed text has no macro for
_NO_WORDS = ("BYTES", "FLOAT", "DOUBLE", "LDOUBLE", "FLOAT_COMPLEX", "DOUBLE_COMPLEX")
ATOMICS = ("xmp_atomic_define", "xmp_atomic_ref")


class Coarrays:
    """Edits what names coarrays."""

    def __init__(self, text: Text, sections: Sections, number: Callable[[], int]) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.sections, self.number = sections, number
        self.first_image = 0  # what the program calls the first one

    def _images(self, node: Coindexed) -> str:
        """The numbers of an image, which the run time counts from 0."""
        less = f" - {self.first_image}" if self.first_image else ""
        return ", ".join(
            f"({self.text.expr(each)}){less}" if less else self.text.expr(each) for each in node.indices
        )

    def coindexed(self, node: Coindexed) -> None:
        """A read of another image's, or an assignment to it."""
        variable = variable_of(self.m, node)
        coarray: Coarray | None = self.m.coarrays.get(variable) if variable is not None else None
        if coarray is None:
            raise self.m.wrong(
                self.m.tree.first(node.expr), "this is no coarray", "declare it with `a[n]:[*]`"
            )
        parent = self.m.names.parent.get(node)
        if (
            isinstance(parent, c_ast.FuncCall)
            and isinstance(parent.name, c_ast.ID)
            and parent.name.name in ATOMICS
        ):
            return  # said as a whole
        where = self.text.where(self.m.tree.first(node.expr))
        indices = f"(long[]){{{self._images(node)}}}"
        is_statement = isinstance(parent, c_ast.Assignment) and parent in self.m.tree.whole
        is_wide = is_statement and any(isinstance(each, Section) for each in descend(parent.lvalue))
        if isinstance(parent, c_ast.UnaryOp) and parent.op == "&":
            token = self.m.tree.first(node.expr)
            raise self.m.wrong(
                token, "the address of another image's variable is taken", "read it into one of this image"
            )
        changed = isinstance(parent, c_ast.Assignment) and parent.lvalue is node and parent.op != "="
        if changed or (isinstance(parent, c_ast.UnaryOp) and parent.op in ("++", "--", "p++", "p--")):
            self._change(parent, node, variable.element(), variable.basic(), where)
            return
        if is_statement and (parent.lvalue is node or is_wide or rank(self.m, node)):
            if not (
                parent.rvalue is node and isinstance(parent.lvalue, Coindexed)
            ):  # else said from the left
                self._assignment(parent, where)
            if rank(self.m, node) or parent.rvalue is not node or not isinstance(parent.lvalue, Coindexed):
                return

        def make() -> str:
            value, words = f"tsk_v{self.number()}", variable.element()
            to = self.sections.struct("0", "0", f"(void *)&{value}", words, variable.basic(), [], [])
            call = f"tsk_get({where}, {to}, {self.sections.section(node.expr, [], None)}, {indices});"
            return f"({{ {words} {value}; {call} {value}; }})"

        self.edits.replace(*self.m.tree.span_of(node), make)

    def _assignment(self, statement: c_ast.Assignment, where: str) -> None:
        left, right = statement.lvalue, statement.rvalue
        if statement.op != "=":
            token = self.m.tree.first(left)
            raise self.m.wrong(
                token, f"'{statement.op}' on a section of another image's", "read it, then assign it"
            )
        far = [side for side in (left, right) if isinstance(side, Coindexed)]
        if len(far) == 2 and not rank(self.m, right):
            far = [left]  # the right side is read where it stands
        agree_in_all(self.m, *(side.expr if side in far else side for side in (left, right)))

        def make() -> str:
            before: list[str] = []
            indices = self._images(far[0])
            if len(far) == 2:
                to, source = (self.sections.section(side.expr, before, None) for side in far)
                call = self._through(where, (to, indices), (source, self._images(right)))
            elif far[0] is left:
                to = self.sections.section(left.expr, before, None)
                source = self.sections.section(right, before, variable_of(self.m, left))
                call = f"tsk_put({where}, {to}, (long[]){{{indices}}}, {source});"
            else:
                to = self.sections.section(left, before, None)
                source = self.sections.section(right.expr, before, None)
                call = f"tsk_get({where}, {to}, {source}, (long[]){{{indices}}});"
            return f"{{ {''.join(before)}{call} }}"

        self.edits.replace(*self.m.tree.whole[statement], make)

    def _through(self, where: str, to: tuple[str, str], source: tuple[str, str]) -> str:
        """A section of one image's to another's, by memory of this one."""
        f, m, n, d = (f"tsk_{letter}{self.number()}" for letter in "fmnd")
        whole = f"(struct tsk_slice){{0, {f}->slice[{d}].count, 1, {f}->slice[{d}].index}}"
        each = f"{m}.extents[{d}] = {f}->slice[{d}].count; {m}.slice[{d}] = {whole}; {n} *= {m}.extents[{d}];"
        return (
            f"const struct tsk_section *const {f} = {source[0]}; struct tsk_section {m} = *{f}; "
            f"long {n} = {m}.size; {m}.coarray = 0; for (int {d} = 0; {d} < {m}.dims; {d}++) {{ {each} }} "
            f"{m}.at = __builtin_malloc({n}); tsk_get({where}, &{m}, {f}, (long[]){{{source[1]}}}); "
            f"tsk_put({where}, {to[0]}, (long[]){{{to[1]}}}, &{m}); __builtin_free({m}.at);"
        )

    def _change(self, statement: c_ast.Node, node: Coindexed, words: str, kind: str, where: str) -> None:
        """`x:[k] += v`, `x:[k]++`: read, changed and written, which is one expression and no atomic one."""
        if rank(self.m, node):
            token, op = self.m.tree.first(node.expr), statement.op.lstrip("p")
            raise self.m.wrong(token, f"'{op}' on a section of another image's", "read it, then assign it")
        value, old, at = (f"tsk_{letter}{self.number()}" for letter in "voi")

        def make() -> str:
            there = self.sections.section(node.expr, [], None)
            mine = self.sections.struct("0", "0", f"(void *)&{value}", words, kind, [], [])
            indices = self._images(node)
            if isinstance(statement, c_ast.Assignment):
                change, result = f"{value} {statement.op} {self.text.expr(statement.rvalue)};", value
            elif statement.op in ("p++", "p--"):
                change, result = f"{words} {old} = {value}{statement.op[1:]};", old
            else:
                change, result = f"{statement.op}{value};", value
            return (
                f"({{ long {at}[] = {{{indices}}}; {words} {value}; tsk_get({where}, {mine}, {there}, {at}); "
                f"{change} tsk_put({where}, {there}, {at}, {mine}); {result}; }})"
            )

        self.edits.replace(*self.m.tree.span_of(statement), make)

    def atomic(self, call: c_ast.FuncCall) -> None:
        """xmp_atomic_define(a:[k], value), xmp_atomic_ref(&value, a:[k]): a word of any image's."""
        args = call.args.exprs if call.args else []
        writes = call.name.name == "xmp_atomic_define"
        if len(args) != 2:
            token = self.m.tree.first(call)
            raise self.m.wrong(token, f"{call.name.name} has {len(args)} arguments", "give it two")
        atom, other = args if writes else args[::-1]
        variable = variable_of(self.m, atom)
        if variable is None or variable not in self.m.coarrays or variable.basic() in _NO_WORDS:
            token = self.m.tree.first(atom)
            raise self.m.wrong(token, "this is no coarray of integers", "declare it with `int a:[*]`")
        words, value = variable.element(), f"tsk_v{self.number()}"
        self.m.names.parent[atom] = call  # no read by itself

        def make() -> str:
            far = isinstance(atom, Coindexed)
            given = self.text.expr(other)
            if not far:
                own = f"&({self.text.expr(atom)})"
                if writes:
                    return f"__atomic_store_n({own}, {given}, {_IN_ORDER})"
                return f"(void)(*({given}) = __atomic_load_n({own}, {_IN_ORDER}))"
            where = self.text.where(self.m.tree.first(atom.expr))
            indices = f"(long[]){{{self._images(atom)}}}"
            mine = self.sections.struct("0", "0", f"(void *)&{value}", words, variable.basic(), [], [])
            there = self.sections.section(atom.expr, [], None)
            if writes:
                return f"({{ {words} {value} = {given}; tsk_put({where}, {there}, {indices}, {mine}); }})"
            get = f"tsk_get({where}, {mine}, {there}, {indices});"
            return f"({{ {words} {value}; {get} *({given}) = {value}; (void)0; }})"

        self.edits.replace(*self.m.tree.span_of(call), make)

    def lock(self, directive: Directive, record: forms.Lock, scope: Scope) -> None:
        del scope
        node = record.variable
        far = node if isinstance(node, Coindexed) else None
        expr = far.expr if far is not None else node
        variable = variable_of(self.m, node)
        if variable is None or variable not in self.m.coarrays:
            raise self.m.wrong(
                directive.tokens[0], "the lock is no coarray", "declare it as `xmp_lock_t l:[*]`"
            )
        where = self.text.where(directive.at)
        indices = self._images(far) if far is not None else ""
        listed = f"(long[]){{{indices}}}" if indices else "0"
        text = f"tsk_{record.kind}({where}, {self.sections.section(expr, [], None)}, {listed});"
        self.edits.replace(*self.m.tree.whole[directive], text)
