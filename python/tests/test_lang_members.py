"""Members of structs that are distributed: which may be, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasuki.lang import runtime
from tasuki.lang.dialects import DIRECTIVES
from tasuki.lang.front.diagnose import Findings
from tasuki.lang.front.preprocess import preprocess
from tasuki.lang.rewrite import translate


def translated_text(tmp_path: Path, body: str) -> tuple[str, Findings]:
    source, findings = tmp_path / "a.c", Findings()
    source.write_text(body)
    words = [*DIRECTIVES.defines, "-I", str(runtime.headers()), *runtime.mpi_includes()]
    text = preprocess(source, ["cc"], words, [runtime.headers() / runtime.HEADER])
    return translate(text, findings).text, findings


MEMBERS = """#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
struct field { int n; double a[8]; };
%s
#pragma xmp align field.a[i] with t[i]
double use(void) { return %s; }
"""


@pytest.mark.parametrize(
    ("variable", "use", "what"),
    [
        ("struct field f;", "f.a[2]", ""),
        ("struct field f = {3};", "f.n", ""),
        ("struct field f = {3, {1, 2}};", "f.n", "f.a is distributed and has initial values"),
        ("struct field f = {.a = {1}};", "f.n", "f.a is distributed and has initial values"),
        ("struct field f[2];", "f[0].n", "f is an array or a pointer, and its type has distributed members"),
        ("struct field *f;", "f->n", "f is an array or a pointer, and its type has distributed members"),
        ("void g(void) { struct field f; f.n = 1; }", "1", "f is of a function, and its type has"),
        ("struct field f; void g(void) { memcpy(&f, 0, 8); }", "1", "f is used as a whole, and f.a is"),
    ],
)
def test_members_of_structs_are_distributed_where_each_has_a_name(
    tmp_path: Path, variable: str, use: str, what: str
) -> None:
    made, findings = translated_text(tmp_path, MEMBERS % (variable, use))
    assert [what in finding.what for finding in findings.all] == ([True] if what else [])
    if not what:
        assert "struct tsk_array tsk_a_f__a;" in made


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    body = (MEMBERS % ("struct field f;", "1")).replace("field.a[i]", "field.b[i]")
    _, findings = translated_text(tmp_path, body)
    assert "struct field has no array b" in findings.all[0].what
