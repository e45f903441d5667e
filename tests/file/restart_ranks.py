"""Writes a checkpoint on some numbers of ranks and goes on from it on others.

The file has to be the same, to the byte, whatever wrote it, and every value has to be in its place whatever
reads it: checkpoint_loop checks each.

    restart_ranks.py CHECKPOINT_LOOP
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from launch import start

GRIDS = ("29", "13x7", "7x6x5", "5x4x6x3")
RANKS = (1, 2, 3, 4)


def run(program: str, path: Path, grid: str, ranks: int) -> str:
    """One more checkpoint; what the program said."""
    process = start([program, str(path), grid, "1"], ranks)
    text, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        raise SystemExit(f"{grid} on {ranks} ranks failed:\n{text}")
    return text


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tasuki-ranks-"))
    try:
        for grid in GRIDS:
            files = {}
            for ranks in RANKS:
                path = folder / f"{grid}-{ranks}.h5"
                run(options.program, path, grid, ranks)
                files[ranks] = hashlib.sha256(path.read_bytes()).hexdigest()
            if len(set(files.values())) != 1:
                print(f"{grid}: the file depends on the number of ranks: {files}")
                return 1
            for writers, readers in ((3, 2), (2, 3), (4, 1), (1, 4)):
                text = run(options.program, folder / f"{grid}-{writers}.h5", grid, readers)
                if "restored 1" not in text or "wrote 2" not in text:
                    print(f"{grid}: {writers} ranks to {readers}:\n{text}")
                    return 1
            print(f"{grid}: the same file from {RANKS} ranks, read by others", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
