"""C and what is not C, to pycparser's tree, each node with its span of tokens.

    tree = parse(Tokens(text, ("xmp", "acc")))
    first, last = tree.span[node]        # indices into tokens.every; tree.whole[statement] has its semicolon

Beside C: sections `a[0:n:2]`, `a[:]`; codimensions `int a[N]:[*]`; coindexed `a[3]:[1]`. Pragmas become
`Directive` nodes that hold their tokens.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import CParser, _TokenStream

from tasuki.lang.front.diagnose import Place, Wrong
from tasuki.lang.front.tokens import Spot, Tokens

_STATEMENTS = {
    "_parse_statement",
    "_parse_pppragma_directive",
    "_parse_expression_statement",
    "_parse_pragmacomp_or_statement",
    "_parse_block_item",
    "_parse_declaration",
    "_parse_external_declaration",
    "_parse_struct_declaration",
    "_parse_labeled_statement",
}


class Section(c_ast.Node):
    """lo:len:step inside brackets; each may be None."""

    attr_names = ()

    def __init__(self, first: Any, count: Any, step: Any, coord: Any = None) -> None:  # noqa: ANN401
        self.first, self.count, self.step, self.coord = first, count, step, coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        parts = (("first", self.first), ("count", self.count), ("step", self.step))
        return tuple((name, node) for name, node in parts if node is not None)


class Coindexed(c_ast.Node):
    """expr:[k][l]: of another image."""

    attr_names = ()

    def __init__(self, expr: c_ast.Node, indices: list[c_ast.Node], coord: Any = None) -> None:  # noqa: ANN401
        self.expr, self.indices, self.coord = expr, indices, coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("expr", self.expr), *((f"index{i}", node) for i, node in enumerate(self.indices)))


class Directive(c_ast.Pragma):
    """A pragma: its word (xmp, acc, tasuki) and the tokens behind it."""

    def __init__(self, word: str, tokens: list[Spot], at: Spot, coord: Any = None) -> None:  # noqa: ANN401
        super().__init__(" ".join([word, *(token.value for token in tokens)]), coord)
        self.word, self.tokens, self.at = word, tokens, at


class Tree:
    """A translation unit: its tokens, its nodes' spans, and what its pragmas added."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.span: dict[c_ast.Node, tuple[int, int]] = {}
        self.whole: dict[c_ast.Node, tuple[int, int]] = {}
        self.codims: dict[c_ast.Node, list[c_ast.Node | None]] = {}
        self.unit = c_ast.FileAST([])

    def first(self, node: c_ast.Node) -> Spot:
        """The token that a node begins with."""
        span = self.span_of(node)
        return self.tokens.every[span[0]]

    def span_of(self, node: c_ast.Node) -> tuple[int, int]:
        """First and last token of an expression; inner ones of a chain `a[i][j]`, `a + b + c` from their
        parts.
        """
        if node in self.span:
            return self.span[node]
        if isinstance(node, (c_ast.BinaryOp, c_ast.Assignment)):
            left = node.left if isinstance(node, c_ast.BinaryOp) else node.lvalue
            right = node.right if isinstance(node, c_ast.BinaryOp) else node.rvalue
            return self.span_of(left)[0], self.span_of(right)[1]
        if isinstance(node, c_ast.ArrayRef):
            return self.span_of(node.name)[0], self.span_of(node.subscript)[1] + 1
        if isinstance(node, c_ast.StructRef):
            begin = self.span_of(node.name)[0]
            at = self.span_of(node.name)[1]
            return begin, at + 2
        if isinstance(node, c_ast.FuncCall):
            end = self.span_of(node.args)[1] + 1 if node.args else self.span_of(node.name)[1] + 2
            return self.span_of(node.name)[0], end
        if isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--"):
            begin, end = self.span_of(node.expr)
            return begin, end + 1
        return self.whole[node]


