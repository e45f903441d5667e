"""The headers' plain comments, as doxygen wants to have them: filter.py HEADER prints the header.

A comment that stands right above a declaration, or behind one, is about it. The one at the head of a file is
about the file. Lines that are set in are an example.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

WHOLE = re.compile(r"^(\s*)//(?!/) ?(.*)$")
BEHIND = re.compile(r"^(\s*\S.*?)\s+// (.*)$")
CODE = re.compile(r"`[^`]*`")


def text(line: str) -> str:
    """A line of a comment, with nothing in it that doxygen takes for a command or a tag."""
    if line.startswith("  "):
        return "    " + line

    def plain(part: str) -> str:
        part = part.replace("\\", "\\\\").replace("@", "\\@").replace("#", "\\#")
        return part.replace("<", "&lt;").replace(">", "&gt;")

    out, last = [], 0
    for code in CODE.finditer(line):
        out += [plain(line[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*out, plain(line[last:])])


def filtered(lines: list[str]) -> list[str]:
    out: list[str] = []
    at = 0
    column = -1  # where the comment behind the line before begins
    while at < len(lines):
        line = lines[at]
        whole = WHOLE.match(line)
        if whole and column >= 0 and len(whole[1]) == column:  # it goes on
            out.append(f"{whole[1]}///< {text(whole[2])}")
            at += 1
            continue
        column = -1
        if whole:
            end = at
            while end < len(lines) and WHOLE.match(lines[end]):
                end += 1
            block = [WHOLE.match(other) for other in lines[at:end]]
            below = lines[end].strip() if end < len(lines) else ""
            if at == 0:
                out.append("/// \\file")
                out.append("///")
            about = at == 0 or (below and not below.startswith(("#if", "#include", "#endif", "}")))
            out += [f"{m[1]}///{' ' + text(m[2]) if m[2] else ''}" if about else m[0] for m in block]
            at = end
            continue
        behind = BEHIND.match(line)
        if behind and not line.lstrip().startswith("#") and '"' not in behind[2]:
            code, words = behind[1], text(behind[2].lstrip())
            if code.rstrip().endswith("{"):
                indent = code[: len(code) - len(code.lstrip())]
                line = f"{indent}/** {words} */ {code.lstrip()}"
            else:
                column = len(behind[0]) - len(behind[2]) - 3
                line = f"{code} ///< {words}"
        out.append(line)
        at += 1
    return out


def main() -> int:
    print("\n".join(filtered(Path(sys.argv[1]).read_text().splitlines())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
