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


def meaning(line: str) -> tuple[str, str] | None:
    """The name that a line of a namespace gives, and to what: two functions differ by their parameters."""
    if found := TYPE.match(line):
        return found[1], "a type"
    if line.startswith(NOT_A_FUNCTION):
        return None
    if found := CONSTANT.match(line):
        return found[1], "a variable"
    if found := FUNCTION.match(line):
        parameters = re.sub(r"\s*\b\w+(?=[,)])", "", found[2].partition("{")[0])
        return found[1], f"a function ({parameters.strip()}"
    return None


def names(text: str) -> set[tuple[str, str]]:
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
    by_name: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for source in sources:
        for name, what in names(source.read_text(encoding="utf-8")):
            by_name[name][what].append(source.name)
    lines = []
    for name, meanings in sorted(by_name.items()):
        lines += [
            f"{name} is {what.partition(' (')[0]} in {' and '.join(sorted(where))}"
            for what, where in meanings.items()
            if len(where) > 1
        ]
        kinds = {what.partition(" (")[0]: where[0] for what, where in meanings.items()}
        if len(kinds) > 1:
            lines.append(
                f"{name} is " + ", ".join(f"{kind} in {where}" for kind, where in sorted(kinds.items()))
            )
    return lines


def main() -> int:
    groups = [line.split() for line in Path(sys.argv[1]).read_text().splitlines() if line]
    assert len(groups) > 10, "no rooms are listed"
    wrong = [line for group in groups for line in faults([Path(name) for name in group])]
    for line in wrong:
        print(f"{line}: one unit may hold both, so name one of them otherwise")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
