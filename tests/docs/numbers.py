"""Numbers from outside are read in one place, and so are the environment's names.

Prints every line that reads its own.

numbers.py FOLDER
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

READS = re.compile(r"\b(?:std::)?(ato[ilf]l?|strto[a-z]+|sto(?:i|l|ll|ul|ull|f|d|ld)|sscanf)\s*\(")
ASKS = re.compile(r'getenv\("TASUKI_')


def main() -> int:
    root = Path(sys.argv[1])
    files = [
        path
        for room in ("tasuki", "apps", "tools", "lang/runtime", "lang/sms", "remote")
        for path in sorted((root / room).rglob("*"))
        if path.suffix in (".cpp", ".hpp", ".cu") and "examples" not in path.parts
    ]
    if len(files) < 100:
        print(f"{root} holds only {len(files)} sources")
        return 1
    found = 0
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0]
            if READS.search(code) or ASKS.search(code):
                print(f"{path.relative_to(root)}:{number}: {line.strip()}")
                found += 1
    if found:
        print("use tasuki/base/number.hpp, which refuses what a type cannot hold,")
        print("and tasuki/base/variables.hpp; in remote/ use remote/link/setting.hpp, for both")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
