"""The executors of `tasuki-info --json`, held against everything that tells or lists them.

executors.py ROOT TASUKI_INFO prints a line for each page, table or list that has other ones.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

WORDS = re.compile(r"--executor[ =]`?\{?(\w+(?:(?:\\?\||,)\w+)+)")
ROW = re.compile(r"^\| `(\w+)`", re.MULTILINE)


def faults(root: Path, rows: list[dict], words: str) -> list[str]:
    """What is wrong: the table's rows against the pages, `words` is a program's --help."""
    names = [row["name"] for row in rows]
    everything = [*names, "auto"]
    found = []

    def expect(where: str, got: list[str], due: list[str]) -> None:
        if got != due:
            found.append(f"{where}: {', '.join(got)}; the table has {', '.join(due)}")

    expect("--help", list_in(words), everything)
    pages = {page.stem: page for page in (root / "docs/executors").glob("*.md")}
    expect("docs/executors", sorted(pages), sorted(everything))
    for name, page in pages.items():
        expect(f"the title of {page.name}", [page.read_text().splitlines()[0]], [f"# {name}"])

    readme = (root / "README.md").read_text()
    expect("README's links", re.findall(r"docs/executors/(\w+)\.md", readme), everything)
    few = re.search(r"executors \((.*) are for GPUs\)", readme)
    expect(
        "README's executors for GPUs",
        re.findall(r"`(\w+)`", few[1]) if few else [],
        [row["name"] for row in rows if row["gpus_only"]],
    )
    model = (root / "docs/model.md").read_text().split("| executor | a step takes |")[-1]
    told = ROW.findall(model.split("\n\n")[0])
    expect("the table of docs/model.md", list(dict.fromkeys(told)), names)
    speed = re.search(
        r"^\| `laplace` fp32 \| GPUs \|(.*)$", (root / "docs/speed.md").read_text(), re.MULTILINE
    )
    told = [cell.strip() for cell in speed[1].split("|")] if speed else []
    expect("the first table of docs/speed.md", told[: len(everything)], everything)
    lists = 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for line in page.read_text().splitlines():
            for some in WORDS.findall(line):
                lists += 1
                expect(f"{page.relative_to(root)}'s --executor", re.split(r"\W+", some), everything)
    if not lists:
        found.append("no page lists what --executor takes")
    ways = (root / "bench/tasuki_bench/steps.py").read_text()
    expect(
        "the bench",
        list(ast.literal_eval(re.search(r"^EXECUTORS = (.*)$", ways, re.MULTILINE)[1])),
        everything,
    )
    return found


def list_in(text: str) -> list[str]:
    """The words of --executor in a program's --help."""
    found = re.search(r"--executor\s+\{([\w,]+)\}", text)
    return found[1].split(",") if found else []


def main() -> int:
    """Prints what is wrong."""
    root, info = Path(sys.argv[1]), sys.argv[2]

    def ask(option: str) -> str:
        return subprocess.run([info, option], capture_output=True, text=True, check=True).stdout

    found = faults(root, json.loads(ask("--json"))["executors"], ask("--help"))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
