"""OpenACC in the C that a source becomes: data regions keep the table of what is present, and loops reach a
device's copy by its address.

    #pragma acc parallel loop copyin(a)
    for (..) b[i] = a[i];
    ->
    { const struct tsk_part tsk_q1[] = {{TSK_ACC_COPYIN, "a", 0, a, sizeof(a)}}; tsk_acc_enter(.., tsk_q1,
    ..); ..
    for (..) (*tsk_d3)[i] = (*tsk_d2)[i]; .. }

Where host and device share their memory, addresses are the same; with TASUKI_ACC=apart they differ, and an
update that is missing is seen. On the host loops run in order, so gang, worker, vector and atomic ask nothing
more; kernels of GPUs are tasuki.lang.kernels.kernels'.
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text, quoted
from tasuki.lang.front import forms
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Scope, Variable, descend
from tasuki.lang.host.defaults import Defaults
from tasuki.lang.host.host_data import host_data
from tasuki.lang.host.parts import Parts, condition_of, is_pointer
from tasuki.lang.host.regions import Region, member_path
from tasuki.lang.host.twins import Twins

_HINTS = ("loop", "atomic", "routine", "cache", "init", "shutdown", "set")


class Accelerate:
    """Edits the directives of `acc`."""

    def __init__(self, text: Text, uses: dict[c_ast.ID, Use], number: Callable[[], int]) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.number = uses, number
        self.twins = Twins(text, number)
        self.parts = Parts(text, number, self.twins)
        self.defaults = Defaults(self.m)
        self.regions: dict[c_ast.Node, Region] = {}
        # Where a data clause of a pointer begins, as a variable of C, by the clause's statement.
        self.begins: dict[tuple[c_ast.Node, Variable | str], str] = {}  # of a member, by its text
        self.device_pointers: set[tuple[c_ast.Node | None, Variable | str]] = set()  # by statement; None: all
        self.computes: list[tuple[Directive, Acc, c_ast.Node, Region]] = []
        self.make: list[str] = []
        self.end: list[str] = []

    def edit(self, directive: Directive, record: Acc) -> None:
        scope = self.m.names.scope[directive]
        if record.name in _HINTS:
            return
        if record.is_compute:
            self._compute(directive, record, scope)
        elif record.name == "data":
            self._data(directive, record, scope)
        elif record.name in ("enter data", "exit data"):
            call = "enter" if record.name == "enter data" else "exit"
            call = "finalize" if "finalize" in record.flags else call
            parts = self._with_parts(record, self.parts.of(record.data, scope), call)
            self.call(directive, self._wait(record) + parts)
        elif record.name == "update":
            self._update(directive, record, scope)
        elif record.name == "wait":
            record.numbers.setdefault("wait", [])
            condition = condition_of(record, self.text)
            self.call(directive, f"{f'if ({condition}) ' if condition else ''}{self._wait(record).rstrip()}")
        elif record.name == "host_data":
            host_data(self, directive, record, scope)
        elif record.name == "declare":
            self._declare(directive, record, scope)

    def base(self, use: Use) -> str:
        """The pointer that takes a use's global subscripts."""
        region = self._region_of(use.name)
        if region is not None and use.array in region.base:
            return region.base[use.array]
        return f"{use.array.name}.at"

    def _region_of(self, node: c_ast.Node) -> Region | None:
        each: c_ast.Node | None = node
        while each is not None:
            if each in self.regions:
                return self.regions[each]
            each = self.m.names.parent.get(each)
        return None

    def stands_for(self, name: c_ast.ID) -> bool:
        """Whether a region has put the device's address for a name."""
        region = self._region_of(name)
        return region is not None and self.m.names.use.get(name) in region.name

    def close(self, directive: Directive, statement: c_ast.Node, text: str) -> None:
        self.edits.after(self.m.tree.whole[statement][1], text, self.m.tree.whole[directive][0])

    def call(self, directive: Directive, text: str) -> None:
        self.edits.replace(*self.m.tree.whole[directive], text)

    def queue(self, record: Acc) -> str:
        """The queue that a directive names."""
        if "async" not in record.numbers:
            return "TSK_ACC_NOW"
        values = record.numbers["async"]
        return f"({self.text.expr(values[0])})" if values else "TSK_ACC_ANY"

    def statement(self, directive: Directive) -> c_ast.Node:
        found = self.m.names.next.get(directive)
        if found is None:
            raise self.m.wrong(directive.at, "no statement stands behind this", "put it before a statement")
        return found

    def _rows(self, record: Acc, parts: list[str], condition: str) -> tuple[str, str]:
        """A declaration of rows, and the words that name them: place, number, rows. The number is 0 where the
        condition is."""
        name = f"tsk_q{self.number()}"
        count = f"{condition} ? {len(parts)} : 0" if condition else str(len(parts))
        declared = f"const struct tsk_part {name}[] = {{{', '.join(parts)}}};"
        return declared, f"{self.text.where(record.at)}, {count}, {name}"

    def _with_parts(self, record: Acc, parts: list[str], call: str) -> str:
        if not parts:
            return ""
        rows, named = self._rows(record, parts, condition_of(record, self.text))
        return f"{{ {rows} tsk_acc_{call}({named}, {self.queue(record)}); }}"

    def _data(self, directive: Directive, record: Acc, scope: Scope) -> None:
        statement = self.statement(directive)
        condition, given = self.condition(record)
        begins = self._begins(record, scope, statement)
        head, tail = self._around(record, self.parts.of(record.data, scope), condition)
        self.call(directive, f"{{ {self._wait(record)}{given}{begins}{head}")
        self.close(directive, statement, f"{tail} }}")

    def condition(self, record: Acc) -> tuple[str, str]:
        """A variable for the clause `if`, and its declaration: what the clause reads may change inside."""
        condition = condition_of(record, self.text)
        name = f"tsk_q{self.number()}" if condition else ""
        return name, f"const int {name} = {condition}; " if condition else ""

    def _begins(self, record: Acc, scope: Scope, statement: c_ast.Node) -> str:
        """Declarations of where clauses of pointers begin, and notes of what is a device's address."""
        declared = []
        for action, part in record.data:
            named = self.parts.named(part, scope)
            if action == "deviceptr":
                self.device_pointers.add((statement, named.key))
            elif named.is_address and named.variable not in self.m.arrays and part.begins_behind:
                name = self.begins[statement, named.key] = f"tsk_q{self.number()}"
                first = self.parts.section(part, named).first
                declared.append(f"char *const {name} = (char *)&{first}; ")
        return "".join(declared)

    def _around(self, record: Acc, parts: list[str], condition: str) -> tuple[str, str]:
        if not parts:
            return "", ""
        rows, named = self._rows(record, parts, condition)
        args = f"{named}, {self.queue(record)}"
        return f"{rows} tsk_acc_enter({args}); ", f" tsk_acc_exit({args});"

    def _update(self, directive: Directive, record: Acc, scope: Scope) -> None:
        condition, calls = condition_of(record, self.text), []
        for clause, to_device in (("host", 0), ("device", 1)):
            if_present, queue = int("if_present" in record.flags), self.queue(record)

            def call(row: str, to: int = to_device, rest: str = f"{if_present}, {queue}") -> str:
                name = f"tsk_q{self.number()}"
                head = f"const struct tsk_part {name}[] = {{{row}}};"
                return f"{{ {head} tsk_acc_update({self.text.where(record.at)}, {to}, 1, {name}, {rest}); }}"

            for part in record.lists.get(clause, []):
                named = self.parts.named(part, scope)
                if part.section and named.variable not in self.m.arrays:
                    head = f"TSK_ACC_PRESENT, {quoted(named.name)}, 0"
                    calls.append(self.parts.update(part, named, lambda r, h=head, c=call: c(f"{{{h}, {r}}}")))
                else:  # a number without a copy is the host's
                    rest = f"{int(if_present or named.variable in self.twins)}, {queue}"
                    calls += [call(row, rest=rest) for row in self.parts.of([("present", part)], scope)]
        if not record.lists:
            raise self.m.wrong(record.at, "update names nothing", "write host(a) or device(a)")
        text = f"{{ {self._wait(record)}{' '.join(calls)} }}"
        self.call(directive, f"{f'if ({condition}) ' if condition else ''}{text}")

    def _compute(self, directive: Directive, record: Acc, scope: Scope) -> None:
        statement = self.statement(directive)
        condition, given = self.condition(record)
        region = Region(condition)
        self.regions[statement] = region
        self.computes.append((directive, record, statement, region))
        private = {p.name.value for key in ("private", "firstprivate") for p in record.lists.get(key, [])}
        private |= {part.name.value for _, part in record.reductions} | self._summed(statement)
        given += self._begins(record, scope, statement)
        parts = self.parts.of(record.data, scope)
        listed = {part.name.value for _, part in record.data}
        default = self.defaults.of(record, statement)
        if default == "none":
            listed |= self.defaults.listed_around(statement)
        pointers = []
        where = self.text.where(record.at)
        inside = {node.name for node in descend(statement) if isinstance(node, c_ast.Decl)}
        pointers += self._members(region, statement, inside | private, where)
        led = {each for member in region.members for each in descend(member)}
        for node in descend(statement):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if node in led:
                continue
            if variable is None or variable.is_function() or variable.name in inside | private:
                continue
            array = self.m.arrays.get(variable)
            is_data = array is not None or variable.is_address() or bool(variable.dims())
            if default == "none" and is_data and variable.name not in listed:
                self._refuse_unlisted(node, variable, statement)
            if default == "present":  # where it is not, its address cannot be asked for
                listed.add(variable.name)
            if array is not None and array not in region.base:
                if variable.name not in listed:
                    parts.append(f"{{TSK_ACC_COPY, {quoted(variable.name)}, &{array.name}, 0, 0}}")
                region.base[array] = f"tsk_d{self.number()}"
                address = f"(char *)tsk_acc_at({where}, &{array.name})"
                address = f"{condition} ? {address} : {array.name}.at" if condition else address
                pointers.append(f"char *const {region.base[array]} = {address}; ")
            elif array is None and variable not in region.name:
                pointers += self._plain(region, variable, listed, parts, where, statement)
        for node in descend(statement):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable in region.name:
                self.edits.replace(*self.m.tree.span_of(node), region.name[variable])
        head, tail = self._around(record, parts, condition)
        own = {part.name.value for key in ("private", "firstprivate") for part in record.lists.get(key, [])}
        own |= self._summed(statement) | inside
        region.twins = self.twins.meant(record, statement, own)
        take, give = self.twins.around(record, statement, region.twins, condition, self.queue(record))
        self.call(directive, f"{{ {self._wait(record)}{given}{head}{take}{''.join(pointers)}")
        self.close(directive, statement, f"{give}{tail} }}")

    def _refuse_unlisted(self, node: c_ast.ID, variable: Variable, statement: c_ast.Node) -> None:
        if not self._is_of_device(variable, statement):
            what = f"default(none), and no clause names {variable.name}"
            mend = f"name it in a data clause of the region, as copy({variable.name})"
            raise self.m.wrong(self.m.tree.first(node), what, mend)

    def _wait(self, record: Acc) -> str:
        """The clause `wait`: the host waits, which is what is asked and more."""
        if "wait" not in record.numbers:
            return ""
        queues = [self.text.expr(node) for node in record.numbers["wait"]]
        listed = f"(long[]){{{', '.join(queues)}}}" if queues else "0"
        return f"tsk_acc_wait({self.text.where(record.at)}, {len(queues)}, {listed}); "

    def _summed(self, statement: c_ast.Node) -> set[str]:
        """What reductions of xmp's loops in a region name: the host's, as those of acc are."""
        inside = set(descend(statement))
        return {
            item.variable.value
            for directive, records in self.m.records.items()
            if self.m.names.next.get(directive) in inside
            for record in records
            if isinstance(record, forms.Loop)
            for clause in record.reductions
            for item in clause.items
        }

    def _plain(
        self,
        region: Region,
        variable: Variable,
        listed: set[str],
        parts: list[str],
        where: str,
        statement: c_ast.Node,
    ) -> list[str]:
        """An array or pointer of the program's own that a region uses."""
        is_pointer = variable.is_address()
        if not is_pointer and not variable.dims():
            return []
        if self._is_of_device(variable, statement):
            region.name[variable] = variable.name
            return []
        local, name, said = f"tsk_d{self.number()}", self.parts.here(variable), quoted(variable.name)
        if is_pointer:
            region.name[variable] = local
            if self._leads_to_members(variable, statement):  # of a struct that may be the host's
                address = f"tsk_acc_member({where}, {said}, (void *){name}, 0)"
            else:
                address = self._behind(variable, name, f"{where}, {said}", statement)
                address = address or f"tsk_acc_address({where}, {said}, (void *){name})"
            kind = f"__typeof__({name}) "
        else:
            if variable.name not in listed:
                parts.append(f"{{TSK_ACC_USED, {said}, 0, (void *){name}, sizeof({name})}}")
            region.name[variable] = f"(*{local})"
            address = f"tsk_acc_base({where}, {said}, (void *){name}, sizeof({name}))"
            kind, name = f"__typeof__({name}) *", f"&{name}"
        if region.condition:
            address = f"({region.condition} ? (void *){address} : (void *){name})"
        return [f"{kind}const {local} = ({kind.rstrip()}){address}; "]

    def _leads_to_members(self, variable: Variable, statement: c_ast.Node) -> bool:
        """Whether a statement uses a pointer for members alone: `p->n`."""
        uses = [node for node in descend(statement) if self.m.names.use.get(node) is variable]
        parents = [self.m.names.parent.get(node) for node in uses]
        return all(isinstance(parent, c_ast.StructRef) and parent.name in uses for parent in parents)

    def _members(self, region: Region, statement: c_ast.Node, own: set[str], where: str) -> list[str]:
        """Declarations for `p->x` and `s.x`, whose elements a region uses."""
        declared = []
        for node in descend(statement):
            parent = self.m.names.parent.get(node)
            used = isinstance(parent, c_ast.ArrayRef) and parent.name is node
            used = used or (isinstance(parent, c_ast.UnaryOp) and parent.op == "*")
            path = member_path(node) if used else None
            if path is None or path.base.name in own or self._is_of_device(path.text, statement):
                continue
            variable = self.m.names.use.get(path.base)
            if variable is None or self.uses.get(node) is not None or variable in self.m.arrays:
                continue
            if path.text not in region.member:
                local = region.member[path.text] = f"tsk_d{self.number()}"
                text, said = path.text, f"{where}, {quoted(path.text)}"
                address = self._behind(text, text, said, statement)
                address = address or f"tsk_acc_member({said}, (void *){text}, {is_pointer(text)})"
                if region.condition:
                    address = f"({region.condition} ? (void *){address} : (void *){text})"
                kind = f"__typeof__(&({text})[0])"
                declared.append(f"{kind} const {local} = ({kind}){address}; ")
            region.members[node] = path
            self.edits.replace(*self.m.tree.span_of(node), region.member[path.text])
        return declared

    def _is_of_device(self, key: Variable | str, statement: c_ast.Node) -> bool:
        """Whether `deviceptr` names something, for all, or for this statement or one around it."""
        everywhere = (None, key) in self.device_pointers
        return everywhere or bool(
            self._around_it(statement, lambda each: (each, key) in self.device_pointers)
        )

    def _behind(self, key: Variable | str, text: str, said: str, statement: c_ast.Node) -> str:
        """The address of a pointer whose innermost data clause begins behind it; empty where none does."""
        found = self._around_it(statement, lambda each: (each, key) in self.begins)
        if found is None:
            return ""
        begin = self.begins[found, key]
        return f"((char *)tsk_acc_address({said}, {begin}) - ({begin} - (char *){text}))"

    def _around_it(self, statement: c_ast.Node, is_it: Callable[[c_ast.Node], bool]) -> c_ast.Node | None:
        """The statement itself or the innermost one around it for which something holds."""
        each: c_ast.Node | None = statement
        while each is not None and not is_it(each):
            each = self.m.names.parent.get(each)
        return each

    def _declare(self, directive: Directive, record: Acc, scope: Scope) -> None:
        for action, part in record.data:
            if action == "deviceptr":
                self.device_pointers.add((None, self.parts.named(part, scope).key))
        parts = self.parts.of([entry for entry in record.data if entry[0] != "deviceptr"], scope)
        if not parts or scope.is_file:
            self.call(directive, "")
        if parts and scope.is_file:
            self.make.append(self._with_parts(record, parts, "enter"))
            self.end.append(self._with_parts(record, parts, "exit"))
        elif parts:  # until the function, or the block, is left in any way
            rows, named = self._rows(record, parts, "")
            at_end = "__attribute__((cleanup(tsk_acc_undeclare), unused))"
            last = f"struct tsk_declared tsk_q{self.number()} {at_end} = {{{named}}};"
            self.call(directive, f"{rows} tsk_acc_enter({named}, TSK_ACC_NOW); {last}")
