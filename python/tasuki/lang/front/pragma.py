"""Reads a directive's tokens: words, names, C expressions, and lists in either bracket form.

`name(a, b)` counts dimensions as Fortran does, nodes from 1, and its ranges are lower:upper; `name[a][b]`
counts
them as C does, nodes from 0, and its ranges are start:length. A `Dims` is always in C's order, the slowest
dimension first, and remembers which form it had.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from pycparser import c_ast

from tasuki.lang.front.diagnose import Place, Wrong
from tasuki.lang.front.parse import Directive, Tree, parse_expression
from tasuki.lang.front.tokens import Spot


@dataclass
class Item:
    """One dimension of a list: an expression, lo:hi:step (each may be missing), or "*"."""

    at: Spot
    star: bool = False
    colon: bool = False
    first: c_ast.Node | None = None
    second: c_ast.Node | None = None
    step: c_ast.Node | None = None

    @property
    def all(self) -> bool:
        """Whether it is a bare ":"."""
        return self.colon and self.first is None and self.second is None


@dataclass
class Dims:
    """A list of dimensions in C's order."""

    items: list[Item]
    round: bool
    at: Spot

    def __len__(self) -> int:
        return len(self.items)


@dataclass
class Ref:
    """`p[0][:]`, `t(i, *)`: a name of nodes or of a template, with or without dimensions."""

    name: Spot
    dims: Dims | None = None


@dataclass
class Names:
    """What stands behind "::", or in parentheses."""

    tokens: list[Spot] = field(default_factory=list)


class Cursor:
    """Walks along a directive's tokens."""

    def __init__(self, tree: Tree, directive: Directive, types: set[str]) -> None:
        self.tree, self.directive, self.types = tree, directive, types
        self.tokens = directive.tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """The next word in lower case, or nothing at the end."""
        return self.raw(ahead).lower()

    def raw(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.tokens[index].value if index < len(self.tokens) else ""

    @property
    def token(self) -> Spot:
        """The next token; at the end the last one."""
        if not self.tokens:
            return self.directive.at
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    @property
    def done(self) -> bool:
        return self.at >= len(self.tokens)

    def place(self, token: Spot | None = None) -> Place:
        return self.tree.tokens.place(token or self.token)

    def wrong(self, what: str, mend: str, token: Spot | None = None) -> NoReturn:
        raise Wrong(self.place(token), what, mend)

    def take(self) -> Spot:
        token = self.token
        self.at += 1
        return token

    def accept(self, *words: str) -> bool:
        """Steps over these words where they come next."""
        if all(self.peek(ahead) == word for ahead, word in enumerate(words)):
            self.at += len(words)
            return True
        return False

    def expect(self, word: str) -> Spot:
        if self.peek() != word:
            found = f"'{self.raw()}'" if not self.done else "the end of the directive"
            self.wrong(f"'{word}' is missing before {found}", f"write '{word}' here")
        return self.take()

    def name(self, what: str) -> Spot:
        if self.done or not (self.raw()[0].isalpha() or self.raw()[0] == "_"):
            self.wrong(f"the name of {what} is missing", f"name {what} here")
        found = self.take()
        while self.peek() == "." and (self.raw(1)[:1].isalpha() or self.raw(1)[:1] == "_"):  # a member
            self.take()
            found = replace(found, value=f"{found.value}.{self.take().value}")
        return found

    def end(self) -> None:
        if not self.done:
            self.wrong(f"'{self.raw()}' is not expected here", "leave it out, or see docs/lang/directives.md")

    def expression(self) -> c_ast.Node:
        """A C expression."""
        if self.done:
            self.wrong("an expression is missing", "write one here")
        node, taken = parse_expression(self.tree, self.tokens[self.at :], self.types)
        self.at += taken
        return node

    def choose(self, what: str, known: Iterable[str]) -> NoReturn:
        """The next word is none of those that are known."""
        near = difflib.get_close_matches(self.peek(), list(known), 1, 0.4)
        mend = f"did you mean '{near[0]}'?" if near else f"choose one of {', '.join(sorted(known))}"
        self.wrong(f"'{self.raw()}' is no {what}", mend)

    def item(self, closers: Sequence[str]) -> Item:
        """One dimension, up to a closer or comma."""
        item = Item(self.token)
        if self.peek() == "*" and self.peek(1) in closers:
            self.take()
            item.star = True
            return item
        if self.peek() not in (":", "::"):
            item.first = self.expression()
        if self.accept("::"):
            item.colon = True
            item.step = self.expression()
            return item
        if self.accept(":"):
            item.colon = True
            if self.peek() not in (":", *closers):
                item.second = self.expression()
            if self.accept(":"):
                item.step = self.expression()
        return item

    def dims(self, what: str) -> Dims:
        """A list in either form, at least one long."""
        at = self.token
        if self.peek() == "[":
            items = []
            while self.accept("["):
                items.append(self.item(("]",)))
                self.expect("]")
            return Dims(items, False, at)
        if self.accept("("):
            items = [self.item((",", ")"))]
            while self.accept(","):
                items.append(self.item((",", ")")))
            self.expect(")")
            return Dims(items[::-1], True, at)
        return self.wrong(f"the list of {what} is missing", "write it as [a][b] or (b, a)")

    def has_dims(self) -> bool:
        return self.peek() in ("[", "(")

    def ref(self) -> Ref:
        """A name of nodes or of a template with its dimensions, if any."""
        name = self.name("nodes or of a template")
        return Ref(name, self.dims("subscripts") if self.has_dims() else None)

    def names(self, what: str) -> list[Spot]:
        """name, name, .."""
        found = [self.name(what)]
        while self.accept(","):
            found.append(self.name(what))
        return found

    def expressions(self) -> list[c_ast.Node]:
        """expression, expression, .."""
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found
