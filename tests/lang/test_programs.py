"""Programs of directives on 1, 2, 3, 4, 6 and 8 ranks print what they print as serial C, by plain cc.

Those with OpenACC print that by gcc -fopenacc too.

test_programs.py FOLDER_OF_LIBTASUKI_XMP [--no-files] [--all] [--only NAME,NAME] [--drawn COUNT]

Each program is translated once and becomes a shared object, two of them at a time. For each number of ranks
three MPI starts call
a third of them each, in turn: with the channels that are chosen, by mpi alone, and as if there were two
nodes. Which third a program is in changes with the number of ranks, so each is tried with each of them;
`--all` tries all of them on each number of ranks. Device memory is apart from the host's, so a forgotten
update is seen. A program's first line may say with which options it is compiled and on which ranks it runs:
/* options: -DN=8 ranks: 2 4 */

Beside those of the folder programs/ there are some that are drawn (drawn/program.py), others in each run;
TASUKI_TEST_SEED repeats them. `drawn/program.py SEED` prints one.

Time loops are lifted where host and device share memory: programs of LIFTED run once more, by each executor.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

from drawn.program import program as drawn_program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))

RANKS = (1, 2, 3, 4, 6)  # of programs that do not say theirs
MOST = 8
# How ranks reach each other, in the words of TASUKI_.. variables.
REACHES = {"chosen channels": {}, "mpi": {"CHANNEL": "mpi"}, "two nodes": {"SUBCLUSTERS": "2"}}
# What gcc -fopenacc does not compile: rows that are several pieces in a clause, a crash of GCC 12, `if` of
# wait; and what is about the directives of xmp between host and device, which it ignores.
NOT_BY_GCC = {"clauses", "kernels", "called", "sides"}
CHECKED = 4  # ranks on which --check finds nothing in programs that are sound
LIFTED = {
    "laplace": 1,
    "himeno": 1,
    "lifted": 13,
    "around": 8,
}  # lines of the log, of time loops that are lifted
NOT_LIFTED = {
    "lifted": {"it has few steps", "two of its arrays are one"},
    "around": {"a loop goes beyond the ends of its arrays"},
}
NOT_LIFTED_ON_4 = {"lifted": {"a node has no cells"}}  # in addition, one loop
# Ranks, executor, halo.
LIFTS = [
    *((ranks, executor, "") for ranks in (1, 2, 4) for executor in ("eager", "overlapped", "resident")),
    (3, "overlapped", ""),
    (2, "resident", "3"),
    (4, "auto", "auto"),
]


def said_of(program: Path) -> tuple[list[str], tuple[int, ...]]:
    """Options and ranks of a program."""
    head = program.read_text().split("\n", 1)[0]
    options = re.search(r"options: (.*?) (?:ranks:|\*/)", head)
    ranks = re.search(r"ranks: ([\d ]+)", head)
    return (
        options[1].split() if options else [],
        tuple(int(word) for word in ranks[1].split()) if ranks else RANKS,
    )


def build(program: Path, folder: Path) -> str:
    """Shared objects of a program, one of them with --check, and what it prints as serial C."""
    from tasuki.lang.driver import compile_line

    options, _ = said_of(program)
    plain = folder / f"{program.stem}.plain"
    subprocess.run(["cc", "-w", "-O1", *options, program, "-o", plain, "-lm"], check=True)
    words = ["-O1", *options, "--entry", program.stem, "-fPIC", "-shared", "-Wl,-Bsymbolic", str(program)]
    (folder / "checked").mkdir(exist_ok=True)
    for made, more in ((folder, []), (folder / "checked", ["--check"])):
        if compile_line([*words, *more, "-o", str(made / f"{program.stem}.so")]):
            raise SystemExit(f"{program.name} was not translated")
    right = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
    if "#pragma acc" in program.read_text() and program.stem not in NOT_BY_GCC:
        by_gcc = folder / f"{program.stem}.gcc"
        subprocess.run(["gcc", "-w", "-O1", "-fopenacc", *options, program, "-o", by_gcc, "-lm"], check=True)
        said = subprocess.run([by_gcc], capture_output=True, text=True, check=True).stdout
        if said != right:
            raise SystemExit(f"{program.name} by gcc -fopenacc prints {said!r} instead of {right!r}")
    return right


def drawn(count: int, folder: Path) -> list[Path]:
    """Programs that are drawn, written into a folder."""
    seed = int(os.environ.get("TASUKI_TEST_SEED") or random.SystemRandom().randrange(1 << 30))
    made = []
    for each in range(seed, seed + count):
        made.append(folder / f"drawn_{each}.c")
        made[-1].write_text(drawn_program(each))
    print(f"{count} programs are drawn by seeds from TASUKI_TEST_SEED={seed} on", flush=True)
    return made


def wrong_files(folder: Path) -> str:
    """What is not as it should be of the files that files.c writes; takes them away."""
    import h5py

    for name in ("files_u.h5", "files_p.h5"):
        if not (folder / name).exists():
            return f"there is no {name}"
        with h5py.File(folder / name) as file:
            shape, values = file["fields/u"].shape, file["fields/u"][()]
            right = shape == (9, 14) and all(
                values[j][i] == 100 * j + i for j in range(shape[0]) for i in range(shape[1])
            )
            right &= file.attrs["kind"] == "snapshot" and file["fields/count"][8, 1] == 7
        if not right:
            return f"{name} of {folder.name} is not what was written"
    for path in folder.glob("files_*"):
        path.unlink()
    return ""


def lifts_differ(launch: list[str], drive: Path, folder: Path, wanted: dict[Path, str]) -> int:
    """How many runs of lifted programs print something else, or lift less, than is wanted."""
    wrong = 0
    for turn, (ranks, executor, halo) in enumerate(LIFTS):
        # A resident kernel needs memory that its neighbours reach.
        way = list(REACHES)[(turn + turn // 3) % 3 if executor in ("eager", "overlapped") else 0]
        lifted = [program for program in wanted if program.stem in LIFTED]
        programs = [program for program in lifted if ranks in said_of(program)[1]]
        if not programs:
            continue
        names = [program.stem for program in programs]
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
        environment |= {
            "TASUKI_EXECUTOR": executor,
            "TASUKI_LOG": "info",
            "TASUKI_ACC": "shared",
            "TASUKI_LIFT": "always",
        }
        environment |= {"TASUKI_HALO": halo} if halo else {}
        environment |= {f"TASUKI_{name}": value for name, value in REACHES[way].items()}
        command = [*launch, str(ranks), drive, folder, *names]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=100, check=False
        )
        how = f"{ranks} ranks, {way}, executor {executor}{', halo ' + halo if halo else ''}"
        by = re.findall(r": lifted: \d+ steps by executor (\w+)", done.stderr)
        alike = executor == "auto" or {*by} == {executor}
        others = set(re.findall(r": not lifted here: (.*)", done.stderr))
        reasons = [NOT_LIFTED] + ([NOT_LIFTED_ON_4] if ranks == 4 else [])
        wanted_others = {why for each in reasons for name in names for why in each.get(name, ())}
        count = sum(LIFTED[name] for name in names) - (ranks == 4 and "lifted" in names)
        if done.returncode or len(by) != count or not alike or others != wanted_others:
            print(f"{how}: {len(by)} time loops were lifted: {done.stderr}")
            wrong += 1
        for program in programs:
            out = folder / f"{program.stem}.out"
            text = out.read_text() if out.exists() else ""
            out.unlink(missing_ok=True)
            if text != wanted[program]:
                print(f"{program.name} lifted, {how}: {text!r} instead of {wanted[program]!r}")
                wrong += 1
    print(f"{len(LIFTS)} runs of lifted programs")
    return wrong


def shares_of(programs: list[Path], ranks: int, everything: bool) -> dict[str, list[Path]]:
    """The programs of a number of ranks by REACHES; on one rank there is nobody to reach."""
    here = [(at, program) for at, program in enumerate(programs) if ranks in said_of(program)[1]]
    ways = list(REACHES) if ranks > 1 else list(REACHES)[:1]
    turn = (*RANKS, MOST).index(ranks)
    return {
        way: [program for at, program in here if everything or (at + turn) % len(ways) == number]
        for number, way in enumerate(ways)
    }


def differ(launch: list[str], made: Path, ranks: int, way: str, wanted: dict[Path, str]) -> int:
    """How many of these programs print something else than is wanted; `way`: of REACHES."""
    names = [program.stem for program in wanted]
    environment = {**os.environ, "TASUKI_ACC": "apart", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    environment |= {f"TASUKI_{name}": value for name, value in REACHES[way].items()}
    command = [*launch, str(ranks), made.parent / "drive" if made.name == "checked" else made / "drive"]
    done = subprocess.run(
        [*command, made, *names], env=environment, cwd=made, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    how = f"{ranks} ranks, {way}{', --check' if made.name == 'checked' else ''}"
    wrong = 0
    if done.returncode:
        print(f"{how} ended with {done.returncode}: {done.stderr}{done.stdout}")
        wrong += 1
    for program, right in wanted.items():
        out = made / f"{program.stem}.out"
        text = out.read_text() if out.exists() else ""
        out.unlink(missing_ok=True)
        if text != right:
            print(f"{program.name} on {how}: {text!r} instead of {right!r}")
            wrong += 1
    if "files" in names and (found := wrong_files(made)):
        print(found)
        wrong += 1
    print(f"{how}: {len(names)} programs", flush=True)
    return wrong


def main() -> int:
    """Prints what differs; ends with 0 where nothing does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--no-files", action="store_true", help="the build has no HDF5")
    parser.add_argument("--all", action="store_true", help="each way of ranks to reach each other")
    parser.add_argument("--only", default="", help="names of programs, with commas; none: those drawn alone")
    parser.add_argument("--drawn", type=int, default=1, help="how many more are drawn [1]")
    asked = parser.parse_args()
    os.environ["TASUKI_BIN"] = str(asked.library.parent / "bin")
    programs = sorted(
        path for path in (HERE / "programs").glob("*.c") if path.stem != "files" or not asked.no_files
    )
    programs = [path for path in programs if not asked.only or path.stem in asked.only.split(",")]
    launch = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="tasuki-lang-") as scratch:
        folder = Path(scratch)
        drive = folder / "drive"
        subprocess.run(["mpicc", "-O1", HERE / "drive.c", "-o", drive, "-ldl"], check=True)
        programs += drawn(asked.drawn, folder)
        with ProcessPoolExecutor(2) as both:
            wanted = dict(zip(programs, both.map(build, programs, repeat(folder)), strict=True))
        for ranks in (*RANKS, MOST):
            for way, share in shares_of(programs, ranks, asked.all).items():
                if share:
                    some = {program: wanted[program] for program in share}
                    wrong += differ(launch, folder, ranks, way, some)
        checked = {program: wanted[program] for program in programs if CHECKED in said_of(program)[1]}
        wrong += differ(launch, folder / "checked", CHECKED, "chosen channels", checked)
        wrong += lifts_differ(launch, drive, folder, wanted)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
