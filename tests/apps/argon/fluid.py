"""Energy and pressure of the Lennard-Jones fluid against published ones, within the run's own errors.

fluid.py BIN [--steps N] [--density RHO ..] [--atoms N] [--device host|cuda]

Constant temperature, cut at 3 sigma with the tail's correction, in reduced units; T* = 0.85 and 0.90 are
the two rungs of a ladder. The published values are those of NIST's table for the Lennard-Jones fluid
(Standard Reference Simulation Website, Monte Carlo). An error is that of the mean of sixteen blocks of time.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; `make test` installs it")
    sys.exit(77)

EPSILON, SIGMA, MASS = 0.9661, 0.3405, 39.948  # kJ/mol, nm, g/mol: argon's, as the program has them
GAS = 8.314462618e-3  # kJ/mol/K
AVOGADRO = 6.02214076e23
BAR = 16.6053906717  # of kJ/mol/nm3
# T*, rho*: energy and pressure a particle
PUBLISHED = {
    (0.85, 0.776): (-5.5121, 0.0068),
    (0.85, 0.820): (-5.7947, 0.5535),
    (0.85, 0.860): (-6.0305, 1.266),
    (0.85, 0.900): (-6.2391, 2.231),
    (0.90, 0.776): (-5.4689, 0.2406),
    (0.90, 0.820): (-5.7456, 0.8239),
    (0.90, 0.860): (-5.9753, 1.578),
    (0.90, 0.900): (-6.1773, 2.585),
}
BLOCKS = 16
SIGMAS = 4.5  # that chance may be off: one in a hundred thousand, for errors known to a fifth


def run(binary: Path, folder: Path, density: float, atoms: int, steps: int, device: str) -> None:
    grams = density / SIGMA**3 * MASS / AVOGADRO * 1e21  # a cm3
    ladder = ",".join(f"{t * EPSILON / GAS:.6f}" for t in (0.85, 0.90))
    options = {
        "atoms": atoms,
        "density": f"{grams:.9f}",
        "correction": "tail",
        "cutoff": 3,
        "start": "liquid",
        "temperatures": ladder,
        "replicas": 2,
        "exchange-every": 50,
        "steps": steps,
        "folder": folder,
        "device": device,
        "progress": "none",
    }
    command = [str(binary / "tasuki-argon"), *(w for k, v in options.items() for w in (f"--{k}", str(v)))]
    launcher = os.environ.get("TASUKI_MPIEXEC", "mpirun -q --oversubscribe -n").split()
    done = subprocess.run([*launcher, "1", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def mean_and_error(samples: np.ndarray) -> tuple[float, float]:
    blocks = np.array([b.mean() for b in np.array_split(samples, BLOCKS)])
    return float(blocks.mean()), float(blocks.std(ddof=1) / math.sqrt(BLOCKS))


def check(folder: Path, density: float, atoms: int) -> bool:
    """Prints what was found, for both temperatures; whether all of it agrees."""
    with h5py.File(folder / "results.h5") as file:
        rows = file["/exchange"]
        state = rows["state"][:]
        before = np.vstack([rows["start_state"][:], state[:-1]])  # the rung at which a row was measured
        potential, kinetic = rows["potential_kJ_mol"][:], rows["kinetic_kJ_mol"][:]
        virial = rows["virial_kJ_mol"][:]
        tail_energy = float(file["/tail/energy_kJ_mol"][0])
        tail_pressure = float(file["/tail/pressure_bar"][0])
        volume = float(file.attrs["box_nm"]) ** 3
    counted = np.arange(len(potential)) >= len(potential) // 5  # the rest forgets the start
    good = True
    for rung, temperature in enumerate((0.85, 0.90)):
        mine = (before == rung) & counted[:, None]
        energy = (potential[mine] + tail_energy) / atoms / EPSILON
        bar = (2 * kinetic[mine] + virial[mine]) / 3 / volume * BAR + tail_pressure
        pressure = bar / (EPSILON / SIGMA**3 * BAR)
        line = f"T* {temperature:.2f}  rho* {density:.3f}"
        for name, samples, published in zip(
            ("U", "p"), (energy, pressure), PUBLISHED[temperature, density], strict=True
        ):
            mean, error = mean_and_error(samples)
            off = (mean - published) / error
            good = good and abs(off) < SIGMAS
            line += f"   {name} {mean:.4f} +- {error:.4f}, published {published}, {off:+.1f} errors off"
        print(line, flush=True)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--density", type=float, nargs="+", default=sorted({rho for _, rho in PUBLISHED}))
    parser.add_argument("--atoms", type=int, default=500)
    parser.add_argument("--device", default="host")
    args = parser.parse_args()
    good = True
    for density in args.density:
        with tempfile.TemporaryDirectory() as folder:
            run(args.bin, Path(folder) / "fluid", density, args.atoms, args.steps, args.device)
            good = check(Path(folder) / "fluid", density, args.atoms) and good
    if not good:
        sys.exit("what was found is not what is published")


if __name__ == "__main__":
    main()
