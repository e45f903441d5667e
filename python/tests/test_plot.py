"""Pictures from records and snapshots, and the reading of snapshots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from conftest import Command
from fake import make_record
from matplotlib.image import imread

from tasuki.errors import TasukiError
from tasuki.plot import plot_result
from tasuki.snapshot import open_snapshot


def write_snapshot(path: Path, extents: tuple[int, ...], fields: dict[str, np.ndarray[Any, Any]]) -> Path:
    with h5py.File(path, "w", userblock_size=512) as file:
        file.attrs["tasuki"] = "0.1.0"
        file.attrs["kind"] = "snapshot"
        file.attrs["step"] = 12
        file.attrs["extents"] = extents
        for name, values in fields.items():
            file[f"fields/{name}"] = values
    return path


def is_picture(path: Path) -> bool:
    pixels = imread(path)
    return pixels.shape[0] > 100 and pixels.shape[1] > 100 and float(pixels[..., :3].std()) > 0.01


def owner(extents: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Each cell holds its global index, x fastest."""
    return np.arange(np.prod(extents), dtype=float).reshape(tuple(reversed(extents)))


def test_middle_planes_are_the_right_cells(tmp_path: Path) -> None:
    nx, ny, nz = 5, 4, 6
    snapshot = open_snapshot(write_snapshot(tmp_path / "s.h5", (nx, ny, nz), {"p": owner((nx, ny, nz))}))
    assert (snapshot.step, snapshot.extents, snapshot.fields) == (12, (5, 4, 6), ("p",))
    across_z, across_y, across_x = snapshot.planes("p")
    x, y, z = np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij")
    index = x + nx * (y + ny * z)
    assert np.array_equal(across_z.values, index[:, :, nz // 2].T)
    assert np.array_equal(across_y.values, index[:, ny // 2, :].T)
    assert np.array_equal(across_x.values, index[nx // 2, :, :].T)
    assert [(p.horizontal, p.vertical, p.place) for p in (across_z, across_y, across_x)] == [
        ("x", "y", "z = 3"),
        ("x", "z", "y = 2"),
        ("y", "z", "x = 2"),
    ]


def test_a_component_leads(tmp_path: Path) -> None:
    values = np.stack([owner((4, 3)), 100 + owner((4, 3))])
    snapshot = open_snapshot(write_snapshot(tmp_path / "s.h5", (4, 3), {"v": values}))
    assert np.array_equal(snapshot.planes("v", 1)[0].values, 100 + owner((4, 3)))


def test_complex_is_drawn_by_magnitude(tmp_path: Path) -> None:
    values = (3 + 4j) * np.ones((3, 4))
    snapshot = open_snapshot(write_snapshot(tmp_path / "s.h5", (4, 3), {"c": values}))
    assert np.allclose(snapshot.planes("c")[0].values, 5)


@pytest.mark.parametrize("extents", [(50,), (40, 30), (20, 12, 9), (8, 6, 5, 4), (3000, 4)])
def test_a_snapshot_of_any_dimension(tmp_path: Path, extents: tuple[int, ...]) -> None:
    path = write_snapshot(tmp_path / "s.h5", extents, {"u": np.sin(owner(extents))})
    pictures = plot_result(path, tmp_path / "out")
    assert [picture.name for picture in pictures] == ["s-u.png"]
    assert is_picture(pictures[0])


def test_not_finite_values_do_no_harm(tmp_path: Path) -> None:
    values = owner((8, 8))
    values[2, 3], values[4, 4] = np.nan, np.inf
    assert is_picture(plot_result(write_snapshot(tmp_path / "s.h5", (8, 8), {"u": values}))[0])
    nothing = np.full((8, 8), np.nan)
    assert plot_result(write_snapshot(tmp_path / "n.h5", (8, 8), {"u": nothing}))[0].is_file()


@pytest.mark.parametrize(
    ("extents", "ranks", "blocks"),
    [
        ((64, 32, 16), (1, 1, 2), [[64], [32], [8, 8]]),
        ((64, 32, 16), (2, 3, 4), [[32, 32], [11, 11, 10], [4, 4, 4, 4]]),
        ((100, 60), (2, 3), [[50, 50], [20, 20, 20]]),
        ((100,), (3,), [[34, 33, 33]]),
        ((8, 8, 8, 8), (2, 1, 1, 2), [[4, 4], [8], [8], [4, 4]]),
    ],
)
def test_a_record(
    tmp_path: Path, extents: tuple[int, ...], ranks: tuple[int, ...], blocks: list[list[int]]
) -> None:
    grid = {"extents": extents, "ranks": ranks, "blocks": blocks}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(make_record(grid=grid, options={"snapshot": "s.h5"})))
    write_snapshot(tmp_path / "s.h5", extents, {"p": np.cos(owner(extents))})
    pictures = plot_result(path)
    assert [picture.name for picture in pictures] == ["r-p.png", "r-blocks.png", "r-phases.png"]
    assert all(is_picture(picture) for picture in pictures)


def test_bad_snapshots_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(TasukiError, match="no file"):
        plot_result(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(TasukiError, match="HDF5"):
        plot_result(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(TasukiError, match="no snapshot"):
        plot_result(tmp_path / "other.h5")
    whole = write_snapshot(tmp_path / "cut.h5", (64, 64), {"u": owner((64, 64))})
    whole.write_bytes(whole.read_bytes()[:3000])
    with pytest.raises(TasukiError):
        plot_result(whole)
    wrong = write_snapshot(tmp_path / "wrong.h5", (5, 7), {"u": np.zeros((5, 7))})
    with pytest.raises(TasukiError, match="shape"):
        plot_result(wrong)


@pytest.mark.parametrize(("kind", "begins"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_pictures_in_the_format_that_is_asked_for(
    tasuki: Command, tmp_path: Path, kind: str, begins: bytes
) -> None:
    (tmp_path / "one.json").write_text(json.dumps(make_record()))
    done = tasuki("plot", "one.json", "--format", kind)
    assert done.returncode == 0, done.stderr
    pictures = sorted(path.name for path in tmp_path.glob("one-*"))
    assert pictures == [f"one-blocks.{kind}", f"one-phases.{kind}"]
    assert all((tmp_path / name).read_bytes().startswith(begins) for name in pictures)
