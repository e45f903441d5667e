"""The names that the API reference has, out of doxygen's XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

COMPOUNDS = ("class", "struct", "union", "concept")


@dataclass(frozen=True)
class Name:
    """A public name: what it is, where it is declared, where it is described, and its first sentence."""

    name: str
    kind: str
    header: str
    page: str
    brief: str


def _words(element: ElementTree.Element | None) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def _sentence(element: ElementTree.Element) -> str:
    """The first sentence that stands with a name."""
    text = _words(element.find("briefdescription")) or _words(element.find("detaileddescription"))
    return re.split(r"(?<=[.:]) ", text)[0][:160]


def _header(element: ElementTree.Element) -> str:
    location = element.find("location")
    return "" if location is None else location.get("declfile") or location.get("file", "")


def _page(refid: str) -> str:
    """Where the HTML has what the XML calls `refid`."""
    compound, member = re.match(r"^(.*?)(?:_1([a-z0-9]{20,}))?$", refid).groups()
    return f"{compound}.html#{member}" if member else f"{compound}.html"


def names(xml: Path) -> list[Name]:
    """All names of namespaces and macros, by name; members of classes stand on the page of their class."""
    found: dict[tuple[str, str], Name] = {}
    for file in sorted(xml.glob("*.xml")):
        if file.name in ("index.xml", "Doxyfile.xml"):
            continue
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None:
            continue
        kind, name = compound.get("kind", ""), _words(compound.find("compoundname"))
        if kind in COMPOUNDS and name.startswith("tasuki"):
            entry = Name(name, kind, _header(compound), _page(compound.get("id", "")), _sentence(compound))
            found[name, kind] = entry
        space = name + "::" if kind == "namespace" and name.startswith("tasuki") else ""
        if not space and kind != "file":
            continue
        for member in compound.iter("memberdef"):
            what = member.get("kind", "")
            if (what == "define") == (kind == "file"):
                own = space + _words(member.find("name"))
                page = _page(member.get("id", ""))
                entry = Name(own, what, _header(member), page, _sentence(member))
                if (own, what) not in found or not found[own, what].brief:
                    found[own, what] = entry
    return sorted(found.values(), key=lambda entry: entry.name.lower())
