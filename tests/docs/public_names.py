"""Every public name of the public headers has an entry in the API reference that doxygen has made.

public_names.py [ROOT] reads the headers of docs/site/Doxyfile by itself, counts their names, and prints
those that build/api lacks. What stands in namespace detail is not public.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
from names import names as described  # noqa: E402

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|::|[^\s\w]')
TYPE = re.compile(r"^(?:class|struct|union|enum(?: class| struct)?) (\w+)")
ALIAS = re.compile(r"^using (\w+) =")
FUNCTION = re.compile(r"(operator ?[^\w\s(]+|operator ?\( ?\)|\b[A-Za-z_]\w*) ?\(")
VARIABLE = re.compile(r"\b(\w+) ?(?:\[[^]]*\] ?)?(?:=|\{|;|$)")


def plain(text: str) -> str:
    """The text without comments and the preprocessor's lines."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def without_template(words: str) -> str:
    while words.startswith("template <"):
        depth, at = 0, 9
        while True:
            depth += {"<": 1, ">": -1}.get(words[at], 0)
            at += 1
            if depth == 0:
                break
        words = words[at:].strip()
        words = re.sub(r"^requires .*?(?=(?:class|struct|inline|constexpr|auto|void|bool) )", "", words)
    return words


def name_of(statement: str, ends: bool) -> str:
    """The name that a declaration at namespace scope gives, or nothing. It `ends` there, or has a body."""
    words = without_template(re.sub(r"\s+", " ", statement).strip())
    words = re.sub(r"^(?:inline |constexpr |extern |static |\[\[\w+\]\] )+", "", words)
    for pattern in (TYPE, ALIAS):
        found = pattern.match(words)
        if found:
            return "" if found.end() == len(words) and ends else found[1]  # declared elsewhere
    if not words or words.startswith(("using ", "friend ", "static_assert", "template", "namespace")):
        return ""
    function = FUNCTION.search(words)
    if function and "=" not in words[: function.start()].replace("operator=", ""):
        member = words[: function.start()].rstrip().endswith("::")  # of a class that has an entry
        return "" if member else function[1].replace(" ", "")
    variable = VARIABLE.search(words)
    return variable[1] if variable else ""


def declared(text: str) -> set[str]:
    """The names at the scope of namespaces, but for those in detail, of a header."""
    found, statement = set(), ""
    spaces: list[str] = []  # of each open brace: the namespace it opens, or nothing
    for token in TOKEN.findall(plain(text)):
        inside = all(space and space != "detail" for space in spaces)
        if token == "{":
            space = re.search(r"namespace ([\w: ]+)$", statement.strip())
            if space:
                parts = space[1].replace(" ", "").split("::")
                spaces.append("detail" if "detail" in parts else parts[-1])
                statement = ""
                continue
            if inside and spaces and "=" not in statement:
                found.add(name_of(statement, ends=False))
                statement = "{}" if re.search(r"\b(class|struct|union|enum)\b", statement) else ""
            spaces.append("")
        elif token == "}":
            if spaces:
                spaces.pop()
        elif not inside:
            continue
        elif token == ";":
            if statement.strip() and not statement.startswith("{}"):
                found.add(name_of(statement, ends=True))
            statement = ""
        else:
            statement += f" {token}" if token not in ("::",) else token
    return found - {""}


def main() -> int:
    doxyfile = (ROOT / "docs/site/Doxyfile").read_text()
    headers = re.findall(r"tasuki/\S+\.hpp", doxyfile[: doxyfile.index("FULL_PATH_NAMES")])
    faults = []
    for header in re.findall(r"#include <(\S+)>", (ROOT / "tasuki/tasuki.hpp").read_text()):
        if header not in headers:
            faults.append(f"{header} is included by tasuki.hpp and is not in docs/site/Doxyfile")
    known = {entry.name.rpartition("::")[2] for entry in described(ROOT / "build/api/xml")}
    count = 0
    for header in headers:
        text = (ROOT / header).read_text()
        wanted = declared(text) | set(re.findall(r"^[ \t]*#[ \t]*define (TS_\w+)", text, re.M))
        count += len(wanted)
        faults += [f"{header}: {name} has no entry" for name in sorted(wanted - known)]
    if count < 120:
        faults.append(f"only {count} names in {len(headers)} headers")
    print("\n".join(faults) or f"{count} public names in {len(headers)} headers, an entry each")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
