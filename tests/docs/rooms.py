"""The rooms of docs/architecture.md, held against the sources.

rooms.py [ROOT] prints every include that goes up a floor or sideways, every folder that the page has no row
of, every row without a folder, every word of MPI outside of the rooms that call it, and every place where a
program reaches into the core; it prints nothing and ends with 0 where there is none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| (\d+) \| (`[a-z/]+`) \|")
INCLUDE = re.compile(r"^\s*#include <((?:tasuki/[a-z]+|remote/[a-z]+|apps|tools)/)", re.MULTILINE)
MPI = re.compile(r"\bMPI_\w+")
FILES_BY_MPI = re.compile(r"\bMPI_File_\w+|\bH5P[a-z]+_[a-z]+_mpio\b")  # a serial HDF5 has to be enough
# To agree and to gather in base, to share memory and addresses in device, what reaches whom in links, to move
# in channel; programs of directives start it and ask for it; a run's vote is under way while steps are done.
CALL_MPI = (
    *("tasuki/base/", "tasuki/device/", "tasuki/channel/", "tasuki/route/links", "tasuki/run/vote"),
    *("lang/runtime/run_time", "lang/runtime/collectives", "lang/runtime/inquiry", "lang/runtime/mail"),
    "lang/runtime/deliver",
)
# Programs do without them: fields and grids have public words for that. What lies in a program's
# own `detail` is its own.
PROGRAMS = ("apps", "examples")
REACHES = re.compile(r"(?:\.|->)core\(\)|\b(?:FieldCore|GridCore|SweepCore|host_memory)\b")
DETAIL = re.compile(r"\bdetail::(\w+)")
OWN_DETAIL = re.compile(r"\bnamespace (?:\w+::)*detail \{")
DEFINED = re.compile(r"\b(?:struct|class|using) (\w+)")
TOPS = ("apps/", "tools/", "python/", "lang/")  # beside the folders of tasuki/
REMOTE_USES = ("tasuki/base/", "tasuki/model/")  # all that remote/ knows of tasuki/
PLAIN = "remote/programs/"  # CUDA programs that know nothing of the rest of remote/
SOURCES = (".hpp", ".cpp", ".cu")


def floors_of(page: str) -> dict[str, int]:
    """The floor of each room, as the page's table has it."""
    rows = (ROW.match(line) for line in page.splitlines())
    return {row[2].strip("`"): int(row[1]) for row in rows if row}


def room_of(path: str) -> str:
    """The room in which a source lies: tasuki/field/, apps/."""
    parts = path.split("/")
    return "/".join(parts[: 2 if parts[0] in ("tasuki", "remote") else 1]) + "/"


def faults(root: Path) -> list[str]:
    """A line for each include or call of MPI that must not be, and each room without a floor."""
    floors = floors_of((root / "docs/architecture.md").read_text())
    folders = {f"tasuki/{path.name}/" for path in (root / "tasuki").iterdir() if path.is_dir()}
    folders |= {f"remote/{path.name}/" for path in (root / "remote").glob("*/")}
    folders |= {room for room in TOPS if (root / room).is_dir()}
    found = [f"{room}: a folder without a row on the page" for room in sorted(folders - set(floors))]
    found += [f"{room}: a row of the page without a folder" for room in sorted(set(floors) - folders)]
    for top in ("tasuki", "remote", "apps", "tools", "lang"):
        for source in sorted((root / top).rglob("*")):
            name = source.relative_to(root).as_posix()
            if source.suffix not in SOURCES or name == "tasuki/tasuki.hpp":
                continue
            room = room_of(name)
            if room not in floors:
                continue
            text = source.read_text()
            if not name.startswith(CALL_MPI):
                found += [f"{name}: calls {call}" for call in sorted(set(MPI.findall(text)))]
            found += [f"{name}: calls {call}" for call in sorted(set(FILES_BY_MPI.findall(text)))]
            for other in INCLUDE.findall(text):
                remote = room.startswith("remote/") and room != PLAIN
                beside = remote and other.startswith("tasuki/") and other not in REMOTE_USES
                beside |= room == PLAIN and other.startswith("remote/") and other != room
                if other != room and (beside or floors.get(other, 99) >= floors[room]):
                    found.append(f"{name}: {room} includes {other}")
    return found


def reaches(root: Path) -> list[str]:
    """A line for each word of the core's own that a program uses."""
    found = []
    for top in PROGRAMS:
        sources = sorted(path for path in (root / top).rglob("*") if path.suffix in (*SOURCES, ".in"))
        texts = {path.relative_to(root).as_posix(): path.read_text() for path in sources}
        own = {name for text in texts.values() if OWN_DETAIL.search(text) for name in DEFINED.findall(text)}
        for name, text in texts.items():
            words = set(REACHES.findall(text)) | {
                f"detail::{word}" for word in set(DETAIL.findall(text)) - own
            }
            found += [f"{name}: reaches into the core by {word}" for word in sorted(words)]
    return found


def main() -> int:
    """Prints what is wrong."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = faults(root) + reaches(root)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
