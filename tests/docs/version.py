"""The version stands in CMakeLists.txt; what has to repeat it says the same.

version.py [ROOT] prints where another one stands, and ends with 0 where none does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPEATED = {
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGELOG.md": r"^## (\d\S*)",  # the newest stands first
    "docs/tutorial/02-many-ranks.md": r"^tasuki   (\S+) \(",
    "docs/files.md": r"'tasuki': '(\S+)'",
}


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    version = re.search(r"project\(tasuki VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
    found = 0
    for name, pattern in REPEATED.items():
        said = re.search(pattern, (root / name).read_text(), re.MULTILINE)
        if not said or said[1] != version:
            print(f"{name}: {said[1] if said else 'no version'}, and CMakeLists.txt has {version}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
