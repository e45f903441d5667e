"""A text with replacements in it: what no edit names goes through byte by byte, and every line keeps its
number.

    edits.replace(first, last, lambda: "..")     # tokens by their index in tokens.every
    edits.before(first, "{ "); edits.after(last, " }", first)
    edits.whole()

A replacement is made when it is asked for, and may render what is inside of what it replaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tasuki.lang.front.tokens import Tokens, in_one_line

_MARKER = re.compile(r"(?m)^#.*\n")


@dataclass(eq=False)
class _Replacement:
    first: int
    last: int
    make: Callable[[], str]


class Edits:
    """All changes to one text."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._replaced: dict[int, list[_Replacement]] = {}
        self._before: dict[int, list[Callable[[], str] | str]] = {}
        self._after: dict[int, list[tuple[int, int, str]]] = {}
        self._gaps: dict[int, str] = {}
        self._active: set[_Replacement] = set()
        self.tail = ""

    def replace(self, first: int, last: int, make: Callable[[], str] | str) -> None:
        """Puts what `make` says for the tokens first .. last. Of nested ones the outermost is asked, of
        equal ones the last.
        """
        call = (lambda: make) if isinstance(make, str) else make
        here = [other for other in self._replaced.get(first, ()) if other.last != last]
        self._replaced[first] = [*here, _Replacement(first, last, call)]

    def before(self, index: int, text: Callable[[], str] | str) -> None:
        """Text in front of a token; of several the one that was given first stands first."""
        self._before.setdefault(index, []).append(text)

    def after(self, index: int, text: str, since: int) -> None:
        """Text behind a token that closes what began at token `since`: of several the innermost stands
        first.
        """
        here = self._after.setdefault(index, [])
        here.append((-since, -len(here), text))
        here.sort()

    def gap_before(self, index: int) -> str:
        """What stands between a token and the one before it: blanks, line markers, pragmas of others."""
        every = self.tokens.every
        begin = every[index - 1].end if index else 0
        return self.tokens.text[begin : every[index].start]

    def rename_in_pragmas(self, names: dict[str, str]) -> None:
        """Variables in clauses of `#pragma omp` under the names that they have now."""
        if not names:
            return
        listed = "|".join(map(re.escape, names))
        word = re.compile(rf"\b({listed})\b(?=\s*[,)])")
        for index in range(len(self.tokens.all)):
            gap = self._gaps.get(index) or self.gap_before(index)
            if "#pragma" in gap:
                lines = gap.split("\n")
                for at, line in enumerate(lines):
                    if line.lstrip().startswith("#pragma omp"):
                        lines[at] = word.sub(lambda match: names[match[1]], line)
                self._gaps[index] = "\n".join(lines)

    def move_pragmas(self, index: int) -> str:
        """Takes others' pragmas away from in front of a token, and gives them back as lines."""
        gap = self.gap_before(index)
        pragmas = re.findall(r"(?m)^[ \t]*#[ \t]*pragma.*$", gap)
        if not pragmas:
            return ""
        self._gaps[index] = f"\n{self.marker(index)}"
        return "\n" + "\n".join(pragmas) + f"\n{self.marker(index)}"

    def marker(self, index: int) -> str:
        """The line on which a `#` line of ours ends, so that the next one has the user's number."""
        token = self.tokens.every[index]
        return f'# {token.lineno} "{token.filename}"\n'

    def inline(self, first: int, last: int) -> str:
        """Tokens first .. last, edited, in one line."""
        return self._render(first, last, True)

    def lines(self, first: int, last: int) -> str:
        """Tokens first .. last, edited, with their lines."""
        return self._render(first, last, False)

    def whole(self) -> str:
        """The text with all edits."""
        tokens = self.tokens.all
        if not tokens:
            return self.tokens.text + self.tail
        head = self.tokens.text[: tokens[0].start]
        rest = self.tokens.text[tokens[-1].end :]
        text = head + self._render(0, len(tokens) - 1, False) + rest
        return text + ("" if text.endswith("\n") else "\n") + self.tail

    def _render(self, first: int, last: int, inline: bool) -> str:
        every, text = self.tokens.every, self.tokens.text
        out: list[str] = []
        index = first
        while index <= last:
            token = every[index]
            if index > first:
                gap = self._gaps.get(index, text[every[index - 1].end : token.start])
                if inline and gap:
                    gap = in_one_line(gap) or " "
                out.append(gap)
            out += [piece if isinstance(piece, str) else piece() for piece in self._before.get(index, ())]
            chosen = self._choose(index, last)
            if chosen is None:
                out.append(text[token.start : token.end])
                end = index
            else:
                self._active.add(chosen)
                made = chosen.make()
                self._active.discard(chosen)
                end = chosen.last
                out.append(made)
                if not inline:
                    out.append(self._lines_of(token.start, end, made))
            out += [piece for _, _, piece in self._after.get(end, ())]
            index = end + 1
        return "".join(out)

    def _choose(self, index: int, last: int) -> _Replacement | None:
        fitting = [r for r in self._replaced.get(index, ()) if r.last <= last and r not in self._active]
        return max(fitting, key=lambda r: r.last, default=None)

    def _lines_of(self, start: int, last: int, made: str) -> str:
        """Line ends that the replaced text had and the new one has not."""
        old = self.tokens.text[start : self.tokens.every[last].end]
        if _MARKER.search(old) or (_MARKER.search(made) and "\n" in old):
            following = self.tokens.every[last]
            return f'\n# {following.lineno} "{following.filename}"\n'
        return "\n" * max(old.count("\n") - made.count("\n"), 0)
