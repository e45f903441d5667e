"""What an ELF file says of itself: what it is for, which libraries it needs, which CUDA it has in it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from tasuki.gpus.fatbin import Image, images_in

_HOST = "EM_X86_64"


@dataclass(frozen=True)
class Elf:
    """A program or library."""

    path: Path
    needed: tuple[str, ...] = ()
    undefined: frozenset[str] = frozenset()
    images: tuple[Image, ...] = ()  # of kernels
    fatbin: bytes = b""  # the section that holds them
    fault: str = ""  # why it cannot be run here

    @property
    def cuda(self) -> frozenset[str]:
        """Names of CUDA's runtime that something else has to define."""
        return frozenset(name for name in self.undefined if name.startswith(("cuda", "__cuda")))


def read(path: Path) -> Elf | None:
    """The file, or None where it is no ELF file."""
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
        file.seek(0)
        try:
            return _read(path, ELFFile(file))
        except (ELFError, UnicodeDecodeError, ValueError, OverflowError):
            return Elf(path, fault="is damaged")


def _read(path: Path, elf: ELFFile) -> Elf:
    if elf.elfclass != 64:
        return Elf(path, fault="is a 32-bit program")
    if elf["e_machine"] != _HOST:
        machine = elf["e_machine"].removeprefix("EM_")
        return Elf(path, fault=f"is a program of another machine ({machine})")
    dynamic = elf.get_section_by_name(".dynamic")
    needed = ()
    if isinstance(dynamic, DynamicSection):
        needed = tuple(tag.needed for tag in dynamic.iter_tags("DT_NEEDED"))
    symbols = elf.get_section_by_name(".dynsym")
    undefined = frozenset(
        symbol.name for symbol in symbols.iter_symbols() if symbol["st_shndx"] == "SHN_UNDEF" and symbol.name
    ) if symbols else frozenset()  # fmt: skip
    fatbin = elf.get_section_by_name(".nv_fatbin")
    kernels = fatbin.data() if fatbin else b""
    return Elf(path, needed, undefined, tuple(images_in(kernels)), kernels)


def loaded(program: Path) -> Iterator[Path]:
    """The libraries that the loader finds for a program; it is asked and runs nothing of the program."""
    done = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        _, arrow, place = line.strip().partition(" => ")
        path = Path(place.rsplit(" (", 1)[0])
        if arrow and path.is_file():
            yield path
