"""Programs of OpenACC on GPUs print what they print as serial C, by plain cc.

test_kernels.py FOLDER_OF_LIBTASUKI_XMP FOLDER_OF_PROGRAMS [--gpus]

The GPUs are a host's cores, which interpret the kernels' PTX (`tasuki gpus serve --device host`), so no GPU
is needed, and nvcc is. Every program is compiled once; for each number of ranks one start calls them in turn.
With --gpus, by hand on a machine that has some, ranks share its own GPUs.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parents[1] / "python"), str(HERE.parent / "remote" / "scripts")]

from house import House, house  # noqa: E402

# Small: a core does some million operations of PTX a second.
PROGRAMS = {
    "accelerated": ([], (1, 2, 4)),
    "clauses": ([], (1, 2)),
    "asked": (["--acc-mapping=asked"], (1, 2, 5)),
    "kept_sums": ([], (1, 2)),
    "kernels": ([], (1, 2, 4, 5)),  # of 5 ranks one has nothing of its arrays
    "laplace": (["-DN=40", "-DSTEPS=12"], (1, 2, 4)),
    "himeno": ([], (1, 2, 4)),
    "whole_steps": ([], (1, 2, 4)),
    "boltzmann": ([], (1,)),
    "led": ([], (1, 2)),
    "usual": ([], (1, 2)),
}
RANKS = (1, 2, 4, 5)
# Steps that an executor does on GPUs, of each time loop that is one; the log says the same thing once.
LIFTED = {"laplace": [11], "himeno": [19], "whole_steps": [14, 22]}
# Blocks and threads of asked.c's launches on one rank: six loops, and behind those with sums what adds them.
SHAPES = [
    (3, 1, 1, 16, 2, 1),  # num_gangs(3) num_workers(2) vector_length(16)
    (15, 1, 1, 96, 1, 1),  # 37 * 37 iterations by 96
    (2, 1, 1, 40, 1, 1),
    (7, 1, 1, 11, 3, 1),
    (1, 1, 1, 7, 1, 1),
    (1, 1, 1, 513, 1, 1),  # no gang
    (1, 1, 1, 1, 1, 1),
    (5, 1, 1, 32, 1, 1),
]


def build(made: House, library: Path) -> dict[str, str]:
    """Shared objects of all programs; what each prints as serial C."""
    from tasuki.lang.driver import compile_line

    os.environ["TASUKI_BIN"] = str(library.parent / "bin")
    wanted = {}
    for name, (options, _) in PROGRAMS.items():
        source = HERE / "programs" / f"{name}.c"
        plain = made.folder / f"{name}.plain"
        defines = [option for option in options if option.startswith("-D")]
        subprocess.run(["cc", "-w", "-O1", *defines, source, "-o", plain, "-lm"], check=True)
        wanted[name] = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
        words = ["--device", "cuda", "-O1", *options, "--entry", name, "-fPIC", "-shared", "-Wl,-Bsymbolic"]
        if compile_line([*words, str(source), "-o", str(made.folder / f"{name}.so"), "-lm"]):
            sys.exit(f"{name} was not compiled")
    subprocess.run(["mpicc", "-O1", HERE / "drive.c", "-o", made.folder / "drive", "-ldl"], check=True)
    return wanted


def differs(made: House, wanted: dict[str, str], ranks: int) -> bool:
    """Runs all programs on so many ranks, each with a GPU of its own."""
    names = [name for name, (_, on) in PROGRAMS.items() if ranks in on]
    says = {"TASUKI_DEVICE": "cuda", "TASUKI_LIFT": "always", "TASUKI_LOG": "info"}
    launch = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
    command = [*launch, str(ranks), "./drive", ".", *names]
    if made.server:
        words = ["--quiet", "--hosts", f"localhost@{made.port}", "--per-gpu", str(ranks), "--"]
        done = made.tasuki("run", *words, *command, **says)
    else:
        settings = {**made.environment, **says, "TASUKI_SHARE_DEVICES": "1"}
        done = subprocess.run(
            command, cwd=made.folder, env=settings, capture_output=True, text=True, check=False, timeout=60
        )
    wrong = done.returncode != 0
    if wrong:
        print(f"{ranks} ranks ended with {done.returncode}: {done.stderr}{done.stdout}")
    for name in names:
        out = made.folder / f"{name}.out"
        said = out.read_text() if out.exists() else ""
        out.unlink(missing_ok=True)
        if said != wanted[name]:
            print(f"{name} on {ranks} ranks: {said!r} instead of {wanted[name]!r}")
            wrong = True
    for name in [name for name in names if name in LIFTED]:
        steps = re.findall(rf"/{name}[.]c:\d+:\d+: lifted: (\d+) steps by executor", done.stderr)
        if sorted(map(int, steps)) != LIFTED[name]:
            print(f"{name} on {ranks} ranks: executors have done {steps} steps instead of {LIFTED[name]}")
            wrong = True
    return wrong


def watched(made: House, program: Path) -> list[str]:
    """What a program asks of its GPU, as watch_gpu.c writes it."""
    settings, said = {**made.environment, "TASUKI_DEVICE": "cuda"}, made.folder / f"{program.name}.asks"
    if made.server:
        settings |= made.settings(f"localhost@{made.port}[0]")
    preload = [str(made.folder / "watch_gpu.so"), settings.get("LD_PRELOAD", "")]
    settings |= {"LD_PRELOAD": " ".join(preload), "WATCH_GPU": str(said)}
    subprocess.run([program], env=settings, check=True, capture_output=True, timeout=60)
    return said.read_text().splitlines()


def program_of(made: House, source: str, *options: str) -> Path:
    from tasuki.lang.driver import compile_line

    program = made.folder / f"{source}{''.join(options)}"
    words = ["--device", "cuda", "-O1", *options, str(HERE / f"programs/{source}.c"), "-o", str(program)]
    if compile_line(words):
        sys.exit(f"{source} was not compiled")
    return program


def sums_are_fetched_often(made: House) -> bool:
    """Sums that stay on the device take no wait in a loop: as many in 8 steps as in 2."""
    few, many = (watched(made, program_of(made, "kept_sums", f"-DSTEPS={n}")).count("wait") for n in (2, 8))
    if few != many or few == 0:
        print(f"a program waits for its GPU {few} times in 2 steps, and {many} times in 8")
    return few != many or few == 0


def shapes_are_others(made: House) -> bool:
    """With --acc-mapping asked, blocks and threads are what the clauses say."""
    said = watched(made, program_of(made, "asked", "--acc-mapping=asked"))
    found = [tuple(map(int, line.split()[1:])) for line in said if line.startswith("launch")]
    if found != SHAPES:
        print(f"asked.c is launched with blocks and threads {found} instead of {SHAPES}")
    return found != SHAPES


def grids_leave_out(made: House) -> bool:
    """Large loops are several grids, which cover them."""
    program, runtime = made.folder / "grids", HERE.parents[1] / "lang" / "runtime"
    subprocess.run(["nvcc", "-w", "-I", runtime, HERE / "grids.cu", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    return done.returncode != 0


def main() -> int:
    """Prints what differs; ends with 0 where nothing does."""
    library, binaries = Path(sys.argv[1]), Path(sys.argv[2])
    with house(binaries) as made:
        began = time.monotonic()
        wanted = build(made, library)
        print(f"{len(wanted)} programs compiled in {time.monotonic() - began:.1f} s")
        if "--gpus" not in sys.argv:
            made.serve("--clients", "4")
        wrong = [ranks for ranks in RANKS if differs(made, wanted, ranks)]
        watch = made.folder / "watch_gpu.so"
        subprocess.run(
            ["cc", "-O1", "-fPIC", "-shared", HERE / "watch_gpu.c", "-o", watch, "-ldl"], check=True
        )
        wrong += [0] * (sums_are_fetched_often(made) + shapes_are_others(made) + grids_leave_out(made))
        print(f"on {', '.join(map(str, RANKS))} ranks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
