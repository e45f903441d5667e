"""Makes every symbol of libcudart.so.13 from CUDA's own header and the table of coverage.

    generate.py --header /usr/local/cuda/include/cuda_runtime_api.h --out build/remote/runtime
    generate.py --page docs/remote/coverage.md [--programs tests/remote/programs]

The header gives the prototypes (by `gcc -E -P`), exports.txt the names that the library of CUDA 13.0
exports, and coverage.txt what is done with each: `served` calls a function of that name in
tasuki::remote::served, with errors and statistics around it; `client` is the same, answered without a
round trip; `own` is written out by hand, because no header declares it. All others are made here: they
say once that they are not served, and return cudaErrorNotSupported. A twin of a served call
(cudaMemcpy_ptds, cudaMemcpyAsync_ptsz) is the call with the thread's own default stream in the place of
the legacy one.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROTOTYPE = re.compile(r"extern\s+(cudaError_t|const char\s*\*|struct \w+)\s+(cuda\w+)\s*\(([^;]*)\)\s*;")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
TWIN = re.compile(r"_pt[sd][sz]$")
UNRECORDED = ("cudaGetLastError", "cudaPeekAtLastError")  # they are about other calls' errors
REFUSED = {  # what to do instead, by how a name begins; the first that fits is taken
    "cudaIpc": "memory of one process is not another's: pass it through the host",
    "cudaMemPrefetch": "prefetch each range with cudaMemPrefetchAsync",
    "cudaMemRange": "advice is taken and not kept: leave the question out",
    "cudaMemDiscard": "leave it out: it is advice",
    "cudaGraph": "capture a stream, and instantiate and launch the graph as it is",
    "cudaStreamBeginCaptureToGraph": "capture with cudaStreamBeginCapture",
    "cudaStreamUpdateCapture": "let the stream wait for an event",
    "cudaGetExportTable": "the driver is on another host: call the runtime",
    "cudaImport": "memory of other libraries lies on this host: copy it",
    "cudaExternal": "memory of other libraries lies on this host: copy it",
    "cudaGL": "graphics run on this host: copy through the host",
    "cudaEGL": "graphics run on this host: copy through the host",
    "cudaVDPAU": "graphics run on this host: copy through the host",
    "cudaGraphics": "graphics run on this host: copy through the host",
}
OTHERWISE = "leave it out, or run the program on a GPU of this host"
ARRAYS = re.compile(r"Array|Texture|Surface|ChannelDesc|Mipmap")


@dataclass
class Prototype:
    """One function of the header."""

    returns: str
    name: str
    arguments: str  # as they stand

    @property
    def names(self) -> list[str]:
        """The arguments' names, in order."""
        if self.arguments.strip() in ("", "void"):
            return []
        depth, parts, part = 0, [], ""
        for letter in self.arguments:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += letter
        parts.append(part)
        return [re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*$", p)[1] for p in parts]


@dataclass
class Row:
    """One line of the table of coverage."""

    name: str
    how: str
    family: str
    program: str


def read_coverage(path: Path) -> dict[str, Row]:
    """The table: sections are families, `name how program` a line."""
    rows, family = {}, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0].startswith("["):
            family = words[0].strip("[]")
            continue
        if len(words) != 3 or words[1] not in ("served", "client", "own") or words[0] in rows:
            raise SystemExit(f"{path}:{number}: not `name served|client|own program`, or named twice: {line}")
        rows[words[0]] = Row(words[0], words[1], family, words[2])
    return rows


