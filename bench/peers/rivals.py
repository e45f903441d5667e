"""The rivals: how each is built from its own sources, how it is started, and how what it prints is read.

None of their code is here: the sources come from a checkout, unchanged but for a recipe's `edits`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Recipe:
    """A binary. `sources` are patterns below the checkout, `architecture` the virtual one where it is not
    the GPU's own, `edits` what is changed in a copy of the sources, `needs` what else it takes to build."""

    binary: str
    repository: str
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    architecture: int | None = None
    edits: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repository:
    """Where it is kept, and a file by which a checkout of it is known."""

    url: str
    marker: str


REPOSITORIES = {
    "NVIDIA": Repository(
        "github.com/NVIDIA/multi-gpu-programming-models", "multi_threaded_p2p_opt/jacobi.cu"
    ),
    "CPU-Free": Repository("github.com/ParCoreLab/CPU-Free-model", "Stencil/jacobi2D/src/main.cu"),
    "gpu-himeno": Repository("github.com/keichi/gpu-himeno", "cuda/himenoBMT.cu"),
}

_NVIDIA = ("-O3", "-DHAVE_CUB")  # as their Makefiles, but for the standard, which CUB has raised since
_JACOBI_2D = "Stencil/jacobi2D"

RECIPES = (
    *(
        Recipe(f"nvidia-{name}", "NVIDIA", (f"{name}/jacobi.cu",), _NVIDIA)
        for name in ("single_gpu", "multi_threaded_p2p", "multi_threaded_p2p_opt")
    ),
    Recipe(
        "nvidia-nccl_graphs",
        "NVIDIA",
        ("nccl_graphs/jacobi.cpp", "nccl_graphs/jacobi_kernels.cu"),
        _NVIDIA,
        needs=("mpi", "nccl"),
    ),
    # Its PERKS part knows compute capability 8.0 alone, so all is compiled as that and assembled for the GPU.
    Recipe(
        "cpufree-jacobi2D",
        "CPU-Free",
        (f"{_JACOBI_2D}/src/**/*.cu", f"{_JACOBI_2D}/PERKS/jacobi-general-wrapper.cu"),
        ("-O2", "-rdc=true"),
        (f"{_JACOBI_2D}/include", f"{_JACOBI_2D}/PERKS"),
        architecture=80,
    ),
    # It measures for a minute as it is, by a guess that is long; five seconds are one or less.
    *(
        Recipe(
            f"gpu-himeno-{name}",
            "gpu-himeno",
            ("cuda/himenoBMT.cu",),
            ("-O3", f"-D{define}", "-Xcompiler", "-mcmodel=medium"),
            edits=(("target= 60.0;", "target= 5.0;"),),
        )
        for name, define in (("S", "SMALL"), ("M", "MIDDLE"), ("L", "LARGE"))
    ),
)


@dataclass(frozen=True)
class Timing:
    """What a run measured: seconds of its steps, and of the same steps on one GPU where it did those too."""

    steps: int
    seconds: float
    one_gpu: float | None = None

    @property
    def step(self) -> float:
        """Seconds a step."""
        return self.seconds / self.steps


Parser = Callable[[str, int], Timing | None]


def parse_nvidia(text: str, steps: int) -> Timing | None:
    """``NAME, nx, ny, iter_max, nccheck, ngpu, p2p, SECONDS, SECONDS ON ONE``: what ``-csv`` prints where the
    result was right. ``single_gpu`` has no ngpu, no p2p and no second time, NCCL's no p2p."""
    for line in reversed(text.splitlines()):
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) < 6 or not re.fullmatch(r"[a-z_0-9]+", cells[0]) or cells[3] != str(steps):
            continue
        times = [float(cell) for cell in cells[5:] if re.fullmatch(r"\d+\.\d+", cell)]
        if times:
            return Timing(steps, times[0], times[1] if len(times) > 1 else None)
    return None


def parse_cpufree(text: str, steps: int) -> Timing | None:
    """``Execution time:   0.0524 s``."""
    found = re.search(r"^Execution time:\s*([\d.]+) s", text, re.MULTILINE)
    return Timing(steps, float(found.group(1))) if found and float(found.group(1)) > 0 else None


