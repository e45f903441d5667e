"""tasuki-tune leaves a file that later runs use without a word; one of another machine is told and not used.

tune.py BIN_FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LAUNCH = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
LAPLACE = ["--nx", "70", "--ny", "53", "--times", "30"]


class Programs:
    """The programs of a folder, run in another whose constants are kept apart from the user's."""

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self.bin = bin_folder.resolve()
        self.folder = folder
        self.environment = {key: value for key, value in os.environ.items() if key != "TASUKI_TUNING"}
        self.environment["XDG_CACHE_HOME"] = str(folder / "cache")

    def run(self, program: str, ranks: int, words: list[str]) -> subprocess.CompletedProcess[str]:
        command = [*LAUNCH, str(ranks), str(self.bin / f"tasuki-{program}"), *words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def laplace(self, *words: str) -> tuple[str, list[str]]:
        """The checksum of two ranks, and what they said of tuning files."""
        done = self.run("laplace", 2, [*LAPLACE, *words, "--record", "record.json"])
        record: dict[str, Any] = json.loads((self.folder / "record.json").read_text())
        said = [line for line in done.stderr.splitlines() if line.startswith("tasuki: ")]
        return record["results"]["checksum"], said


def check_file(path: Path, ways: set[tuple[str, str]]) -> dict[str, Any]:
    tuning: dict[str, Any] = json.loads(path.read_text())
    found = {(line["channel"], line["pair"]) for line in tuning["channels"]}
    if found != ways:
        raise SystemExit(f"{path} has {found}, not {ways}")
    for line in tuning["channels"]:
        sane = line["latency"] >= 0 and line["bandwidth"] > 0 and len(line["points"]) >= 2
        rising = [size for size, _ in line["points"]]
        if not sane or rising != sorted(set(rising)) or min(seconds for _, seconds in line["points"]) <= 0:
            raise SystemExit(f"{path} has a line without sense: {line}")
    if not tuning["device"]["stream_bandwidth"] > 0 or not tuning["device"]["launch"] > 0:
        raise SystemExit(f"{path} does not know the device: {tuning['device']}")
    # Two nodes have touches and sections; one has synchronisations alone.
    space, apart = tuning["space"], ("mpi", "subcluster") in ways
    known = {name for name, value in space.items() if value > 0}
    if known != (
        {"touch", "section", "section_bandwidth", "synchronisation"} if apart else {"synchronisation"}
    ):
        raise SystemExit(f"{path} knows of a space {space}")
    return tuning


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tasuki-tune-") as name:
        folder = Path(name)
        programs = Programs(options.bin, folder)
        plain = programs.laplace()
        programs.run("tune", 2, ["--quick"])
        (kept,) = (folder / "cache" / "tasuki").glob("tuning-*.json")
        tuning = check_file(kept, {("self", "self"), ("peer", "node"), ("mpi", "node")})
        if kept.name != f"tuning-{tuning['machine']['key']}.json":
            raise SystemExit(f"{kept.name} is not named by its key {tuning['machine']['key']}")
        programs.run("tune", 2, ["--quick", "--subclusters", "2", "--tuning", "sub.json"])
        check_file(folder / "sub.json", {("self", "self"), ("mpi", "subcluster")})
        for words in ([], ["--tuning", "sub.json", "--subclusters", "2"], ["--tuning", "none"]):
            if programs.laplace(*words) != plain:
                raise SystemExit(f"{words}: {programs.laplace(*words)} instead of {plain}")
        tuning["machine"]["cpu"] = "another"
        (folder / "other.json").write_text(json.dumps(tuning))
        checksum, said = programs.laplace("--tuning", "other.json")
        if (
            checksum != plain[0]
            or len(said) != 1
            or "other.json is not used: it is of another" not in said[0]
        ):
            raise SystemExit(f"a file of another machine: {checksum} instead of {plain[0]}, said {said}")
    print("constants are measured, kept, used, and refused where they are another machine's", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
