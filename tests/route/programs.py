"""Mappings, subclusters and tuning files change how the programs run, and not one bit of what they compute.

programs.py BIN_FOLDER
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LAUNCH = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
PROGRAMS = {
    "laplace": ["--nx", "70", "--ny", "53", "--boundary", "nvidia", "--precision", "double"],
    "himeno": ["--size", "XS"],
    "diffusion": ["--extents", "20x17x23", "--points", "27"],
}
TIMES = ["--times", "30"]


def run(bin_folder: Path, folder: Path, program: str, ranks: int, words: list[str]) -> dict[str, Any]:
    """The record of a run that has to succeed."""
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    command = [*LAUNCH, str(ranks), str(bin_folder / f"tasuki-{program}"), *words, "--record", str(record)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return dict(json.loads(record.read_text()))


def ways(seed: int) -> list[tuple[int, str]]:
    """Ranks and options that must not change a bit."""
    draw = random.Random(seed)
    found = [(2, "--mapping 1,0"), (3, "--mapping 2,0,1 --executor overlapped")]
    odd = [",".join(map(str, order)) for order in itertools.permutations(range(4)) if order != (0, 1, 2, 3)]
    found += [(4, f"--mapping {order}") for order in draw.sample(odd, 3)]
    found += [
        (2, "--subclusters 2"),
        (2, "--subclusters 2 --executor overlapped"),
        (4, "--subclusters 2"),
        (4, "--subclusters 2 --executor overlapped --halo 2"),
        (4, "--subclusters 2 --mapping naive"),
        (4, f"--subclusters 4 --mapping {draw.choice(odd)}"),
        (2, "--channel peer:pack --executor overlapped"),
        (4, "--channel x=peer:copy2d,y=peer:pack"),
    ]
    return found


def same_bits(bin_folder: Path, folder: Path, seed: int) -> None:
    for program, words in PROGRAMS.items():
        sums = {"1 rank": run(bin_folder, folder, program, 1, [*words, *TIMES])["results"]["checksum"]}
        for ranks, way in ways(seed):
            record = run(bin_folder, folder, program, ranks, [*words, *TIMES, *way.split()])
            sums[f"{ranks} ranks {way}"] = record["results"]["checksum"]
            carried = {name: channel["bytes"] for name, channel in record["run"]["channels"].items()}
            if "--subclusters" in way and not carried.get("mpi"):
                raise SystemExit(f"{program} {way}: nothing went by mpi: {carried}")
            if ranks == 4 and "--subclusters 2" in way and not carried.get("peer"):
                raise SystemExit(f"{program} {way}: nothing went by peer: {carried}")
        if len(set(sums.values())) != 1:
            raise SystemExit(f"{program}: the bits depend on how it is run: {sums}")
        print(f"{program}: the same bits in {len(sums)} ways", flush=True)


def restarts(bin_folder: Path, folder: Path) -> None:
    """A checkpoint of one mapping is read by another."""
    words = PROGRAMS["laplace"]
    whole = run(bin_folder, folder, "laplace", 1, [*words, *TIMES])
    if whole["build"]["hdf5"] is None:
        print("not tried: restarts of another mapping: no HDF5 in this build", flush=True)
        return
    file = str(folder / "odd.h5")
    odd = ["--mapping", "2,0,3,1", "--times", "17", "--checkpoint", file]
    run(bin_folder, folder, "laplace", 4, [*words, *odd])
    for ranks, way in ((4, "--mapping 1,3,0,2"), (3, ""), (2, "--mapping 1,0 --subclusters 2")):
        again = run(bin_folder, folder, "laplace", ranks, [*words, *TIMES, "--restart", file, *way.split()])
        if again["results"]["checksum"] != whole["results"]["checksum"] or again["run"]["steps"] != 13:
            raise SystemExit(f"a restart on {ranks} ranks {way} is not the whole run: {again['results']}")
    print("checkpoints of one mapping are read by others", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=Path)
    options = parser.parse_args()
    seed = int(os.environ.get("TASUKI_TEST_SEED") or random.SystemRandom().randrange(1 << 30))
    print(f"TASUKI_TEST_SEED={seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tasuki-routes-") as folder:
        same_bits(options.bin.resolve(), Path(folder), seed)
        restarts(options.bin.resolve(), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
