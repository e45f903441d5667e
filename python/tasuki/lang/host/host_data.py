"""`host_data use_device(a)`: in a statement, names stand for addresses of the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pycparser import c_ast

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text, quoted
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Scope, descend
from tasuki.lang.host.parts import Parts
from tasuki.lang.host.regions import Region


class Regions(Protocol):
    """What edits the directives of a file: `Accelerate`."""

    text: Text
    m: Meaning
    parts: Parts
    regions: dict[c_ast.Node, Region]
    uses: dict[c_ast.ID, Use]
    number: Callable[[], int]

    def statement(self, directive: Directive) -> c_ast.Node: ...

    def condition(self, record: Acc) -> tuple[str, str]: ...

    def call(self, directive: Directive, text: str) -> None: ...

    def close(self, directive: Directive, statement: c_ast.Node, text: str) -> None: ...


def host_data(acc: Regions, directive: Directive, record: Acc, scope: Scope) -> None:
    """Edits one. By `if` and `if_present` the host's addresses may stay."""
    statement = acc.statement(directive)
    where = acc.text.where(record.at)
    region = Region()
    acc.regions[statement] = region
    condition, given = acc.condition(record)
    heads = [given]

    def chosen(address: str, host: str, start: str) -> str:
        """The device's address, or the host's where a clause says so."""
        asked = [condition] if condition else []
        if "if_present" in record.flags:
            asked.append(f"tsk_acc_present((void *){start}, 1)")
        return f"({' && '.join(asked)} ? (char *){address} : (char *){host})" if asked else address

    for part in record.lists.get("use_device", []):
        variable = acc.parts.named(part, scope).variable
        if variable is None:
            what = f"{part.name.value} is a member, in use_device"
            raise acc.m.wrong(part.name, what, "give it a pointer of its own before")
        name = acc.parts.here(variable)
        array = acc.m.arrays.get(variable)
        local = f"tsk_d{acc.number()}"
        if array is not None:
            region.base[array] = f"tsk_d{acc.number()}"
            first = f"{array.name}.start"
            base = chosen(f"tsk_acc_at({where}, &{array.name})", f"{array.name}.at", first)
            heads.append(f"char *const {region.base[array]} = (char *){base}; ")
            start = chosen(f"tsk_acc_address({where}, {quoted(variable.name)}, {first})", first, first)
            heads.append(f"{variable.element()} *const {local} = ({variable.element()} *){start}; ")
        elif variable.dims() or variable.is_address():
            address = f"tsk_acc_address({where}, {quoted(variable.name)}, (void *){name})"
            if variable.dims() and not variable.is_parameter:  # a part of it may be there
                address = f"tsk_acc_base({where}, {quoted(variable.name)}, (void *){name}, sizeof({name}))"
            address = chosen(address, name, name)
            heads.append(f"__typeof__(&{name}[0]) const {local} = (__typeof__(&{name}[0])){address}; ")
        else:  # a number may have no copy
            address = f"&{name}"
            if variable in acc.parts.twins:
                device = f"tsk_acc_address({where}, {quoted(variable.name)}, {address})"
                asked = f"tsk_acc_present({address}, 1)" + (f" && {condition}" if condition else "")
                address = f"({asked} ? (void *){device} : (void *){address})"
            heads.append(f"__typeof__({name}) *const {local} = {address}; ")
            local = f"(*{local})"
        for node in descend(statement):
            if isinstance(node, c_ast.ID) and acc.m.names.use.get(node) is variable:
                use = acc.uses.get(node)
                if use is None or not use.subs:
                    acc.text.edits.replace(*acc.m.tree.span_of(node), local)
                    acc.uses.pop(node, None)
    # Who is lent an address does not know on which stream the last kernel is.
    acc.call(directive, f"{{ tsk_acc_wait({where}, 0, 0); {''.join(heads)}")
    acc.close(directive, statement, " }")
