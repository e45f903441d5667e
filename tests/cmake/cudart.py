"""How a program was linked with CUDA's runtime: cudart.py PROGRAM static|shared."""

from __future__ import annotations

import subprocess
import sys


def main() -> int:
    program, asked = sys.argv[1:3]
    done = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    needed = [line for line in done.stdout.splitlines() if "(NEEDED)" in line]
    found = "shared" if any("libcudart.so" in line for line in needed) else "static"
    if not needed or found != asked:
        print(f"{program} has the {found} runtime, not the {asked} one:", *needed, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
