"""MpC and SMint: what is refused, with place and mend; what the text becomes; that lines stay the user's.

The programs are run on several processes by tests/lang/test_shared.py.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tasuki.lang.dialects import DIRECTIVES, SHARED, dialect_of
from tasuki.lang.driver import compile_line
from tasuki.lang.front.diagnose import Findings, as_text
from tasuki.lang.front.preprocess import preprocess
from tasuki.lang.shared.share import share

ROOT = Path(__file__).resolve().parents[2]
HEAD = ROOT / "lang/sms/shared.h"
GOLDEN = ROOT / "tests/lang/expected/shared"
SHARED_X = "#pragma SMint shared ::[NPROCS](0, NPROCS)\ndouble x[8];\n"

BAD = {
    "unknown directive": ("#pragma SMint singel\nint x;", "singel", "did you mean 'single'?"),
    "unknown clause": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for copyinn(x[ ])\n"
        "for (int i = 0; i < 8; i++) x[i] = 1;\n}",
        "copyinn",
        "did you mean 'copyin'?",
    ),
    "initial values": (
        "shared int a[2] ::[](0, 1) = {1, 2};",
        "a",
        "set them in a statement",
    ),
    "initial values in SMint": (
        "#pragma SMint shared ::[](0, 1)\nint a[2] = {1, 2};",
        "a",
        "set them in a statement",
    ),
    "VLA": ("int n;\nshared double a[n] ::[](0, 1);", "a", "give a number that the compiler knows"),
    "too few brackets": (
        "shared double a[4][4] ::[2](0, 2);",
        "a",
        "write one [..] for each, [] where it is not cut",
    ),
    "too many brackets": (
        "#pragma SMint shared ::[2][2](0, 2)\ndouble a[4];",
        "a",
        "write one [..] for each, [] where it is not cut",
    ),
    "no processes": ("shared double a[4] ::[2];", "::", "end it with (first process, how many)"),
    "one number": ("shared double a[4] ::[2](0);", "(", "write (first process, how many), as (0, NPROCS)"),
    "no map": ("shared double a[4];", "a", "write one, as ::[NPROCS](0, NPROCS)"),
    "map without shared": ("double a[4] ::[](0, 1);", "a", "write shared before it"),
    "local": ("void f(void) { shared double a[4] ::[](0, 1); }", "a", "declare it outside of functions"),
    "map of a parameter": (
        "void f(shared double a[4] ::[](0, 1));",
        "::",
        "write it behind the array's declarator",
    ),
    "constant address": (
        "shared double a[4] ::[](0, 1);\ndouble *p = &a[1];",
        "p",
        "set it in a statement",
    ),
    "no for": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for\nx[0] = 1;\n}",
        "parallel",
        "put it directly before a for",
    ),
    "a loop that does not count": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for\nfor (int i = 1; i < 8; i *= 2) x[i] = 1;\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "break": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for\n"
        "for (int i = 1; i < 8; i++) { if (i == 3) break; x[i] = 1; }\n}",
        "break",
        "leave by a condition in the body",
    ),
    "return out of single": (
        "int f(void) {\n#pragma SMint single\nreturn 1;\n}",
        "return",
        "leave behind it, by a variable",
    ),
    "a sum that is not reduced": (
        SHARED_X + "void f(void) { double s = 0;\n#pragma SMint parallel for\n"
        "for (int i = 0; i < 8; i++) s += x[i];\n}",
        "s",
        "write reduction(+:s), share it, or declare it in the loop",
    ),
    "an array that is not shared": (
        "double y[8];\nvoid f(void) {\n#pragma SMint parallel for\nfor (int i = 0; i < 8; i++) y[i] = 1;\n}",
        "y",
        "put `#pragma SMint shared ::..` before its declaration",
    ),
    "a shared scalar without critical": (
        "#pragma SMint shared ::(0, 1)\nint c;\nvoid f(void) {\n#pragma SMint parallel for\n"
        "for (int i = 0; i < 8; i++) c += i;\n}",
        "c",
        "put it into `#pragma SMint critical`, or reduce it",
    ),
    "barrier in a loop": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for\nfor (int i = 0; i < 8; i++) {\n"
        "#pragma SMint barrier\nx[i] = 1; }\n}",
        "barrier",
        "put it behind that, for all processes",
    ),
    "loop in a loop": (
        SHARED_X + "void f(void) {\n#pragma SMint parallel for\nfor (int i = 0; i < 8; i++) {\n"
        "#pragma SMint parallel for\nfor (int k = 0; k < 8; k++) x[i] = k; }\n}",
        "parallel",
        "put it behind that, for all processes",
    ),
    "critical of all": (
        "#pragma SMint shared ::(0, 1)\nint c;\nint main(void) {\n#pragma SMint critical\nc = 1;\n}",
        "critical",
        "use single",
    ),
    "a change by all": (
        SHARED_X + "int main(void) {\nx[0] += 1;\n}",
        "x",
        "put it into `#pragma SMint single` or a parallel for",
    ),
    "unknown operator": (
        "void f(int n) { int s = 0;\n#pragma SMint parallel for reduction(maxx : s)\n"
        "for (int i = 0; i < n; i++) s = i;\n}",
        "maxx",
        "did you mean 'max'?",
    ),
    "owner that has no subscript": (
        SHARED_X + "void f(int n) {\n#pragma SMint parallel for schedule(owner: x)\n"
        "for (int i = 0; i < n; i++) ;\n}",
        "x",
        "name an array that has, or write schedule(even)",
    ),
    "section of what is not shared": (
        SHARED_X + "double y[8];\nvoid f(void) {\n#pragma SMint parallel for copyin(y[ ])\n"
        "for (int i = 0; i < 8; i++) x[i] = y[i];\n}",
        "y",
        "leave it out, or share it",
    ),
    "shared without a map": ("#pragma SMint shared\n"
    "double a[4];", "shared", "write one, as ::[NPROCS](0, NPROCS)"),
    "shared before no declaration": (
        "#pragma SMint shared ::[](0, 1)\nvoid f(void) {}",
        "shared",
        "put it before an array's",
    ),
}  # fmt: skip

# What the text becomes: ten pieces, each with what a reader of a change looks for.
PIECES = {
    "mpc-declarations": "shared double a[4][2] ::[NPROCS][](0, NPROCS), b[4] ::[](1, 1), *p;\n"
    "static shared struct s { int k; } t[3] ::[3](0, 2);\nshared int n ::(0, 1);",
    "mpc-uses": "#define A a\nextern shared double a[4];\n"
    "unsigned long f(void) { A[1] = *a; { int a = 2; a++; } "
    "return sizeof a + sizeof(a[0]) + (&a == 0); }",
    "mpc-parameters": "shared int *g;\n"
    "int f(shared double a[4], shared int (*b)[3]) { return a[0] + b[1][2]; }",
    "mpc-main": "shared int a[4] ::[2](0, 2);\n"
    "int main(int argc, char **argv) { return a[argc] + argv[0][0]; }",
    "smint-for": SHARED_X + "void f(int n) {\n#pragma SMint parallel for\n"
    "#pragma omp parallel for shared(x)\n"
    "for (int i = n; i >= 2; i -= 2)\n  x[i - 1] = i;\n}",
    "smint-sections": SHARED_X + "void f(double *y) {\nint i;\n"
    "#pragma SMint parallel for copyin(y[i:2], x[ ]) copyout(x[2:3]) create(y)\n"
    "for (i = 1; i < 7; i++) x[i] = y[i];\n}",
    "smint-pointer": "void f(double (*now)[4], double (*next)[4], int n) {\n#pragma SMint parallel for\n"
    "for (int i = 0; i < n; i++)\n  for (int k = 0; k < 4; k++) next[i][k] = now[n - i - 1][k];\n}",
    "smint-reduction": SHARED_X + "double f(void) { double s = 0, m = 0;\n"
    "#pragma SMint parallel for reduction(+:s) reduction(max:m) schedule(owner: x)\n"
    "for (int i = 0; i < 8; i++) { s += x[i]; m = m > x[i] ? m : x[i]; }\nreturn s + m; }",
    "smint-single": SHARED_X + "int f(void) { int n = 0, v[3];\n#pragma SMint single\n"
    "{ n = 3; v[1] = 2; x[0] = 1; }\n"
    "return n + v[1]; }",
    "smint-critical": "#pragma SMint shared ::(0, 1)\nlong c;\nvoid f(int n) {\n#pragma SMint parallel for\n"
    "for (int i = 0; i < n; i++) {\n#pragma SMint critical\n  c += i;\n#pragma SMint critical(two)\n"
    "  { c--; }\n}\n"
    "#pragma SMint barrier\n}",
    "smint-settled": SHARED_X + "void f(int n) {\n#pragma SMint barrier\n"
    "#pragma SMint parallel for schedule(even)\n"
    "for (int i = 0; i < n; i++) x[i] = 1;\nif (n)\n#pragma SMint parallel for\n"
    "for (int i = 0; i < n; i++) x[i] = 2;\n}",
}  # fmt: skip


def look(tmp_path: Path, body: str) -> tuple[Findings, str]:
    source = tmp_path / "a program.c"
    source.write_text(body + "\n")
    findings = Findings()
    return findings, share(preprocess(source, ["cc"], [], [HEAD], SHARED.words), findings)


@pytest.mark.parametrize("name", list(BAD))
def test_one_error_with_its_token_and_mend(tmp_path: Path, name: str) -> None:
    body, token, mend = BAD[name]
    findings, text = look(tmp_path, body)
    errors = [finding for finding in findings.all if finding.kind == "error"]
    assert [finding.mend for finding in errors] == [mend], findings.text()
    assert text == ""
    shown = as_text(errors[0]).splitlines()
    assert shown[0].startswith(f"{tmp_path}/a program.c:{errors[0].place.line}:")
    assert shown[1][errors[0].place.column - 1 :].startswith(token), shown


@pytest.mark.parametrize("name", list(PIECES))
def test_the_text_is_as_expected(tmp_path: Path, name: str) -> None:
    """TASUKI_WRITE_EXPECTED=1 writes it anew."""
    findings, text = look(tmp_path, PIECES[name])
    assert not findings.errors, findings.text()
    made = text.find("static void tsk_unit_make")
    begin = text.rindex(f'# 1 "{tmp_path}/a program.c"', 0, made if made > 0 else len(text))
    own = text[begin:].replace(f"{tmp_path}/", "")
    kept = GOLDEN / f"{name}.txt"
    if os.environ.get("TASUKI_WRITE_EXPECTED"):
        GOLDEN.mkdir(exist_ok=True)
        kept.write_text(own)
    assert own == kept.read_text()


def test_what_every_process_does_is_warned_of(tmp_path: Path) -> None:
    findings, text = look(
        tmp_path, SHARED_X + 'int printf(const char *, ...);\nint main(void) {\nx[0] = 1;\nprintf("a");\n}'
    )
    assert [finding.what for finding in findings.all] == [
        "every process writes x here",
        "every process calls printf",
    ]
    assert "tsk_own_main" in text


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("shared int a[2] ::[](0, 1);", SHARED),
        ("#pragma SMint barrier", SHARED),
        ("void sms_startup(int *, char ***);", SHARED),
        ('/* shared int a */ const char *s = "shared int"; int shared;', DIRECTIVES),
        ("#pragma omp parallel shared(a) private(b)\n", DIRECTIVES),
        ("#pragma xmp nodes p[*]", DIRECTIVES),
    ],
)
def test_a_source_says_what_it_is(tmp_path: Path, text: str, dialect: object) -> None:
    source = tmp_path / "a.c"
    source.write_text(text + "\n")
    assert dialect_of(source, ["cc"], []) is dialect


def test_the_compiler_points_at_the_users_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "two words.c"
    source.write_text(
        "shared int a[8]\n  ::[NPROCS]\n  (0, NPROCS);\nvoid f(void) {\n#pragma SMint parallel for\n"
        "#pragma omp parallel for\n  for (int i = 0;\n    i < 8; i++)\n    a[i] = nowhere;\n}\n"
    )
    assert compile_line(["-c", str(source), "-o", str(tmp_path / "x.o")]) != 0
    assert "two words.c:9:" in capfd.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "shared int a[8]\n  ::[NPROCS]\n  (0, NPROCS);\n\nint here(void)\n{\n  int left;\n"
        "  for (int i = 0;\n    i < 8; i++)\n    a[i] = 1;\n  return a[3];\n}\n",
        "#pragma SMint shared \\\n  ::[NPROCS](0, NPROCS)\nint a[8];\n\nint here(void)\n{\n  int left;\n"
        "#pragma SMint parallel for\n  for (int i = 0; i < 8; i++)\n    a[i] = 1;\n  return a[3];\n}\n",
    ],
    ids=["MpC", "SMint"],
)
def test_warnings_and_debuggers_name_the_users_lines(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    source, made = tmp_path / "two words.c", tmp_path / "x.o"
    source.write_text(text)
    assert compile_line(["-g", "-O0", "-Wall", "-c", str(source), "-o", str(made)]) == 0
    assert "two words.c:7:7: warning: unused variable" in capfd.readouterr().err
    symbols = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout
    start = int(next(line.split()[0] for line in symbols.splitlines() if line.endswith(" T here")), 16)
    asked = subprocess.run(["addr2line", "-e", made, hex(start)], capture_output=True, text=True, check=True)
    assert asked.stdout.strip().endswith("two words.c:6")
    # Each statement, inside of the loop and behind it, is one of the lines that a debugger stops at.
    told = subprocess.run(
        ["objdump", "--dwarf=decodedline", made], capture_output=True, text=True, check=True
    )
    lines = set(map(int, re.findall(r"(?m)^two words[.]c +(\d+)", told.stdout)))
    assert {6, 10, 11, 12} <= lines, told.stdout


def test_keep_leaves_the_text_and_cc_names_the_compiler(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("shared int a[8] ::[](0, 1);\n")
    words = ["--cc", "gcc -Werror", "--keep", str(tmp_path / "kept"), "-Wall", "-c", str(source), "-o"]
    assert compile_line([*words, str(tmp_path / "a.o")]) == 0
    assert "tsk_shared_a" in (tmp_path / "kept/a.i").read_text()
    assert (tmp_path / "a.o").exists()
