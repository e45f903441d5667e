"""A kernel that is launched close behind the one before it begins with follow(): without, it would read, now
and then, what is not yet written.

follows.py BUILD SOURCE   a build whose kernels are PTX (make cuda-check); the clone
"""

from __future__ import annotations

import re
import sys
from pathlib import Path


def launched(source: Path) -> set[str]:
    """The kernels that launch_next() launches."""
    files = [path for kind in ("*.hpp", "*.cu") for path in (source / "tasuki").rglob(kind)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    code = re.sub(r"//.*", "", text)
    return set(re.findall(r"\b(?:launch_next|next_kernel)<&(\w+)", code))


def kernels(ptx: str) -> list[tuple[str, str]]:
    """The name of each, and what it calls first."""
    bodies = re.findall(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}\n", ptx, re.DOTALL)
    calls = [(name, re.search(r"\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?(\w+)", body)) for name, body in bodies]
    return [(name, call[1] if call else "nothing") for name, call in calls]


def main() -> int:
    """Looks at every kernel of the build. It is not optimised, so a function that is called is a call."""
    build, source = Path(sys.argv[1]), Path(sys.argv[2])
    names = launched(source)
    expected = {f"{of}_kernel" for of in ("plain", "sweep", "ring", "fold", "settle", "pass", "wave")}
    seen = dict.fromkeys(names | expected, 0)
    wrong = 0
    for path in sorted(build.rglob("*.ptx")):
        for kernel, first in kernels(path.read_text(encoding="utf-8")):
            name = next((n for n in names if f"6tasuki6detail{len(n)}{n}" in kernel), None)
            if name:
                seen[name] += 1
                if not first.endswith("6followEv"):
                    wrong += 1
                    print(f"{path}: {kernel} calls {first} before follow()")
    print(", ".join(f"{count} of {name}" for name, count in sorted(seen.items())))
    unseen = [name for name in sorted(expected) if not seen[name]]
    if unseen:
        print(f"no PTX has {' or '.join(unseen)}: this test does not look at them")
    return 1 if wrong or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
