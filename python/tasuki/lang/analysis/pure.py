"""Functions that compute a value and do nothing else: a loop that calls them may be done in any order.

why_not_pure(m, "limit", uses)   # "", or what it does beside

Those of C's library are in a list. A function of the file is one if all that it sets are variables of its
own, if it uses no pointer and no distributed array, and if it calls only such functions. It may read the
variables of the file: a loop that sets one of these is kept in order for that.
"""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from tasuki.lang.analysis.bodies import writes
from tasuki.lang.analysis.counted import root_id
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, descend

_LIBRARY = {
    "acos", "asin", "atan", "atan2", "cbrt", "ceil",
    "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
    "fabs", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "round",
    "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "lround", "rint",
}  # fmt: skip
LIBRARY = _LIBRARY | {f"{name}f" for name in _LIBRARY} | {"abs", "labs"}


def why_not_pure(
    m: Meaning, name: str, uses: Mapping[c_ast.ID, object], callers: tuple[str, ...] = ()
) -> str:
    if name in LIBRARY:
        return ""
    function = next((each for each in m.names.functions if each.decl.name == name), None)
    if function is None:
        return f"it calls {name}"
    if name in callers:
        return f"it calls {name}, which calls itself"
    for node in descend(function.body):
        if isinstance(node, Directive) or (isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&")):
            return f"it calls {name}, which has a {'directive' if isinstance(node, Directive) else 'pointer'}"
        if isinstance(node, c_ast.FuncCall):
            called = node.name.name if isinstance(node.name, c_ast.ID) else ""
            if not called or why_not_pure(m, called, uses, (*callers, name)):
                return f"it calls {name}, which calls {called or 'by a pointer'}"
        if isinstance(node, c_ast.ID):
            variable = m.names.use.get(node)
            if variable is not None and (variable.is_address() or node in uses or _is_volatile(variable)):
                return f"it calls {name}, which uses {node.name}"
    for _, target in writes(function.body):
        written = m.names.use.get(root_id(target))
        if written is None or not is_local(written):
            return f"it calls {name}, which sets {written.name if written else 'something'}"
    return ""


def is_local(variable: Variable) -> bool:
    return not variable.scope.is_file and not {"static", "extern"} & set(variable.storage)


def _is_volatile(variable: Variable) -> bool:
    return any("volatile" in (getattr(node, "quals", None) or ()) for node in descend(variable.decl))
