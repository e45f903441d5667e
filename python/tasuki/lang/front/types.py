"""Scopes and types of a C program: which declaration a name means, and what a variable is made of.

names = resolve(tree)
names.use[id_node]            # the Variable that it means, where it is one of the program's
names.scope[directive]        # where a directive stands
names.next[directive]         # the statement or declaration behind it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from pycparser import c_ast

from tasuki.lang.front.parse import Directive, Tree

_BASIC = {
    "char": "CHAR", "signed char": "SCHAR", "unsigned char": "UCHAR", "short": "SHORT",
    "unsigned short": "USHORT", "int": "INT", "signed": "INT", "unsigned": "UINT", "unsigned int": "UINT",
    "long": "LONG", "unsigned long": "ULONG", "long long": "LLONG", "unsigned long long": "ULLONG",
    "_Bool": "BOOL", "float": "FLOAT", "double": "DOUBLE", "long double": "LDOUBLE",
    "_Complex float": "FLOAT_COMPLEX", "_Complex double": "DOUBLE_COMPLEX",
}  # fmt: skip


@dataclass(eq=False)
class Scope:
    """A file, a function, or a block; `function` is the one around it."""

    parent: Scope | None
    node: c_ast.Node
    function: c_ast.FuncDef | None = None
    names: dict[str, Variable | c_ast.Typedef | int] = field(default_factory=dict)  # int: an enumerator
    things: dict[str, object] = field(default_factory=dict)  # of a dialect

    def find(self, name: str) -> Variable | c_ast.Typedef | int | None:
        scope = self.that_has(name)
        return None if scope is None else scope.names[name]

    def that_has(self, name: str) -> Scope | None:
        """The scope that declares a name, this one or one around it."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope

    def thing(self, name: str) -> object | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.things:
                return scope.things[name]
            scope = scope.parent
        return None

    @property
    def is_file(self) -> bool:
        return self.parent is None


@dataclass(eq=False)
class Variable:
    """An object of the program: what it is called, what it is, where it was declared."""

    name: str
    decl: c_ast.Decl
    scope: Scope
    is_parameter: bool = False

    @property
    def storage(self) -> list[str]:
        return self.decl.storage or []

    def dims(self) -> list[c_ast.Node | None]:
        """Extents of an array, those of its typedef too."""
        return list(_array_dims(self.decl.type, self.scope))

    def pointer_dims(self) -> list[c_ast.Node | None] | None:
        """Extents behind the first of a pointer `T (*g)[N]`, or None."""
        if isinstance(self.decl.type, c_ast.PtrDecl):
            return list(_array_dims(self.decl.type.type, self.scope))
        return None

    def is_address(self) -> bool:
        """Whether it is a pointer, as a parameter that is written as an array is one too."""
        return self.pointer_dims() is not None or (self.is_parameter and bool(self.dims()))

    def is_function(self) -> bool:
        return isinstance(self.decl.type, c_ast.FuncDecl)

    def basic(self) -> str:
        """The name in TSK_.. of its innermost type; BYTES where that is no number."""
        return basic_of(_innermost(self.decl.type), self.scope)

    def element(self) -> str:
        """C's words for the type of an element of it, behind all array dimensions and at most one pointer
        to them.
        """
        node: c_ast.Node = self.decl.type
        if isinstance(node, c_ast.PtrDecl):
            node = node.type
        while isinstance(node, c_ast.ArrayDecl):
            node = node.type
        return type_text(node, self.scope)


def _array_dims(node: c_ast.Node, scope: Scope) -> Iterator[c_ast.Node | None]:
    while isinstance(node, c_ast.ArrayDecl):
        yield node.dim
        node = node.type
    if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        named, where = _typedef(node.type, scope)
        if named is not None:
            yield from _array_dims(named.type, where)


def _typedef(base: c_ast.IdentifierType, scope: Scope) -> tuple[c_ast.Typedef | None, Scope]:
    """The typedef that a type names, and its scope: names in it may mean something else here."""
    where = scope.that_has(base.names[-1])
    named = None if where is None else where.names[base.names[-1]]
    return (named, where) if isinstance(named, c_ast.Typedef) else (None, scope)


