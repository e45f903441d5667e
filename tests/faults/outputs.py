"""What a run is asked to write: devices, pipes and folders are refused before the first step, a second run
that writes the same is told who writes there, and a disk that is full keeps no part of a file.

outputs.py BIN

Everything happens on a small disk of its own, which only this process and those that it starts see.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ranks import SKIPPED, descendants, kill, run, skip, start

INSIDE = "--inside"
GRID = "--nx 40 --ny 30"
LAPLACE = f"{GRID} --times 5"
WILSON = "--configurations 1 --lattice 2x2x2x4 --start weak --kappa 0.1 --tolerance 1e-3"
ARGON = "--atoms 32 --replicas 2 --tmin 90 --tmax 100"
RARE = "--exchange-every 20000"  # so that the rows of a long run have room
CASES = (  # program, options, what its one line says
    *(("laplace", f"{LAPLACE} {option} {{disk}}/{what}", says)
      for option, what, says in (("--checkpoint", "null", "is a device"), ("--snapshot", "pipe", "is a pipe"),
                                 ("--record", "null", "is a device"))),
    ("laplace", f"{LAPLACE} --checkpoint {{disk}}/link", "is a device"),
    ("laplace", f"{LAPLACE} --checkpoint {{disk}}/socket", "is a socket"),
    ("laplace", f"{LAPLACE} --checkpoint {{disk}}/folder", "is a folder"),
    ("laplace", f"{LAPLACE} --snapshot {{disk}}/taken.h5", "taken.xmf is a pipe"),
    ("laplace", f"{LAPLACE} --checkpoint {{disk}}/{'n' * 252}", "too long"),
    ("laplace", f"{LAPLACE} --record {{disk}}/none/r.json", "does not exist"),
    ("laplace", f"{LAPLACE} --record {{disk}}/shut/r.json", "is read-only"),
    ("laplace", f"{LAPLACE} --record {{disk}}/same --checkpoint {{disk}}/./same", "asked for twice"),
    ("argon", f"{ARGON} --steps 200 --folder {{disk}}/a --record {{disk}}/null", "is a device"),
    ("argon", f"{ARGON} --steps 200 --folder {{disk}}/piped", "job.json is a pipe"),
    ("wilson", f"{WILSON} --folder {{disk}}/w --record {{disk}}/pipe", "is a pipe"),
    ("wilson", f"{WILSON} --folder {{disk}}/w --write-gauge {{disk}}/gauge.lime", "is a device"),
    ("tune", "--quick --tuning {disk}/null", "is a device"),
    ("model", "batch {disk}/steps.jsonl --fit {disk}/null", "is a device"),
)  # fmt: skip


def refusal(status: int, text: str, says: str) -> str:
    """What is wrong with a run that was to be refused, or nothing."""
    told = [line for line in text.splitlines() if line.startswith("tasuki: ")]
    if status == 0 or len(told) != 1 or says not in told[0] or "; " not in told[0]:
        return f"it was to end with one line that says {says!r}; status {status}:\n{text}"
    if "steps in" in text or "configuration" in text:
        return f"it was refused after its work, not before:\n{text}"
    return ""


def make_things(disk: Path) -> dict[Path, int]:
    """One of each kind that is no file; returns which kind each is."""
    os.mknod(disk / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod(disk / "gauge.lime", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mkfifo(disk / "pipe")
    os.mkfifo(disk / "taken.xmf")
    (disk / "link").symlink_to(disk / "null")
    (disk / "folder").mkdir()
    (disk / "piped").mkdir()
    os.mkfifo(disk / "piped/job.json")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(disk / "socket"))
    (disk / "shut").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,ro", "none", str(disk / "shut")], check=True)
    things = [path for path in disk.rglob("*") if not path.is_file() or path.is_symlink()]
    return {path: path.lstat().st_mode for path in things}


def refused(binary: Path, disk: Path) -> list[str]:
    things = make_things(disk)

    def check(case: tuple[str, str, str]) -> str:
        program, options, says = case
        words = options.format(disk=disk).split()
        done = run([str(binary / f"tasuki-{program}"), *words], 1)
        fault = refusal(done.status, done.text, says)
        print(f"{'FAILED' if fault else 'ok'}: {program} {options[:70]}", flush=True)
        return fault

    with ThreadPoolExecutor(max_workers=2) as pool:
        faults = [fault for fault in pool.map(check, CASES) if fault]
    changed = [
        str(path)
        for path, mode in things.items()
        if not os.path.lexists(path) or path.lstat().st_mode != mode
    ]
    if changed:
        faults.append(f"no longer what they were: {changed}")
    return faults


def wait_for(path: Path, process: subprocess.Popen[str]) -> bool:
    """Until there is something in the file; false where the run ends before."""
    while process.poll() is None:
        if path.is_file() and path.stat().st_size:
            return True
        time.sleep(0.01)
    return False


def at_once(binary: Path, disk: Path) -> list[str]:
    """A second run of one file or folder is refused while the first lives, and not when that was killed."""
    laplace, argon = str(binary / "tasuki-laplace"), str(binary / "tasuki-argon")
    cases = (
        ([laplace, *GRID.split(), "--checkpoint", str(disk / "c.h5")], "--times", "100000000", "5",
         disk / ".c.h5.lock", "c.h5 is in use by process"),
        ([argon, *ARGON.split(), *RARE.split(), "--folder", str(disk / "together")],
         "--steps", "100000000", "20000",
         disk / "together/.run.lock", "together is in use by process"),
    )  # fmt: skip
    faults = []
    for command, option, many, few, lock, says in cases:
        first = start([*command, option, many], 1)
        try:
            if not wait_for(lock, first):
                return [f"the first run ended: {first.communicate()[0]}"]
            owner = lock.read_text().split()[0]
            if int(owner) not in [first.pid, *descendants(first.pid)]:
                faults.append(f"{lock} names process {owner}")
            second = run([*command, option, few], 1)
            fault = refusal(second.status, second.text, f"{says} {owner} on {os.uname().nodename}")
        finally:
            for pid in [*descendants(first.pid), first.pid]:
                kill(pid)
            first.wait()
        third = run([*command, option, few, *(["--resume"] if "--folder" in command else [])], 1)
        # Of argon it may have been killed before its folder could be gone on with; it may not be "in use".
        if "in use" in third.text or ("--folder" not in command and third.status != 0):
            fault = fault or f"a killed run keeps the next one out:\n{third.text}"
        print(f"{'FAILED' if fault else 'ok'}: two runs at once, {lock.name}", flush=True)
        faults += [fault] if fault else []
    return faults


def full(binary: Path, disk: Path) -> list[str]:
    """What no longer fits leaves nothing behind, and what was there."""
    small = disk / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(small)], check=True)
    (small / "kept").write_bytes(bytes(1_200_000))
    faults = []
    wilson = "--lattice 8x8x8x8 --configurations 1 --start unit --kappa 0.1"
    for ranks, program, options in (
        (2, "laplace", f"--nx 600 --ny 600 --times 5 --checkpoint {small}/state.h5"),
        (1, "laplace", f"--nx 600 --ny 600 --times 5 --snapshot {small}/state.h5"),
        (2, "wilson", f"{wilson} --folder {disk}/w2 --write-gauge {small}/g.lime"),
    ):
        done = run([str(binary / f"tasuki-{program}"), *options.split()], ranks)
        # The lock of a rank that another one ended may stay, as that of a killed run: nothing waits for it.
        left = [path.name for path in small.iterdir() if path.name != "kept" and path.suffix != ".lock"]
        told = [line for line in done.text.splitlines() if line.startswith("tasuki: ")]
        good = done.status != 0 and len(told) == 1 and "is full" in told[0] and not left
        print(f"{'ok' if good else 'FAILED'}: {program} on {ranks} and a full disk", flush=True)
        if not good:
            faults.append(f"left {left}, status {done.status}:\n{done.text}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument(INSIDE, type=Path)
    parser.add_argument("--only", choices=["refused", "at_once", "full"])
    arguments = parser.parse_args()
    if arguments.inside is None:
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            skip("only root can make devices, in a namespace of its own")
        with tempfile.TemporaryDirectory(prefix="tasuki-outputs-") as place:
            words = [sys.executable, __file__, str(arguments.binary.resolve()), INSIDE, place]
            words += ["--only", arguments.only] if arguments.only else []
            return subprocess.run(["unshare", "--mount", *words], check=False).returncode
    disk = arguments.inside
    if (
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", str(disk)], check=False).returncode
        != 0
    ):
        return SKIPPED
    faults = []
    for checks in (refused, at_once, full):
        if arguments.only in (None, checks.__name__):
            faults += checks(arguments.binary, disk)
    for fault in faults:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
