"""Wilson's files against numpy.

Makes a field, writes it as other programs do (lattice_files.py), and has format_tool read each on several
numbers of ranks: every bit has to be in its place. What format_tool writes is taken apart. Ends with 77 where
numpy or h5py is missing.

    format.py FORMAT_TOOL
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "file"))
from launch import ENVIRONMENT, start

try:
    import h5py  # noqa: F401
    import numpy as np
except ImportError:
    print("no numpy or no h5py: nothing to compare with")
    sys.exit(77)

import hdf5_files
import lattice_files as files
from lattice_files import EXTENTS, plaquette, raw

# The process grids that files are read and written on, x first: each axis is cut by one of them.
GRIDS = ("1x1x1x1", "2x1x1x1", "1x3x1x1", "1x1x2x2", "1x2x1x2")


@dataclass
class Job:
    """A line for format_tool, and what it has to leave."""

    line: str
    path: Path
    expected: bytes | None = None  # of a raw file
    tolerance: float = 0  # of each double, where bits need not agree


def columns_of(s: np.ndarray) -> bytes:
    """Twelve spinor fields one after another, as format_tool has them."""
    return raw(np.stack([s[..., i, :, c] for i in range(4) for c in range(3)]), "<f8")


def single(field: np.ndarray) -> np.ndarray:
    return field.astype(np.complex64).astype(np.complex128)


def third_row(u: np.ndarray) -> np.ndarray:
    out = u.copy()
    out[..., 2, :] = np.cross(u[..., 0, :], u[..., 1, :]).conj()
    return out


def basis_change() -> np.ndarray:
    """T from the basis of files to the one where gamma_t is diagonal, from the gammas by linear algebra."""
    i = 1j
    theirs = [
        np.array([[0, 0, 0, i], [0, 0, i, 0], [0, -i, 0, 0], [-i, 0, 0, 0]]),
        np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]], dtype=complex),
        np.array([[0, 0, i, 0], [0, 0, 0, -i], [-i, 0, 0, 0], [0, i, 0, 0]]),
        np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=complex),
    ]
    sigma = [np.array([[0, 1], [1, 0]]), np.array([[0, -i], [i, 0]]), np.array([[1, 0], [0, -1]])]
    zero = np.zeros((2, 2))
    ours = [np.block([[zero, -i * k], [i * k, zero]]) for k in sigma] + [
        np.diag([1, 1, -1, -1]).astype(complex)
    ]
    # T theirs - ours T = 0 for all four, as one linear system of T's 16 elements.
    system = np.vstack(
        [np.kron(np.eye(4), a.T) - np.kron(b, np.eye(4)) for a, b in zip(theirs, ours, strict=True)]
    )
    turn_by = np.linalg.svd(system)[2][-1].conj().reshape(4, 4)
    return turn_by * 2 / np.linalg.norm(turn_by)  # unitary: four columns of length 1


def turned(s: np.ndarray, by: np.ndarray) -> np.ndarray:
    """by S by^+."""
    return np.einsum("ij,...jkab,lk->...ilab", by, s, by.conj())


def to_ours(s: np.ndarray) -> np.ndarray:
    return turned(s, basis_change())


def from_ours(s: np.ndarray) -> np.ndarray:
    return turned(s, basis_change().conj().T)


def jobs_of(folder: Path, u: np.ndarray, s: np.ndarray) -> list[Job]:
    given = {f"nersc{n[1:]}{'b' if n[0] == '>' else 'l'}{rows}": (files.nersc(u, n, rows), n, rows)
             for n in (">f4", "<f4", ">f8", "<f8") for rows in (2, 3)}  # fmt: skip
    given |= {"milc-little": (files.milc(u, "<"), "<f4", 3), "milc-big": (files.milc(u, ">"), ">f4", 3)}
    given |= {"openqcd": (files.openqcd(u), "<f8", 3)}
    for n in (">f4", ">f8"):
        bare = files.lime([("ildg-binary-data", raw(u, n))])
        given |= {
            f"ildg{n[2]}": (files.ildg(u, n), n, 3),
            f"scidac{n[2]}": (files.scidac(u, n), n, 3),
            f"bare{n[2]}": (bare, n, 3),
        }
    sites = " ".join(map(str, EXTENTS))
    jobs = []
    for name, (data, number, rows) in given.items():
        (folder / name).write_bytes(data)
        field = single(u) if number[2] == "4" else u
        expected = raw(third_row(field) if rows == 2 else field, "<f8")
        out = folder / f"{name}.raw"
        jobs.append(Job(f"links-in {sites} {folder / name} {out}", out, expected, 1e-15 if rows == 2 else 0))
    for n in (">f4", ">f8"):
        for name, data in (
            (f"prop{n[2]}", files.propagator(s, n)),
            (f"twelve{n[2]}", files.twelve_sinks(s, n)),
        ):
            (folder / name).write_bytes(data)
            field = single(s) if n[2] == "4" else s
            for basis in (0, 1):
                out = folder / f"{name}.{basis}.raw"
                wanted = columns_of(to_ours(field) if basis else field)
                jobs.append(
                    Job(f"propagator-in {sites} {folder / name} {out} {basis}", out, wanted, 1e-13 * basis)
                )
    for name, basis, field in hdf5_given(folder, s):
        for turn in (0, 1):
            out = folder / f"{name}.{turn}.raw"
            changed = turn == 1 and basis != "non-relativistic"
            wanted = columns_of(to_ours(field) if changed else field)
            line = f"propagator-in {sites} {folder / name} {out} {turn}"
            jobs.append(Job(line, out, wanted, 1e-13 * changed))
    (folder / "links.raw").write_bytes(raw(u, "<f8"))
    (folder / "prop.raw").write_bytes(columns_of(s))
    for width in (4, 8):
        for ending, rows in (("lime", 3), ("nersc", 2), ("nersc", 3)):
            out = folder / f"out{width}{rows}.{ending}"
            jobs.append(
                Job(f"links-out {sites} {folder / 'links.raw'} {out} {width} {rows} {plaquette(u)!r}", out)
            )
        out = folder / f"out{width}.prop"
        jobs.append(Job(f"propagator-out {sites} {folder / 'prop.raw'} {out} {width} 0", out))
        for turn in (0, 1):
            out = folder / f"out{width}{turn}.h5"
            jobs.append(Job(f"propagator-out {sites} {folder / 'prop.raw'} {out} {width} {turn}", out))
    return jobs


def hdf5_given(folder: Path, s: np.ndarray) -> list[tuple[str, str | bytes | None, np.ndarray]]:
    """Files of a propagator as h5py writes them: name, basis, and the field that is in each."""
    x, _, z, t = EXTENTS
    packed = {
        "chunks": (3, z, 4, x - 1, 4, 3, 2, 2),
        "compression": "gzip",
        "shuffle": True,
        "fletcher32": True,
    }
    ways: dict[str, tuple[str, str | bytes | None, dict]] = {
        "plain.h5": ("<c16", "DeGrand-Rossi", {}),
        "packed.h5": ("<c8", None, packed),
        "auto.hdf5": ("<c16", np.bytes_("non-relativistic"), {"chunks": True, "compression": "gzip"}),
        "big.hdf5": (">c16", "non-relativistic", {}),
        "bigger.h5": (">c8", None, {"chunks": (t, 1, 1, 1, 4, 3, 4, 3)}),
    }
    given = []
    for name, (number, basis, how) in ways.items():
        hdf5_files.write_propagator(folder / name, s, basis, dtype=number, **how)
        text = basis.decode() if isinstance(basis, bytes) else basis
        given.append((name, text, single(s) if number[1:] == "c8" else s))
    return given


def check(job: Job, u: np.ndarray, s: np.ndarray) -> bytes | None:
    """What has to be the same for any number of ranks."""
    name = job.path.name
    if job.expected is None:
        number = ">f" + name[3]
        if name.endswith(".lime"):
            return files.check_ildg(job.path, u, number)
        if name.endswith(".h5"):
            theirs = name[4] == "1"
            basis = "DeGrand-Rossi" if theirs else "non-relativistic"
            tolerance = (1e-13 if name[3] == "8" else 1e-6) * theirs
            return hdf5_files.check_propagator(
                job.path, from_ours(s) if theirs else s, int(name[3]), basis, tolerance
            )
        if name.endswith(".nersc"):
            return files.check_nersc(job.path, u, number, int(name[4]))
        return files.check_propagator(job.path, s, number)
    found = job.path.read_bytes()
    if job.tolerance == 0:
        assert found == job.expected, "bits differ"
    else:
        off = np.abs(np.frombuffer(found, "<f8") - np.frombuffer(job.expected, "<f8")).max()
        assert off <= job.tolerance, f"off by {off}"
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    options = parser.parse_args()
    seed = int(os.environ.get("TASUKI_TEST_SEED", np.random.SeedSequence().entropy % 2**32))
    print(f"TASUKI_TEST_SEED={seed}", flush=True)
    random = np.random.default_rng(seed)
    u = files.random_links(random)
    x, y, z, t = EXTENTS
    shape = (t, z, y, x, 4, 4, 3, 3)
    s = random.normal(size=shape) + 1j * random.normal(size=shape)
    folder = Path(tempfile.mkdtemp(prefix="tasuki-format-"))
    try:
        jobs = jobs_of(folder, u, s)
        (folder / "jobs").write_text("".join(job.line + "\n" for job in jobs))
        first: dict[str, bytes | None] = {}
        for grid in GRIDS:
            for job in jobs:
                job.path.unlink(missing_ok=True)
            ranks = math.prod(map(int, grid.split("x")))
            ENVIRONMENT["TASUKI_RANKS"] = grid
            process = start([options.program, str(folder / "jobs")], ranks)
            try:
                text, _ = process.communicate(timeout=200)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            if process.returncode != 0 or text.count("done ") != len(jobs):
                print(f"on {grid} ranks:\n{text}")
                return 1
            for job in jobs:
                try:
                    found = check(job, u, s)
                    assert first.setdefault(job.path.name, found) == found, "other bytes than on one rank"
                except AssertionError as wrong:
                    print(f"{job.path.name} on {grid} ranks: {wrong}")
                    return 1
            print(f"{len(jobs)} files are right on {grid} ranks", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
