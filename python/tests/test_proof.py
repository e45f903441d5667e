"""What the programs wrote is read as it was written, or refused by name: bits are flipped at random."""

from __future__ import annotations

import random
import secrets
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasuki import wilson
from tasuki.argon.folder import read_run
from tasuki.argon.tracks import read_tracks
from tasuki.errors import TasukiError
from tasuki.launch import launch_command
from tasuki.programs import find_program
from tasuki.record import read_record
from tasuki.snapshot import open_snapshot

FLIPS = 150  # of each file

WORDS = {
    "wilson": "--lattice 2x2x2x4 --configurations 2 --start weak --kappa 0.1 "
    "--tolerance 1e-3 --propagators hdf5",
    "argon": "--atoms 32 --replicas 2 --steps 60 --exchange-every 10 --tmin 90 --tmax 100 "
    "--trajectory replicas:all --trajectory-every 20",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small run of each program that keeps a folder, and a snapshot."""
    place = tmp_path_factory.mktemp("runs")
    WORDS["laplace"] = f"--nx 20 --ny 10 --times 5 --snapshot {place}/u.h5 --record {place}/u.json"
    for program, words in WORDS.items():
        folder = [] if program == "laplace" else ["--folder", str(place / program)]
        command = [str(find_program(program)), *words.split(), *folder, "--progress", "none"]
        started, environment = launch_command(command, 1)
        done = subprocess.run(started, env=environment, capture_output=True, text=True, check=False)
        if "this build has not" in done.stderr:
            pytest.skip("this build has no HDF5")
        assert done.returncode == 0, done.stderr
    return {"wilson": place / "wilson", "argon": place / "argon", "laplace": place}


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 -- dataclasses of anything
    """All that was read, number for number."""
    if hasattr(one, "__dataclass_fields__"):
        names = one.__dataclass_fields__
        return all(same(getattr(one, name), getattr(other, name)) for name in names if name != "data")
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    return bool(one == other)


def tracks_of(folder: Path) -> list[Any]:
    tracks = read_tracks(read_run(folder))
    return [*tracks, *(track.positions(np.arange(len(track))) for track in tracks)]


def fields_of(place: Path) -> list[Any]:
    snapshot = open_snapshot(place / "u.h5")
    return [snapshot.step, snapshot.extents, *(snapshot.load(name) for name in snapshot.fields)]


@pytest.mark.parametrize(
    ("program", "name", "read"),
    [
        ("wilson", "results.h5", wilson.load),
        ("wilson", "propagator-0000.h5", lambda folder: wilson.load(folder).propagator(0)),
        ("wilson", "record.json", lambda folder: read_record(folder / "record.json")),
        ("argon", "results.h5", read_run),
        ("argon", "trajectory.h5", tracks_of),
        ("laplace", "u.h5", fields_of),
    ],
)
def test_a_flipped_bit_is_refused_by_name_or_changes_nothing(
    folders: dict[str, Path], program: str, name: str, read: Callable[[Path], Any]
) -> None:
    folder = folders[program]
    path = folder / name
    whole = path.read_bytes()
    before = read(folder)
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    refused = 0
    try:
        for _ in range(FLIPS):
            bit = chance.randrange(8 * len(whole))
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            path.write_bytes(flipped)
            try:
                now = read(folder)
            except TasukiError as error:
                assert str(path) in str(error) and "; " in str(error) and "\n" not in str(error), error
                refused += 1
                continue
            assert same(now, before), f"seed {seed}, bit {bit} of {name}"
    finally:
        path.write_bytes(whole)
    assert refused > 0
    assert same(read(folder), before)


def test_a_flipped_correlator_is_named(folders: dict[str, Path]) -> None:
    path = folders["wilson"] / "results.h5"
    whole = path.read_bytes()
    pion = wilson.load(folders["wilson"]).pion
    at = whole.index(pion[1].tobytes())
    flipped = bytearray(whole)
    flipped[at + 4] ^= 1
    path.write_bytes(flipped)
    try:
        with pytest.raises(TasukiError, match=r"/correlator/pion of .* is not what was written, in row 1;"):
            wilson.load(folders["wilson"])
    finally:
        path.write_bytes(whole)


def test_files_of_an_older_tasuki_are_read_with_a_note(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old").mkdir()
    whole = (folders["wilson"] / "results.h5").read_bytes()
    (tmp_path / "old/results.h5").write_bytes(whole[512:])  # HDF5 from its first byte on
    wilson.load(tmp_path / "old")
    wilson.load(tmp_path / "old")
    said = capsys.readouterr().err
    assert said.count("carries no checksums") == 1 and str(tmp_path / "old/results.h5") in said
    text = (folders["wilson"] / "record.json").read_text()
    bare = text[: text.index(',\n  "xxh3"')] + "\n}\n"
    (tmp_path / "record.json").write_text(bare)
    assert read_record(tmp_path / "record.json").program == "wilson"