def _innermost(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, (c_ast.ArrayDecl, c_ast.PtrDecl)):
        node = node.type
    return node


def type_text(node: c_ast.Node, scope: Scope) -> str:
    """C's words for a type without array dimensions: `struct cell *`."""
    if isinstance(node, c_ast.PtrDecl):
        return f"{type_text(node.type, scope)} *"
    base = node.type if isinstance(node, c_ast.TypeDecl) else node
    if isinstance(base, c_ast.IdentifierType):
        named, where = _typedef(base, scope)
        if named is not None and isinstance(named.type, c_ast.ArrayDecl):
            return type_text(_innermost(named.type), where)
        return " ".join(base.names)
    if isinstance(base, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
        return f"{type(base).__name__.lower()} {base.name or ''}".strip()
    return "void"


def basic_of(node: c_ast.Node, scope: Scope) -> str:
    base = node.type if isinstance(node, c_ast.TypeDecl) else node
    if isinstance(base, c_ast.Enum):
        return "INT"
    if not isinstance(base, c_ast.IdentifierType):
        return "BYTES"
    named, where = _typedef(base, scope)
    if named is not None:
        return basic_of(_innermost(named.type), where)
    return _BASIC.get(normal(base.names), "BYTES")


def normal(names: list[str]) -> str:
    """The words of a basic type in one order, without what may be left out."""
    words = sorted(names, key=lambda word: (word not in ("unsigned", "signed", "_Complex"), word != "long"))
    if "signed" in words and "char" not in words and len(words) > 1:
        words.remove("signed")
    if "int" in words and len(words) > 1 and words != ["unsigned", "int"]:
        words.remove("int")
    return " ".join(words)


@dataclass
class Names:
    """What names mean in a translation unit."""

    file: Scope
    use: dict[c_ast.ID, Variable] = field(default_factory=dict)
    scope: dict[c_ast.Node, Scope] = field(default_factory=dict)
    next: dict[Directive, c_ast.Node] = field(default_factory=dict)
    variable: dict[c_ast.Decl, Variable] = field(default_factory=dict)
    directives: list[Directive] = field(default_factory=list)
    parent: dict[c_ast.Node, c_ast.Node] = field(default_factory=dict)
    typedefs: set[str] = field(default_factory=set)
    functions: list[c_ast.FuncDef] = field(default_factory=list)


class _Walk:
    def __init__(self, tree: Tree) -> None:
        self.scope = Scope(None, tree.unit)
        self.names = Names(self.scope)

    def inside(self, node: c_ast.Node) -> Scope:
        return Scope(self.scope, node, self.scope.function)

    def items(self, items: list[c_ast.Node], parent: c_ast.Node) -> None:
        waiting: list[Directive] = []
        for item in items:
            self.names.parent[item] = parent
            if isinstance(item, Directive):
                waiting.append(item)
            else:
                self.names.next |= dict.fromkeys(waiting, item)
                waiting = []
            self.visit(item)

    def declare(self, decl: c_ast.Decl, is_parameter: bool = False) -> None:
        if decl.name is None:
            return
        variable = Variable(decl.name, decl, self.scope, is_parameter)
        before = self.scope.names.get(decl.name)
        if not (isinstance(before, Variable) and variable.is_function() and before.is_function()):
            self.scope.names[decl.name] = variable
        self.names.variable[decl] = variable

    def visit(self, node: c_ast.Node | None) -> None:
        if node is None:
            return
        match node:
            case Directive():
                self.names.scope[node] = self.scope
                self.names.directives.append(node)
            case c_ast.FileAST():
                self.items(node.ext, node)
            case c_ast.FuncDef():
                self.declare(node.decl)
                self.names.functions.append(node)
                outer, self.scope = self.scope, Scope(self.scope, node, node)
                args = getattr(node.decl.type, "args", None)
                for param in args.params if args else ():
                    if isinstance(param, c_ast.Decl):
                        self.declare(param, True)
                        self.visit(param.type)
                for param in node.param_decls or ():
                    if isinstance(param, c_ast.Decl):
                        self.declare(param, True)
                self.names.scope[node.body] = self.scope
                self.names.parent[node.body] = node
                self.items(node.body.block_items or [], node.body)
                self.scope = outer
            case c_ast.Compound():
                outer, self.scope = self.scope, self.inside(node)
                self.names.scope[node] = self.scope
                self.items(node.block_items or [], node)
                self.scope = outer
            case c_ast.For():
                outer, self.scope = self.scope, self.inside(node)
                self.names.scope[node] = self.scope
                self.children(node)
                self.scope = outer
            case c_ast.Decl():
                self.visit(node.type)
                self.declare(node)
                if node.init is not None:
                    self.names.parent[node.init] = node
                self.visit(node.init)
            case c_ast.Typedef():
                self.visit(node.type)
                self.scope.names[node.name] = node
                self.names.typedefs.add(node.name)
            case c_ast.Enum():
                self.enumerate(node)
            case c_ast.Struct() | c_ast.Union() | c_ast.FuncDecl():
                return
            case c_ast.StructRef():
                self.names.parent[node.name] = node
                self.visit(node.name)
            case c_ast.NamedInitializer():
                self.visit(node.expr)
            case c_ast.ID():
                found = self.scope.find(node.name)
                if isinstance(found, Variable):
                    self.names.use[node] = found
                elif isinstance(found, int):
                    _ENUMERATED[node] = found
            case _:
                self.children(node)

    def enumerate(self, node: c_ast.Enum) -> None:
        """Values of enumerators, as far as they are constants of the text."""
        value: int | None = -1
        for each in node.values.enumerators if node.values is not None else ():
            if each.value is not None:
                self.visit(each.value)
                value = constant(each.value)
            elif value is not None:
                value += 1
            if value is not None:
                self.scope.names[each.name] = value
            else:
                self.scope.names.pop(each.name, None)

    def children(self, node: c_ast.Node) -> None:
        for _, child in node.children():
            self.names.parent[child] = node
            self.visit(child)


def resolve(tree: Tree) -> Names:
    """Walks a unit once, in the order of its text."""
    walk = _Walk(tree)
    walk.visit(tree.unit)
    return walk.names


def resolve_expression(names: Names, node: c_ast.Node, scope: Scope) -> None:
    """Names in an expression of a directive, seen from where the directive stands."""
    for each in descend(node):
        for _, child in each.children():
            names.parent[child] = each
        if isinstance(each, c_ast.ID):
            found = scope.find(each.name)
            if isinstance(found, Variable):
                names.use[each] = found


def descend(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """A node and all below it, fields of structs left out."""
    todo = [] if node is None else [node]
    while todo:
        each = todo.pop()
        yield each
        if isinstance(each, c_ast.StructRef):
            todo.append(each.name)
        else:
            todo += [child for _, child in reversed(each.children())]


_ENUMERATED: WeakKeyDictionary[c_ast.ID, int] = WeakKeyDictionary()  # names of enumerators, in their scope


def constant(node: c_ast.Node | None, scope: Scope | None = None) -> int | None:
    """The value of an expression of integers, where the compiler's text alone gives it."""
    if isinstance(node, c_ast.Constant) and "int" in node.type:
        return (
            int(node.value.rstrip("uUlL") or "0", 0)
            if not _octal(node.value)
            else int(node.value.rstrip("uUlL"), 8)
        )
    if isinstance(node, c_ast.ID):
        return _ENUMERATED.get(node)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("-", "+"):
        value = constant(node.expr, scope)
        return None if value is None else -value if node.op == "-" else value
    if isinstance(node, c_ast.BinaryOp):
        left, right = constant(node.left, scope), constant(node.right, scope)
        if left is None or right is None:
            return None
        if node.op in ("/", "%"):
            if right == 0:
                return None
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if node.op == "/" else left - quotient * right
        steps = {"+": left + right, "-": left - right, "*": left * right}
        return steps.get(node.op)
    return None


def _octal(text: str) -> bool:
    digits = text.rstrip("uUlL")
    return len(digits) > 1 and digits[0] == "0" and digits.isdigit()
