"""Rows of cells with a root, a choice, a branch or a loop in them are vectors: their roots are packed
instructions, and neighbours are read as vectors, not gathered one by one.

packed.py OBJECT
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys

# Of four floats and more at once, by what `uname -m` says.
PACKED = {"x86_64": r"\bv?sqrtps\b", "aarch64": r"\bfsqrt\s+v\d"}
GATHERS = r"\bvp?(gather|scatter)\w+"


def main() -> int:
    pattern = PACKED.get(platform.machine())
    if not pattern:
        print(f"no packed roots are known of {platform.machine()}")
        return 77
    text = subprocess.run(
        ["objdump", "-d", "-C", sys.argv[1]], capture_output=True, text=True, check=True
    ).stdout
    missing = []
    for cell in ("Limited", "Branch", "Loops", "Unrolled"):
        bodies = re.findall(rf"^[0-9a-f]+ <[^\n]*\b{cell}\b.*?\n\n", text + "\n\n", re.S | re.M)
        roots = sum(len(re.findall(pattern, body)) for body in bodies)
        gathers = sum(len(re.findall(GATHERS, body)) for body in bodies)
        print(f"{cell}: {roots} packed roots, {gathers} gathers")
        if not roots or gathers:
            missing.append(cell)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
