"""`tasuki cc`: a compiler for C with directives, by the user's own compiler.

    status = compile_line(["-O2", "laplace.c", "-o", "laplace"])

Every source is preprocessed, translated, and given to the compiler as preprocessed text with its lines
marked; all else of the command line goes to it as it stands. --cc or TASUKI_CC names another compiler
than cc. Where nvcc is and the run time has CUDA, kernels are a second file, and both become one object.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tasuki.errors import TasukiError
from tasuki.lang import cuda, runtime
from tasuki.lang.dialects import DIRECTIVES, SHARED, Dialect, dialect_of
from tasuki.lang.front.diagnose import Findings, TooMany
from tasuki.lang.front.preprocess import preprocess
from tasuki.lang.report import report
from tasuki.lang.rewrite import MAY, MUST, Translated, translate
from tasuki.lang.shared.share import share
from tasuki.lang.words import Line, read_line


def compiler(line: Line) -> list[str]:
    """The user's C compiler."""
    return shlex.split(line.compiler or os.environ.get("TASUKI_CC", "")) or ["cc"]


def _run(command: list[str]) -> int:
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as error:
        raise TasukiError(
            f"cannot run {command[0]}: {error.strerror}", "set TASUKI_CC to your C compiler", 1
        ) from None


def compile_line(words: list[str]) -> int:
    """Does a command line, and returns the status that cc would."""
    line = read_line(words)
    if line.stop == "-E" or not line.sources:
        return _plain(words, line)
    if line.output and len(line.sources) > 1 and line.stop in ("-c", "-S"):
        raise TasukiError(
            f"-o {line.output} names one file, and there are {len(line.sources)} sources", "leave -o out"
        )
    kernels = None if line.check else cuda.find(line.device)
    if line.check and line.device in ("cuda", "both"):
        raise TasukiError(
            f"--check looks at loops of the host, and --device {line.device} is given", "leave one out"
        )
    with tempfile.TemporaryDirectory(prefix="tasuki-cc-") as scratch:
        dialects = _dialects(line)
        units = _translate_all(line, dialects, kernels)
        if units is None:
            return 1
        return _compile_all(line, units, dialects, Path(scratch), kernels)


def _dialects(line: Line) -> dict[Path, Dialect]:
    """The language of each source; one without a word of its own goes with those that share memory."""
    found = {source: dialect_of(source, compiler(line), line.preprocess) for source in line.sources}
    if SHARED not in found.values():
        return found
    for source, dialect in found.items():
        text = source.read_text(errors="replace") if source.is_file() else ""
        if dialect is DIRECTIVES and not re.search(r"(?m)^[ \t]*#[ \t]*pragma[ \t]+xmp\b", text):
            found[source] = SHARED
    return found


def _options(line: Line, dialect: Dialect) -> list[str]:
    """What the preprocessor is given."""
    return [*line.preprocess, *dialect.defines, "-I", str(dialect.folder()), *runtime.mpi_includes()]


def _plain(words: list[str], line: Line) -> int:
    """A line without sources: of objects, or a question to the compiler."""
    if line.stop == "-E":
        defines = [*DIRECTIVES.defines, "-I", str(DIRECTIVES.folder())]
        return _run([*compiler(line), *words, *defines, *runtime.mpi_includes()])
    if any(not str(operand).startswith("-") for operand in line.operands):
        return _link(line, [str(operand) for operand in line.operands], _languages_of_objects())
    return _run([*compiler(line), *words])


def _languages_of_objects() -> list[Dialect]:
    """Objects do not say what they were: all that are built, of which the linker takes what is needed."""
    there = [dialect for dialect in (DIRECTIVES, SHARED) if runtime.has_library(dialect.library)]
    return there or [DIRECTIVES]


