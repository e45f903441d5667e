"""Files of results in HDF5, as all programs leave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tasuki.errors import TasukiError


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
