"""Writes every whole C++ program that stands in a page to a file of its own, named by page and line.

snippets.py PAGES_ROOT OUT PAGE...

Prints the names, a line each, without ``.cpp``. A file whose program has not changed is left alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FENCE = re.compile(r"^\s*(```+|~~~+)\s*(\w*)")


def programs(page: Path) -> Iterator[tuple[int, str]]:
    """The line of each block of C++ that has a main, and its text."""
    fence, language, first, lines = "", "", 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        found = FENCE.match(line)
        if not fence:
            if found:
                fence, language, first, lines = found[1], found[2], number + 1, []
        elif line.strip() == fence:
            if language in ("cpp", "c++", "cuda") and any("int main" in part for part in lines):
                yield first, "\n".join(lines) + "\n"
            fence = ""
        else:
            lines.append(line)
    if fence:
        raise SystemExit(f"{page}:{first - 1}: this block has no end")


def name_of(page: Path, root: Path) -> str:
    """A page's name in the names of its programs."""
    return re.sub(r"\W+", "_", str(page.relative_to(root).with_suffix("")))


def main() -> int:
    root, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for page in map(Path, sys.argv[3:]):
        name = name_of(page, root)
        for line, text in programs(page):
            path = out / f"{name}_{line}.cpp"
            text = f'#line {line} "{page.relative_to(root)}"\n{text}'
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
            print(path.stem)
    return 0


if __name__ == "__main__":
    sys.exit(main())