def _spanned(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def with_span(self: Parser, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        first = self._mark()
        lhs = args[1] if name == "_parse_binary_expression" and len(args) > 1 else None
        made = method(self, *args, **kwargs)
        buffer, last = self._tokens._buffer, self._mark() - 1
        if last < first or name == "_parse_block_item_list":  # its items have spans of their own
            return made
        spans = self.found.whole if name in _STATEMENTS else self.found.span
        begin = buffer[first].index if lhs is None else self.found.span[lhs][0]
        for node in made if type(made) is list else (made,):
            if isinstance(node, c_ast.Node):
                spans[node] = (begin, buffer[last].index)
        return made

    return with_span


class Parser(CParser):
    """pycparser 3.12 over a list of tokens, with spans and with what the dialects add to C."""

    def __init__(self, tokens: Tokens, types: set[str] | None = None, part: list[Spot] | None = None) -> None:
        super().__init__()
        self.source = tokens
        self.found = Tree(tokens)
        self._scope_stack = [dict.fromkeys(types or (), True)]
        rest = iter(tokens.all if part is None else part)
        self._tokens = _TokenStream(lambda: next(rest, None))

    def tree(self) -> Tree:
        self.found.unit = self._parse_translation_unit_or_empty()
        if (token := self._peek()) is not None:
            self._parse_error(f"before: {token.value}", self._tok_coord(token))
        return self.found

    def _parse_error(self, msg: str, coord: Any) -> Any:  # noqa: ANN401
        seen = [token for token in self._tokens._buffer[: max(self._mark(), 1)] if token is not None]
        if not seen:
            raise Wrong(Place(str(coord), 1, 1), "there is no C here", "write some")
        token = seen[-1]
        what = (
            "this is not C"
            if msg.startswith(("before: ", "Invalid expression"))
            else msg[:1].lower() + msg[1:]
        )
        raise Wrong(self.source.place(token), f"{what} (at '{token.value}')", "see what stands before it")

    def _parse_pppragma_directive(self) -> c_ast.Node:
        self._expect("PPPRAGMA")
        token = self._expect("PPPRAGMASTR")
        return Directive(token.value, token.inner, token, self._tok_coord(token))

    def _parse_statement(self) -> c_ast.Node:
        if [self._peek_type(ahead) for ahead in (1, 2, 3)] == ["ID", "COLON", "LBRACKET"]:
            return self._parse_expression_statement()  # no label: nothing of C begins with a bracket
        return super()._parse_statement()

    def _parse_postfix_expression(self) -> c_ast.Node:
        expr = super()._parse_postfix_expression()
        while self._peek_type() == "COLON" and self._peek_type(2) == "LBRACKET":
            self._advance()
            indices = []
            while self._accept("LBRACKET"):
                indices.append(self._parse_expression())
                self._expect("RBRACKET")
            expr = Coindexed(expr, indices, expr.coord)
            for kind, op in (("PLUSPLUS", "p++"), ("MINUSMINUS", "p--")):
                if self._accept(kind):
                    return c_ast.UnaryOp(op, expr, expr.coord)
        return expr

    def _parse_expression(self) -> c_ast.Node:
        """Also a section, where brackets hold one."""
        before = self._tokens._buffer[self._mark() - 1] if self._mark() else None
        if before is None or before.type != "LBRACKET":
            return super()._parse_expression()
        first = None if self._peek_type() in ("COLON", "COLONCOLON") else super()._parse_expression()
        if self._peek_type() not in ("COLON", "COLONCOLON"):
            return first
        count = step = None
        if self._accept("COLONCOLON"):
            step = super()._parse_expression()
        else:
            self._advance()
            if self._peek_type() not in ("COLON", "RBRACKET"):
                count = super()._parse_expression()
            if self._accept("COLON"):
                step = super()._parse_expression()
        return Section(first, count, step, getattr(first, "coord", None))

    def _parse_decl_suffixes(self, decl: c_ast.Node) -> c_ast.Node:
        decl = super()._parse_decl_suffixes(decl)
        if self._peek_type() == "COLON" and self._peek_type(2) == "LBRACKET":
            self._advance()
            codims: list[c_ast.Node | None] = []
            while self._accept("LBRACKET"):
                if self._accept("TIMES"):
                    codims.append(None)
                else:
                    codims.append(self._parse_conditional_expression())
                self._expect("RBRACKET")
            self.found.codims[decl] = codims
        return decl


for _name in [name for name in dir(CParser) if name.startswith("_parse_") and name != "_parse_error"]:
    setattr(Parser, _name, _spanned(_name, getattr(Parser, _name)))


def parse(tokens: Tokens) -> Tree:
    """The tree of a translation unit; Wrong where it is no C."""
    return Parser(tokens).tree()


def parse_expression(tree: Tree, part: list[Spot], types: set[str]) -> tuple[c_ast.Node, int]:
    """The expression that a directive's tokens begin with, and how many of them it takes."""
    parser = Parser(tree.tokens, types, part)
    node = parser._parse_conditional_expression()
    tree.span |= parser.found.span
    return node, parser._mark()
