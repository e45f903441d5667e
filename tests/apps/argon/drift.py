"""Drift of the total energy where nothing holds it: velocity Verlet in single precision, no thermostat.

drift.py BIN [--steps N] [--atoms N] [--temperature K] [--start S] [--dt FS] [--correction C] [--device D]

One replica, so that nobody exchanges. The energy of an atom is fitted by a line over the run: its rise over
the whole run and a ns is said in kJ/mol and in kT, with what is left around the line. The cut potential
jumps at the cut-off, whatever integrates it, so the shifted one is the default; its force still jumps there,
which 32 atoms show, whose cut-off is 1.6 sigma. Where the rise over the run is more than a hundredth of kT
an atom, or what is left is more than that, the test fails.
"""

from __future__ import annotations

import argparse
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

GAS = 8.314462618e-3  # kJ/mol/K
ALLOWED = 0.01  # of kT an atom, over the whole run


def run(args: argparse.Namespace, folder: Path) -> None:
    options = {
        "atoms": args.atoms,
        "start": args.start,
        "correction": args.correction,
        "thermostat": "none",
        "temperatures": args.temperature,
        "replicas": 1,
        "dt": args.dt,
        "exchange-every": max(1, min(100, args.steps // 200)),
        "steps": args.steps,
        "seed": args.seed,
        "folder": folder,
        "device": args.device,
        "progress": "none",
    }
    command = [str(args.bin / "tasuki-argon"), *(w for k, v in options.items() for w in (f"--{k}", str(v)))]
    launcher = os.environ.get("TASUKI_MPIEXEC", "mpirun -q --oversubscribe -n").split()
    done = subprocess.run([*launcher, "1", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--steps", type=int, default=1000000)
    parser.add_argument("--atoms", type=int, default=108)
    parser.add_argument("--temperature", type=float, default=100.0, help="K, of the velocities at the start")
    parser.add_argument("--start", default="fcc")
    parser.add_argument("--dt", type=float, default=4.0, help="fs")
    parser.add_argument("--correction", default="shifted")
    parser.add_argument("--device", default="host")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(args, Path(folder) / "drift")
        with h5py.File(Path(folder) / "drift" / "results.h5") as file:
            rows = file["/exchange"]
            step = rows["step"][:].astype(float)
            kinetic = rows["kinetic_kJ_mol"][:, 0]
            energy = (rows["potential_kJ_mol"][:, 0] + kinetic) / args.atoms
    temperature = 2 * kinetic.mean() / (3 * (args.atoms - 1) * GAS)
    ns = step * args.dt * 1e-6
    slope, middle = np.polyfit(ns - ns.mean(), energy, 1)
    left = float(np.std(energy - middle - slope * (ns - ns.mean())))
    thermal = GAS * temperature
    span = args.steps * args.dt * 1e-6
    print(
        f"{args.atoms} atoms, {args.start}, {args.correction}, {temperature:.1f} K, "
        f"{args.steps} steps of {args.dt:g} fs: "
        f"rise {slope * span:+.2e} kJ/mol an atom over the run = {slope * span / thermal:+.2e} kT, "
        f"{slope / thermal:+.2e} kT a ns; around the line {left:.2e} kJ/mol = {left / thermal:.1e} kT; "
        f"from {energy[0]:.6f} to {energy[-1]:.6f}"
    )
    if not (abs(slope) * span < ALLOWED * thermal and left < ALLOWED * thermal):
        sys.exit(f"the energy does not hold: more than {ALLOWED:g} kT an atom")


if __name__ == "__main__":
    main()
