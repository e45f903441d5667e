"""The command line of `tasuki cc`: what of it is ours, what the preprocessor takes, what the compiler and
the linker.

line = read_line(["-O2", "-DN=8", "a.c", "-o", "a", "--report"])
line.sources, line.preprocess, line.compile, line.link
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tasuki.errors import TasukiError

_PREPROCESS = ("-D", "-U", "-I")
_PREPROCESS_APART = (
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-D",
    "-U",
    "-I",
)
_DEPENDENCIES = ("-MD", "-MMD", "-M", "-MM", "-MP", "-MG")
_DEPENDENCIES_APART = ("-MF", "-MT", "-MQ")
_LINK_APART = ("-L", "-l", "-Xlinker", "-T", "-u", "-z", "-rpath")
_COMPILE_APART = ("-Xassembler", "-Xpreprocessor", "-aux-info", "--param", "-Xclang")
_FORTRAN = (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".F", ".F90", ".F03", ".F08", ".fpp")
_CXX = (".cc", ".cpp", ".cxx", ".C", ".c++", ".cu")
# With these a loop may round differently from place to place in the same text.
_LOOSE = ("-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math", "-ffp-contract=fast")
DEVICES = ("host", "cuda", "both")
MAPPINGS = ("free", "asked")


@dataclass
class Line:
    """A command line, taken apart. `operands` has sources, objects and libraries in their order."""

    sources: list[Path] = field(default_factory=list)
    operands: list[str | Path] = field(default_factory=list)
    preprocess: list[str] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list)
    compile: list[str] = field(default_factory=list)
    link: list[str] = field(default_factory=list)
    output: str = ""
    stop: str = ""  # -c, -S, -E, -fsyntax-only
    emit: Path | None = None
    compiler: str = ""
    report: bool = False
    check: bool = False
    lift: bool = True
    json: bool = False
    device: str = ""
    mapping: str = "free"
    program: str = ""
    entry: str = "main"
    first_image: int = 0
    deterministic: bool = False

    def unlifted(self) -> str:
        """Why no time loop is to be lifted; empty where each that can be is."""
        if not self.lift:
            return "--no-lift is given"
        loose = [word for word in self.compile if word in _LOOSE]
        return f"{loose[0]} lets the compiler round as it likes" if loose else ""


def read_line(words: list[str]) -> Line:
    """Takes words apart as cc does; what is unknown goes to compiler and linker."""
    line = Line()
    rest = iter(words)

    def value(option: str) -> str:
        try:
            return next(rest)
        except StopIteration:
            raise TasukiError(f"{option} has no value", f"write {option} VALUE") from None

    for word in rest:
        if word in ("-c", "-S", "-E", "-fsyntax-only"):
            line.stop = word
        elif word == "-o":
            line.output = value(word)
        elif word.startswith("-o") and not word.startswith("-openmp"):
            line.output = word[2:]
        elif not _ours(line, word, value):
            _theirs(line, word, value)
    return line


def _ours(line: Line, word: str, value: object) -> bool:
    name, _, given = word.partition("=")
    if name in ("--emit", "--keep"):
        line.emit = Path(given or value(word))
    elif name == "--cc":
        line.compiler = given or value(word)
    elif name == "--device":
        line.device = given or value(word)
        if line.device not in DEVICES:
            raise TasukiError(f"--device {line.device} is unknown", f"choose one of {', '.join(DEVICES)}")
    elif name == "--acc-mapping":
        line.mapping = given or value(word)
        if line.mapping not in MAPPINGS:
            what = f"--acc-mapping {line.mapping} is unknown"
            raise TasukiError(what, f"choose one of {', '.join(MAPPINGS)}")
    elif name == "--first-image":
        first = given or value(word)
        if first not in ("0", "1"):
            raise TasukiError(f"--first-image {first} is unknown", "choose 0 or 1")
        line.first_image = int(first)
    elif name == "--entry":
        line.entry = given or value(word)
        line.program = line.entry
    elif word == "--report":
        line.report = True
    elif word == "--check":
        line.check = True
    elif word == "--deterministic":
        line.deterministic = True
    elif word in ("--lift", "--no-lift"):
        line.lift = word == "--lift"
    elif word == "-fdiagnostics-format=json":
        line.json = True
        line.compile.append(word)
    else:
        return False
    return True


def _theirs(line: Line, word: str, value: object) -> None:
    if word in _PREPROCESS_APART:
        line.preprocess += [word, value(word)]
    elif word.startswith(_PREPROCESS):
        line.preprocess.append(word)
    elif word in _DEPENDENCIES:
        line.dependencies.append(word)
    elif word in _DEPENDENCIES_APART:
        line.dependencies += [word, value(word)]
    elif word in _LINK_APART:
        line.operands += [word, value(word)]
    elif word in _COMPILE_APART:
        line.compile += [word, value(word)]
    elif word.startswith(("-l", "-L", "-Wl,", "-Xlinker")):
        line.operands.append(word)
    elif word in ("-shared", "-static", "-rdynamic", "-pie", "-no-pie", "-s", "-nostdlib"):
        line.link.append(word)
    elif word.startswith("-std=") or word in ("-ansi", "-undef", "-nostdinc", "-pthread"):
        line.preprocess.append(word)
        line.compile.append(word)
        line.link += [word] if word == "-pthread" else []
    elif word.startswith(("-O", "-f", "-m", "-g")):  # macros depend on them, and so does linking
        line.preprocess.append(word)
        line.compile.append(word)
        line.link.append(word)
    elif word.startswith("-") and word != "-":
        line.compile.append(word)
    else:
        _operand(line, word)


def _operand(line: Line, word: str) -> None:
    path = Path(word)
    if path.suffix in _FORTRAN:
        raise TasukiError(
            f"{word} is Fortran, and tasuki cc reads C", "see docs/lang/start.md, or write it in C"
        )
    if path.suffix in _CXX:
        mend = "compile it by your C++ compiler, and give the object to tasuki cc"
        raise TasukiError(f"{word} is C++, and tasuki cc reads C", mend)
    if path.suffix == ".c":
        line.sources.append(path)
        line.operands.append(path)
    else:
        line.operands.append(word)
