"""What `make docs` does beside MkDocs' own work: the API reference, and links that leave docs/.

Doxygen's pages stand at api/, and reference.md lists every public name, so that the site's search finds it. A
page's link to a file of the repository leads to a copy of it on the site.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
from names import names

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "build/api"
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^][]*\])*)\]\(([^()\s]+)\)")
KINDS = {"define": "macro", "typedef": "type"}
_outside: dict[str, File] = {}


def _reference() -> str:
    """The page of all public names."""
    rows = []
    for entry in names(API / "xml"):
        brief = entry.brief.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
        name = entry.name.removeprefix("tasuki::")
        kind = KINDS.get(entry.kind, entry.kind)
        rows.append(f"| [`{name}`](api/{entry.page}) | {kind} | `{entry.header}` | {brief} |")
    return (
        "# Names\n\nEvery name of the public headers, all of them in namespace `tasuki`. A program includes "
        "`<tasuki/tasuki.hpp>`; what is declared elsewhere names its own header here. Members stand on the "
        "page of their class.\n\n| name | kind | header | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what is generated."""
    if not (API / "html/index.html").is_file():
        raise SystemExit("tasuki: there is no API reference in build/api; call `make docs`")
    files.append(File.generated(config, "reference.md", content=_reference()))
    for path in sorted((API / "html").rglob("*")):
        if path.is_file():
            name = path.relative_to(API / "html").as_posix()
            files.append(File.generated(config, f"api/{name}", abs_src_path=str(path)))
    docs = Path(config["docs_dir"])
    for page in sorted(docs.rglob("*.md")):  # before pages are read, so that their links are known
        for _, _, link in LINK.findall(page.read_text()):
            target = _target(page, link)
            if target and target.is_file() and target.suffix != ".md":
                name = f"repository/{target.relative_to(ROOT).as_posix()}"
                if name not in _outside:
                    _outside[name] = File.generated(config, name, abs_src_path=str(target))
                    files.append(_outside[name])
    return files


def _target(page: Path, link: str) -> Path | None:
    """The file or folder outside of docs/ that a page's link leads to."""
    path = link.partition("#")[0]
    if not path or re.match(r"[a-z]+:", path):
        return None
    target = (page.parent / path).resolve()
    inside = target.is_relative_to(ROOT / "docs")
    return None if inside or not target.is_relative_to(ROOT) or not target.exists() else target


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page's links to the repository, and bars in a table's code."""
    if not page.file.abs_src_path:
        return markdown
    source = Path(page.file.abs_src_path)

    def changed(found: re.Match[str]) -> str:
        target = _target(source, found[3])
        if target is None:
            return found[0]
        name = target.relative_to(ROOT).as_posix()
        if f"repository/{name}" in _outside:
            place = os.path.relpath(f"repository/{name}", Path(page.file.src_uri).parent)
            return f"{found[1]}[{found[2]}]({place})"
        return found[2] if name in found[2] else f"{found[2]} (`{name}` of the repository)"

    lines = [
        re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line) if line.startswith("|") else line
        for line in markdown.split("\n")
    ]
    return LINK.sub(changed, "\n".join(lines))
