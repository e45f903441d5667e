"""Every bad input ends every rank within seconds, with one line that says what is wrong and what to change.

bad_input.py BIN
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ranks import ENVIRONMENT, LAUNCHER, Result, run

SECONDS = 15  # for the launcher to start and to end, on a machine that is busy
NOISE = ("MPI_ABORT", "mpirun", "Primary job", "PRTE", "BAD TERMINATION", "ORTE_ERROR", "terminate called")


@dataclass
class Case:
    """A program, what it is given, and what its line has to say."""

    program: str
    options: str
    says: str
    ranks: tuple[int, ...] = (2,)
    environment: dict[str, str] = field(default_factory=dict)


CASES = (
    # what the command line says
    Case("laplace", "--frobnicate", "--frobnicate", (1, 2)),
    Case("laplace", "surplus", "surplus"),
    Case("laplace", "--nx abc", "--nx"),
    Case("laplace", "--nx 0", "--nx", (1, 2)),
    Case("laplace", "--ny -5", "--ny"),
    Case("laplace", "--nx", "--nx"),
    Case("laplace", "--times 0", "--times"),
    Case("laplace", "--precision half", "--precision"),
    Case("laplace", "--boundary none", "--boundary"),
    Case("laplace", "--halo 0", "--halo"),
    Case("laplace", "--halo -1", "--halo"),
    Case("laplace", "--halo deep", "give a width of 1 or more, auto or direct"),
    Case(
        "laplace",
        "--halo direct --ranks 2x1",
        "cut along its slowest axis alone, and this one is cut 2x1",
        (2,),
    ),
    Case("laplace", "--threads 0", "--threads"),
    Case("laplace", "--executor lazy", "--executor"),
    Case("laplace", "--progress loud", "--progress"),
    Case("laplace", "--checkpoint-every 5", "--checkpoint"),
    Case("laplace", "--until nan", "nan is no number", (1, 2)),
    Case("laplace", "--until inf", "inf is no number"),
    Case("laplace", "--until -1", "--until -1 is out of range; give a number above 0", (1,)),
    Case("laplace", "--nx 64.5", "--nx 64.5 is no whole number", (1,)),
    Case("laplace", "--times 1e13", "--times 1e13 is out of range", (1,)),
    Case("laplace", "one two three", "one two three are not expected", (1,)),
    Case("laplace", "--extent 64", "is --extents meant?", (1,)),
    Case("laplace", "--size 64x64 --nx 64", "--size", (1,)),
    Case("laplace", "--ranks 4294967298x1", "--ranks 4294967298x1 is no process grid", (2,)),
    Case("laplace", "--threads 4294967297", "--threads 4294967297 is out of range", (1,)),
    Case("laplace", "--mapping 4294967296,1", "not each of 2 ranks once", (2,)),
    Case("laplace", "--channel x=peer,x=mpi", "names face x twice", (2,)),
    Case("laplace", "--channel x=peer,mpi", "twice", (2,)),
    Case("laplace", "", "TASUKI_PATIENCE=abc", (2,), {"TASUKI_PATIENCE": "abc"}),
    Case("laplace", "", "TASUKI_CHAOS=1.5", (2,), {"TASUKI_CHAOS": "1.5"}),
    Case("laplace", "", "TASUKI_THREADS=0 is out of range", (1,), {"TASUKI_THREADS": "0"}),
    Case("diffusion", "--size 8x8", "has 2 axes", (1,)),
    Case("info", "--size 1x2x3x4x5", "has 5 axes", (1,)),
    Case("wilson", "--size 3x4x4x4", "cannot be cut into even and odd", (1,)),
    Case("wilson", "--at 1,2,3", "has 3 numbers", (1,)),
    Case("himeno", "--size XS --seconds nan", "nan is no number"),
    Case("diffusion", "--n 8 --r nan", "nan is no number"),
    Case("model", "laplace --one-took nan", "nan is no number", (1,)),
    Case("model", "laplace --efficiency inf", "inf is no number", (1,)),
    Case("model", "argon --decision nan", "nan is no number", (1,)),
    Case("model", "argon --machine NVIDIA_H200 --measured 4:inf", "is no measurement", (1,)),
    Case("laplace", "", "TASUKI_HALO=wide is no width", environment={"TASUKI_HALO": "wide"}),
    Case("himeno", "--size XXL", "--size"),
    Case("himeno", "--gosa sometimes", "--gosa"),
    Case("diffusion", "--points 9", "--points"),
    Case("diffusion", "--n 0", "--n"),
    Case("diffusion", "--extents 12x", "12x"),
    Case("info", "--extents 5x0", "--extents 5x0 is no size"),
    Case("info", "--extents five", "five"),
    # what the ranks find
    Case("laplace", "--ny 16 --nx 16 --halo 9", "a halo of 9 is wider than the smallest block along", (2, 3)),
    Case("laplace", "--ny 5 --nx 400 --ranks 1x6", "a rank would have no cells", (6,)),
    Case("laplace", "--ranks 2x2", "does not make 3 ranks", (3,)),
    Case("laplace", "--ranks 2x1x1", "--ranks names 3 axes, the grid has 2", (2,)),
    Case("laplace", "--ranks 2y1", "--ranks", (2,)),
    Case("laplace", "--ranks -1x-2", "--ranks -1x-2 is no process grid", (2,)),
    Case("laplace", "--channel pigeon", "there is no channel 'pigeon'", (2,)),
    Case("laplace", "--channel z=mpi", "no face of a 2-dimensional grid", (2,)),
    Case("laplace", "--channel self", "channel self cannot join", (2,)),
    Case("himeno", "--size XS --halo 40", "wider than the smallest block", (2,)),
    # files
    Case("laplace", "--restart {folder}/missing.h5", "missing.h5", (1, 2)),
    Case("laplace", "--restart {folder}/text.h5", "text.h5"),
    Case("laplace", "--restart {folder}/cut.h5 --nx 40 --ny 30", "cut.h5"),
    Case("laplace", "--restart {folder}/good.h5 --nx 41 --ny 30", "good.h5"),
    Case("laplace", "--restart {folder}/good.h5 --nx 40 --ny 30 --precision double", "good.h5"),
    Case("laplace", "--restart {folder}/good.h5 --nx 40 --ny 30 --times 3", "good.h5"),
    Case("diffusion", "--restart {folder}/good.h5 --extents 8x8x8", "good.h5"),
    Case("laplace", "--checkpoint {folder}/none/state.h5", "none"),
    Case("laplace", "--record {folder}/none/record.json", "none"),
)


def fault_of(result: Result, says: str) -> str:
    """What is wrong with the end of a run, or nothing."""
    lines = [line for line in result.text.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("tasuki: ")]
    if result.status == 0:
        return "its status is 0"
    if result.seconds > SECONDS:
        return f"it took {result.seconds:.0f} s"
    if len(told) != 1:
        return f"{len(told)} lines begin with 'tasuki: '"
    if says not in told[0] or "; " not in told[0]:
        return f"its line does not say {says!r} and what to change"
    above = lines[: lines.index(told[0])]
    if any(word in line for line in above for word in NOISE):
        return "there is noise above its line"
    return ""


def digest(path: Path) -> str:
    """Of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def full_disk(binary: Path, folder: Path) -> str:
    """A checkpoint that no longer fits: one line, the one before stays. What went wrong, or nothing."""
    disk = folder / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return "skipped: only root may mount a small disk, by unshare"
    # A mount of its own, that goes when the command ends; so both runs are one command.
    program, state = str(binary / "tasuki-laplace"), disk / "state.h5"
    launch = [*LAUNCHER, "2", program, "--times", "5", "--precision", "double", "--checkpoint", str(state)]
    small, large = [*launch, "--nx", "200", "--ny", "200"], [*launch, "--nx", "1000", "--ny", "1000"]
    both = f"""
mount -t tmpfs -o size=3m none {disk} || exit 77
{" ".join(small)} || exit 3
sha256sum {state}
{" ".join(large)} && exit 4
sha256sum {state}
exit 0
"""
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", both],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        return "skipped: this machine lets nobody mount"
    text = done.stdout + done.stderr
    sums = [line.split()[0] for line in done.stdout.splitlines() if line.endswith("state.h5") and " " in line]
    told = [line for line in text.splitlines() if line.startswith("tasuki: ")]
    if done.returncode != 0:
        return f"status {done.returncode}:\n{text}"
    if len(sums) != 2 or sums[0] != sums[1]:
        return f"the checkpoint that was there is no more:\n{text}"
    if len(told) != 1 or "; " not in told[0]:
        return f"{len(told)} lines begin with 'tasuki: ':\n{text}"
    return ""


