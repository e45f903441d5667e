"""The whole way, with the real native programs: skipped where they are not built."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command, Start, error_line

from tasuki.snapshot import open_snapshot


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("himeno", ["--size", "XS"]),
        ("laplace", ["--nx", "96", "--ny", "64"]),
        ("diffusion", ["--n", "24"]),
    ],
)
def test_a_run_leaves_table_record_and_pictures(
    native: Command, tmp_path: Path, program: str, words: list[str]
) -> None:
    arguments = [*words, "--device", "host", "--times", "6", "--record", "r.json", "--plot"]
    done = native("run", program, "-n", "2", *arguments)
    assert done.returncode == 0, done.stderr
    assert "by channel" in done.stdout
    data = json.loads((tmp_path / "r.json").read_text())
    assert data["program"] == program
    assert data["machine"]["ranks"] == 2
    assert data["run"]["steps"] == 6
    assert data["interrupted"] is False
    assert sum(sum(axis) for axis in data["grid"]["blocks"]) == sum(data["grid"]["extents"])
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert {"r-blocks.png", "r-phases.png"} <= pictures
    if data["build"]["hdf5"]:
        assert len(pictures) > 2
        snapshot = open_snapshot(tmp_path / "r.h5")
        assert snapshot.step == 6
        assert list(snapshot.extents) == data["grid"]["extents"]
        for name in snapshot.fields:
            assert np.isfinite(snapshot.load(name)).all()


def test_snapshots_do_not_depend_on_the_ranks(native: Command, tmp_path: Path) -> None:
    fields = []
    for ranks in ("1", "2", "3"):
        words = ["--nx", "50", "--ny", "37", "--times", "20", "--device", "host", "--snapshot", f"{ranks}.h5"]
        done = native("run", "laplace", "-n", ranks, *words)
        if "HDF5" in done.stderr:
            pytest.skip("built without HDF5")
        assert done.returncode == 0, done.stderr
        with h5py.File(tmp_path / f"{ranks}.h5") as file:
            fields.append({name: values[()].tobytes() for name, values in file["fields"].items()})
    assert fields[0]
    assert fields[0] == fields[1] == fields[2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["himeno", "--size", "Q"], "Q"),
        (["himeno", "--bogus"], "--bogus"),
        (["laplace", "--nx", "0"], "nx"),
        (["laplace", "--nx", "64", "--ny", "64", "--halo", "100", "-n", "2"], "halo"),
        (["laplace", "--nx", "64", "--ny", "64", "--ranks", "2x2", "-n", "3"], "rank"),
        (["diffusion", "--n", "-4"], "n"),
        (["himeno", "--device", "abacus"], "abacus"),
        (["laplace", "--nx", "64", "--ny", "64", "--restart", "none.h5"], "none.h5"),
    ],
)
def test_bad_input_is_one_line(native: Command, words: list[str], told: str) -> None:
    for ranks in [] if "-n" in words else ["1", "2"]:
        line = error_line(native("run", *words, "-n", ranks))
        assert told in line
        assert ";" in line  # what to change
    if "-n" in words:
        assert told in error_line(native("run", *words))


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="this machine may have a GPU")
def test_cuda_without_a_gpu(native: Command) -> None:
    line = error_line(native("run", "himeno", "--size", "XS", "--device", "cuda", "-n", "2"))
    assert "--device host" in line


def test_info_says_faces(native: Command) -> None:
    done = native("info", "-n", "2", "--extents", "64x64", "--halo", "1", "--periodic", "xy", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["native"]
    assert told["faces"]
    shown = native("info", "-n", "2", "--extents", "64x64", "--halo", "1", "--periodic", "xy")
    assert "faces" in shown.stdout
    assert error_line(native("info", "--extents", "0x5"))


def test_info_says_what_a_space_gets(native: Command) -> None:
    place = "0x210000000000"
    where = ["--space-at", place, "--space-size", "64GiB", "--page", "16KiB"]
    words = ["info", "-n", "2", "--device", "host", *where]
    done = native(*words, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["native"]["space"]
    assert (told["at"], told["bytes"], told["page"]) == (place, 64 << 30, 16384)
    assert told["faults"] == ("signal" if told["reason"] else "uffd")
    shown = " ".join(native(*words).stdout.replace("│", " ").split())
    assert f"64.0 GiB from {place}, pages of 16.0 KiB; ranks of a node share a file in memory" in shown
    assert "userfaultfd there" in shown or "userfaultfd missing by signals" in shown
    # Addresses that nobody can have: said, and the rest is shown all the same.
    taken = native("info", "--device", "host", "--space-at", "0x7fffff000000")
    assert taken.returncode == 0, taken.stderr
    assert "space missing the addresses from 0x7fffff000000 are not free" in " ".join(
        taken.stdout.replace("│", " ").split()
    )


def test_ctrl_c_writes_a_checkpoint_from_which_a_run_goes_on(
    native: Command, native_start: Start, tmp_path: Path
) -> None:
    size = ["--nx", "200", "--ny", "120", "--device", "host"]
    words = [
        *size,
        "--times",
        "100000000",
        "--checkpoint",
        "c.h5",
        "--progress",
        "json",
        "--record",
        "a.json",
    ]
    process: subprocess.Popen[str] = native_start("run", "laplace", "-n", "2", *words)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("@progress "):
            break
        if "HDF5" in line:
            pytest.skip("built without HDF5")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "(interrupted)" in out
    record = json.loads((tmp_path / "a.json").read_text())
    assert record["interrupted"] is True
    step = open_snapshot(tmp_path / "c.h5").step
    assert step > 0
    more = [*size, "--times", str(step + 5), "--restart", "c.h5", "--snapshot", "s.h5", "--record", "b.json"]
    done = native("run", "laplace", "-n", "3", *more)
    assert done.returncode == 0, done.stderr
    whole = [*size, "--times", str(step + 5), "--snapshot", "w.h5", "--record", "w.json"]
    assert native("run", "laplace", "-n", "1", *whole).returncode == 0
    for name in open_snapshot(tmp_path / "w.h5").fields:
        one, other = open_snapshot(tmp_path / "s.h5").load(name), open_snapshot(tmp_path / "w.h5").load(name)
        assert one.tobytes() == other.tobytes()


PLOTS = """
#include <stdio.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][*] onto p
double u[N][N];
#pragma xmp align u[j][i] with t[j][i]
int main(void) {
  for (int k = 1; k < 3; k++) {
#pragma xmp loop (j) on t[j][:]
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) u[j][i] = k * (j + i);
#pragma tasuki plot (u) "u.h5" step(k)
  }
}
"""


def test_a_program_of_directives_has_its_pictures_drawn(native: Command, tmp_path: Path) -> None:
    (tmp_path / "plots.c").write_text(PLOTS)
    made = native("cc", "--device", "host", "plots.c", "-o", "plots")
    assert made.returncode == 0, made.stderr
    done = native("run", "./plots", "-n", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["picture: u-u.png"]
    assert open_snapshot(tmp_path / "u.h5").step == 2
    assert (tmp_path / "u-u.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "u-u.png").unlink()
    alone = native("run", "./plots", "-n", "2", "--progress", "none")
    assert (alone.returncode, alone.stderr) == (0, ""), "another style of progress draws too"
    assert (tmp_path / "u-u.png").exists()


WITH_MPI = """
#include <mpi.h>
#include <stdio.h>
#define NX 40
#define NY 30
double u[NY + 2][NX], v[NY + 2][NX];
int main(int argc, char **argv) {
  int rank, ranks;
  double sum = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
  for (int j = 0; j < NY + 2; j++)
    for (int i = 0; i < NX; i++) u[j][i] = v[j][i] = (rank * NY + j) * 0.01 + i * i % 7;
#pragma acc data copy(u) create(v)
  for (int t = 0; t < 20; t++) {
#pragma acc host_data use_device(u)
    {
      MPI_Sendrecv(u[NY], NX, MPI_DOUBLE, up, 0, u[0], NX, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(&u[1][0], NX, MPI_DOUBLE, down, 1, u[NY + 1], NX, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
#pragma acc parallel loop collapse(2)
    for (int j = 1; j <= NY; j++)
      for (int i = 1; i < NX - 1; i++)
        v[j][i] = 0.25 * (u[j - 1][i] + u[j + 1][i] + u[j][i - 1] + u[j][i + 1]);
#pragma acc parallel loop collapse(2) tile(8, *)
    for (int j = 1; j <= NY; j++)
      for (int i = 1; i < NX - 1; i++) u[j][i] = v[j][i];
  }
  for (int j = 1; j <= NY; j++)
    for (int i = 0; i < NX; i++) sum += u[j][i];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.17g\\n", all);
  MPI_Finalize();
  return 0;
}
"""


def test_a_program_of_mpi_and_openacc_starts_mpi_by_itself(native: Command, tmp_path: Path) -> None:
    (tmp_path / "both.c").write_text(WITH_MPI)
    subprocess.run(["mpicc", "-w", "-O1", "both.c", "-o", "plain"], cwd=tmp_path, check=True)
    made = native("cc", "--device", "host", "-O1", "both.c", "-o", "both")
    assert made.returncode == 0, made.stderr
    plain, ours = native("run", "./plain", "-n", "2"), native("run", "./both", "-n", "2", TASUKI_ACC="apart")
    assert (plain.returncode, ours.returncode) == (0, 0), plain.stderr + ours.stderr
    assert plain.stdout == ours.stdout
    assert float(ours.stdout) > 0