def read_header(header: Path) -> dict[str, Prototype]:
    """All functions that the header declares."""
    command = ["gcc", "-E", "-P", "-x", "c", f"-I{header.parent}", str(header)]
    text = ATTRIBUTE.sub(" ", subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = (Prototype(*match) for match in PROTOTYPE.findall(text))
    return {prototype.name: prototype for prototype in found}


def mend(name: str) -> str:
    """What to do instead of a call that is not served."""
    if ARRAYS.search(name):
        return "use linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)"
    return next((text for start, text in REFUSED.items() if name.startswith(start)), OTHERWISE)


def exported(prototype: Prototype, suffix: str, body: str) -> str:
    """The definition of one symbol."""
    return (
        f'extern "C" TASUKI_EXPORTED {prototype.returns} {prototype.name}{suffix}({prototype.arguments}) '
        f"{{ {body} }}"
    )


def definitions(
    prototypes: dict[str, Prototype], exports: list[str], rows: dict[str, Row]
) -> tuple[str, str]:
    """exports.cpp and served.hpp."""
    lines, served, calls = [], [], []
    for name in sorted(set(exports) | set(prototypes)):
        base = TWIN.sub("", name)
        row, prototype = rows.get(base), prototypes.get(base)
        if row and row.how == "own":
            continue  # and its twin
        if prototype is None:
            # No header declares it: a C caller reads whatever comes back as an error, and so may we.
            lines.append(
                f'extern "C" TASUKI_EXPORTED cudaError_t {name}() '
                f'{{ return tasuki::remote::refuse("{name}", "{mend(base)}"); }}'
            )
            continue
        suffix = name[len(base) :]
        if row is None:
            answer = f'return tasuki::remote::refuse("{name}", "{mend(base)}");'
            if prototype.returns != "cudaError_t":
                answer = f'tasuki::remote::refuse("{name}", "{mend(base)}"); return {{}};'
            lines.append(exported(prototype, suffix, answer))
            continue
        call = f"tasuki::remote::served::{base}({', '.join(prototype.names)})"
        if not suffix:
            served.append(f"{prototype.returns} {base}({prototype.arguments});")
        own_stream = "tasuki::remote::OwnDefaultStream own; " if suffix else ""
        if prototype.returns != "cudaError_t" or base in UNRECORDED:
            body = f"{own_stream}return {call};"
        else:
            body = f"{own_stream}return tasuki::remote::made({len(calls)}, [&] {{ return {call}; }});"
            calls.append(name)
        lines.append(exported(prototype, suffix, body))
    names = ", ".join(f'"{name}"' for name in calls)
    head = "// Made by remote/runtime/generate.py.\n"
    source = (
        f"{head}#include <remote/runtime/made.hpp>\n#include <served.hpp>\n\n"
        '#pragma GCC diagnostic ignored "-Wunused-parameter"\n'
        '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n\n'
        '#define TASUKI_EXPORTED __attribute__((visibility("default")))\n\n' + "\n".join(lines) + "\n\n"
        f"namespace tasuki::remote {{\nconst char* const call_names[] = {{{names}}};\n"
        f"const int call_count = {len(calls)};\n}} // namespace tasuki::remote\n"
    )
    header = (
        f"{head}#pragma once\n\n#include <cuda_runtime_api.h>\n\nnamespace tasuki::remote::served {{\n\n"
        + "\n".join(served)
        + "\n\n} // namespace tasuki::remote::served\n"
    )
    return source, header


def write(path: Path, text: str) -> None:
    """Writes what is different, so that nothing is compiled for nothing."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def page(exports: list[str], rows: dict[str, Row], programs: Path) -> str:
    """docs/remote/coverage.md, and the check that each program calls what the table says."""
    texts = {path.stem: path.read_text() for path in programs.glob("*.cu")}
    body, counts, missing = [], {"served": 0, "client": 0, "refused": 0}, []
    for name in exports:
        base = TWIN.sub("", name)
        row = rows.get(base)
        if row is None:
            counts["refused"] += 1
            body.append(f"| `{name}` | refused: {mend(base)} | |")
            continue
        how = "client" if row.how == "client" else "served"
        counts[how] += 1
        if row.program not in texts:
            missing.append(f"{row.program}.cu, which calls {base}, is not there")
        elif row.how != "own" and not re.search(rf"\b{base}\b", texts[row.program]):
            missing.append(f"{row.program}.cu does not call {base}")
        said = "answered at the client" if how == "client" else "served"
        body.append(f"| `{name}` | {said} | `{row.program}` |")
    if missing:
        raise SystemExit("\n".join(sorted(set(missing))))
    total = counts["served"] + counts["client"]
    said = (
        "Made by `remote/runtime/generate.py` from the table that the library is made of. Each of the "
        f"{len(exports)} symbols that `libcudart.so.13` of CUDA 13.0 exports is one row: "
        f"**{total} are served** "
        f"({counts['client']} of them answered at the client, without asking a server), "
        f"{counts['refused']} are refused. A refused call says so once on standard error, and returns "
        "`cudaErrorNotSupported`. The last column names the program under `tests/remote/programs` "
        "that calls it. "
        "`_ptsz` and `_ptds` are the twins that programs compiled with `--default-stream per-thread` call. "
        "`tasuki gpus check PROGRAM` lists what a program needs."
    )
    table = "| symbol | | called by |\n|---|---|---|\n" + "\n".join(body)
    return f"# What is served\n\n{said}\n\n{table}\n"


def main() -> int:
    """Makes the sources, or the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--header", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--programs", type=Path, default=HERE.parents[1] / "tests/remote/programs")
    parser.add_argument(
        "--check", action="store_true", help="only say whether the page is as it would be made"
    )
    options = parser.parse_args()
    rows = read_coverage(HERE / "coverage.txt")
    exports = (HERE / "exports.txt").read_text().split()
    if unknown := sorted(set(rows) - set(exports)):
        raise SystemExit(f"coverage.txt names what no release exports: {', '.join(unknown)}")
    if options.page:
        text = page(exports, rows, options.programs)
        if options.check:
            if options.page.read_text() != text:
                print(f"{options.page} is not what generate.py makes; run it with --page")
                return 1
            return 0
        write(options.page, text)
    if options.header:
        source, header = definitions(read_header(options.header), exports, rows)
        write(options.out / "exports.cpp", source)
        write(options.out / "served.hpp", header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
