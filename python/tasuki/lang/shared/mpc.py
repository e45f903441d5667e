"""MpC is C with `shared` before a declaration and a map behind a declarator.

    shared double a[N][N] ::[NPROCS][](0, NPROCS), b[N] ::[](0, 1);

    text, marks = blank(text)      # both blanked at equal length; where they were

A map says into how many parts each axis is cut, `[]` for one, and on which processes the parts lie: the
first, and how many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tasuki.lang.front.diagnose import Place, Wrong, column_of, line_of
from tasuki.lang.front.preprocess import CALL
from tasuki.lang.front.tokens import Spot, lex


@dataclass
class Map:
    """Parts of each axis, the first process and how many, as C text."""

    parts: list[str]
    first: str
    nodes: str
    start: int = 0
    end: int = 0  # in the text
    at: Place = field(default_factory=lambda: Place("", 1, 1))


@dataclass
class Marks:
    """Where `shared` and maps stood."""

    words: list[tuple[int, Place]] = field(default_factory=list)
    maps: list[Map] = field(default_factory=list)


def place(token: Spot) -> Place:
    """A token that the parser does not see, by what the user's line says."""
    line = line_of(Place(token.filename, token.lineno, 1))
    return Place(token.filename, token.lineno, column_of(line, token.value, 0) if line else token.column)


def _wrong(token: Spot, what: str, mend: str) -> Wrong:
    return Wrong(place(token), what, mend)


def read_map(tokens: list[Spot], at: int) -> tuple[Map, int]:
    """The map that begins with tokens[at], `::`, and the index behind it."""
    colons = tokens[at]
    parts: list[str] = []
    at += 1
    while at < len(tokens) and tokens[at].value == "[":
        text, at = _until(tokens, at, "]")
        parts.append(text)
    if at >= len(tokens) or tokens[at].value != "(":
        raise _wrong(
            colons, "this map does not say on which processes", "end it with (first process, how many)"
        )
    opening = at
    both, at = _until(tokens, at, ")")
    pair = _split(both)
    if len(pair) != 2 or not all(pair):
        raise _wrong(
            tokens[opening], "a map ends with two numbers", "write (first process, how many), as (0, NPROCS)"
        )
    return Map(parts, pair[0], pair[1], colons.start, tokens[at - 1].end, place(colons)), at


def _until(tokens: list[Spot], at: int, closer: str) -> tuple[str, int]:
    """The text between brackets, and the index behind them."""
    depth, words = 0, []
    for index in range(at, len(tokens)):
        value = tokens[index].value
        if value in "([{":
            depth += 1
        elif value in ")]}":
            depth -= 1
        if depth == 0:
            if value != closer:
                break
            return " ".join(words[1:]), index + 1
        if value == ";":
            break
        words.append(value)
    raise _wrong(tokens[at], "this bracket is not closed", f"write '{closer}'")


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for word in text.split():
        depth += (word in "([{") - (word in ")]}")
        if word == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] = f"{parts[-1]} {word}".strip()
    return parts


def blank(text: str) -> tuple[str, Marks]:
    """The text as C, and what was taken out of it."""
    tokens = _without_directives(lex(text))
    marks = Marks()
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.value == "::" and at + 1 < len(tokens) and tokens[at + 1].value in ("[", "("):
            found, at = read_map(tokens, at)
            marks.maps.append(found)
            continue
        follows = tokens[at + 1].value if at + 1 < len(tokens) else ""
        before = tokens[at - 1].value if at else ";"
        if token.value == "shared" and follows.isidentifier() and before not in ("struct", "union", "enum"):
            marks.words.append((token.start, place(token)))
        at += 1
    gone = [(start, start + len("shared")) for start, _ in marks.words]
    gone += [(each.start, each.end) for each in marks.maps]
    for start, end in gone:
        text = text[:start] + "".join(c if c == "\n" else " " for c in text[start:end]) + text[end:]
    return text, marks


def _without_directives(tokens: list[Spot]) -> list[Spot]:
    kept, depth, inside = [], 0, False
    for token in tokens:
        if token.type == "ID" and token.value.startswith(CALL):
            inside, depth = True, 0
        elif inside:
            depth += (token.value == "(") - (token.value == ")")
            inside = depth > 0
        elif token.type not in ("PPPRAGMA", "PPPRAGMASTR"):
            kept.append(token)
    return kept
