"""Propagators in HDF5 as users of h5py write and read them."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np


def sink_first(s: np.ndarray) -> np.ndarray:
    """[.., spin, spin of source, colour, colour of source] with the sink's two before the source's."""
    return np.moveaxis(s, -3, -2)


def write_propagator(path: Path, s: np.ndarray, basis: str | bytes | None = None, **how: object) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("propagator", data=sink_first(s), **how)
        if basis is not None:
            file["propagator"].attrs["gamma_basis"] = basis


def check_propagator(path: Path, s: np.ndarray, number_bytes: int, basis: str, tolerance: float) -> bytes:
    """All of a file that was written of the field s in this basis."""
    with h5py.File(path) as file:
        assert list(file) == ["propagator"], "datasets"
        found = file["propagator"]
        assert found.dtype == np.dtype(f"c{2 * number_bytes}"), f"type {found.dtype}"
        labels = [axis.label for axis in found.dims]
        assert labels == [
            "t",
            "z",
            "y",
            "x",
            *(f"{end}_{of}" for end in ("sink", "source") for of in ("spin", "colour")),
        ]
        assert found.attrs["gamma_basis"] == basis, "basis"
        t, z, y, x = s.shape[:4]
        assert list(found.attrs["lattice"]) == [x, y, z, t], "lattice"
        assert found.attrs["tasuki"], "version"
        wanted = sink_first(s).astype(found.dtype)
        off = np.abs(found[...] - wanted).max()
        assert off <= tolerance, f"off by {off}"
    return path.read_bytes()
