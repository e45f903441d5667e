"""clang's opinion of C beside that of tasuki.lang.front: what a name means, and of what type a variable is.

Both read programs as serial C, after the same preprocessor. A name is told by where it stands in that text.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pycparser import c_ast
from test_lang_programs import options_of

from tasuki.lang.driver import compile_line
from tasuki.lang.front.parse import Tree, parse
from tasuki.lang.front.tokens import Tokens
from tasuki.lang.front.types import Names, Variable, constant, resolve

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lang"))

from drawn.program import program as drawn_program  # noqa: E402

PROGRAMS = [
    ROOT / f"tests/lang/programs/{name}.c"
    for name in ("types", "scopes", "declared", "functions", "parameters", "members", "clauses", "usual",
                 "called", "late_sizes", "seven", "boltzmann", "led", "macros", "species")
]  # fmt: skip
COMPILED = [ROOT / f"tests/lang/programs/{name}.c" for name in ("laplace", "reductions", "macros")]
VARIABLES = ("VarDecl", "ParmVarDecl")
BASIC = {
    "char": "CHAR", "signed char": "SCHAR", "unsigned char": "UCHAR", "short": "SHORT",
    "unsigned short": "USHORT", "int": "INT", "unsigned int": "UINT", "long": "LONG",
    "unsigned long": "ULONG", "long long": "LLONG", "unsigned long long": "ULLONG", "_Bool": "BOOL",
    "float": "FLOAT", "double": "DOUBLE", "long double": "LDOUBLE", "_Complex float": "FLOAT_COMPLEX",
    "_Complex double": "DOUBLE_COMPLEX",
}  # fmt: skip

needs_clang = pytest.mark.skipif(shutil.which("clang") is None, reason="there is no clang")


def below(node: Any) -> Iterator[dict]:  # noqa: ANN401
    """The nodes of clang's tree in the order of the text."""
    todo = [node]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            yield each
            todo += reversed(each.get("inner", []))


