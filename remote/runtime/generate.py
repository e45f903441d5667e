"""Makes every symbol of libcudart.so.13 from CUDA's own header and the table of coverage.

    generate.py --header /usr/local/cuda/include/cuda_runtime_api.h --out build/remote/runtime
    generate.py --page docs/remote/coverage.md [--programs tests/remote/programs]
    generate.py --page docs/remote/coverage.md --check --built build/host/remote-programs

The header gives the prototypes (by `gcc -E -P`), exports.txt the names that the library of CUDA 13.0
exports, and coverage.txt what is done with each: `served` calls a function of that name in
tasuki::remote::served, with errors and statistics around it; `client` is the same, answered without a
round trip; `own` is written out by hand, because no header declares it; `empty` is own too, and there is
nothing to do in it, `ends` is own and ends a program with one line where it cannot go on, and `refused`
says by hand what others here say. All others are made here: they say once that they are not served, and
return cudaErrorNotSupported; refused.txt has what to do instead. A twin of a served call (cudaMemcpy_ptds,
cudaMemcpyAsync_ptsz) is the call with the thread's own default stream in the place of the legacy one.

Each row names the program that calls it, a twin's is that program built with `--default-stream per-thread`.
The sources of the programs show calls by name; where the programs are built, their tables of symbols show
twins too, and what only nvcc writes.
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
PER_THREAD = "-per-thread"  # at the end of a program's name
NAMELESS = ("cudaGraphLaunch_ptsz",)  # the header gives a host no name for it, so no program calls it
BY_HAND = ("own", "empty", "ends", "refused")
REFUSES = "refused"  # the program that calls a symbol of each family that is refused
UNRECORDED = ("cudaGetLastError", "cudaPeekAtLastError")  # they are about other calls' errors


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
        how, program = words[1:3] if len(words) == 3 else ("", "")
        known = (
            how in ("empty", "ends", "refused") if program == "-" else how in ("served", "client", *BY_HAND)
        )
        if not known or words[0] in rows:
            raise SystemExit(
                f"{path}:{number}: not `name served|client|own|empty|ends|refused program` (- for one of the "
                f"last three that nobody calls), or named twice: {line}"
            )
        rows[words[0]] = Row(words[0], how, family, program)
    return rows


def read_header(header: Path) -> dict[str, Prototype]:
    """All functions that the header declares."""
    command = ["gcc", "-E", "-P", "-x", "c", f"-I{header.parent}", str(header)]
    text = ATTRIBUTE.sub(" ", subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = (Prototype(*match) for match in PROTOTYPE.findall(text))
    return {prototype.name: prototype for prototype in found}


def read_refused(path: Path) -> list[tuple[re.Pattern[str], str]]:
    """The table of refusals: which names, and what to do instead."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    parts = [line.split(" | ") for line in lines]
    if bad := [line for line, part in zip(lines, parts, strict=True) if len(part) != 3]:
        raise SystemExit(f"{path}: not `pattern | what they are of | what to do`: {bad[0]}")
    return [(re.compile(pattern), text) for pattern, _, text in parts]


REFUSED = read_refused(HERE / "refused.txt")


def mend(name: str) -> str:
    """What to do instead of a call that is not served."""
    return next(text for pattern, text in REFUSED if pattern.match(name))


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
        if row and row.how in BY_HAND:
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


def caller(name: str, row: Row) -> str:
    """The program that calls a symbol; "" for one that nobody calls."""
    if row.program == "-" or name in NAMELESS:
        return ""
    return row.program + (PER_THREAD if TWIN.search(name) else "")


def asked_for(program: Path) -> set[str]:
    """The names that a built program has from its libraries."""
    listed = subprocess.run(
        ["nm", "-D", "--undefined-only", str(program)], check=True, capture_output=True, text=True
    )
    return {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}


