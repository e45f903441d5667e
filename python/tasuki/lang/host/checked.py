"""`--check`: each use of a distributed array asks the run time whether this rank holds what it means.

    u[j][i] = u[j-1][i]
    ->  ((double *)tsk_a_u.at)[tsk_check("a.c:9:5", &tsk_a_u, TSK_WRITES, 2, (long[]){j, i})] = ..

The run time also notes what is read and written, and holds it together at the next reflect: see
lang/runtime/track.hpp. Rows are not hoisted then, and loops run in order.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front import forms


def access(m: Meaning, use: Use) -> str:
    """What is done with an element: TSK_READS, TSK_WRITES, both, or TSK_NAMES where that is not known."""
    if not use.complete:
        return "TSK_NAMES"
    node = use.node
    parent = m.names.parent.get(node)
    while isinstance(parent, (c_ast.StructRef, c_ast.ArrayRef)) and parent.name is node:
        node, parent = parent, m.names.parent.get(parent)
    if isinstance(parent, c_ast.Assignment) and parent.lvalue is node:
        return "TSK_WRITES" if parent.op == "=" else "TSK_READS | TSK_WRITES"
    if isinstance(parent, c_ast.UnaryOp) and parent.op in ("++", "--", "p++", "p--"):
        return "TSK_READS | TSK_WRITES"
    if isinstance(parent, c_ast.UnaryOp) and parent.op in ("&", "sizeof"):
        return "TSK_NAMES"
    return "TSK_READS"


def place(text: Text, use: Use) -> str:
    """The call that says where an element lies, in elements from `at`; ends the run where it is not here."""
    where = text.where(text.m.tree.first(use.name))
    subs = ", ".join(text.expr(sub) for sub in use.subs)
    how = access(text.m, use)
    return f"tsk_check({where}, &{use.array.name}, {how}, {len(use.subs)}, (long[]){{{subs}}})"


def mark_copies(m: Meaning) -> None:
    """Notes which arrays have copies that are compared: of numbers without padding, and no parts of a sum."""
    summed = {
        m.names.scope[directive].find(item.variable.value)
        for directive, records in m.records.items()
        for record in records
        if isinstance(record, forms.Collective)
        for clause in record.reductions
        for item in clause.items
    }
    for variable, array in m.arrays.items():
        array.compares = variable not in summed and variable.basic() not in ("BYTES", "LDOUBLE")
