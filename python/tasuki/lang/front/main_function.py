"""The program's own main under another name, so that the run time can begin and end around it.

call = take_main(names.functions, tree, edits)     # the text of tsk_call_main(c, v, e); "" without a main
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.front.edits import Edits
from tasuki.lang.front.parse import Tree


def take_main(functions: list[c_ast.FuncDef], tree: Tree, edits: Edits) -> str:
    """Renames main, and gives a function that calls it with what the run time has."""
    for function in functions:
        if function.decl.name != "main":
            continue
        every = tree.tokens.every
        at = next(i for i in range(*tree.span_of(function.decl.type)) if every[i].value == "main")
        edits.replace(at, at, "tsk_own_main")
        edits.before(tree.span_of(function.body)[1], "return 0; " if not _is_void(function) else "")
        args = function.decl.type.args
        count = len(args.params) if args else 0
        if count == 1 and isinstance(args.params[0], c_ast.Typename):
            count = 0  # (void)
        given = ", ".join(["c", "v", "e"][:count])
        call = f"tsk_own_main({given}); return 0;" if _is_void(function) else f"return tsk_own_main({given});"
        return (
            f"static int tsk_call_main(int c, char **v, char **e) {{ (void)c; (void)v; (void)e; {call} }}\n"
        )
    return ""


def _is_void(function: c_ast.FuncDef) -> bool:
    """Whether a function returns nothing, as some mains do."""
    returns = function.decl.type.type
    kind = returns.type if isinstance(returns, c_ast.TypeDecl) else None
    return isinstance(kind, c_ast.IdentifierType) and kind.names == ["void"]
