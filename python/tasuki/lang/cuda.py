"""nvcc for the kernels of directives: whether there is one, and what it is called with.

cuda = find("both")                    # None: loops run on the host alone
cuda.compile(unit, target, ["-O2"])    # the status of nvcc

Kernels need a run time that was built with CUDA: a file beside it says so. TASUKI_NVCC names another nvcc.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.lang import runtime

DESCRIPTION = "tasuki_xmp.json"


@dataclass(frozen=True)
class Cuda:
    """What kernels are compiled by, and linked with."""

    nvcc: list[str]
    architectures: list[str]
    cudart: Path

    def command(self, unit: Path, target: Path, options: list[str]) -> list[str]:
        """nvcc's command. No a*b + c becomes one operation, as on the host."""
        codes = []
        for each in self.architectures:
            number = each.split("-")[0]
            last = each == self.architectures[-1]
            code = f"[sm_{number},compute_{number}]" if last else f"sm_{number}"
            if each.endswith("-virtual"):  # PTX alone, as CMake means it
                code = f"compute_{number}"
            codes += ["-gencode", f"arch=compute_{number},code={code}"]
        kept = [word for word in options if word in ("-O0", "-O1", "-O2", "-O3", "-g")]
        return [
            *self.nvcc, "-x", "cu", "-std=c++17", "-fmad=false", *codes, *kept, "-w", "-Xcompiler", "-fPIC",
            "-I", str(runtime.headers()), "-c", str(unit), "-o", str(target),
        ]  # fmt: skip

    def compile(self, unit: Path, target: Path, options: list[str]) -> int:
        return subprocess.run(self.command(unit, target, options), check=False).returncode

    def libraries(self) -> list[str]:
        """What a program with kernels is linked with: the CUDA of the run time, so streams are the same."""
        kept = ["-Wl,--push-state,--no-as-needed", str(self.cudart), "-Wl,--pop-state"]
        return [*kept, f"-Wl,-rpath,{self.cudart.parent}", "-lstdc++"]


def described() -> dict:
    """What the run time's build says of itself; nothing where it was built before it did."""
    try:
        return json.loads((runtime.library().parent / DESCRIPTION).read_text())
    except (OSError, ValueError):
        return {}


def find(device: str) -> Cuda | None:
    """nvcc for `--device`: asked for, it has to be there; without an option it is taken where it is."""
    if device == "host":
        return None
    asked = device in ("cuda", "both")
    try:
        said = described()
    except TasukiError:
        if asked:
            raise
        return None  # it is said where it is linked
    if not said.get("cuda"):
        if asked:
            raise TasukiError(
                f"--device {device}: {runtime.library()} was built for the host alone",
                "build it with CUDA, `make cuda`, or leave --device out: loops run on the host",
            )
        return None
    words = shlex.split(os.environ.get("TASUKI_NVCC", ""))
    if not words:
        names = (shutil.which("nvcc"), said.get("nvcc"), "/usr/local/cuda/bin/nvcc")
        words = [str(name) for name in names if name and os.access(name, os.X_OK)][:1]
    if not words:
        if asked:
            raise TasukiError(
                f"--device {device}: nvcc is not there", "put it on the PATH, or set TASUKI_NVCC", 1
            )
        return None
    return Cuda(words, said.get("architectures", "90").split(";"), Path(said["cudart"]))


def join(host: Path, kernels: Path, target: str) -> int:
    """Makes one object of a unit's two halves; what they call each other by is seen by no other object."""
    for command in (
        ["ld", "-r", str(host), str(kernels), "-o", target],
        ["objcopy", "--wildcard", "--localize-symbol=tsk_kernel_*", target],
    ):
        try:
            status = subprocess.run(command, check=False).returncode
        except OSError as error:
            raise TasukiError(f"cannot run {command[0]}: {error.strerror}", "install binutils", 1) from None
        if status:
            return status
    return 0
