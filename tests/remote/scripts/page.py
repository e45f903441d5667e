"""docs/remote/start.md by command: its program is compiled, and each command of its first part prints
what the page has below it.

page.py BIN
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from house import ROOT, House, house

PAGE = ROOT / "docs" / "remote" / "start.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of the console blocks, with what it prints."""
    found = []
    for kind, block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] if kind == "console" else ():
            command, _, said = part.partition("\n")
            found.append((command, said))
    return found


def counted(said: str) -> str:
    """Without the numbers of the two lines at a run's end, which differ from run to run."""
    return re.sub(
        r"^tasuki: (?:[0-9]+ calls of|by call:).*",
        lambda line: re.sub(r"\S+ (?:us|ms|s|k?B|MB)\b|[0-9]+", "#", line[0]).split("by call:")[0],
        said,
        flags=re.MULTILINE,
    )


def do(here: House, command: str) -> str:
    """What a command prints; one with & behind it is the server, which goes on."""
    if command.endswith("&"):
        here.serve(*command.removesuffix("&").split()[5:])
        return ""
    done = subprocess.run(
        ["bash", "-c", f'tasuki() {{ "{sys.executable}" -m tasuki "$@"; }}; {command}'],
        cwd=here.folder,
        env=here.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout + done.stderr


def main() -> None:
    """The part of the page that one machine can do."""
    text = PAGE.read_text().split("\n## Two hosts\n")[0]
    with house(Path(sys.argv[1]).resolve()) as here:
        here.port = 7411  # the page names none; the socket lies in this test's own folder
        (program,) = [block for kind, block in BLOCK.findall(text) if kind == "cu"]
        (here.folder / "many.cu").write_text(program)
        ran = commands(text)
        assert len(ran) >= 5, ran
        for command, says in ran:
            got = do(here, command)
            if counted(got) != counted(says):
                sys.exit(f"$ {command}\nthe page has\n{says}and it printed\n{got}")
        assert here.server
        assert here.server.wait(20) == 0
        here.server = None
    print(f"{len(ran)} commands")


if __name__ == "__main__":
    main()
