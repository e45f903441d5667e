"""Tokens of preprocessed C, each with its offsets in the text; GNU words are left out for the parser.

The text keeps everything, so the compiler behind still gets `__attribute__((aligned(64)))`: only the parser
does not see it, and no position moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pycparser.c_lexer import CLexer, Token

from tasuki.lang.front.diagnose import Place, Wrong, column_of, line_of
from tasuki.lang.front.preprocess import CALL

_AS = {  # GNU words that stand for words of C
    "__restrict": "RESTRICT",
    "__restrict__": "RESTRICT",
    "__inline": "INLINE",
    "__inline__": "INLINE",
    "__const": "CONST",
    "__const__": "CONST",
    "__volatile__": "VOLATILE",
    "__volatile": "VOLATILE",
    "__signed__": "SIGNED",
    "__signed": "SIGNED",
    "__complex__": "_COMPLEX",
    "__builtin_va_list": "INT",
    "__builtin_offsetof": "OFFSETOF",
    "__thread": "_THREAD_LOCAL",
    "__alignof__": "_ALIGNOF",
    "__auto_type": "INT",
    "_Float128": "DOUBLE",
    "__float128": "DOUBLE",
    "_Float16": "FLOAT",
    "_Float32": "FLOAT",
    "_Float64": "DOUBLE",
    "_Float32x": "DOUBLE",
    "_Float64x": "DOUBLE",
}
_DROPPED = {"__extension__", "__noreturn__"}
_DROPPED_WITH_ARGUMENTS = {"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__declspec"}
_IMAGINARY = re.compile(r"[ij][fl]?$|[fl][ij]$", re.IGNORECASE)
_TYPEOF = {"__typeof__", "__typeof", "typeof"}


@dataclass(slots=True)
class Spot(Token):
    """A token and where it lies in the text: text[start:end]."""

    start: int = 0
    end: int = 0
    inner: list[Spot] = field(default_factory=list)  # of a pragma: the tokens of its text
    index: int = -1  # in Tokens.every


class _Lexer(CLexer):
    def _make_token(self, tok_type: str, value: str, pos: int) -> Spot:
        column = pos - self._line_start + 1
        return Spot(tok_type, value, self._lineno, column, self._filename, pos, pos + len(value))


def lex(text: str) -> list[Spot]:
    """All tokens of a preprocessed text, pragmas as PPPRAGMA and PPPRAGMASTR."""

    def wrong(what: str, line: int, column: int) -> None:
        raise Wrong(Place(lexer.filename, line, column), what[:1].lower() + what[1:], "write C")

    lexer = _Lexer(wrong)
    lexer.input(re.sub(r"(?m)^#[ \t]*ident\b.*$", lambda match: " " * len(match[0]), text))
    found: list[Spot] = []
    while (token := lexer.token()) is not None:
        if (
            found
            and token.start == found[-1].end
            and _IMAGINARY.match(token.value)
            and "CONST" in found[-1].type
        ):
            found[-1].end = token.end  # 1.0iF of complex.h is one number
            continue
        found.append(token)
    return found


class Tokens:
    """The tokens of a text, as the parser is to see them.

    pragmas: words behind `#pragma` that become directives; other pragmas are left where they are, unseen."""

    def __init__(self, text: str, pragmas: tuple[str, ...]) -> None:
        self.text = text
        self._pragmas = pragmas
        self._lines: dict[int, list[Spot]] | None = None
        self.all = list(self._filtered(lex(text)))
        self.every = self.all + [inner for token in self.all for inner in token.inner]
        for index, token in enumerate(self.every):
            token.index = index

    def _filtered(self, raw: list[Spot]) -> Iterator[Spot]:
        at = 0
        while at < len(raw):
            token = raw[at]
            if token.type == "PPPRAGMA":
                token.start = self.text.rfind("#", 0, token.start + 1)
                at += 1
                if at < len(raw) and raw[at].type == "PPPRAGMASTR":
                    word, _, rest = raw[at].value.partition(" ")
                    if word in self._pragmas:
                        begin = raw[at].start + len(word) + 1 if rest else raw[at].end
                        yield from self._directive(token, raw[at].end, word, self._lex_part(begin, raw[at]))
                    at += 1
                continue
            if token.type != "ID":
                yield token
                at += 1
            elif token.value.startswith(CALL):
                end = _closing(raw, at + 1)
                yield from self._directive(token, raw[end].end, token.value[len(CALL) :], raw[at + 2 : end])
                at = end + 1
            elif token.value in _DROPPED:
                at += 1
            elif token.value in _DROPPED_WITH_ARGUMENTS:
                at += 1
                while at < len(raw) and raw[at].value in ("volatile", "__volatile__", "goto"):
                    at += 1
                if at < len(raw) and raw[at].type == "LPAREN":
                    at = _closing(raw, at) + 1
            elif token.value in _TYPEOF:
                token.type = "INT"  # a type, of which nothing is asked
                yield token
                at = _closing(raw, at + 1) + 1
            else:
                if not _is_declared(raw, at):
                    token.type = _AS.get(token.value, "ID")
                yield token
                at += 1

    def _lex_part(self, begin: int, whole: Spot) -> list[Spot]:
        part = lex(self.text[begin : whole.end])
        for token in part:
            token.start += begin
            token.end += begin
            token.lineno, token.filename = whole.lineno, whole.filename
        return part

    def _directive(self, at: Spot, end: int, word: str, inner: list[Spot]) -> Iterator[Spot]:
        for token in inner:
            token.type = _AS.get(token.value, token.type)
        yield Spot("PPPRAGMA", "pragma", at.lineno, at.column, at.filename, at.start, at.start)
        yield Spot("PPPRAGMASTR", word, at.lineno, at.column, at.filename, at.start, end, inner)

    def place(self, token: Spot) -> Place:
        """Where the user sees a token: among equal ones of its line, the one of the same number."""
        nth = sum(
            other.value == token.value and other.filename == token.filename and other.start < token.start
            for other in self._by_line().get(token.lineno, ())
        )
        line = line_of(Place(token.filename, token.lineno, 1))
        word = token.value.removeprefix(CALL)
        return Place(token.filename, token.lineno, column_of(line, word, nth) if line else token.column)

    def _by_line(self) -> dict[int, list[Spot]]:
        if self._lines is None:
            self._lines = {}
            for token in self.every:
                self._lines.setdefault(token.lineno, []).append(token)
        return self._lines


def _is_declared(tokens: list[Spot], at: int) -> bool:
    """Whether a typedef makes this name: of `_Float32`, in headers that clang reads."""
    if not tokens[at].value.lstrip("_").lower().startswith("float") or at + 1 == len(tokens):
        return False
    behind = tokens[at + 1]
    if behind.type != "SEMI" and behind.value not in _DROPPED_WITH_ARGUMENTS:
        return False
    while at > 0 and tokens[at - 1].type not in ("SEMI", "LBRACE", "RBRACE"):
        at -= 1
    return tokens[at].type == "TYPEDEF" or (at + 1 < len(tokens) and tokens[at + 1].type == "TYPEDEF")


def _closing(tokens: list[Spot], at: int) -> int:
    """Index of the parenthesis that closes the one at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].type == "LPAREN") - (tokens[index].type == "RPAREN")
        if depth == 0:
            return index
    opening = tokens[at]
    raise Wrong(
        Place(opening.filename, opening.lineno, opening.column),
        "this parenthesis is not closed",
        "close it on the same line",
    )


def in_one_line(text: str) -> str:
    """A piece of text without its line ends and line markers."""
    return re.sub(r"\s+", " ", re.sub(r"(?m)^#.*$", "", text)).strip()
