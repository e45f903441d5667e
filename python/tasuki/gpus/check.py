"""Whether a program will find remote GPUs, said before it starts.

A program that carries a static runtime opens the local driver itself, and one that looks at no error then
prints nothing and ends with 0: so this stands before the start.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasuki.gpus.elf import Elf, loaded, read
from tasuki.gpus.look import look
from tasuki.gpus.parts import refusals

_STARTERS = frozenset({"mpirun", "mpiexec", "srun", "env", "nice", "time", "timeout", "taskset", "numactl"})
_TWIN = re.compile(r"_pt[sd][sz]$")
_MANAGED = "__cudaRegisterManagedVar"  # whoever has such variables calls it
_RUNTIME = re.compile(r"^libcudart\.so(?:\.(\d+))?")
# Each carries a runtime of its own, or calls the driver: neither can be replaced when a program starts.
_DRIVERS = frozenset(
    {
        *("libcublas", "libcublasLt", "libcufft", "libcurand", "libcusparse", "libcusolver", "libcudnn"),
        *("libnccl", "libcuda", "libnvrtc", "libnvjpeg", "libnvshmem_host", "libtorch_cuda", "libc10_cuda"),
    }
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `works`: it will; `breaks`: the program should not be started."""

    works: bool
    breaks: bool
    text: str
    mend: str = ""

    def __str__(self) -> str:
        return f"{self.text}; {self.mend}" if self.mend else self.text


def _good(text: str) -> Finding:
    return Finding(True, False, text)


def _note(text: str, mend: str) -> Finding:
    return Finding(False, False, text, mend)


def _bad(text: str, mend: str) -> Finding:
    return Finding(False, True, text, mend)


def program_of(words: Sequence[str]) -> Path | None:
    """The program that words start: behind ``mpirun -n 2`` the first that is one."""
    for number, word in enumerate(words):
        found = shutil.which(word)
        if found and (number > 0 or Path(word).name not in _STARTERS):
            return Path(found)
        if number == 0 and not found:
            return None
    return Path(shutil.which(words[0]) or words[0])


def findings(program: Path, served: frozenset[str], on_host: bool = False) -> list[Finding]:
    """What is found out about a program. `on_host`: a server without a GPU is among those that it is for."""
    own = read(program)
    if own is None:
        return [_note(f"{program} is a script", "what it starts is not looked at: check that too")]
    if own.fault:
        return [_bad(f"{program} {own.fault}", "run one that was built for this machine")]
    parts = [own, *(elf for elf in map(read, loaded(program)) if elf and not _is_runtime(elf.path))]
    found = [*_runtime(own, parts), *_calls(parts, served), *_libraries(parts), *_kernels(parts, on_host)]
    found += _needs(parts, on_host)
    return found or [_note(f"{program} has no CUDA in it", "what it starts is not looked at: check that too")]


def _is_runtime(path: Path) -> bool:
    return bool(_RUNTIME.match(path.name))


def _runtime(own: Elf, parts: Sequence[Elf]) -> Iterator[Finding]:
    versions = {match[1] for elf in parts for name in elf.needed if (match := _RUNTIME.match(name))}
    for version in sorted(filter(None, versions)):
        if version == "13":
            yield _good("linked with the shared runtime, libcudart.so.13")
        else:
            yield _bad(
                f"linked with libcudart.so.{version}, and libcudart.so.13 is what is served",
                "build it with CUDA 13",
            )
    for elf in parts:
        if elf.images and not elf.cuda:
            what = "it" if elf is own else elf.path.name
            yield _bad(
                f"{what} has kernels and a static runtime, which opens a local driver",
                "link again with `nvcc -cudart shared` (CMake: CUDA_RUNTIME_LIBRARY Shared); "
                "object files stay as they are",
            )


def _calls(parts: Iterable[Elf], served: frozenset[str]) -> Iterator[Finding]:
    needed = {name for elf in parts for name in elf.cuda if not _driver_library(elf.path.name)}
    managed = _MANAGED in needed
    needed.discard(_MANAGED)
    if managed:
        yield _bad(
            "it has __managed__ variables, which are not served: the host's first touch ends it",
            "give them memory by cudaMallocManaged, or make them __device__ and copy",
        )
    refused = sorted(name for name in needed if _TWIN.sub("", name) not in served)
    if refused:
        yield _note(
            f"{len(refused)} of its {len(needed)} CUDA calls are not served",
            "they return cudaErrorNotSupported, each with one line",
        )
        yield from _refusals(refused)
    elif needed:
        yield _good(f"all {len(needed)} CUDA calls that it makes are served")
    if "cudaMallocManaged" in needed:
        yield _good(
            "it has managed memory (cudaMallocManaged): host and device take turns at it, and it is of the "
            "device that was current; see docs/remote/limits.md"
        )


def _refusals(names: Sequence[str]) -> Iterator[Finding]:
    """A line for each kind of them and what is to be done."""
    kinds: dict[tuple[str, str], list[str]] = {}
    table = refusals()
    for name in names:
        kind = next(row for row in table if row.pattern.match(name))
        kinds.setdefault((kind.what, kind.mend), []).append(name)
    for (what, mend), some in kinds.items():
        more = f" and {len(some) - 4} more" if len(some) > 4 else ""
        yield _note(f"not served, {what}: {', '.join(some[:4])}{more}", mend)


def _driver_library(name: str) -> bool:
    return name.split(".")[0] in _DRIVERS


def _libraries(parts: Iterable[Elf]) -> Iterator[Finding]:
    names = {name.split(".")[0] for elf in parts for name in elf.needed if _driver_library(name)}
    for name in sorted(names):
        yield _bad(
            f"{name} speaks to a local driver by itself, so it sees no remote GPU",
            "do without it, or run where the GPU is",
        )


def _kernels(parts: Iterable[Elf], on_host: bool) -> Iterator[Finding]:
    for elf in parts:
        if not elf.images or _driver_library(elf.path.name):
            continue
        with_ptx = {image.binary for image in elf.images if image.ptx}
        without = {image.binary for image in elf.images} - with_ptx
        if not without:
            oldest = min(image.arch for image in elf.images if image.ptx)
            yield _good(
                f"{elf.path.name}: kernels with PTX, for GPUs from sm_{oldest} on and servers without one"
            )
            continue
        archs = ", ".join(sorted({f"sm_{image.arch}" for image in elf.images if image.binary in without}))
        text = f"{elf.path.name}: kernels without PTX, for {archs} alone"
        mend = "compile with `nvcc -arch=sm_90`, which adds PTX (CMake: CUDA_ARCHITECTURES 90, not 90-real)"
        yield _bad(f"{text}; a server without a GPU cannot run them", mend) if on_host else _note(text, mend)


def _needs(parts: Iterable[Elf], on_host: bool) -> Iterator[Finding]:
    """What stands in the kernels' PTX."""
    for elf in parts:
        if not elf.images or _driver_library(elf.path.name):
            continue
        kernels = look(elf.fatbin)
        if any(one.malloc for one in kernels):
            yield _note(
                f"{elf.path.name}: kernels allocate memory (malloc, new), each GPU at other addresses",
                "start it without --redundant and --spare, or allocate by cudaMalloc",
            )
        for text in sorted({one.lacks for one in kernels if one.lacks}):
            what, _, mend = text.partition("; ")
            yield (_bad if on_host else _note)(
                f"{elf.path.name}, on a server without a GPU: {what}", mend or "run it on a server with a GPU"
            )


def starts(words: Sequence[str]) -> str:
    """The name that `tasuki gpus top` shows."""
    program = program_of(words)
    return os.fspath(program) if program else words[0]
