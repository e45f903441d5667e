"""Tasuki's own kernels, executed by the host in a GPU's place: a machine without a GPU compiles them only.

own.py BIN   of a build with CUDA and the shared runtime

A handful of the tests of its rooms, and laplace on the devices of a server, with the bits of a run on the
host.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import study
from house import SERVES, House, expect, house

# Those that are quick enough when they are interpreted. Kernels of another host reach no memory of this
# one, so signals in pinned memory are not asked, and no host's device beside a GPU.
TESTS = {
    "test_device": "GraphOnGpu.*:Settled.*:Copy.fa*:Copy.goes*:Buffer/Each*:Stream.*",
    "test_halo": "Exchange/*TwoDimensions/mpi_2:Exchange/*OneDimension/chosen_0:Exchange/Codecs.*/way2",
}
GRID = ("--size", "32x32", "--residual-every", "4", "--times")
RUNS = (("8",), ("40", "--until", "0.4"))  # the host looks at the second one's residual


def launch(ranks: int) -> list[str]:
    """How so many ranks are started."""
    return [*shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun -n")), str(ranks)]


def argon_is_remd(here: House, binaries: Path) -> None:
    """The plain program of the study has the bits of tasuki-argon, on 1, 2, 4 and 8 devices."""
    remd = binaries.parent / "remote" / "programs" / "remd"
    at = ["run", "--quiet", "--hosts", f"localhost@{here.port}", "--per-gpu"]
    words = ["--devices", "1,2,4,8", "--energies", "energies"]
    expect(here.tasuki(*at, "8", "--", str(remd), *study.WORDS, *words), 0, "digest")
    argon = [str(binaries / "tasuki-argon"), *study.WORDS, "--device", "cuda"]
    study.compare(here, [sys.executable, "-m", "tasuki", "gpus", *at, "1", "--", *argon], bits=True)


def main() -> int:
    """Serves, and runs all of it."""
    binaries = Path(sys.argv[1]).resolve()
    with house(binaries) as here:
        here.environment |= {
            "OMP_WAIT_POLICY": "passive",
            "TASUKI_SHARE_DEVICES": "1",
            "TASUKI_PROGRESS": "none",
            "TASUKI_TUNING": "none",
        }
        expect(here.tasuki("key"), 0, "^key: ")
        here.serve()

        def start(*words: str) -> subprocess.CompletedProcess[str]:
            return here.tasuki(
                "run", "--quiet", "--hosts", f"localhost@{here.port}", "--", *words, TASUKI_DEVICE="cuda"
            )

        def with_gpu(*words: str, line: str) -> subprocess.CompletedProcess[str]:
            done = start(*words)
            expect(done, 0, line)
            return done

        for program, names in TESTS.items():
            done = with_gpu(str(binaries / program), f"--gtest_filter={names}", line=r"^\[  PASSED  \] ")
            assert "SKIPPED" not in done.stdout, done.stdout
            print(program, done.stdout.splitlines()[-1])

        laplace = str(binaries / "tasuki-laplace")

        def outcome(done: subprocess.CompletedProcess[str]) -> tuple[str, str]:
            """The number of steps, and the checksum."""
            return re.search(r"(\d+) steps in .* checksum ([0-9a-f]{16})", done.stdout).groups()

        for run in RUNS:
            host = subprocess.run(
                [laplace, *GRID, *run, "--device", "host"],
                check=True, env=here.environment, capture_output=True, text=True, timeout=60,
            )  # fmt: skip
            for ranks, executor in ((2, "overlapped"), (1, "eager"), (1, "graph")):
                words = [*(launch(ranks) if ranks > 1 else []), laplace, *GRID, *run, "--executor", executor]
                done = with_gpu(*words, line="PTX interpreted" if SERVES == "host" else "CUDA, NVIDIA")
                assert outcome(done) == outcome(host), done.stdout
                print("laplace", executor, ranks, *outcome(done))
        argon_is_remd(here, binaries)
        refused = start(laplace, *GRID, "8", "--executor", "resident")
        assert refused.returncode and "cannot reach this host's memory" in refused.stderr, refused.stderr
    print("remote.own: well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
