"""Names of sources that may stand in one unit (cmake/TasukiUnity.cmake) are their own; no unit is compiled.

units.py FILE    each line of FILE: the sources of a room, or of a program of tests

Which sources stand together changes with each new one, so a name that two of a room give to two things is a
fault also where they stand apart today. Read are unnamed namespaces, as clang-format lays them out. Overloads
are no fault.
"""

from __future__ import annotations

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


def main() -> int:
    groups = [line.split() for line in Path(sys.argv[1]).read_text().splitlines() if line]
    assert len(groups) > 10, "no rooms are listed"
    wrong = [line for group in groups for line in faults([Path(name) for name in group])]
    for line in wrong:
        print(f"{line}: one unit may hold both, so name one of them otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
