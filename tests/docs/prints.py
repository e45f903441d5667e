"""Runs what pages show and compares what is printed: a block

    ```console
    $ mpirun --quiet -n 2 ./relax
    1000 steps, resident, 2 ranks, ..
    ```

is true while its command prints these lines. Not compared: times and rates, the processor, the libraries'
versions, blank lines, and which executor `auto` took. The blocks of a page run in one folder, in their order,
by bash.

prints.py ROOT FOLDER_OF_SNIPPETS FOLDER_OF_PROGRAMS FOLDER_OF_EXAMPLES PAGE...
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from snippets import FENCE, name_of, programs

# Commands of this kind are run, others are for a user's own machine.
RUNS = re.compile(r"^(mpirun|\./|cp [a-z.]+\.h5|head|python -c)\b")
NOT_HERE = re.compile(r"timeout|--device cuda|tasuki-info")  # signals, builds and machines that differ
TITLE = re.compile(r"//\s*(\w+)\.cpp")
EXECUTOR = re.compile(r"\b(eager|overlapped|graph|blocked|resident)\b *")
NUMBER = r"\d[\d.]*(?:e[+-]?\d+)?"


@dataclass
class Shown:
    """A command of a page, where it stands, and the lines that stand behind it."""

    line: int
    command: str
    says: list[str] = field(default_factory=list)


def blocks(page: Path) -> list[list[Shown]]:
    """The commands of each console block."""
    found: list[list[Shown]] = []
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence:
            inside = not inside and fence[2] == "console"
            if inside:
                found.append([])
        elif inside and line.startswith("$ "):
            found[-1].append(Shown(number, line[2:]))
        elif inside and found[-1]:
            found[-1][-1].says.append(line)
    return found


def comparable(line: str, command: str) -> str:
    """A line without what may differ from run to run and machine to machine."""
    line = re.sub(rf"{NUMBER} (s|ms|us|Gcell/s)\b", r"# \1", line)
    line = re.sub(r"(\b(?:host|cuda)), .*, (\w+)$", r"\1, processor, \2", line)
    if "--executor" not in command:
        line = EXECUTOR.sub("executor ", line)
    return line.rstrip()


def compared(lines: list[str], command: str) -> list[str]:
    """The lines that are held against each other; `auto` says what it tried in long runs only."""
    return [
        comparable(line, command)
        for line in lines
        if line.strip() and not re.match(r"tried, a step:|(hash|head) [0-9a-f]{16}", line)
    ]


def said(shown: Shown, folder: str, path: str) -> list[str]:
    """What the command prints; an error's line comes last, as on the pages."""
    result = subprocess.run(
        ["bash", "-c", shown.command], cwd=folder, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1",
             "OMPI_MCA_hwloc_base_binding_policy": "none"},
    )  # fmt: skip
    return (result.stdout + result.stderr).splitlines()


def can_run(shown: Shown, folder: Path) -> bool:
    """Whether it is a command of this kind, and its program is one of the page's."""
    if not RUNS.match(shown.command) or ("mpirun" in shown.command and not shown.says):
        return False
    return not shown.command.startswith("./") or (folder / shlex.split(shown.command)[0]).exists()


def check(page: Path, root: Path, snippets: Path, tools: Path, examples: Path) -> tuple[int, list[str]]:
    """How many commands of a page were run, and what is wrong."""
    ran, wrong = 0, []
    where = page.relative_to(root)
    with tempfile.TemporaryDirectory(prefix="tasuki-page-") as place:
        folder, unseen = Path(place), set()
        (folder / "build").symlink_to(examples)
        for line, text in programs(page):
            if title := TITLE.match(text):
                (folder / title[1]).symlink_to(snippets / f"snippet_{name_of(page, root)}_{line}")
                unseen.add(title[1])
        for block in blocks(page):
            for shown in block:
                if NOT_HERE.search(shown.command):
                    break  # what follows goes on from it
                if not can_run(shown, folder):
                    continue
                ran += 1
                unseen -= set(re.findall(r"\./(\w+)", shown.command))
                expected = compared(shown.says, shown.command)
                got = compared(said(shown, place, str(tools)), shown.command)
                if expected != got:
                    wrong.append(f"{where}:{shown.line}: $ {shown.command}")
                    wrong += difflib.unified_diff(expected, got, "page", "printed", lineterm="", n=0)
    return ran, wrong + [f"{where}: no command shows what {name} prints" for name in sorted(unseen)]


def main() -> int:
    root, snippets, tools, examples = (Path(word).resolve() for word in sys.argv[1:5])
    ran, wrong = 0, []
    for page in map(Path, sys.argv[5:]):
        more, faults = check(page, root, snippets, tools, examples)
        ran, wrong = ran + more, wrong + faults
    print("\n".join([*wrong, f"{ran} commands were run"]))
    return 1 if wrong or ran < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