class Clang:
    """What clang says of a preprocessed text: declarations by the offset of their name."""

    def __init__(self, unit: Path) -> None:
        words = ["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-x", "cpp-output", str(unit)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        self.at: dict[int, dict] = {}
        self.first: dict[str, str] = {}  # of declarations of one object
        self.uses: dict[int, str] = {}
        self.typedefs: dict[str, str] = {}
        for node in below(json.loads(done.stdout)):
            if node.get("kind") in VARIABLES and "offset" in node.get("loc", {}):
                self.at[node["loc"]["offset"]] = node
                self.first[node["id"]] = self.first.get(node.get("previousDecl", ""), node["id"])
            if node.get("kind") == "TypedefDecl":
                self.typedefs[node["name"]] = node["type"]["qualType"]
            if node.get("kind") == "DeclRefExpr" and node["referencedDecl"]["kind"] in VARIABLES:
                begin = node["range"]["begin"]
                self.uses[begin["offset"]] = node["referencedDecl"]["id"]


def name_of(tree: Tree, variable: Variable) -> int:
    """Where the name of a declaration stands."""
    node = variable.decl
    while not isinstance(node, c_ast.TypeDecl):
        node = node.type
    line, column = node.coord.line, node.coord.column
    every = tree.tokens.all
    return next(
        each.start
        for each in every
        if (each.value, each.lineno, each.column) == (variable.name, line, column)
        and each.filename == node.coord.file
    )


def shape_of(variable: Variable) -> tuple[list[int | None], bool]:
    """Extents as far as the text gives them, and whether it is a pointer to what has these."""
    dims = variable.dims()
    if variable.is_address():
        dims = variable.pointer_dims() if variable.pointer_dims() is not None else dims[1:]
    return [constant(dim) for dim in dims], variable.is_address()


def shape_by_clang(kind: str, typedefs: dict[str, str]) -> tuple[str, list[str], bool]:
    """`double (*)[4][5]` is a pointer to 4 x 5 double."""
    plain = re.sub(r"\b(const|volatile|restrict) ?", "", kind)
    base, behind, pointer, extents = re.fullmatch(
        r"(.*?) ?(\(\*\w*\))?(\*\w*)?((?:\[[^]]*\])*)", plain
    ).groups()
    sizes, points = re.findall(r"\[([^]]*)\]", extents), bool(behind or pointer)
    if base.strip() in typedefs:
        base, more, leads = shape_by_clang(typedefs[base.strip()], typedefs)
        return base, [*sizes, *more], points or leads
    return base.strip(), sizes, points


def differences(text: str, folder: Path) -> tuple[int, list[str]]:
    """How many names were compared, and those of which the two say something else."""
    (folder / "unit.i").write_text(text)
    clang = Clang(folder / "unit.i")
    tree = parse(Tokens(text, ()))
    names: Names = resolve(tree)
    wrong, count = [], 0
    for node, variable in names.use.items():
        if variable.is_function():
            continue
        place = tree.tokens.every[tree.span_of(node)[0]]
        theirs = clang.uses.get(place.start)
        if theirs is None:  # what clang folds away, as the operand of sizeof in an extent
            continue
        count += 1
        ours = clang.at.get(name_of(tree, variable))
        if ours is None or clang.first[ours["id"]] != clang.first[theirs]:
            wrong.append(f"{node.name} in line {place.lineno} means another declaration")
    for variable in names.variable.values():
        node = None if variable.is_function() else clang.at.get(name_of(tree, variable))
        if node is None:
            continue
        count += 1
        kind = node["type"]["qualType"]
        base, extents, points = shape_by_clang(kind, clang.typedefs)
        sizes, is_address = shape_of(variable)
        same = len(sizes) == len(extents) and is_address == points
        same &= all(
            str(a) == b for a, b in zip(sizes, extents, strict=False) if a is not None and b.isdigit()
        )
        if "*" not in base:
            same &= ("INT" if base.startswith("enum ") else BASIC.get(base, "BYTES")) == variable.basic()
        if not same:
            wrong.append(f"{variable.name}: {kind}, not {sizes} of {variable.basic()}, pointer {is_address}")
    return count, wrong


def preprocessed(source: Path, *options: str) -> str:
    return subprocess.run(
        ["clang", "-E", *options, str(source)], capture_output=True, text=True, check=True
    ).stdout


@needs_clang
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_names_and_types_are_those_of_clang(program: Path, tmp_path: Path) -> None:
    count, wrong = differences(preprocessed(program, *options_of(program)), tmp_path)
    assert not wrong
    assert count > 20


HARD = """
enum { FEW = 3, MANY = FEW * 4, };
typedef double row[MANY]; typedef row plane[FEW]; typedef unsigned long int word; typedef struct cell cell;
struct cell { int cell, row; plane *next; union { float f; word w; }; unsigned bit : 3; };
extern int later[]; int later[FEW + 1]; plane both, *led; cell many[FEW][MANY], *one = &many[1][2];
static const volatile long int far = 7; long double wide; _Bool flag; signed char small[sizeof(int)];
static int row_of(int row, plane (*row_at)[2]) { return row + (int)(*row_at)[1][0][row]; }
int sized(int n, int m, double a[n][m], double b[const], double (*c)[m]) {
  return a[1][m - 1] + b[n] > c[0][1];
}
int old(n, a) int n; double a[]; { return n + a[0]; }
int shadows(int x, cell word) {
  int later = x; double row = word.row + word.cell;
  for (int x = 0, y = later; x < y; x++) { long later = x; for (char x = 1; x < 3; x++) row += x + later; }
  { extern int later[]; later[0] = x; }
  { enum { FEW = 9 }; float inner[FEW][MANY]; inner[0][1] = FEW; row += inner[0][1];
    typedef int row_t; row_t x = 4; row += x; }
  if (x) { short x = 2; row += x; } else { int *x = &later; row += *x; }
  do { unsigned char x = 3; if (x) break; } while (x);
  switch (x) { case FEW: { int y = later; row += y; } break; default: row += later; }
  cell made = {.row = x, .cell = later, .next = &both}, *p = &(cell){.row = x};
  int n = sizeof(plane) + sizeof later + sizeof(row), fly[n][x + 1]; fly[0][x] = n;
  goto row; row: row += made.row + p->cell + fly[0][0] + (x ? later : n), n++;
  return row_of(x, (plane (*)[2]) & both) + (int)row + ({ int x = 5; x + n; });
}
int (*chosen(int which))(int, cell) { return which ? shadows : 0; }
int last(void) {
  int last = later[0] + many[0][1].row + (*led)[2][3] + one->bit + flag + far + wide + small[1];
  return last;
}
"""


@needs_clang
@pytest.mark.parametrize("seed", range(3))
def test_drawn_names_and_types_are_those_of_clang(seed: int, tmp_path: Path) -> None:
    (tmp_path / "drawn.c").write_text(drawn_program(seed, 2))
    count, wrong = differences(preprocessed(tmp_path / "drawn.c"), tmp_path)
    assert not wrong
    assert count > 100


@needs_clang
def test_hard_names_and_types_are_those_of_clang(tmp_path: Path) -> None:
    count, wrong = differences(f'# 1 "hard.c"{HARD}', tmp_path)
    assert not wrong
    assert count > 100


def links_openmp(folder: Path) -> bool:
    """Whether clang has the library that its own OpenMP needs."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    words = ["clang", "-fopenmp", folder / "empty.c", "-o", folder / "empty"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@needs_clang
@pytest.mark.parametrize("program", COMPILED, ids=lambda path: path.stem)
def test_clang_may_be_the_compiler(program: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its headers have `typedef float _Float32;`, of which the parser once said that it is not C. At -O1 it
    loses lanes of a sum that threads share and vectors add up.
    """
    options, made = options_of(program), tmp_path / "made.o"
    words = ["--cc", "clang", "--device", "host", "-O1", *options, "-c", str(program), "-o", str(made)]
    assert compile_line(words) == 0
    assert capfd.readouterr().err == ""
    if not links_openmp(tmp_path):
        pytest.skip("clang has no libomp")
    alone = ROOT / "tests/lang/serial.c"
    said = []
    for name, sources in (
        ("ours", [made, alone, "-fopenmp", f"-I{ROOT / 'lang/runtime'}"]),
        ("plain", [program]),
    ):
        words = ["clang", "-w", "-O1", *options, *sources, "-lm", "-o", tmp_path / name]
        subprocess.run(words, check=True)
        said.append(subprocess.run([tmp_path / name], capture_output=True, text=True, check=True).stdout)
    assert said[0] == said[1] != ""
