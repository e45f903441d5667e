"""Programs of MpC and SMint on 1 to 4 processes, one node and several, print what they print as sequential C.

test_shared.py FOLDER_OF_LIBTASUKI_SMS

Ways to fault and numbers of threads are dealt out so that some run has any two settings together.

SMint is sequential C where its pragmas are ignored; MpC is, once `shared` and its maps are taken out and
sms.h is that of tests/lang/shared.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "tests/space"))

EXAMPLES = ROOT / "lang/sms/examples"
PROGRAMS = {
    "smint": [HERE / "shared/smint.c", HERE / "shared/smint_more.c"],
    "mpc": [HERE / "shared/mpc.c", HERE / "shared/mpc_more.c"],
    "smint-matrix_vector": [EXAMPLES / "smint/matrix_vector.c"],
    "smint-stencil": [EXAMPLES / "smint/stencil.c"],
    "smint-heat": [EXAMPLES / "smint/heat.c"],
    "mpc-matrix_vector": [EXAMPLES / "mpc/matrix_vector.c"],
    "mpc-stencil": [EXAMPLES / "mpc/stencil.c"],
}
SHAPES = [(1, 1), (2, 1), (2, 2), (3, 3), (4, 1), (4, 2), (4, 4)]  # processes and nodes
THREADS = ["1", "2"]
# What wrong.c does, with what in its environment, and what has to be said once.
WRONG = [
    ("", "TASUKI_TEST_FAR", "wrong.c:8:8: a is put on processes 0 to 8, and there are 1"),
    ("", "TASUKI_TEST_PARTS", "wrong.c:10:8: 10 elements of b are cut into 11 parts"),
    ("section", "", "wrong.c:23:35: a section has elements 0 to 10 of axis 0 of a, which has 10"),
    ("private", "", "wrong.c:13:15: this loop writes what is not shared"),
    ("beyond", "", "wrong.c:13:15: the loop goes beyond the end of a"),
    ("inside", "", "wrong.c:13:15: a parallel for inside of another, of "),
]
OPTIONS = ["-O1", "-ffp-contract=off"]


def as_c(source: Path, folder: Path) -> Path:
    """A source of MpC without what is not C."""
    text = re.sub(r"\bshared (?=\w)", "", source.read_text())
    text = re.sub(r"\s*::(\[[^]\n]*\])*\([^\n]*?\)(?=[,;])", "", text)
    made = folder / source.name
    made.write_text(text)
    return made


def sequential(name: str, sources: list[Path], folder: Path) -> str:
    """What a program prints by plain cc."""
    plain, inside = folder / f"{name}.plain", folder / f"{name}.c"
    inside.mkdir()
    if name.startswith("mpc"):
        for header in (HERE / "shared").glob("*.h"):
            as_c(header, inside)
        (folder / "digest.h").write_text((EXAMPLES / "digest.h").read_text())
        sources = [as_c(source, inside) for source in sources]
    folders = ["-I", inside, "-I", HERE / "shared", "-I", ROOT / "lang/sms"]
    subprocess.run(["cc", "-w", *OPTIONS, *folders, *sources, "-o", plain], check=True)
    return subprocess.run([plain], capture_output=True, text=True, check=True).stdout


def refused(launch: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Runs what is wrong; how often that was not said in one line, or did not end the run."""
    from tasuki.lang.driver import compile_line

    program, wrong = folder / "wrong", 0
    if compile_line([*OPTIONS, str(HERE / "shared/wrong.c"), "-o", str(program)]):
        raise SystemExit("wrong.c was not translated")
    for mode, variable, says in WRONG:
        given = {**environment, variable: "1"} if variable else environment
        command = [*launch, "1", program, mode]
        done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60, check=False)
        lines = [line for line in done.stderr.splitlines() if says in line]
        if done.returncode == 0 or len(lines) != 1:
            print(f"{mode} {variable} ended with {done.returncode} and said\n{done.stderr}not once: {says}")
            wrong += 1
    return wrong


def main() -> int:
    """Prints what differs; ends with 0 where nothing does."""
    from pairs import runs

    from tasuki.lang.driver import compile_line

    library = Path(sys.argv[1])
    os.environ["TASUKI_BIN"] = str(library.parent / "bin")
    launch = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    wrong, expected = 0, {}
    with tempfile.TemporaryDirectory(prefix="tasuki-shared-") as scratch:
        folder = Path(scratch)
        for name, sources in PROGRAMS.items():
            expected[name], made = sequential(name, sources, folder), folder / name
            words = [*OPTIONS, "-Wall", "-Wextra", "-Werror", "-fopenmp"]
            objects = [str(folder / f"{name}-{source.stem}.o") for source in sources]
            steps = [["-c", str(source), "-o", each] for source, each in zip(sources, objects, strict=True)]
            if any(compile_line([*words, *step]) for step in [*steps, [*objects, "-o", str(made)]]):
                raise SystemExit(f"{name} was not translated")
            print(f"{name}: {expected[name].strip()}")
        # auto: userfaultfd where it works.
        for name, (ranks, nodes), way, threads in runs(list(PROGRAMS), SHAPES, ["auto", "signal"], THREADS):
            options = ["--subclusters", str(nodes), "--faults", way]
            command = [*launch, str(ranks), str(folder / name), *options]
            given = {**environment, "OMP_NUM_THREADS": threads}
            done = subprocess.run(
                command, env=given, capture_output=True, text=True, timeout=120, check=False
            )
            if done.returncode or done.stdout != expected[name] or not done.stdout:
                print(f"{name} on {ranks} {' '.join(options)} ended with {done.returncode} and printed")
                print(f"{done.stdout}{done.stderr}not:\n{expected[name]}")
                wrong += 1
        wrong += refused(launch, folder, environment)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
