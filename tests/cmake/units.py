"""Names of sources that may stand in one unit (cmake/TasukiUnity.cmake) are their own; no unit is compiled.

units.py FILE    each line of FILE: the sources of a room, or of a program of tests

Which sources stand together changes with each new one, so a name that two of a room give to two things is a
fault also where they stand apart today; so is one that a source gives to a type of its own, where a header of
another source of the room names another type so. Read are unnamed namespaces, as clang-format lays them out.
Overloads are no fault.
"""

from __future__ import annotations

import functools
import re
import sys
from collections import defaultdict
from pathlib import Path

TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)[^;(]*$")
CONSTANT = re.compile(
    r"(?:inline |static |thread_local )*(?:constexpr|const|std::[\w:<>, ]+) "
    r"[^()=]*?\b(\w+)(?:\[\w*\])* ?[={;]"
)
FUNCTION = re.compile(r"(?:[\w:<>,&*\[\] ]+?[ *&])(\w+)\((.*)")
NOT_A_FUNCTION = ("return", "using", "template", "TEST", "INSTANTIATE", "static_assert", "typedef", "friend")
ALIAS = re.compile(r"using (\w+) =")
INCLUDE = re.compile(
    r'^#include (?:<((?:tasuki|remote|tests|lang|apps|tools)/[^>]+)>|"([^"]+)")', re.MULTILINE
)
ROOT = Path(__file__).resolve().parents[2]


def meaning(line: str) -> tuple[str, str, str] | None:
    """The name that a line of a namespace gives, its kind, and the parameters by which overloads differ."""
    if found := TYPE.match(line):
        return found[1], "a type", ""
    if line.startswith(NOT_A_FUNCTION):
        return None
    if found := CONSTANT.match(line):
        return found[1], "a variable", ""
    if found := FUNCTION.match(line):
        return found[1], "a function", re.sub(r"\s*\b\w+(?=[,)])", "", found[2].partition("{")[0]).strip()
    return None


def names(text: str) -> set[tuple[str, str, str]]:
    """What a source names in its unnamed namespaces."""
    found, inside = set(), False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            inside = True
        elif line == "} // namespace":
            inside = False
        elif inside and line and line[0] not in " \t/#}*" and (named := meaning(line)):
            found.add(named)
    return found


def faults(sources: list[Path]) -> list[str]:
    """The names that two sources give to two things."""
    places: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for source in sources:
        for name, kind, parameters in names(source.read_text(encoding="utf-8")):
            places[name, kind, parameters].append(source.name)
            kinds[name].setdefault(kind, source.name)
    lines = [
        f"{name} is {kind} in {' and '.join(sorted(where))}"
        for (name, kind, _), where in places.items()
        if len(where) > 1
    ]
    for name, its in kinds.items():
        if len(its) > 1:
            lines.append(
                f"{name} is " + ", ".join(f"{kind} in {where}" for kind, where in sorted(its.items()))
            )
    return sorted(lines)


@functools.cache
def included(source: Path) -> frozenset[Path]:
    """The project's headers that a source has, by other headers too."""
    found: set[Path] = set()
    left = [source]
    while left:
        path = left.pop()
        for by_root, beside in INCLUDE.findall(path.read_text(encoding="utf-8")):
            header = ROOT / by_root if by_root else path.parent / beside
            if header.is_file() and (header := header.resolve()) not in found:
                found.add(header)
                left.append(header)
    return frozenset(found)


@functools.cache
def types(header: Path) -> frozenset[tuple[str, str]]:
    """The types that a header defines, each with its namespace."""
    found, inside = set(), []
    for line in header.read_text(encoding="utf-8").splitlines():
        if line.startswith("namespace ") and line.endswith("{"):
            inside.append(line.split()[1])
        elif line.startswith("} // namespace") and inside:
            inside.pop()
        elif line.endswith("{") and (named := TYPE.match(line)):
            found.add(("::".join(inside), named[1]))
    return frozenset(found)


@functools.cache
def words(header: Path) -> frozenset[str]:
    """What a header names outside of comments."""
    code = re.sub(r"//.*", "", header.read_text(encoding="utf-8"))
    return frozenset(re.findall(r"\w+", code))


def hidden(sources: list[Path]) -> list[str]:
    """A source's own types that hide others from headers that come behind it in a unit, and not with it."""
    lines = set()
    for source in sources:
        text = source.read_text(encoding="utf-8")
        spaces = set(re.findall(r"namespace (tasuki[\w:]*)", text))
        own = {name for name, kind, _ in names(text) if kind == "a type"}
        own |= {named[1] for line in text.splitlines() if (named := ALIAS.match(line))}
        for other in sources:
            if not own or other == source:
                continue
            mine, its = included(source), included(other)
            named = {name for header in mine | its for space, name in types(header) if space in spaces}
            for header in its - mine:
                for name in own & named & words(header):
                    lines.add(f"{name} is a type of {source.name} and another in {header.name}")
    return sorted(lines)


def main() -> int:
    groups = [line.split() for line in Path(sys.argv[1]).read_text().splitlines() if line]
    assert len(groups) > 10, "no rooms are listed"
    sources = [[Path(name) for name in group] for group in groups]
    wrong = [line for group in sources for line in (*faults(group), *hidden(group))]
    for line in wrong:
        print(f"{line}: one unit may hold both, so name one of them otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
