"""What is wrong with a program, where, and what to write instead.

laplace.c:12:20: error: u is not declared here
#pragma xmp align v[i] with t[i]
                  ^
mend: declare v before the directive that aligns it
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

MOST = 20


@dataclass(frozen=True)
class Place:
    """A token in the user's file: line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Finding:
    """One error, warning or note."""

    place: Place
    kind: str
    what: str
    mend: str = ""


class Wrong(Exception):
    """An error of the program that is translated."""

    def __init__(self, place: Place, what: str, mend: str) -> None:
        super().__init__(f"{place}: error: {what}")
        self.finding = Finding(place, "error", what, mend)


class TooMany(Exception):
    """Twenty errors were found: the rest follows from them as a rule."""


class Findings:
    """Collects what is found in one run, in the order of finding; the same thing once."""

    def __init__(self) -> None:
        self.all: list[Finding] = []

    def add(self, finding: Finding) -> None:
        if finding in self.all:
            return
        self.all.append(finding)
        if self.errors >= MOST:
            raise TooMany

    def error(self, place: Place, what: str, mend: str) -> None:
        self.add(Finding(place, "error", what, mend))

    def warning(self, place: Place, what: str, mend: str = "") -> None:
        self.add(Finding(place, "warning", what, mend))

    @property
    def errors(self) -> int:
        return sum(finding.kind == "error" for finding in self.all)

    def text(self) -> str:
        """What a person reads, on stderr."""
        return "".join(as_text(finding) for finding in self.all)

    def json(self) -> str:
        """What an editor reads: a list of objects with file, line, column, kind, what, mend."""
        return json.dumps(
            [{**asdict(f.place), "kind": f.kind, "what": f.what, "mend": f.mend} for f in self.all]
        )


def line_of(place: Place) -> str:
    """The user's line, or nothing where the file cannot be read."""
    try:
        lines = Path(place.file).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def as_text(finding: Finding) -> str:
    """A finding with its line and a caret under the token."""
    line = line_of(finding.place)
    text = f"{finding.place}: {finding.kind}: {finding.what}\n"
    if line:
        under = re.sub(r"[^\t]", " ", line[: finding.place.column - 1])
        text += f"{line}\n{under}^\n"
    if finding.mend:
        text += f"mend: {finding.mend}\n"
    return text


def column_of(line: str, word: str, nth: int) -> int:
    """Column of the nth (from 0) token `word` in a line of the user's; 1 past the indent where there is none.

    The preprocessor moves columns, so a token is found again by what it says."""
    pattern = rf"(?<![\w]){re.escape(word)}(?![\w])" if re.match(r"\w+$", word) else re.escape(word)
    found = [match.start() for match in re.finditer(pattern, line)]
    if found:
        return found[min(nth, len(found) - 1)] + 1
    return len(line) - len(line.lstrip()) + 1
