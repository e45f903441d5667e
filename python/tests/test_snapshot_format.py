"""A snapshot is what others' tools read: h5py, xarray."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

from tasuki.launch import launch_command
from tasuki.snapshot import open_snapshot

SHAPE = (5, 6, 7)  # z, y, x
CELLS = np.arange(5 * 6 * 7, dtype=np.float64).reshape(SHAPE)
STEP = 1


def program() -> Path:
    """The writer of tests/file/checkpoint_loop.cpp, where it is built."""
    root = Path(__file__).resolve().parents[2]
    folders = [Path(os.environ["TASUKI_BIN"])] if "TASUKI_BIN" in os.environ else []
    for folder in [*folders, root / "build" / "host" / "bin", root / "build" / "cuda" / "bin"]:
        path = folder / "checkpoint_loop"
        if path.is_file():
            return path
    pytest.skip("not built: checkpoint_loop (TASUKI_BIN names its folder)")


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """A file that two ranks wrote: u holds its cell's number, w two complex numbers a cell."""
    path = tmp_path / "state.h5"
    extents = "x".join(str(n) for n in reversed(SHAPE))
    command, environment = launch_command([str(program()), str(path), extents, "1"], 2)
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "no HDF5" in done.stderr:
        pytest.skip("this build has no HDF5")
    assert done.returncode == 0, done.stderr
    return path


def u_values() -> np.ndarray:
    """What the writer puts into u at its first step."""
    return CELLS * 8 + 1000003.0 * STEP


def test_h5py_reads_every_field_and_attribute(snapshot: Path) -> None:
    with h5py.File(snapshot, "r") as file:
        assert file.userblock_size == 512
        assert file.attrs["kind"] == "checkpoint"
        assert file.attrs["step"] == STEP
        assert list(file.attrs["extents"]) == list(reversed(SHAPE))
        u, w = file["fields"]["u"], file["fields"]["w"]
        assert (u.shape, u.dtype) == (SHAPE, np.float64)
        assert (w.shape, w.dtype) == ((2, *SHAPE), np.complex64)
        np.testing.assert_array_equal(u[()], u_values())
        for k in range(2):
            np.testing.assert_array_equal(w[k], (u_values() + k).astype(np.float32) + 1j)
        assert [dim.keys()[0] for dim in w.dims] == ["component_2", "z", "y", "x"]
        np.testing.assert_array_equal(file["x"][()], np.arange(SHAPE[2]))


def test_the_package_reads_it(snapshot: Path) -> None:
    head = open_snapshot(snapshot)
    assert (head.kind, head.step, head.extents) == ("checkpoint", STEP, tuple(reversed(SHAPE)))
    assert head.fields == ("u", "w")
    np.testing.assert_array_equal(head.load("u"), u_values())


def test_xarray_reads_it_with_named_dimensions(snapshot: Path) -> None:
    with xarray.open_dataset(snapshot, group="fields", engine="h5netcdf") as fields:
        assert fields["u"].dims == ("z", "y", "x")
        assert fields["w"].dims == ("component_2", "z", "y", "x")
        np.testing.assert_array_equal(fields["u"].sel(x=3).values, u_values()[:, :, 3])
    with xarray.open_dataset(snapshot, engine="h5netcdf") as scales:
        np.testing.assert_array_equal(scales["z"].values, np.arange(SHAPE[0]))


def test_the_first_block_is_text_that_tells_what_it_is(snapshot: Path) -> None:
    lines = snapshot.read_bytes()[:512].rstrip(b"\0").decode("ascii").splitlines()
    assert lines[:2] == ["TASUKI 1", "checkpoint"]
    assert lines[2].split()[:2] == ["bytes", str(snapshot.stat().st_size)]
