"""Every public header begins with an example, and all the examples compile.

headers.py ROOT COMPILER [FLAG]... takes the example out of the first comment of each header of
docs/site/Doxyfile, puts all of them into one source, and has the compiler check it. SHARED has the names
that examples do not declare themselves.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHARED = """
namespace ts = tasuki;
using namespace tasuki;
using namespace tasuki::job;
extern int argc;
extern char** argv;
extern World world;
extern Grid<2> grid;
extern Field<float> u, v, wind;
extern OptionParser options;
struct Relax {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
"""


def example(header: Path) -> list[tuple[int, str]]:
    """The example's lines, numbered: it stands first, or behind one paragraph of at most two lines."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(header.read_text().splitlines(), 1):
        set_in = re.match(r"//   (.*)$", line)
        if set_in:
            block.append((number, set_in[1]))
        elif not line.startswith("//") or (block and line != "//") or (not block and number > 3):
            break
        elif block:
            block.append((number, ""))
    return block


def source(name: str, block: list[tuple[int, str]]) -> str:
    """Structs of an example stand in a namespace of its own, everything else in a function."""
    outside, inside, struct = "", "", False
    for number, line in block:
        struct = struct or line.startswith(("struct ", "template "))
        text = f'#line {number} "{name}"\n{line}\n'
        if struct:
            outside += text
        else:
            inside += text
        struct = struct and line != "};"
    return f"namespace of_{re.sub(r'[^a-z]', '_', name)} {{\n{outside}void example() {{\n{inside}}}\n}}\n"


def main() -> int:
    root, command = Path(sys.argv[1]), sys.argv[2:]
    doxyfile = (root / "docs/site/Doxyfile").read_text()
    headers = re.findall(r"tasuki/\S+\.hpp", doxyfile[: doxyfile.index("FULL_PATH_NAMES")])
    blocks = {name: example(root / name) for name in headers}
    lacking = [name for name, block in blocks.items() if not block]
    if lacking or len(headers) < 20:
        print(
            "\n".join(f"{name} does not begin with an example" for name in lacking)
            or "too few headers in Doxyfile"
        )
        return 1
    text = "".join(f"#include <{name}>\n" for name in headers) + "#include <cstdio>\n" + SHARED
    text += "".join(source(name, block) for name, block in blocks.items())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "headers.cpp"
        path.write_text(text)
        flags = ["-std=c++20", "-fopenmp", "-fsyntax-only", f"-I{root}"]
        status = subprocess.run([*command, *flags, str(path)], check=False).returncode
    print(f"{len(headers)} public headers, an example each" if status == 0 else "an example does not compile")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
