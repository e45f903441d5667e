"""Types and functions of the program's that its kernels name, as the CUDA file begins with them.

head = declarations(m, texts)      # struct cell { .. }; enum { .. }; typedef ..
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.types import descend
from tasuki.lang.kernels.cxx import cxx
from tasuki.lang.kernels.text import Body

_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(re.sub(r'(?m)^#.*$|"[^"\n]*"', "", text)))


def _defined(m: Meaning) -> list[tuple[set[str], c_ast.Node]]:
    """Type definitions of the file, in its order, each with the names that it brings."""
    found = []
    for item in m.tree.unit.ext:
        if isinstance(item, c_ast.Typedef):
            found.append(({item.name, *_brought(item)}, item))
        elif isinstance(item, (c_ast.Decl, c_ast.FuncDef)):
            decl = item if isinstance(item, c_ast.Decl) else item.decl
            found += [(names, node) for node in _everything(decl) if (names := _brought(node))]
    return found


def _everything(node: c_ast.Node) -> Iterable[c_ast.Node]:
    """The outermost types that a declaration defines."""
    has_fields = isinstance(node, (c_ast.Struct, c_ast.Union)) and node.decls is not None
    if has_fields or (isinstance(node, c_ast.Enum) and node.values is not None):
        yield node
    else:
        for _, child in node.children():
            yield from _everything(child)


def _brought(node: c_ast.Node) -> set[str]:
    names = set()
    for each in descend(node):
        if isinstance(each, (c_ast.Struct, c_ast.Union)) and each.decls is not None and each.name:
            names.add(each.name)
        elif isinstance(each, c_ast.Enum) and each.values is not None:
            names |= {each.name} if each.name else set()
            names |= {value.name for value in each.values.enumerators}
    return names


def declarations(m: Meaning, texts: list[str]) -> list[str]:
    """C++ of all types that the texts name, and of those that these name."""
    defined = _defined(m)
    made: dict[c_ast.Node, str] = {}
    wanted = set().union(*(_words(text) for text in texts))
    grows = True
    while grows:
        grows = False
        for names, node in defined:
            if node not in made and names & wanted and not any(n.startswith("tsk_") for n in names):
                made[node] = CGenerator().visit(node) + ";"
                wanted |= _words(made[node])
                grows = True
    lines = [made[node] for _, node in defined if node in made]
    return list(dict.fromkeys(_WORD.sub(lambda word: cxx(word[0]), line) for line in lines))


def routines(m: Meaning, uses: dict[c_ast.ID, Use], first: list[c_ast.FuncDef]) -> list[str]:
    """Functions that kernels call, and those that these call: declared, then defined."""
    todo, heads, texts = list(dict.fromkeys(first)), [], []
    for function in todo:  # it grows meanwhile
        for node in descend(function.body):
            variable = m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is not None and variable.scope.is_file and not variable.is_function():
                at = m.tree.tokens.every[m.tree.span_of(node)[0]]
                what = f"{node.name} is of the file, in a function that a kernel calls"
                raise m.wrong(at, what, "give it to the function as an argument")
        body = Body(m, uses, function.body, None)
        text = body.text()
        todo += [each for each in body.routines if each not in todo]
        kind = _without_lengths(function.decl.type)
        decl = c_ast.Decl(function.decl.name, [], [], [], [], kind, None, None)
        head = f"static __device__ {_WORD.sub(lambda word: cxx(word[0]), CGenerator().visit(decl))}"
        heads.append(f"{head};")
        texts.append(f"{head}\n{text}")
    return heads + texts


def _without_lengths(function: c_ast.FuncDecl) -> c_ast.FuncDecl:
    """The type of a function, with pointers for parameters that are written as arrays: `double a[n]`."""
    made = copy(function)
    if function.args is None:
        return made
    params = []
    for param in function.args.params:
        if isinstance(param, c_ast.Decl) and isinstance(param.type, c_ast.ArrayDecl):
            param = copy(param)
            param.type = c_ast.PtrDecl([], param.type.type)
        params.append(param)
    made.args = c_ast.ParamList(params)
    return made