def without_launcher(binary: Path) -> str:
    """An error of World's, of a program that was started by itself: one line, and nothing of MPI's."""
    command = [str(binary / "tasuki-laplace"), "--device", "host", "--subclusters", "3"]
    done = subprocess.run(
        command,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode == 0:
        return "it ended with status 0"
    if len(lines) != 1 or not lines[0].startswith("tasuki: --subclusters 3") or "; " not in lines[0]:
        return f"it said more than its line:\n{done.stdout}{done.stderr}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--no-files", action="store_true", help="the build has no HDF5")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tasuki-bad-"))
    failures = 0

    def report(what: str, fault: str) -> None:
        nonlocal failures
        if fault.startswith("skipped: "):
            print(f"not tried: {what}: {fault.removeprefix('skipped: ')}", flush=True)
            return
        failures += fault != ""
        print(f"{'FAILED' if fault else 'ok'}: {what}", flush=True)
        if fault:
            print(f"  {fault}")

    try:
        good = folder / "good.h5"
        if not arguments.no_files:
            laplace = [str(arguments.binary / "tasuki-laplace"), "--nx", "40", "--ny", "30"]
            made = run([*laplace, "--times", "5", "--checkpoint", str(good)], 2)
            if made.status != 0 or not good.exists():
                print(f"no checkpoint could be written:\n{made.text}")
                return 1
            (folder / "text.h5").write_text("this is no checkpoint\n")
            (folder / "cut.h5").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
            before = digest(good)

        def check(case: Case, ranks: int) -> tuple[str, str]:
            options = case.options.format(folder=folder).split()
            command = [str(arguments.binary / f"tasuki-{case.program}"), *options]
            result = run(command, ranks, case.environment)
            fault = fault_of(result, case.says)
            return f"{case.program} {case.options} on {ranks}", fault and f"{fault}:\n{result.text}"

        with ThreadPoolExecutor(max_workers=2) as pool:
            checks = [
                pool.submit(check, case, ranks)
                for case in CASES
                if not (arguments.no_files and "{folder}" in case.options)
                for ranks in case.ranks
            ]
            for done in checks:
                report(*done.result())
        for ranks in (1, 2):  # no GPU, no CUDA in the build, or fewer GPUs than ranks
            environment = {"CUDA_VISIBLE_DEVICES": "", "TASUKI_SHARE_DEVICES": "0"}
            command = [str(arguments.binary / "tasuki-laplace"), "--device", "cuda"]
            result = run(command, ranks, environment)
            fault = fault_of(result, "--device cuda, but")
            report(f"laplace --device cuda without a GPU on {ranks}", fault and f"{fault}:\n{result.text}")
        report("an error without a launcher", without_launcher(arguments.binary))
        if not arguments.no_files:
            if digest(good) != before:
                report("good.h5", "a run that was refused changed it")
            report("laplace --checkpoint on a full disk", full_disk(arguments.binary, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
