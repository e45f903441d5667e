"""Fat binaries: which kernels' images a program carries, PTX or machine code, and for which GPUs.

``remote/fatbin/`` reads them to run them; here only the heads of their entries are looked at.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

_MAGIC = 0xBA55ED50
_PTX, _CODE = 1, 2


@dataclass(frozen=True)
class Image:
    """One entry: kernels of one source, for one generation of GPUs."""

    binary: int  # which fat binary of the file, from 0
    ptx: bool
    arch: int  # 90: sm_90


def _has_kernels(code: bytes) -> bool:
    """Whether machine code has a kernel: linking leaves some without. What is compressed counts as one."""
    if code[:4] != b"\x7fELF":
        return True
    try:
        names = [section.name for section in ELFFile(io.BytesIO(code)).iter_sections()]
    except (ELFError, UnicodeDecodeError, ValueError, OverflowError):
        return True
    return any(name.startswith(".text.") for name in names)


def images_in(data: bytes) -> Iterator[Image]:
    """The entries of all fat binaries of a section. What is cut short or damaged ends the walk."""
    at = number = 0
    while at + 16 <= len(data):
        magic, _, head, size = struct.unpack_from("<IHHQ", data, at)
        if magic != _MAGIC:
            at += 8  # sections are filled up between binaries
            continue
        end = min(at + head + size, len(data))
        entry = at + head
        while entry + 64 <= end:
            kind, _, header, length = struct.unpack_from("<HHIQ", data, entry)
            (arch,) = struct.unpack_from("<I", data, entry + 28)
            if kind == _PTX or (
                kind == _CODE and _has_kernels(data[entry + header : entry + header + length])
            ):
                yield Image(number, kind == _PTX, arch)
            if header < 32 or header + length > end - entry:
                break
            entry += header + length
        at = max(end, at + 16)
        number += 1