def _translate_all(
    line: Line, dialects: dict[Path, Dialect], kernels: cuda.Cuda | None
) -> dict[Path, Translated] | None:
    """What every source becomes; None where there are errors, which are said."""
    findings = Findings()
    units = {}
    wish = "" if kernels is None else MUST if line.device else MAY
    try:
        for source in line.sources:
            dialect = dialects[source]
            heads = [dialect.folder() / dialect.head]
            text = preprocess(source, compiler(line), _options(line, dialect), heads, dialect.words)
            if dialect is SHARED:
                units[source] = Translated(share(text, findings, line.entry), None, [])
                continue
            asked = line.mapping == "asked"
            made = translate(
                text, findings, line.entry, line.program, line.check, wish, line.unlifted(), asked,
                line.first_image, line.deterministic,
            )  # fmt: skip
            units[source] = made
            if line.report and made.meaning is not None and not findings.errors:
                print(report(made), end="")
    except TooMany:
        pass
    if findings.all:
        sys.stdout.flush()
        sys.stderr.write(findings.json() + "\n" if line.json else findings.text())
    if findings.errors:
        return None
    if line.emit is not None:
        line.emit.mkdir(parents=True, exist_ok=True)
        for source, unit in units.items():
            (line.emit / f"{source.stem}.i").write_text(unit.text, errors="surrogateescape")
            if unit.cuda:
                (line.emit / f"{source.stem}.cu").write_text(unit.cuda, errors="surrogateescape")
    return units


def _compile_all(
    line: Line,
    units: dict[Path, Translated],
    dialects: dict[Path, Dialect],
    scratch: Path,
    kernels: cuda.Cuda | None,
) -> int:
    made: dict[Path, str] = {}
    for number, (source, translated) in enumerate(units.items()):
        status = _dependencies(line, source, dialects[source])
        if status:
            return status
        folder = scratch / str(number)
        folder.mkdir()
        unit = folder / f"{source.stem}.i"
        unit.write_text(translated.text, errors="surrogateescape")
        if line.stop in ("-c", "-S"):
            target = line.output or f"{source.stem}{'.o' if line.stop == '-c' else '.s'}"
        else:
            target = str(folder / f"{source.stem}.o")
        step = [line.stop] if line.stop else ["-c"]
        two = kernels is not None and bool(translated.cuda) and line.stop in ("", "-c")
        host = folder / f"{source.stem}.host.o" if two else target
        out = [] if line.stop == "-fsyntax-only" else ["-o", str(host)]
        # Warnings on what the program does not say are no help: variables of ours may go unused.
        options = [*dialects[source].compile, *line.compile]
        status = _run([*compiler(line), *options, *step, "-x", "cpp-output", str(unit), *out])
        if not status and two:
            status = _compile_kernels(line, kernels, translated.cuda, folder / source.stem, target)
        if status:
            return status
        made[source] = target
    if line.stop:
        return 0
    operands = [made.get(operand, str(operand)) for operand in line.operands]
    return _link(line, operands, list(dict.fromkeys(dialects.values())))


def _compile_kernels(line: Line, kernels: cuda.Cuda, text: str, stem: Path, target: str) -> int:
    """The other half of a source, joined to the first: one source is one object."""
    unit, made = stem.with_name(f"{stem.name}.cu"), stem.with_name(f"{stem.name}.cuda.o")
    unit.write_text(text, errors="surrogateescape")
    return kernels.compile(unit, made, line.compile) or cuda.join(
        stem.with_name(f"{stem.name}.host.o"), made, target
    )


def _dependencies(line: Line, source: Path, dialect: Dialect) -> int:
    """-MD and its like, of the source as it is."""
    if not line.dependencies:
        return 0
    words = list(line.dependencies)
    target = line.output or f"{source.stem}.o"
    if "-MF" not in words:
        words += ["-MF", str(Path(target).with_suffix(".d"))]
    if "-MT" not in words and "-MQ" not in words:
        words += ["-MT", target]
    return _run([*compiler(line), "-E", *_options(line, dialect), *words, str(source), "-o", os.devnull])


def _link(line: Line, operands: list[str], dialects: list[Dialect]) -> int:
    output = ["-o", line.output] if line.output else []
    ours = ["-Wl,--push-state,--as-needed"] if len(dialects) > 1 else []
    for dialect in dialects:
        library = runtime.library(dialect.library)
        ours += [str(library), f"-Wl,-rpath,{library.parent}"]
        ours += ["-lstdc++", "-lm"] if library.suffix == ".a" else []
    ours += ["-Wl,--pop-state"] if len(dialects) > 1 else []
    ours += runtime.mpi_libraries()
    if DIRECTIVES in dialects:
        ours.append("-fopenmp")
        kernels = cuda.find("")  # objects may hold kernels
        ours += kernels.libraries() if kernels else []
    return _run([*compiler(line), *line.link, *output, *operands, *ours])
