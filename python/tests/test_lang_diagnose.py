"""Errors of directives: place, line, caret, mend; one by one, each of which a program once had."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tasuki.lang.front.diagnose import Findings, Place, Wrong, as_text, column_of
from tasuki.lang.front.preprocess import preprocess
from tasuki.lang.rewrite import translate

HEADER = Path(__file__).resolve().parents[2] / "lang/runtime/translated.h"
ERRORS = HEADER.parents[2] / "tests/lang/expected/errors.txt"
HEAD = """#define N 8
#pragma xmp nodes p[2][*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
double u[N][N];
#pragma xmp align u[j][i] with t[j][i]
"""

BAD = {
    "unknown directive": ("#pragma xmp templat t[N]", "templat", "did you mean 'template'?"),
    "unknown clause": (
        "int main(void) {\n#pragma xmp barrier onn p\n}",
        "onn",
        "did you mean 'on'?",
    ),
    "clause of another directive": (
        "int main(void) {\n#pragma xmp barrier acc\n}",
        "acc",
        "choose one of on, profile",
    ),
    "clause of another directive of acc": (
        "double w[N];\nint main(void) {\n#pragma acc wait(1) copy(w)\n}",
        "copy",
        "choose one of async, if",
    ),
    "default(none)": (
        "double w[N];\nint main(void) {\n#pragma acc parallel loop default(none)\n"
        "for (int i = 0; i < N; i++) w[i] = 1;\n}",
        "w",
        "name it in a data clause of the region, as copy(w)",
    ),
    "distribute before nodes": (
        "#pragma xmp template s[N]\n#pragma xmp distribute s[block] onto q",
        "q",
        "declare them with `#pragma xmp nodes` before",
    ),
    "too many formats": (
        "#pragma xmp template s[N]\n#pragma xmp distribute s[block][block] onto p",
        "block",
        "give one for each, * where it is not cut",
    ),
    "too few nodes": (
        "#pragma xmp template s[N]\n#pragma xmp distribute s[block] onto p",
        "p",
        "cut as many as the nodes have dimensions",
    ),
    "list of the wrong length": (
        "double v[N];\n#pragma xmp align v[i][j] with t[i][j]",
        "[",
        "give a subscript for each dimension of the array",
    ),
    "unknown array": (
        "double uvw[N][N];\n#pragma xmp align uvv[i][j] with t[i][j]",
        "uvv",
        "did you mean uvw?",
    ),
    "dimension aligned twice": (
        "double v[N];\n#pragma xmp align v[i] with t[i][i]",
        "i",
        "align it with one dimension",
    ),
    "shadow on cyclic": (
        "#pragma xmp nodes q[*]\n#pragma xmp template s[N]\n#pragma xmp distribute s[cyclic] onto q\n"
        "int v[N];\n#pragma xmp align v[i] with s[i]\n#pragma xmp shadow v[1]",
        "1",
        "distribute it by block, or leave the shadow out",
    ),
    "reflect of no shadow": (
        "int main(void) {\n#pragma xmp reflect (u)\n}",
        "u",
        "write `#pragma xmp shadow u[..]`",
    ),
    "reflect wider than the shadow": (
        "#pragma xmp shadow u[1][1]\nint main(void) {\n#pragma xmp reflect (u) width(1, 2)\n}",
        "2",
        "widen the shadow, or ask for less",
    ),
    "loop without a for": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\nu[0][0] = 1;\n}",
        "(",
        "put it directly before a for",
    ),
    "index that is not in on": (
        "int main(void) {\n#pragma xmp loop (j,i) on t[j][:]\n"
        "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) u[j][i] = 1;\n}",
        "i",
        "put it where the loop is to be cut",
    ),
    "step that is none": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\nfor (int j = 1; j < N; j *= 2) u[j][0] = 1;\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "step against the condition": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\nfor (int j = 1; j < N; j--) u[j][0] = 1;\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "break out of a loop": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 1; j < N; j++) { if (j == 3) break; u[j][0] = 1; }\n}",
        "break",
        "leave by a condition in the body",
    ),
    "reduction of a struct": (
        "struct two { int a, b; } s;\nint main(void) {\n#pragma xmp loop (j) on t[j][:] reduction(+:s)\n"
        "for (int j = 1; j < N; j++) u[j][0] = 1;\n}",
        "s",
        "reduce a variable of an arithmetic type",
    ),
    "bits of a double": (
        "double s;\nint main(void) {\n#pragma xmp loop (j) on t[j][:] reduction(&:s)\n"
        "for (int j = 1; j < N; j++) u[j][0] = 1;\n}",
        "s",
        "choose another",
    ),
    "initial values": (
        "int v[2] = {1, 2};\n#pragma xmp nodes q[*]\n#pragma xmp template s[2]\n"
        "#pragma xmp distribute s[block] onto q\n#pragma xmp align v[i] with s[i]",
        "v",
        "set them in a loop",
    ),
    "a section of another image is changed": (
        "int v[2]:[*];\nint main(void) {\nv[0:2]:[0] += 1;\n}",
        "v",
        "read it, then assign it",
    ),
    "an address of another image": (
        "int v:[*], *w;\nint main(void) {\nw = &v:[0];\n}",
        "v",
        "read it into one of this image",
    ),
    "sections that do not conform": (
        "double v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\n"
        "int main(void) {\n#pragma xmp gmove\nv[0:2][0:2] = u[1][0:2];\n}",
        "u",
        "give both as many triplets",
    ),
    "gmove of unlike types": (
        "long w[N];\nint main(void) {\n#pragma xmp gmove\nw[0:2] = u[1][0:2];\n}",
        "u",
        "declare both alike, or convert in a loop",
    ),
    "gmove in of a local": (
        "double w[2];\nint main(void) {\n#pragma xmp gmove in\nu[0][0:2] = w[0:2];\n}",
        "w",
        "use gmove alone, or a distributed array",
    ),
    "subscript beyond the shadow": (
        "#pragma xmp shadow u[1][1]\ndouble v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\n"
        "int main(void) {\n#pragma xmp loop (j,i) on t[j][i]\n"
        "for (int j = 2; j < N; j++) for (int i = 0; i < N; i++) v[j][i] = u[j - 2][i];\n}",
        "j - 2",
        "write `#pragma xmp shadow u[..]` as wide as that, and reflect it",
    ),
    "subscript without a shadow": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 0; j < N - 1; j++) u[j][0] = u[j + 1][0];\n}",
        "j + 1",
        "write `#pragma xmp shadow u[..]` as wide as that, and reflect it",
    ),
    "goto out of a loop": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 1; j < N; j++) { if (j == 3) goto out; u[j][0] = 1; }\nout: return 0;\n}",
        "goto",
        "leave by a condition in the body",
    ),
    "reduction of an element": (
        "int s[4];\nint main(void) {\n#pragma xmp reduction (+:s[1])\n}",
        "[",
        "reduce s whole, or a variable that holds the part",
    ),
    "on with too few subscripts": (
        "int main(void) {\n#pragma xmp loop (j) on t[j]\nfor (int j = 0; j < N; j++) u[j][0] = 1;\n}",
        "[",
        "give one for each",
    ),
    "a section in C": (
        "double v[N];\nint main(void) {\nu[0][0:2] = v[0:2];\n}",
        "u",
        "put `#pragma xmp gmove` or `#pragma xmp array` before it",
    ),
    "image of a template": (
        "int main(void) {\n#pragma xmp image (t)\nu[0][0] = 1;\n}",
        "t",
        "name the nodes",
    ),
    "atomic of what is no coarray": (
        "int n;\nvoid xmp_atomic_define();\nint main(void) {\nxmp_atomic_define(n, 1);\n}",
        "n",
        "declare it with `int a:[*]`",
    ),
    "unknown directive of tasuki": (
        'int main(void) {\n#pragma tasuki snapshott (u) "u.h5"\n}',
        "snapshott",
        "did you mean 'snapshot'?",
    ),
    "snapshot to nowhere": (
        "int main(void) {\n#pragma tasuki snapshot (u)\n}",
        ")",
        'write its name behind the arrays: (u) "u.h5"',
    ),
    "snapshot of what each node has": (
        'int main(void) {\ndouble v[N];\n#pragma tasuki snapshot (v) "v.h5"\n}',
        "v",
        "align it before snapshot",
    ),
    "unknown directive of acc": (
        "int main(void) {\n#pragma acc paralel loop\n}",
        "paralel",
        "did you mean 'parallel'?",
    ),
    "unknown clause of acc": (
        "int main(void) {\n#pragma acc parallel loop gangg\nfor (int i = 0; i < N; i++) ;\n}",
        "gangg",
        "did you mean 'gang'?",
    ),
    "operation of acc": (
        "int s;\nint main(void) {\n#pragma acc parallel loop reduction(plus:s)\n"
        "for (int i = 0; i < N; i++) s++;\n}",
        "plus",
        "choose one of &, &&, *, +, ^, max, min, |, ||",
    ),
    "data of acc in several pieces": (
        "int main(void) {\ndouble g[N][N];\n#pragma acc data copy(g[0:3][1:2])\n{}\n}",
        "g",
        "name whole rows, or all of it",
    ),
    "data of acc whose rows lie anywhere": (
        "int main(void) {\ndouble *rows[N];\n#pragma acc data copy(rows[0:3][0:N])\n{}\n}",
        "rows",
        "keep its rows in one piece of memory",
    ),
    "a member whose struct is not declared": (
        "int main(void) {\n#pragma acc data copy(w->x[0:3])\n{}\n}",
        "w",
        "declare it before",
    ),
    "use_device of a member": (
        "struct { double *x; } s;\nint main(void) {\n#pragma acc host_data use_device(s.x)\n{}\n}",
        "s",
        "give it a pointer of its own before",
    ),
    "data of acc of no length": (
        "int f(double *w) {\n#pragma acc data copy(w)\n{}\n}",
        "w",
        "write w[0:n]",
    ),
    "update of a pointer to no end": (
        "int f(double *w) {\n#pragma acc update host(w[3:])\n}",
        "3",
        "write w[0:n]",
    ),
    "data of acc that is not declared": (
        "int main(void) {\n#pragma acc data copy(w)\n{}\n}",
        "w",
        "declare it before",
    ),
    "acc loop without a for": (
        "int main(void) {\n#pragma acc parallel loop\nu[0][0] = 1;\n}",
        "parallel",
        "put it directly before a for",
    ),
    "more collapsed than nested": (
        "int main(void) {\n#pragma acc parallel loop collapse(2)\nfor (int i = 0; i < N; i++) ;\n}",
        "collapse",
        "write collapse(1), or leave nothing between the loops",
    ),
    "nodes of none": ("#pragma xmp nodes q[2][0]", "0", "give it 1 or more, or *"),
    "nodes twice": ("#pragma xmp nodes p[2]", "p", "give the second one another name"),
    "a template twice": ("#pragma xmp template t[2]", "t", "give the second one another name"),
    "distributed twice": (
        "#pragma xmp distribute t[block][cyclic] onto p",
        "t",
        "declare a second template, and move arrays between both by gmove",
    ),
    "array of the file by a template of main": (
        "double w[N];\nint main(void) {\n#pragma xmp template s[N]\n#pragma xmp distribute s[*] onto p\n"
        "#pragma xmp align w[i] with s[i]\n}",
        "s",
        "declare s and its nodes outside of functions, or w in this one",
    ),
    "aligned twice": (
        "#pragma xmp align u[j][i] with t[j][i]",
        "u",
        "align it once; gmove copies it to an array that lies otherwise",
    ),
    "too few sizes of gblock": (
        "int m[2] = {3, 5};\n#pragma xmp nodes q[3]\n#pragma xmp template s[N]\n"
        "#pragma xmp distribute s[gblock(m)] onto q",
        "gblock",
        "give a size for each node, 0 where it has nothing",
    ),
    "cyclic of nothing": (
        "#pragma xmp nodes q[3]\n#pragma xmp template s[N]\n#pragma xmp distribute s[cyclic(0)] onto q",
        "cyclic",
        "give it 1 or more, or write cyclic",
    ),
    "a shadow below 0": ("#pragma xmp shadow u[1][-1]", "-", "give it a width of 0 or more"),
    "fixed twice": (
        "int main(void) {\n#pragma xmp template_fix t[N][N]\n}",
        "t",
        "leave this out, or write : for what comes later in `template t`",
    ),
    "an index twice": (
        "int main(void) {\n#pragma xmp loop (j, j) on t[j][j]\nfor (int j = 0; j < N; j++) u[j][j] = 1;\n}",
        "j) on",
        "list each loop variable once",
    ),
    "step of 0": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\nfor (int j = 0; j < N; j += 0) u[j][0] = 1;\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "step that turns": (
        "int main(void) {\nint s = 1;\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 0; j < N; j += s) { u[j][0] = 1; s = -s; }\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "index that the body changes": (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 0; j < N; j++) { u[j][0] = 1; j++; }\n}",
        "for",
        "write it as for (i = first; i < bound; i += step)",
    ),
    "issue 551: sections of unlike lengths": (
        "double v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\n"
        "int main(void) {\n#pragma xmp gmove\nv[0:2][1] = u[0:3][1];\n}",
        "0:3",
        "give both the same length",
    ),
    "issue 551: a whole dimension": (
        "double v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\n"
        "int main(void) {\n#pragma xmp gmove\nv[0:7][1] = u[:][1];\n}",
        ":]",
        "give both the same length",
    ),
    "issue 551: of array": (
        "double v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\n"
        "int main(void) {\n#pragma xmp array on t[0:2][1]\nv[0:2][1] = u[0:4:2][1] + 1;\n}",
        "0:4:2",
        "give both the same length",
    ),
    "issue 551: of another image": (
        "int v[4]:[*], w[2][4];\nint main(void) {\nv[0:3]:[0] = w[0:2][0:2];\n}",
        "w",
        "give both as many elements",
    ),
    "reduction of a pointer": (
        "int main(int argc, char **argv) {\nint *s;\n#pragma xmp reduction (+:s)\n}",
        "s",
        "declare it as an array, s[n]",
    ),
    "bcast of a pointer": (
        "void f(int *s) {\n#pragma xmp bcast (s)\n}",
        "s",
        "declare it as an array, s[n]",
    ),
    "a location of unknown length": (
        "int main(int n, char **argv) {\nint k[9], m = 0;\n#pragma xmp reduction (max:m/k[0:n]/)\n}",
        "0:n",
        "write numbers, as in a[0:4]",
    ),
    "bcast of what is not declared": ("int main(void) {\n#pragma xmp bcast (w)\n}", "w", "declare it before"),
    "unclosed": ("#pragma xmp nodes q[2", "2", "write ']' here"),
}


def look(tmp_path: Path, body: str) -> tuple[Findings, str]:
    source = tmp_path / "bad program.c"
    source.write_text(HEAD + body + "\n")
    findings = Findings()
    made = translate(preprocess(source, ["cc"], [], [HEADER]), findings)
    return findings, made.text


SUMMED = (
    "#pragma xmp loop (j, i) on t[j][i] reduction({})\n"
    "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) {};"
)


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        (SUMMED.format("*:d", "d *= u[j][i]"), "sum logarithms, or compile it without the option"),
        (SUMMED.format("+:l", "l += u[j][i]"), "sum a float or a double"),
        (SUMMED.format("+:v", "v[i % 2] += u[j][i]"), "sum a variable for each element"),
        (
            "#pragma xmp reduction(+:d)",
            "write reduction(..) behind the loop that sums, or compile without --deterministic",
        ),
        (
            "#pragma xmp reduce_shadow (shared)",
            "let each element read what its neighbours add, or compile it without the option",
        ),
        ("#pragma xmp reduce_shadow (counted)", ""),
        (SUMMED.format("+:n, k", "n += 1") + SUMMED.format("max:d", "if (u[j][i] > d) d = u[j][i]"), ""),
        (SUMMED.format("+:d", "d += u[j][i]"), ""),
    ],
)
def test_deterministic_refuses_what_it_has_no_exact_sum_for(tmp_path: Path, said: str, mend: str) -> None:
    source, findings = tmp_path / "a.c", Findings()
    declared = "double d, v[2]; long double l; int n; long k; float shared[N][N]; int counted[N][N];"
    declared += "\n#pragma xmp align [j][i] with t[j][i] :: shared, counted"
    declared += "\n#pragma xmp shadow [1][1] :: shared, counted"
    source.write_text(f"{HEAD}{declared}\nvoid f(void) {{\n{said}\n}}\n")
    made = translate(preprocess(source, ["cc"], [], [HEADER]), findings, deterministic=True)
    assert [finding.mend for finding in findings.all] == ([mend] if mend else []), findings.text()
    assert bool(made.text) == (not mend)
    assert ("tsk_reduce_exact(" in made.text.partition("void f(void)")[2]) == (not mend and "d += " in said)


@pytest.mark.parametrize("name", list(BAD))
def test_one_error_with_its_token_and_mend(tmp_path: Path, name: str) -> None:
    body, token, mend = BAD[name]
    findings, text = look(tmp_path, body)
    assert [finding.kind for finding in findings.all] == ["error"], findings.text()
    assert text == ""
    only = findings.all[0]
    assert only.mend == mend
    shown = as_text(only).splitlines()
    assert shown[0].startswith(f"{tmp_path}/bad program.c:{only.place.line}:{only.place.column}: error: ")
    assert shown[1][only.place.column - 1 :].startswith(token), shown
    assert shown[2] == " " * (only.place.column - 1) + "^"


def test_errors_are_worded_as_expected(tmp_path: Path) -> None:
    """So that a reader of a change sees their words; TASUKI_WRITE_EXPECTED=1 writes them anew."""
    said = ""
    for name, (body, _, _) in BAD.items():
        findings, _ = look(tmp_path, body)
        said += f"== {name}\n" + findings.text().replace(f"{tmp_path}/", "")
    if os.environ.get("TASUKI_WRITE_EXPECTED"):
        ERRORS.write_text(said)
    assert said == ERRORS.read_text()


def test_a_sound_program_has_no_findings(tmp_path: Path) -> None:
    findings, text = look(tmp_path, "int main(void) { return 0; }")
    assert not findings.all
    assert "tsk_own_main" in text


def test_twenty_are_said(tmp_path: Path) -> None:
    from tasuki.lang.front.diagnose import TooMany

    with pytest.raises(TooMany):
        look(tmp_path, "\n".join(f"#pragma xmp nonsense{n}" for n in range(30)))


def test_json_for_editors(tmp_path: Path) -> None:
    findings, _ = look(tmp_path, "#pragma xmp templat t[N]")
    only = json.loads(findings.json())
    assert only[0]["line"] == HEAD.count("\n") + 1
    assert only[0]["column"] == 13
    assert set(only[0]) == {"file", "line", "column", "kind", "what", "mend"}


def test_the_problem_matcher_of_the_page_finds_a_place(tmp_path: Path) -> None:
    page = (HEADER.parents[2] / "docs/lang/start.md").read_text()
    (task,) = json.loads(re.search(r"(?ms)^```json\n(.*?)^```", page)[1])["tasks"]
    pattern = task["problemMatcher"]["pattern"]
    findings, _ = look(tmp_path, "#pragma xmp templat t[N]")
    only = findings.all[0]
    (found,) = [m for m in map(re.compile(pattern["regexp"]).match, as_text(only).splitlines()) if m]
    said = {name: found[pattern[name]] for name in ("file", "line", "column", "severity", "message")}
    place = {"file": only.place.file, "line": str(only.place.line), "column": str(only.place.column)}
    assert said == {**place, "severity": "error", "message": only.what}


def test_columns_are_those_of_the_users_line() -> None:
    assert column_of("  a = b + a;", "a", 1) == 11
    assert column_of("x = MACRO;", "hidden", 0) == 1
    assert column_of("ab a", "a", 0) == 4


def test_wrong_says_place_and_kind() -> None:
    assert str(Wrong(Place("a.c", 1, 2), "no", "yes")) == "a.c:1:2: error: no"


SOUND = {
    "a guard": "if (j % 4 != 3) u[j][0] = u[j + 1][0];",
    "one node's part": "u[j][0] = 2 * u[j][0];",
    "a shadow that is wide enough": "u[j][0] = w[j + 1];",
}


@pytest.mark.parametrize("name", list(SOUND))
def test_what_may_be_right_is_not_refused(tmp_path: Path, name: str) -> None:
    body = (
        "double w[N];\n#pragma xmp align w[j] with t[j][*]\n#pragma xmp shadow w[1]\nint main(void) {\n"
        f"#pragma xmp loop (j) on t[j][:]\nfor (int j = 0; j < N - 1; j++) {SOUND[name]}\n}}"
    )
    findings, text = look(tmp_path, body)
    assert not findings.all, findings.text()
    assert "tsk_own_main" in text


def test_an_array_that_loses_its_directives_is_warned_of(tmp_path: Path) -> None:
    body = (
        "static int f(double (*x)[N]) { return x != 0; }\nstatic int g(double x[N][N]) {\n"
        "#pragma xmp align x[j][i] with t[j][i]\nreturn x != 0;\n}\nint main(void) { return f(u) + g(u); }"
    )
    findings, _ = look(tmp_path, body)
    assert [(each.kind, each.mend) for each in findings.all] == [("warning", "align x in f")]
    assert findings.all[0].what == "u is passed to f, which gets this node's part of it"


def test_sizeof_of_a_distributed_array_is_warned_of(tmp_path: Path) -> None:
    findings, text = look(tmp_path, "int main(void) { return sizeof(u) == 8; }")
    assert [finding.kind for finding in findings.all] == ["warning"]
    assert "tsk_a_u.bytes" in text
    assert os.linesep == "\n"


def test_a_return_out_of_a_loop_is_warned_of(tmp_path: Path) -> None:
    body = (
        "int main(void) {\n#pragma xmp loop (j) on t[j][:]\n"
        "for (int j = 0; j < N; j++) if (u[j][0] < 0) return 1;\nreturn 0;\n}"
    )
    findings, text = look(tmp_path, body)
    assert [(each.kind, each.mend) for each in findings.all] == [
        ("warning", "note it in a variable, and reduce that")
    ]
    assert "tsk_own_main" in text


def test_sections_whose_lengths_are_known_at_run_time_are_not_refused(tmp_path: Path) -> None:
    """The run time compares them: tests/lang/test_planted.py."""
    body = (
        "double v[N][N];\n#pragma xmp align v[j][i] with t[j][i]\nint w[3], c[2][8]:[*];\n"
        "int main(int n, char **argv) {\n#pragma xmp gmove\nv[0:n][1] = u[1:4][1];\n"
        "#pragma xmp gmove\nv[::2][1] = u[0:4][1];\nc[0:2][0:3]:[0] = c[0][0:6];\nw[0:3] = c[1][0:3]:[n];\n}"
    )
    findings, text = look(tmp_path, body)
    assert not findings.all, findings.text()
    assert "tsk_own_main" in text


def test_a_pointer_that_is_distributed_keeps_its_memory(tmp_path: Path) -> None:
    head = "double (*v)[N], (*w)[N], *plain;\n#pragma xmp align [j][i] with t[j][i] :: v, w\n"
    findings, _ = look(tmp_path, head + "int main(void) { double (*h)[N] = v; v = w; w = h; }")
    wanted = [f"{name} is distributed, and another pointer is assigned to it" for name in "vw"]
    assert [each.what for each in findings.all] == wanted
    findings, _ = look(
        tmp_path, head + "int main(void) { v = 0; v = xmp_malloc(xmp_desc_of(v), N, N); plain = v[0]; }"
    )
    assert not findings.all, findings.text()
