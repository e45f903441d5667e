"""Runs the programs themselves: help, warnings, the same bits on any ranks, restarts, signals, refusals.

programs.py BIN_FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LAUNCH = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
os.environ.setdefault("TASUKI_DEVICE", "host")  # every executor here does every program, on a GPU not

SMALL = {
    "laplace": ["--nx", "70", "--ny", "53", "--boundary", "nvidia", "--precision", "double"],
    "himeno": ["--size", "XS"],
    "diffusion": ["--extents", "20x17x23", "--points", "27"],
}
# Programs that say how large by the same two names.
SIZED = ("laplace", "himeno", "diffusion", "wilson", "argon", "info")
# Options that must not change a bit, by number of ranks.
WAYS = {
    1: [
        "",
        "--halo 3",
        "--halo auto",
        "--executor overlapped",
        "--executor resident --threads 2",
        "--executor streamed --device-memory 3MiB --steps-a-pass 4",
    ],
    2: ["", "--executor overlapped --halo 2", "--channel mpi", "--executor resident --halo 2 --threads 2"],
    3: ["--ranks GRID", "--executor resident", "--halo auto --channel mpi"],
    4: ["--channel x=mpi --executor overlapped", "--executor streamed --device-memory 3MiB --halo 3"],
}


class Programs:
    """The programs of a folder, run in another."""

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self.bin = bin_folder.resolve()
        self.folder = folder

    def command(self, program: str, ranks: int, words: list[str]) -> list[str]:
        return [*LAUNCH, str(ranks), str(self.bin / f"tasuki-{program}"), *words]

    def run(self, program: str, ranks: int, words: list[str]) -> dict[str, Any]:
        """The record of a run that has to succeed."""
        record = self.folder / "record.json"
        record.unlink(missing_ok=True)
        command = self.command(program, ranks, [*words, "--record", str(record)])
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(record.read_text())

    def refused(self, program: str, ranks: int, words: list[str], told: str) -> None:
        """A run that has to fail within seconds, with one line of its own that names what is wrong."""
        command = self.command(program, ranks, words)
        begun = time.monotonic()
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )
        lines = [line for line in done.stderr.splitlines() if line.startswith("tasuki: ")]
        wrong = done.returncode == 0 or len(lines) != 1 or told not in lines[0] or "; " not in lines[0]
        if wrong or time.monotonic() - begun > 20:
            raise SystemExit(
                f"{' '.join(command)} was to be refused in one line with '{told}', it ended with "
                f"{done.returncode} and said:\n{done.stdout}{done.stderr}"
            )


def same_bits(programs: Programs) -> None:
    for program, words in SMALL.items():
        sums: dict[str, str] = {}
        for ranks, ways in WAYS.items():
            for way in ways:
                grid = "3x1" if program == "laplace" else "1x3x1"
                record = programs.run(
                    program, ranks, [*words, "--times", "30", *way.replace("GRID", grid).split()]
                )
                sums[f"{ranks} ranks {way}"] = record["results"]["checksum"]
        if len(set(sums.values())) != 1:
            raise SystemExit(f"{program}: the bits depend on how it is run: {sums}")
        print(f"{program}: the same bits in {len(sums)} ways", flush=True)


def restarts(programs: Programs) -> bool:
    """False where this build has no HDF5."""
    for program, words in SMALL.items():
        whole = programs.run(program, 1, [*words, "--times", "30"])
        if whole["build"]["hdf5"] is None:
            return False
        file = str(programs.folder / f"{program}.h5")
        programs.run(program, 3, [*words, "--times", "17", "--checkpoint", file, "--checkpoint-every", "5"])
        again = programs.run(program, 2, [*words, "--times", "30", "--restart", file])
        if again["results"]["checksum"] != whole["results"]["checksum"]:
            raise SystemExit(f"{program}: a restart has other bits than the whole run")
        if again["run"]["steps"] != 13:
            raise SystemExit(f"{program}: the restart did {again['run']['steps']} steps, not 13")
    laplace = str(programs.folder / "laplace.h5")
    here = SMALL["laplace"]
    programs.refused("laplace", 2, [*here, "--times", "17", "--restart", laplace], "17")
    programs.refused("laplace", 2, ["--nx", "71", "--ny", "53", "--restart", laplace], "71")
    programs.refused("laplace", 2, [*here[:4], "--boundary", "linear", "--restart", laplace], "laplace.h5")
    programs.refused("laplace", 2, [*here[:-1], "float", "--restart", laplace], "laplace.h5")
    print("restarts on other ranks have the bits of the whole run, and others are refused", flush=True)
    return True


def signals(programs: Programs) -> None:
    """A signal to one rank alone ends all of them after the same step, with a checkpoint."""
    words = SMALL["laplace"]
    for number in (signal.SIGTERM, signal.SIGUSR1):
        file, record = programs.folder / "stopped.h5", programs.folder / "stopped.json"
        started = programs.folder / "pid"
        # The first rank leaves its process id: `sh -c` becomes the program.
        rank = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
        shell = f'[ "{rank}" != 0 ] || echo $$ > {started}; exec "$@"'
        program = [str(programs.bin / "tasuki-laplace"), *words, "--times", "1000000000"]
        command = [*LAUNCH, "2", "sh", "-c", shell, "sh", *program]
        command += ["--checkpoint", str(file), "--record", str(record), "--progress", "json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("@progress "):
                break
        os.kill(int(started.read_text()), number)
        _, errors = process.communicate(timeout=60)
        if process.returncode != 0 or "tasuki: interrupted after step" not in errors:
            raise SystemExit(f"signal {number}: status {process.returncode}, said:\n{errors}")
        told = json.loads(record.read_text())
        if not told["interrupted"]:
            raise SystemExit(f"signal {number}: the record does not say so: {told}")
        step = told["results"]["steps"]
        on = programs.run("laplace", 3, [*words, "--times", str(step + 7), "--restart", str(file)])
        if on["run"]["steps"] != 7:
            raise SystemExit(f"the checkpoint is not of step {step}")
        file.unlink()
        record.unlink()
    print("SIGTERM and SIGUSR1 leave a checkpoint from which a run goes on", flush=True)


def refusals(programs: Programs) -> None:
    kept = programs.folder / "kept.json"
    kept.write_text("what was here before")
    record = ["--record", str(kept)]
    cases = [
        ("himeno", ["--size", "Q", *record], "Q"),
        ("himeno", ["--bogus", *record], "--bogus"),
        ("himeno", ["--times", "0", *record], "--times"),
        ("laplace", ["--nx", "2", *record], "--nx"),
        ("diffusion", ["--n", "64", "--halo", "100", *record], "halo"),
        ("diffusion", ["--n", "0", *record], "--n"),
        ("diffusion", ["--extents", "8x8", *record], "--extents"),
        ("diffusion", ["--r", "0.2", *record], "unstable"),
        ("laplace", ["--restart", "none.h5", *record], "none.h5"),
        ("laplace", ["--record", "no/folder/r.json"], "no/folder"),
        ("laplace", ["--device-memory", "4KiB", *record], "one plane"),
        ("laplace", ["--device-memory", "4KiB", "--executor", "eager", *record], "does not fit"),
        ("info", ["--extents", "0x5"], "0"),
        ("info", ["--extents", "5x5", "--periodic", "q"], "--periodic"),
    ]
    for number, (program, words, told) in enumerate(cases):
        programs.refused(program, 1 + number % 2, words, told)
    programs.refused("laplace", 3, ["--nx", "9", "--ny", "9", "--ranks", "2x2", *record], "ranks")
    programs.refused("laplace", 4, ["--nx", "3", "--ny", "9", "--ranks", "4x1", *record], "rank")
    if kept.read_text() != "what was here before":
        raise SystemExit("a refused run has touched the record of another")
    print("bad input is refused in one line", flush=True)


def helps(binary: Path) -> None:
    """Every program says how it is used: options that cannot stand together end one before it begins."""
    for program in sorted(binary.glob("tasuki-*")):
        result = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60)
        if result.returncode != 0 or "--" not in result.stdout:
            raise SystemExit(f"{program.name} --help: status {result.returncode}, {result.stderr.strip()}")
        sized = program.name.removeprefix("tasuki-") in SIZED
        if sized and "--size,--extents" not in result.stdout:
            raise SystemExit(f"{program.name} --help does not say --size and --extents")
        print(f"{program.name} --help: ok", flush=True)


def warns(programs: Programs) -> None:
    """A name of the environment that means nothing is told once, by one rank, and the run goes on."""
    command = programs.command("laplace", 2, [*SMALL["laplace"], "--times", "1"])
    done = subprocess.run(
        command,
        env={**os.environ, "TASUKI_HALOO": "2"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = [line for line in (done.stdout + done.stderr).splitlines() if "TASUKI_HALOO" in line]
    if done.returncode != 0 or len(told) != 1 or "is TASUKI_HALO meant?" not in told[0]:
        raise SystemExit(f"TASUKI_HALOO=2: status {done.returncode}, {told}")
    print("TASUKI_HALOO=2: told once", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tasuki-programs-") as folder:
        programs = Programs(options.bin, Path(folder))
        helps(options.bin)
        warns(programs)
        same_bits(programs)
        refusals(programs)
        if restarts(programs):
            signals(programs)
        else:
            print("not tried: restarts and signals: no HDF5 in this build", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