def parse_himeno(text: str, steps: int, gosa: float) -> Timing | None:
    """``Loop executed for N times``, ``MFLOPS measured : X cpu : SECONDS``: it chooses its steps itself, and
    does not look whether its kernels ran. So the `gosa` of its first three steps has to be right."""
    rehearsal = re.search(r"MFLOPS: [\d.]+ time\(s\): [\d.]+ ([\d.e+-]+)", text)
    if not rehearsal or abs(float(rehearsal.group(1)) / gosa - 1) > 0.01:
        return None
    loops = re.search(r"Loop executed for (\d+) times", text)
    seconds = re.search(r"MFLOPS measured : [\d.]+\s+cpu : ([\d.]+)", text)
    if not loops or not seconds or int(loops.group(1)) < 1:
        return None
    return Timing(int(loops.group(1)), float(seconds.group(1)))


def wrong_cells(text: str) -> int:
    """How many cells CPU-Free's ``-compare`` found to differ from its own reference."""
    return len(re.findall(r"^ERROR: a\[", text, re.MULTILINE))


@dataclass(frozen=True)
class Rival:
    """A way to run a binary. `norms` says for which rules of the norm it has a run: ``off`` (never, or in
    the first step alone) or ``every``. `arguments` may name {n}, {steps} and {nccheck}."""

    name: str
    binary: str
    arguments: tuple[str, ...]
    parse: Parser
    norms: tuple[str, ...]
    most_gpus: int = 64
    ranks: bool = False  # one process a GPU, else one for all
    check: tuple[str, ...] = ()  # how it is held against its own reference, where it does not do so always
    note: str = ""


_CSV = ("-csv", "-nx", "{n}", "-ny", "{n}", "-niter", "{steps}", "-nccheck", "{nccheck}")
_CPUFREE = ("-s", "-nx", "{n}", "-ny", "{n}", "-niter", "{steps}")
_CHECK = ("-s", "-nx", "{n}", "-ny", "{n}", "-niter", "100", "-compare")

# All of the same problem: fp32, five points, periodic in y, n x n with rim.
RIVALS = (
    Rival("NVIDIA single_gpu", "nvidia-single_gpu", _CSV, parse_nvidia, ("every",), most_gpus=1),
    Rival("NVIDIA p2p", "nvidia-multi_threaded_p2p", _CSV, parse_nvidia, ("off", "every")),
    Rival(
        "NVIDIA p2p_opt",
        "nvidia-multi_threaded_p2p_opt",
        _CSV,
        parse_nvidia,
        ("every",),
        note="looks at the norm a step late",
    ),
    Rival("NVIDIA nccl_graphs", "nvidia-nccl_graphs", _CSV, parse_nvidia, ("off", "every"), ranks=True),
    *(
        Rival(
            f"CPU-Free {name}",
            "cpufree-jacobi2D",
            ("-v", str(number), *_CPUFREE),
            parse_cpufree,
            ("off",),
            check=("-v", str(number), *_CHECK),
            note=note,
        )
        for name, number, note in (
            ("Design 1", 3, "two persistent kernels a GPU"),
            ("Design 2", 4, "one persistent kernel a GPU"),
            ("PERKS", 5, "keeps cells in registers and shared memory; mirrors the left and right rim"),
        )
    ),
)

HIMENO_RIVALS = tuple(
    Rival(
        f"gpu-himeno {size}",
        f"gpu-himeno-{size}",
        (),
        partial(parse_himeno, gosa=gosa),
        ("off",),
        most_gpus=1,
        note="gosa in the last iteration alone",
    )
    for size, gosa in (("S", 3.2968e-3), ("M", 1.6935e-3), ("L", 8.6069e-4))
)


def arguments_of(rival: Rival, n: int, steps: int, norm: str) -> list[str]:
    """The words behind the binary's name."""
    words = {"n": n, "steps": steps, "nccheck": 1 if norm == "every" else 2 * steps}
    return [argument.format(**words) for argument in rival.arguments]
