"""Files of results in HDF5, as all programs leave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import h5py
import numpy as np

from tasuki.errors import TasukiError
from tasuki.proof import check_rows_file, read_header, tell_unproven


def plain(value: Any) -> Any:  # noqa: ANN401 -- any attribute of HDF5
    """An attribute as Python has it: str, int, float, or lists of them."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value.tolist()] if value.shape else plain(value.item())
    return value.item() if isinstance(value, np.generic) else value


def open_hdf5(path: Path, program: str) -> h5py.File:
    """Opens an HDF5 file of a run of `program` to read; a TasukiError says what is wrong with it."""
    if not path.is_file():
        raise TasukiError(f"there is no file {path}", f"give the folder that `tasuki run {program}` named")
    try:
        return h5py.File(path, "r", locking=False)  # a run that goes on may be looked at
    except OSError as error:
        raise TasukiError(f"{path} cannot be read ({error})", "check that the run is over") from None


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """What HDF5, or a file of another layout, throws within becomes a TasukiError that names the file."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, IndexError) as error:
        text = " ".join(str(error).strip("'\"").split())
        raise TasukiError(f"{path} is damaged ({text})", "resume or repeat the run") from None


def open_rows(path: Path, program: str) -> h5py.File:
    """Opens a file whose rows are filled in as a run goes; a TasukiError also where it was altered. Its rows
    are read by read_rows()."""
    file = open_hdf5(path, program)
    try:
        with damage_named(path):
            check_rows_file(path, file)
    except TasukiError:
        file.close()
        raise
    return file


RESULTS = "results.h5"
Run = TypeVar("Run")


def read_results(
    path: Path, program: str, version: int, read: Callable[[h5py.File, Path, dict[str, Any]], Run]
) -> Run:
    """What `read` makes of a run of `program`: of its file, folder and attributes. `path` is the folder or
    its results.h5. A TasukiError says what is wrong with it."""
    file_path = path / RESULTS if path.is_dir() or not path.suffix else path
    with open_rows(file_path, program) as file:
        with damage_named(file_path):
            about = {name: plain(value) for name, value in file.attrs.items()}
        if about.get("format") != f"tasuki-{program}":
            raise TasukiError(
                f"{file_path} was not written by {program}", f"give the folder of a run of {program}"
            )
        if about.get("version") != version:
            raise TasukiError(
                f"{file_path} has version {about.get('version')}, this tasuki reads {version}",
                "use the tasuki that wrote it",
            )
        with damage_named(file_path):
            run = read(file, file_path.parent, about)
        if read_header(file_path) is None:
            tell_unproven(file_path)
        return run
