"""Runs every example on 1 and 3 ranks: each judges its own result, and says the same on any number of ranks.

examples.py FOLDER_OF_PROGRAMS FOLDER_OF_SOURCES
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCH = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))


def said(program: Path, ranks: int, place: str) -> str:
    """What it prints, where it ends well."""
    result = subprocess.run(
        [*LAUNCH, str(ranks), program], cwd=place, capture_output=True, text=True, timeout=240
    )
    if result.returncode != 0:
        raise SystemExit(f"{program.name} on {ranks} ranks: {result.stdout}{result.stderr}")
    return result.stdout


def main() -> int:
    programs, sources = (Path(word).resolve() for word in sys.argv[1:3])
    names = sorted(source.stem for source in sources.glob("*.cpp"))
    if not names:
        raise SystemExit(f"no examples in {sources}")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="tasuki-example-") as place:
            one, three = (said(programs / name, ranks, place) for ranks in (1, 3))
        if one != three or not one.strip():
            raise SystemExit(f"{name} says on one rank\n{one}and on three\n{three}")
        print(f"{name}: {one.strip()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
