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
from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text, quoted
from tasuki.lang.analysis.things import Array
from tasuki.lang.front import forms
from tasuki.lang.front.acc import DATA, Acc, Part
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Scope, Variable, descend

_HINTS = ("loop", "atomic", "routine", "cache", "init", "shutdown", "set")


@dataclass(eq=False)
class Region:
    """A statement that runs on the device: what stands for each array in it."""

    base: dict[Array, str] = field(default_factory=dict)
    name: dict[Variable, str] = field(default_factory=dict)


class Accelerate:
    """Edits the directives of `acc`."""

    def __init__(self, text: Text, uses: dict[c_ast.ID, Use], number: Callable[[], int]) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.number = uses, number
        self.regions: dict[c_ast.Node, Region] = {}
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
            self._call(directive, self._with_parts(record, self._parts(record.data, scope), call))
        elif record.name == "update":
            self._update(directive, record, scope)
        elif record.name == "wait":
            record.numbers.setdefault("wait", [])
            self._call(directive, self._wait(record).rstrip())
        elif record.name == "host_data":
            self._host_data(directive, record, scope)
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

    def _close(self, directive: Directive, statement: c_ast.Node, text: str) -> None:
        self.edits.after(self.m.tree.whole[statement][1], text, self.m.tree.whole[directive][0])

    def _call(self, directive: Directive, text: str) -> None:
        self.edits.replace(*self.m.tree.whole[directive], text)

    def queue(self, record: Acc) -> str:
        """The queue that a directive names."""
        if "async" not in record.numbers:
            return "TSK_ACC_NOW"
        values = record.numbers["async"]
        return f"({self.text.expr(values[0])})" if values else "TSK_ACC_ANY"

    def _statement(self, directive: Directive) -> c_ast.Node:
        found = self.m.names.next.get(directive)
        if found is None:
            raise self.m.wrong(directive.at, "no statement stands behind this", "put it before a statement")
        return found

    def _parts(self, data: list[tuple[str, Part]], scope: Scope) -> list[str]:
        return [text for action, part in data if (text := self._part(f"TSK_ACC_{DATA[action]}", part, scope))]

    def _part(self, action: str, part: Part, scope: Scope) -> str:
        name = part.name.value
        variable = scope.find(name)
        if not isinstance(variable, Variable):
            raise self.m.wrong(part.name, f"{name} is not declared", "declare it before")
        head = f"{action}, {quoted(name)}"
        array = self.m.arrays.get(variable)
        if array is not None:
            return f"{{{head}, &{array.name}, 0, 0}}"
        is_pointer = variable.is_parameter or variable.pointer_dims() is not None
        if variable in self.m.coarrays:
            name = self.text.here(self.m.coarrays[variable])
        if not part.section:
            if not variable.dims() and not is_pointer:
                return ""  # loops run on the host's cores, and scalars stay where they are
            size = "0" if is_pointer else f"sizeof({name})"
            if is_pointer and action in (
                "TSK_ACC_COPY",
                "TSK_ACC_COPYIN",
                "TSK_ACC_COPYOUT",
                "TSK_ACC_CREATE",
            ):
                what = f"{name} is a pointer: how much it points to is not known"
                raise self.m.wrong(part.name, what, f"write {name}[0:n]")
            return f"{{{head}, 0, (void *){name}, {size}}}"
        first = part.section[0]
        low = self.text.expr(first.first) if first.first is not None else "0"
        if not first.colon:
            count = "1"
        elif first.second is not None:
            count = self.text.expr(first.second)
        elif variable.dims() and not is_pointer:
            count = f"(sizeof({name}) / sizeof({name}[0]) - ({low}))"
        else:
            raise self.m.wrong(first.at, f"{name} is a pointer: how much is meant", f"write {name}[0:n]")
        return f"{{{head}, 0, (void *)&{name}[{low}], (long)({count}) * (long)sizeof({name}[0])}}"

    def _with_parts(self, record: Acc, parts: list[str], call: str) -> str:
        if not parts:
            return ""
        name = f"tsk_q{self.number()}"
        args = f"{self.text.where(record.at)}, {self._count(record, parts)}, {name}, {self.queue(record)}"
        return f"{{ const struct tsk_part {name}[] = {{{', '.join(parts)}}}; tsk_acc_{call}({args}); }}"

    def _count(self, record: Acc, parts: list[str]) -> str:
        condition = record.numbers.get("if")
        return f"({self.text.expr(condition[0])}) ? {len(parts)} : 0" if condition else str(len(parts))

    def _data(self, directive: Directive, record: Acc, scope: Scope) -> None:
        head, tail = self._around(record, self._parts(record.data, scope))
        self._call(directive, f"{{ {head}")
        self._close(directive, self._statement(directive), f"{tail} }}")

    def _around(self, record: Acc, parts: list[str]) -> tuple[str, str]:
        if not parts:
            return "", ""
        name = f"tsk_q{self.number()}"
        args = f"{self.text.where(record.at)}, {self._count(record, parts)}, {name}, {self.queue(record)}"
        head = f"const struct tsk_part {name}[] = {{{', '.join(parts)}}}; tsk_acc_enter({args}); "
        return head, f" tsk_acc_exit({args});"

    def _update(self, directive: Directive, record: Acc, scope: Scope) -> None:
        calls = []
        for clause, to_device in (("host", 0), ("device", 1)):
            parts = self._parts([("present", part) for part in record.lists.get(clause, [])], scope)
            if not parts:
                continue
            name = f"tsk_q{self.number()}"
            head = f"const struct tsk_part {name}[] = {{{', '.join(parts)}}};"
            rest = f"{int('if_present' in record.flags)}, {self.queue(record)}"
            where = self.text.where(record.at)
            count = self._count(record, parts)
            calls.append(f"{{ {head} tsk_acc_update({where}, {to_device}, {count}, {name}, {rest}); }}")
        if not record.lists:
            raise self.m.wrong(record.at, "update names nothing", "write host(a) or device(a)")
        self._call(directive, f"{{ {' '.join(calls)} }}")

    def _compute(self, directive: Directive, record: Acc, scope: Scope) -> None:
        statement = self._statement(directive)
        region = Region()
        self.regions[statement] = region
        self.computes.append((directive, record, statement, region))
        private = {p.name.value for key in ("private", "firstprivate") for p in record.lists.get(key, [])}
        private |= {part.name.value for _, part in record.reductions} | self._summed(statement)
        parts = self._parts(record.data, scope)
        listed = {part.name.value for _, part in record.data}
        pointers = []
        where = self.text.where(record.at)
        inside = {node.name for node in descend(statement) if isinstance(node, c_ast.Decl)}
        for node in descend(statement):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None or variable.is_function() or variable.name in inside | private:
                continue
            array = self.m.arrays.get(variable)
            if array is not None and array not in region.base:
                if variable.name not in listed:
                    parts.append(f"{{TSK_ACC_COPY, {quoted(variable.name)}, &{array.name}, 0, 0}}")
                region.base[array] = f"tsk_d{self.number()}"
                pointers.append(
                    f"char *const {region.base[array]} = (char *)tsk_acc_at({where}, &{array.name}); "
                )
            elif array is None and variable not in region.name:
                pointers += self._plain(region, variable, listed, parts, where)
        for node in descend(statement):
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable in region.name:
                self.edits.replace(*self.m.tree.span_of(node), region.name[variable])
        head, tail = self._around(record, parts)
        self._call(directive, f"{{ {self._wait(record)}{head}{''.join(pointers)}")
        self._close(directive, statement, f"{tail} }}")

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
        self, region: Region, variable: Variable, listed: set[str], parts: list[str], where: str
    ) -> list[str]:
        """An array or pointer of the program's own that a region uses."""
        name = variable.name
        is_pointer = variable.pointer_dims() is not None or (variable.is_parameter and variable.dims())
        if not is_pointer and not variable.dims():
            return []
        local = f"tsk_d{self.number()}"
        said = name
        if variable in self.m.coarrays:
            name = self.text.here(self.m.coarrays[variable])
        if is_pointer:
            region.name[variable] = local
            address = f"tsk_acc_address({where}, {quoted(name)}, (void *){name})"
            return [f"__typeof__({name}) const {local} = (__typeof__({name})){address}; "]
        if said not in listed:
            parts.append(f"{{TSK_ACC_COPY, {quoted(said)}, 0, (void *){name}, sizeof({name})}}")
        region.name[variable] = f"(*{local})"
        address = f"tsk_acc_address({where}, {quoted(said)}, (void *){name})"
        return [f"__typeof__({name}) *const {local} = (__typeof__({name}) *){address}; "]

    def _host_data(self, directive: Directive, record: Acc, scope: Scope) -> None:
        statement = self._statement(directive)
        where = self.text.where(record.at)
        region = Region()
        self.regions[statement] = region
        heads = []
        for part in record.lists.get("use_device", []):
            name = part.name.value
            variable = scope.find(name)
            if not isinstance(variable, Variable):
                raise self.m.wrong(part.name, f"{name} is not declared", "declare it before")
            array = self.m.arrays.get(variable)
            local = f"tsk_d{self.number()}"
            if array is not None:
                region.base[array] = f"tsk_d{self.number()}"
                heads.append(
                    f"char *const {region.base[array]} = (char *)tsk_acc_at({where}, &{array.name}); "
                )
                start = f"tsk_acc_address({where}, {quoted(name)}, {array.name}.start)"
                heads.append(f"{variable.element()} *const {local} = ({variable.element()} *){start}; ")
            else:
                if variable in self.m.coarrays:
                    name = self.text.here(self.m.coarrays[variable])
                address = f"tsk_acc_address({where}, {quoted(part.name.value)}, (void *){name})"
                heads.append(f"__typeof__(&{name}[0]) const {local} = (__typeof__(&{name}[0])){address}; ")
            for node in descend(statement):
                if isinstance(node, c_ast.ID) and self.m.names.use.get(node) is variable:
                    use = self.uses.get(node)
                    if use is None or not use.subs:
                        self.edits.replace(*self.m.tree.span_of(node), local)
                        self.uses.pop(node, None)
        # Who is lent an address does not know on which stream the last kernel is.
        self._call(directive, f"{{ tsk_acc_wait({where}, 0, 0); {''.join(heads)}")
        self._close(directive, statement, " }")

    def _declare(self, directive: Directive, record: Acc, scope: Scope) -> None:
        if not scope.is_file:
            raise self.m.wrong(record.at, "acc declare stands in a function", "use `acc data` there")
        parts = self._parts([entry for entry in record.data if entry[0] != "deviceptr"], scope)
        self._call(directive, "")
        if parts:
            self.make.append(self._with_parts(record, parts, "enter"))
            self.end.append(self._with_parts(record, parts, "exit"))