def uncalled(exports: list[str], rows: dict[str, Row], programs: Path, built: Path | None) -> list[str]:
    """Rows that their programs do not call, a line each."""
    texts = {path.stem: path.read_text() for path in programs.glob("*.cu")}
    asked = {path.name: asked_for(path) for path in built.iterdir()} if built else {}
    missing = []
    for name in exports:
        base = TWIN.sub("", name)
        row = rows.get(base)
        if row is None or not (program := caller(name, row)):
            continue
        if row.program not in texts:
            missing.append(f"{row.program}.cu, which calls {base}, is not there")
        elif not row.name.startswith("__") and not re.search(rf"\b{base}\b", texts[row.program]):
            missing.append(f"{row.program}.cu does not call {base}")
        elif built and name not in asked.get(program, ()):
            missing.append(f"{built / program} does not call {name}")
    missing += unrefused(exports, rows, texts.get(REFUSES, ""), asked.get(REFUSES) if built else None)
    return missing


def unrefused(exports: list[str], rows: dict[str, Row], text: str, asked: set[str] | None) -> list[str]:
    """Families of refused calls of which refused.cu calls none: those whose users are told the same."""
    families: dict[str, list[str]] = {}
    for name in exports:
        if TWIN.sub("", name) not in rows and not name.startswith("__"):
            families.setdefault(mend(name), []).append(name)

    def called(name: str) -> bool:
        return bool(re.search(rf"\bREFUSED\({name},", text)) and (asked is None or name in asked)

    return [
        f"{REFUSES}.cu calls none of {', '.join(names[:3])} .., which are refused with `{said}`"
        for said, names in families.items()
        if not any(map(called, names))
    ]


def page(exports: list[str], rows: dict[str, Row]) -> str:
    """docs/remote/coverage.md."""
    body, counts = [], {"served": 0, "client": 0, "empty": 0, "ends": 0, "refused": 0}
    for name in exports:
        base = TWIN.sub("", name)
        row = rows.get(base)
        if row is None or row.how == "refused":
            counts["refused"] += 1
            body.append(f"| `{name}` | refused: {mend(base)} | |")
            continue
        how = "served" if row.how == "own" else row.how
        counts[how] += 1
        said = {
            "served": "served",
            "client": "answered at the client",
            "empty": "taken, and nothing is to be done",
            "ends": "taken; ends a program whose host touches a `__managed__` variable, with one line",
        }[how]
        program = caller(name, row)
        body.append(f"| `{name}` | {said} | {f'`{program}`' if program else ''} |".replace("|  |", "| |"))
    total = counts["served"] + counts["client"]
    said = (
        "Made by `remote/runtime/generate.py` from the table that the library is made of. Each of the "
        f"{len(exports)} symbols that `libcudart.so.13` of CUDA 13.0 exports is one row: "
        f"**{total} are served** "
        f"({counts['client']} of them answered at the client, without asking a server), "
        f"{counts['empty']} are taken with nothing to be done, "
        f"{counts['ends']} ends programs that cannot go on, "
        f"{counts['refused']} are refused. A refused call says so once on standard error, and returns "
        "`cudaErrorNotSupported`. The last column names the program under `tests/remote/programs` "
        "that calls it; a test sees that it does. "
        "`_ptsz` and `_ptds` are the twins that programs compiled with `--default-stream per-thread` call, "
        f"and a program whose name ends with `{PER_THREAD}` is compiled so. "
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
    parser.add_argument("--built", type=Path, help="programs whose tables of symbols are looked at too")
    parser.add_argument(
        "--check", action="store_true", help="only say whether the page is as it would be made"
    )
    options = parser.parse_args()
    rows = read_coverage(HERE / "coverage.txt")
    exports = (HERE / "exports.txt").read_text().split()
    if unknown := sorted(set(rows) - set(exports)):
        raise SystemExit(f"coverage.txt names what no release exports: {', '.join(unknown)}")
    if options.page:
        if missing := uncalled(exports, rows, options.programs, options.built):
            raise SystemExit("\n".join(sorted(set(missing))))
        text = page(exports, rows)
        if not options.check:
            write(options.page, text)
        elif options.page.read_text() != text:
            raise SystemExit(f"{options.page} is not what generate.py makes; run it with --page")
        else:
            callers = (caller(name, row) for name in exports if (row := rows.get(TWIN.sub("", name))))
            print(f"{sum(map(bool, callers))} symbols are called by the programs that the page names")
            if not options.built:
                print("twins and what nvcc writes itself are not looked at: no program is built")
    if options.header:
        source, header = definitions(read_header(options.header), exports, rows)
        write(options.out / "exports.cpp", source)
        write(options.out / "served.hpp", header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
