"""Loops of `#pragma SMint parallel for`: each process does some runs of iterations, in the program's order.

    #pragma SMint parallel for reduction(+:s)
    for (long i = 1; i < n; i++) ..
    ->
    { struct sms_loop tsk_l1; sms_loop_begin(..); sms_loop_owner(..); while (sms_loop_next(&tsk_l1))
    for (long i = (long)tsk_l1.first; i < (long)tsk_l1.end; i++) ..
    sms_loop_end(&tsk_l1); .. }

Who does an iteration does not change what it computes; a loop whose result would depend on it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.bodies import is_linear, names_in, set_first, set_whole, writes
from tasuki.lang.analysis.counted import Counted, assigned, counted, root
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.host.reductions import joined, start
from tasuki.lang.shared.brought import Brought
from tasuki.lang.shared.clauses import Said
from tasuki.lang.shared.smint import Directives, root_id

_FOR = re.compile(r"#[ \t]*pragma[ \t]+omp[ \t]+(parallel[ \t]+)?(for|simd)\b")


class Dealt:
    """Edits all parallel loops of a unit."""

    def __init__(self, directives: Directives) -> None:
        self.d, self.unit = directives, directives.unit
        self.names, self.edits, self.tree = self.unit.names, self.unit.edits, self.unit.tree
        self._count = 0

    def edit(self, directive: Directive, said: Said) -> None:
        loop = self.names.next[directive]
        if not isinstance(loop, c_ast.For):
            raise self.unit.wrong(said.at, "no for loop stands behind this", "put it directly before a for")
        counts = counted(loop)
        if isinstance(counts, str):
            token = self.tree.tokens.every[self.tree.whole[loop][0]]
            raise self.unit.wrong(token, counts, "write it as for (i = first; i < bound; i += step)")
        self._refuse_leaving(loop.stmt)
        self._look(said, counts)
        self._count += 1
        name = f"tsk_l{self._count}"
        tails = [self._reduction(said, *each) for each in said.reductions]
        owner, kind = self._owner(said, counts), self._kind(counts)
        brought = Brought(self.unit, self.names.scope[loop])
        once = [part for part in said.parts if part.kind != "create" and not brought.moves(part, counts)]
        runs = [part for part in said.parts if part.kind != "create" and brought.moves(part, counts)]
        for part in said.parts:
            brought.array(part)
        span, settled = self.tree.whole[directive], self.d.is_settled(directive)
        pragmas = self.edits.move_pragmas(span[0]) if _FOR.search(self.edits.gap_before(span[0])) else ""
        where = self.unit.where(said.at)

        def begin() -> str:
            first, bound, step = self._header(counts)
            dealt = owner(name) if owner else f"sms_loop_even(&{name}); "
            return (
                f"{{ {''.join(head for head, _ in tails)}struct sms_loop {name}; "
                f"sms_loop_begin({where}, &{name}, {first}, {bound}, {step}, {settled}); {dealt}"
                f"{''.join(brought.bring(part, None, '', '') for part in once)}"
                f"while (sms_loop_next(&{name})) {{ "
                f"{''.join(brought.bring(part, counts, name, kind) for part in runs)}"
            )

        def header() -> str:
            declares = f"{kind} " if counts.declares is not None else ""
            variable, compare = counts.variable, ">" if counts.down else "<"
            step = self.unit.expr(loop.next)
            return (
                f"{pragmas}for ({declares}{variable} = ({kind}){name}.first; "
                f"{variable} {compare} ({kind}){name}.end; {step})"
            )

        whole = self.tree.whole[loop]
        self.edits.replace(*span, begin)
        self.edits.replace(whole[0], self.tree.whole[loop.stmt][0] - 1, header)
        final = "" if counts.declares else f" {counts.variable} = ({self._kind(counts)}){name}.final;"
        behind = "".join(tail for _, tail in tails)
        self.edits.after(whole[1], f" }}{final} sms_loop_end(&{name});{behind} }}", span[0])

    def _refuse_leaving(self, body: c_ast.Node) -> None:
        """What may leave the loop; continue does not."""
        todo = [(body, False)]
        while todo:
            node, inside = todo.pop()
            if isinstance(node, (c_ast.Return, c_ast.Goto)) or (isinstance(node, c_ast.Break) and not inside):
                token = self.tree.tokens.every[self.tree.whole[node][0]]
                what = f"{type(node).__name__.lower()} leaves a loop that several processes do"
                raise self.unit.wrong(token, what, "leave by a condition in the body")
            nested = inside or isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch))
            if not isinstance(node, Directive):
                todo += [(child, nested) for _, child in node.children()]

    def _kind(self, counts: Counted) -> str:
        if counts.declares is not None:
            return self.names.variable[counts.declares].element()
        return f"__typeof__({counts.variable})"

    def _header(self, counts: Counted) -> tuple[str, str, str]:
        first, bound = self.unit.expr(counts.first), self.unit.expr(counts.bound)
        bound = f"(long long)({bound})"
        if counts.inclusive:
            bound += " - 1" if counts.down else " + 1"
        step = "1" if counts.step is None else f"(long long)({self.unit.expr(counts.step)})"
        return f"({first})", bound, f"-{step}" if counts.down else step

    # ---- what the body does ------------------------------------------------------------------------------

    def _look(self, said: Said, counts: Counted) -> None:
        """Variables of each process's own that iterations hand on, or write for others to see."""
        loop, reduced = counts.loop, {name.value for _, name in said.reductions}
        inside = {node for node in descend(loop) if isinstance(node, c_ast.Decl)}
        for node, target in writes(loop.stmt):
            name = root_id(target)
            variable = self.names.use.get(name) if name is not None else None
            if variable is None or variable.decl in inside or name.name in reduced:
                continue
            at = self.tree.first(name)
            shared = self.unit.shared.get(variable)
            if shared is not None:
                locked = any(each.kind == "critical" for each in self.d.around(node))
                if not variable.dims() and not locked:
                    what = f"{name.name} is written by several iterations"
                    raise self.unit.wrong(at, what, "put it into `#pragma SMint critical`, or reduce it")
            elif name.name == counts.variable:
                raise self.unit.wrong(at, f"{name.name} is changed in its loop", "count by the header alone")
            elif target is name or (isinstance(target, c_ast.StructRef) and not variable.dims()):
                is_pointer = isinstance(variable.decl.type, c_ast.PtrDecl)
                if target is not name and is_pointer:
                    continue
                if set_first(loop.stmt, name.name) is not True:
                    what = f"{name.name} is not shared, and goes from one iteration to the next"
                    mend = f"write reduction(+:{name.name}), share it, or declare it in the loop"
                    raise self.unit.wrong(at, what, mend)
            elif variable.dims() and not variable.is_parameter and self._by(target, counts.variable):
                what = f"{name.name} is not shared, so each process would have some of its elements"
                raise self.unit.wrong(at, what, "put `#pragma SMint shared ::..` before its declaration")

    def _by(self, target: c_ast.Node, variable: str) -> bool:
        while isinstance(target, (c_ast.ArrayRef, c_ast.StructRef)):
            if isinstance(target, c_ast.ArrayRef) and variable in names_in(target.subscript):
                return True
            target = target.name
        return False

    # ---- who does an iteration ---------------------------------------------------------------------------

    def _owner(self, said: Said, counts: Counted) -> Callable[[str], str] | None:
        """Makes the call that deals by an array's owners; None where the loop is dealt evenly."""
        if said.even:
            return None
        loop = counts.loop
        found: list[tuple[c_ast.ID, list[c_ast.Node], int]] = []
        targets = [target for _, target in writes(loop.stmt)]
        if said.owner is not None:
            name = said.owner.value
            scope = self.names.scope[loop]
            variable = scope.find(name)
            if not isinstance(variable, Variable):
                raise self.unit.wrong(said.owner, f"{name} is not declared", "name a shared array")
            targets += [node for node in descend(loop.stmt) if isinstance(node, c_ast.ArrayRef)]
            targets = [target for target in targets if root(target) == name]
        for target in targets:
            way = self._way(target, counts)
            if way is not None:
                found.append(way)
        if not found:
            if said.owner is not None:
                what = f"{said.owner.value} has no subscript in this loop that counts with {counts.variable}"
                raise self.unit.wrong(said.owner, what, "name an array that has, or write schedule(even)")
            return None
        way = next((each for each in found if self.unit.shared_of(each[0])), found[0])
        asked = int(said.owner is not None)
        return lambda name: self._owner_text(name, counts, way, asked)

    def _way(self, target: c_ast.Node, counts: Counted) -> tuple[c_ast.ID, list[c_ast.Node], int] | None:
        """The array of a target, its subscripts, and which of them counts with the loop."""
        subs: list[c_ast.Node] = []
        node = target
        while isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            subs = [node.subscript, *subs] if isinstance(node, c_ast.ArrayRef) else []
            if isinstance(node, c_ast.StructRef) and node.type == "->":
                return None
            node = node.name
        if not isinstance(node, c_ast.ID) or node not in self.names.use:
            return None
        variable = self.names.use[node]
        changing = assigned(counts.loop)
        if variable not in self.unit.shared and (
            node.name in set_whole(counts.loop) or (variable.dims() and not variable.is_parameter)
        ):
            return None
        for at, sub in enumerate(subs):
            if counts.variable in names_in(sub):
                linear = is_linear(sub, counts.variable, changing - {counts.variable})
                return (node, subs[: at + 1], at) if linear else None
        return None

    def _owner_text(self, name: str, counts: Counted, way: tuple, asked: int) -> str:
        node, subs, at = way
        changing = assigned(counts.loop)
        shared = self.unit.shared_of(node)
        text = shared.text if shared else node.name
        for number, sub in enumerate(subs):
            fixed = number == at or is_linear(sub, "", changing)
            text += f"[{self.unit.expr(sub)}]" if fixed else "[0]"

        def one(value: str, into: str) -> str:
            return f"{{ const tsk_k {counts.variable} = (tsk_k)({value}); {into} = &{text}; }}"

        first, second = f"{name}.start", f"{name}.start + {name}.step"
        return (
            f"{{ typedef {self._kind(counts)} tsk_k; const void *tsk_a, *tsk_z; {one(first, 'tsk_a')} "
            f"{one(second, 'tsk_z')} sms_loop_owner(&{name}, tsk_a, tsk_z, {asked}); }} "
        )

    # ---- reductions --------------------------------------------------------------------------------------

    def _reduction(self, said: Said, operator: str, name: object) -> tuple[str, str]:
        """What stands before the loop, and behind it: parts are joined in the order of the processes."""
        scope = self.names.scope[self.names.next[self._directive(said)]]
        variable = scope.find(name.value)
        if not isinstance(variable, Variable):
            raise self.unit.wrong(name, f"{name.value} is not declared", "declare it before the loop")
        kind = variable.basic()
        if not isinstance(variable.decl.type, c_ast.TypeDecl) or variable.dims() or kind == "BYTES":
            raise self.unit.wrong(
                name, f"{name.value} is no number", "reduce a variable of an arithmetic type"
            )
        if variable in self.unit.shared:
            raise self.unit.wrong(
                name,
                f"{name.value} is shared",
                "reduce a variable that every process has, and store it in single",
            )
        if operator in ("&", "|", "^") and kind in ("FLOAT", "DOUBLE", "LDOUBLE"):
            raise self.unit.wrong(
                name, f"{name.value} has no bits to join by {operator}", "choose another operator"
            )
        self._count += 1
        words, old, all_, rank = (
            variable.element(),
            f"tsk_o{self._count}",
            f"tsk_e{self._count}",
            f"tsk_r{self._count}",
        )
        word = name.value
        head = f"{words} {old} = {word}; {word} = {start(operator, kind, word)}; "
        if operator in ("max", "min"):
            sign = ">" if operator == "max" else "<"
            fold = f"if ({all_}[{rank}] {sign} {word}) {word} = {all_}[{rank}];"
        else:
            fold = f"{word} = {joined(operator, word, f'{all_}[{rank}]')};"
        tail = (
            f" {{ {words} {all_}[sms_nprocs]; sms_collect(&{word}, sizeof {word}, {all_}); {word} = {old}; "
            f"for (int {rank} = 0; {rank} < sms_nprocs; {rank}++) {fold} }}"
        )
        return head, tail

    def _directive(self, said: Said) -> Directive:
        return next(directive for directive, each in self.d.said.items() if each is said)
