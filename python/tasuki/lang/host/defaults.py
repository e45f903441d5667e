"""The clause `default` of OpenACC: what becomes of an array that a region uses and none of its clauses names.

    #pragma acc data copyin(a)
    {
    #pragma acc parallel loop default(none)     // error: b is named nowhere
    for (..) b[i] = a[i];

`none`: that is an error. `present`: it has to be on the device. Else it is copied where it is not there.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.acc import Acc


class Defaults:
    """Which one counts for each region of a unit."""

    def __init__(self, m: Meaning) -> None:
        self.m = m
        self._data: dict[c_ast.Node, list[Acc]] = {}  # by the statement behind
        self._declared: set[str] = set()
        for directive, records in m.records.items():
            for record in records:
                if isinstance(record, Acc) and record.name == "data":
                    self._data.setdefault(m.names.next.get(directive), []).append(record)
                elif isinstance(record, Acc) and record.name == "declare":
                    self._declared |= {part.name.value for _, part in record.data}

    def of(self, record: Acc, statement: c_ast.Node) -> str:
        """That of the region itself, or of the innermost data region around it which has one."""
        found = [record.default, *(each.default for each in self._around(statement))]
        return next((each for each in found if each), "")

    def listed_around(self, statement: c_ast.Node) -> set[str]:
        """What data regions around a statement name, and `declare`."""
        return self._declared | {part.name.value for data in self._around(statement) for _, part in data.data}

    def _around(self, statement: c_ast.Node) -> list[Acc]:
        found, each = [], self.m.names.parent.get(statement)
        while each is not None:
            found += self._data.get(each, [])
            each = self.m.names.parent.get(each)
        return found
