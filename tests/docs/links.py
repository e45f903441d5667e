"""Every relative link of README and pages leads to a file that is there, and every anchor to a heading.

links.py [ROOT] prints the links that do not, and ends with 0 where there is none. Nothing is fetched.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(
    r"!?\[(?:[^][]|\[[^][]*\])*\]\(\s*<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)?)>?(?:\s+\"[^\"]*\")?\s*\)"
)
REFERENCE = re.compile(r"^\s{0,3}\[[^]]+\]:\s+<?(\S+?)>?(?:\s|$)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# Made by `make docs`, whose strict mode looks at it.
MADE = ("reference.md",)


def prose(page: Path) -> list[tuple[int, str]]:
    """The lines of a page outside of its blocks of code, and their numbers."""
    lines, fence = [], ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        found = FENCE.match(line)
        if fence:
            if found and line.strip().startswith(fence):
                fence = ""
        elif found:
            fence = found[1]
        else:
            lines.append((number, line))
    return lines


def slug(heading: str) -> str:
    """The anchor of a heading: its words in small letters, with hyphens between them."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[*`]", "", text).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    """All anchors of a page; of a heading that comes again, `-1`, `-2` ..."""
    found: set[str] = set()
    for _, line in prose(page):
        heading = HEADING.match(line)
        if heading:
            name = own = slug(heading[1])
            count = 0
            while name in found:
                count += 1
                name = f"{own}-{count}"
            found.add(name)
        found |= set(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return found


def links(page: Path) -> list[tuple[int, str]]:
    found = []
    for number, line in prose(page):
        plain = CODE.sub(lambda code: "x" * len(code[0]), line)
        found += [(number, link) for link in LINK.findall(plain)]
        reference = REFERENCE.match(plain)
        if reference:
            found.append((number, reference[1]))
    return found


def fault(page: Path, link: str, known: dict[Path, set[str]]) -> str:
    """What is wrong with a link, or nothing."""
    path, _, anchor = link.partition("#")
    target = (page.parent / unquote(path)).resolve() if path else page.resolve()
    if any(part in path for part in MADE):
        return ""
    if not target.exists():
        return "no such file"
    if anchor and target.suffix == ".md":
        if target not in known:
            known[target] = anchors(target)
        if anchor not in known[target]:
            return f"no such heading; there are {', '.join(sorted(known[target]))}"
    return ""


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    pages = [
        *sorted(root.glob("*.md")),
        *sorted(root.glob("docs/**/*.md")),
        *sorted(root.glob("examples/**/*.md")),
    ]
    known: dict[Path, set[str]] = {}
    seen = found = 0
    for page in pages:
        for number, link in links(page):
            if ELSEWHERE.match(link):
                continue
            seen += 1
            what = fault(page, link, known)
            if what:
                print(f"{page.relative_to(root)}:{number}: {link}: {what}")
                found += 1
    if seen < 50:
        print(f"only {seen} links in {len(pages)} pages of {root}")
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
