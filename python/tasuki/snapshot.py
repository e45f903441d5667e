"""Reads snapshots and checkpoints: HDF5 files with the fields of a grid, x last in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tasuki.errors import TasukiError
from tasuki.proof import check_whole


@dataclass(frozen=True)
class Plane:
    """A 2-D cut: rows along `vertical`, columns along `horizontal`; `place` says where it was cut."""

    values: np.ndarray[Any, Any]
    horizontal: str
    vertical: str
    place: str


@dataclass(frozen=True)
class Snapshot:
    """The head of a snapshot; extents are x first, `fields` are the names that `load` takes."""

    path: Path
    kind: str
    step: int
    extents: tuple[int, ...]
    fields: tuple[str, ...]

    def load(self, name: str) -> np.ndarray[Any, Any]:
        """The whole field `name`: shape (z, y, x), or (component, z, y, x)."""
        with h5py.File(self.path, "r") as file:
            return np.asarray(file["fields"][name][()])

    def planes(self, name: str, component: int = 0) -> list[Plane]:
        """The field `name` itself where it is 2-D or 1-D, else its middle plane across each of x, y, z."""
        with h5py.File(self.path, "r") as file:
            data = file["fields"][name]
            shape = tuple(reversed(self.extents))
            if data.shape == shape:
                lead: tuple[int, ...] = ()
            elif data.shape[1:] == shape and data.shape[0] > component:
                lead = (component,)
            else:
                raise TasukiError(
                    f"field {name} of {self.path} has shape {data.shape}, its grid {shape}",
                    "write the snapshot again",
                )
            axes = len(shape)
            labels = "tzyx"[-axes:] if axes <= 4 else "?" * axes
            if axes == 1:
                return [Plane(_plain(data[lead])[np.newaxis, :], "x", "", "")]
            if axes == 2:
                return [Plane(_plain(data[lead]), "x", "y", "")]
            planes = []
            front = tuple(extent // 2 for extent in shape[:-3])  # a 4-D field is cut at the middle of t first
            note = "".join(f"{labels[i]} = {front[i]}, " for i in range(len(front)))
            for cut in range(3):
                place = shape[axes - 3 + cut] // 2
                index: list[int | slice] = [slice(None)] * 3
                index[cut] = place
                rest = [axis for axis in "zyx" if axis != "zyx"[cut]]
                values = data[(*lead, *front, *index)]
                planes.append(Plane(_plain(values), rest[1], rest[0], f"{note}{'zyx'[cut]} = {place}"))
            return planes


def _plain(values: Any) -> np.ndarray[Any, Any]:  # noqa: ANN401 -- h5py gives arrays of any type
    """Real numbers to look at: the magnitude of complex ones, the first member of structs."""
    array = np.asarray(values)
    if array.dtype.names:
        names = array.dtype.names
        if set(names) == {"r", "i"}:
            return np.hypot(array["r"], array["i"])
        return _plain(array[names[0]])
    while array.ndim > 2:
        array = array[..., 0]
    return np.abs(array) if np.iscomplexobj(array) else array


def open_snapshot(path: Path) -> Snapshot:
    """Reads the head of the snapshot or checkpoint at `path`; a TasukiError says what is wrong with it."""
    if not path.is_file():
        raise TasukiError(f"there is no file {path}", "give a snapshot that a run wrote")
    check_whole(path)
    try:
        with h5py.File(path, "r") as file:
            if "tasuki" not in file.attrs or "fields" not in file:
                raise TasukiError(f"{path} is no snapshot of tasuki", "give a .h5 that a run wrote")
            kind = file.attrs.get("kind", "snapshot")
            return Snapshot(
                path=path,
                kind=kind.decode() if isinstance(kind, bytes) else str(kind),
                step=int(np.ravel(file.attrs.get("step", 0))[0]),
                extents=tuple(int(n) for n in np.ravel(file.attrs["extents"])),
                fields=tuple(file["fields"].keys()),
            )
    except (OSError, KeyError, ValueError) as error:
        raise TasukiError(f"{path} cannot be read as HDF5 ({error})", "write the snapshot again") from None
