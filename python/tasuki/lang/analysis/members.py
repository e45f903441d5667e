"""Distributed arrays that are members of structs.

    struct field { int n; double a[N]; };
    #pragma xmp align field.a[i] with t[i]
    struct field f;                            // f.a is distributed, f.n is a variable of each node

`align` and `shadow` name a member by the struct's tag, or by a typedef's name; all else names it by a
variable. Each variable of the file that has the type has an array of its own, of the name `f.a`: from then
on, `f.a` in the text is one name, of a variable like others.
"""

from __future__ import annotations

import copy

from pycparser import c_ast

from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.parse import Tree
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Names, Scope, Variable, descend


def members_of(tree: Tree, names: Names, scope: Scope, name: Spot) -> list[Variable]:
    """The arrays that `tag.member` means; none where the name is of another kind."""
    tag, _, member = name.value.partition(".")
    if not member or isinstance(scope.find(tag), Variable):
        return []
    struct = _struct(tree, scope, tag)
    if struct is None:
        return []
    field = next((decl for decl in struct.decls if decl.name == member), None)
    if field is None or not isinstance(field.type, c_ast.ArrayDecl):
        what = f"struct {tag} has no array {member}"
        raise Wrong(tree.tokens.place(name), what, "name one of its members")
    found = [each for each in names.variable.values() if _is_of(each, struct, tree, scope)]
    known = names.file.names
    for each in found:
        _refuse_values(tree, each, struct, field)
    return [known.get(f"{each.name}.{member}") or _fused(tree, names, each, field) for each in found]


def _struct(tree: Tree, scope: Scope, tag: str) -> c_ast.Struct | None:
    named = scope.find(tag)
    if isinstance(named, c_ast.Typedef) and isinstance(getattr(named.type, "type", None), c_ast.Struct):
        named = named.type.type
        if named.decls:
            return named
        tag = named.name
    for node in descend(tree.unit):
        if isinstance(node, c_ast.Struct) and node.name == tag and node.decls:
            return node
    return None


def _is_of(variable: Variable, struct: c_ast.Struct, tree: Tree, scope: Scope) -> bool:
    """Whether a variable has the type; one that cannot have distributed members is an error."""
    kind: c_ast.Node = variable.decl.type
    while isinstance(kind, (c_ast.ArrayDecl, c_ast.PtrDecl, c_ast.TypeDecl)):
        kind = kind.type
    if isinstance(kind, c_ast.IdentifierType):
        named = scope.find(kind.names[-1])
        kind = getattr(named.type, "type", named.type) if isinstance(named, c_ast.Typedef) else kind
    if not isinstance(kind, c_ast.Struct) or (kind is not struct and kind.name != struct.name):
        return False
    if kind.name is None and kind is not struct:
        return False
    plain = isinstance(variable.decl.type, c_ast.TypeDecl)
    if plain and variable.scope.is_file and not variable.is_parameter:
        return True
    at = tree.tokens.place(tree.first(variable.decl.type))
    shape = "an array or a pointer" if not plain else "of a function"
    what = f"{variable.name} is {shape}, and its type has distributed members"
    raise Wrong(at, what, "declare variables of this type in the file, one by one")


def _refuse_values(tree: Tree, owner: Variable, struct: c_ast.Struct, field: c_ast.Decl) -> None:
    """Distributed arrays are set in loops, members too."""
    given = getattr(owner.decl.init, "exprs", ())
    at = struct.decls.index(field)
    named = [each.name[0].name for each in given if isinstance(each, c_ast.NamedInitializer)]
    if field.name in named or (not named and len(given) > at):
        what = f"{owner.name}.{field.name} is distributed and has initial values"
        raise Wrong(tree.tokens.place(tree.first(owner.decl.init)), what, "set them in a loop")


def _fused(tree: Tree, names: Names, owner: Variable, field: c_ast.Decl) -> Variable:
    """The member of a variable as a variable of its own, and its uses as names of it."""
    decl = copy.copy(field)
    decl.storage = owner.storage
    tree.whole[decl] = tree.whole[owner.decl]
    made = Variable(f"{owner.name}.{field.name}", decl, owner.scope)
    names.file.names[made.name] = made
    for node in [node for node, used in names.use.items() if used is owner]:
        inner = names.parent.get(node)
        if not isinstance(inner, c_ast.StructRef) or inner.type != "." or inner.name is not node:
            what = f"{owner.name} is used as a whole, and {made.name} is distributed"
            raise Wrong(tree.tokens.place(tree.first(node)), what, "name its members one by one")
        if inner.field.name == field.name:
            name = c_ast.ID(made.name, node.coord)
            tree.span[name] = tree.span_of(inner)
            names.use[name] = made
            del names.use[node]
            _replace(names, inner, name)
    return made


def _replace(names: Names, old: c_ast.Node, new: c_ast.Node) -> None:
    """Puts a node where another was."""
    parent = names.parent[old]
    names.parent[new] = parent
    for slot in {*getattr(parent, "__slots__", ()), *getattr(parent, "__dict__", ())} - {"__weakref__"}:
        value = getattr(parent, slot)
        if value is old:
            setattr(parent, slot, new)
        elif isinstance(value, list):
            value[:] = [new if each is old else each for each in value]
