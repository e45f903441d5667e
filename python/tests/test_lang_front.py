"""Preprocessing, tokens, parsing and scopes, each by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from pycparser import c_ast

from tasuki.errors import TasukiError
from tasuki.lang.analysis.counted import Counted, counted
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.parse import Coindexed, Directive, Section, parse
from tasuki.lang.front.preprocess import preprocess, wrap_pragmas
from tasuki.lang.front.tokens import Tokens
from tasuki.lang.front.types import constant, descend, normal, resolve
from tasuki.lang.words import read_line


def tree_of(text: str):  # noqa: ANN201
    return parse(Tokens(text, ("xmp", "acc")))


def words(tree, node: c_ast.Node) -> str:  # noqa: ANN001
    first, last = tree.span_of(node)
    return tree.tokens.text[tree.tokens.every[first].start : tree.tokens.every[last].end]


def test_pragmas_are_wrapped_and_lines_hold() -> None:
    source = "#pragma xmp nodes \\\n  p(N) // two\n#pragma omp parallel\nint x;\n"
    assert wrap_pragmas(source, ("xmp",)).split("\n") == [
        "tsk_pragma_xmp( nodes    p(N)  )// two",
        "",
        "#pragma omp parallel",
        "int x;",
        "",
    ]


def test_macros_in_pragmas_are_expanded(tmp_path: Path) -> None:
    source = tmp_path / "a b.c"
    source.write_text("#define N 8\n#pragma xmp template t(0:N-1)\nint after;\n")
    text = preprocess(source, ["cc"], [])
    tree = tree_of(text)
    directive = tree.unit.ext[0]
    assert [token.value for token in directive.tokens] == ["template", "t", "(", "0", ":", "8", "-", "1", ")"]
    after = tree.tokens.every[tree.whole[tree.unit.ext[1]][0]]
    assert (after.filename, after.lineno) == (str(source), 3)


def test_macros_in_pragmas_of_headers_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "cut.h").write_text("#pragma xmp nodes p(M)\n#pragma xmp template t(0:TWICE(M)-1)\n")
    (tmp_path / "a.c").write_text('#define M 4\n#define TWICE(x) x*2\n#include "cut.h"\nint after;\n')
    tree = tree_of(preprocess(tmp_path / "a.c", ["cc"], []))
    said = [" ".join(token.value for token in node.tokens) for node in tree.unit.ext[:2]]
    assert said == ["nodes p ( 4 )", "template t ( 0 : 4 * 2 - 1 )"]
    assert [node.at.filename for node in tree.unit.ext[:2]] == [str(tmp_path / "cut.h")] * 2


def test_what_the_preprocessor_refuses_is_said(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text('#include "nowhere.h"\n')
    with pytest.raises(TasukiError, match=r"nowhere\.h"):
        preprocess(source, ["cc"], [])


def test_gnu_words_are_not_seen_and_stay() -> None:
    text = "__extension__ static __inline__ int f(int *__restrict a) __attribute__((pure));\n"
    text += '__asm__("nop");\nint x __attribute__((aligned(64)));'
    tree = tree_of(text)
    assert [type(node).__name__ for node in tree.unit.ext] == ["Decl", "Decl"]
    assert Edits(tree.tokens).whole() == text + "\n"


def test_sections_coindices_and_codimensions() -> None:
    tree = tree_of("int a[4]:[*]; void f(int b[9]) { a[0:2]:[3] = b[:]; a[1] = b[::2]; a:[1] = a; }")
    kinds = [type(node).__name__ for node in descend(tree.unit) if isinstance(node, (Section, Coindexed))]
    assert kinds == ["Coindexed", "Section", "Section", "Section", "Coindexed"]
    assert list(tree.codims.values()) == [[None]]


def test_spans_are_exact() -> None:
    tree = tree_of("void f(int **a, int i) { a[i + 1][(i)] = -a[0][i++] * (i + 2) + f; }")
    texts = {
        words(tree, node)
        for node in descend(tree.unit)
        if not isinstance(node, c_ast.FileAST) and _has(tree, node)
    }
    assert {
        "a[i + 1][(i)]",
        "a[i + 1]",
        "i + 1",
        "(i)",
        "-a[0][i++]",
        "i++",
        "-a[0][i++] * (i + 2)",
        "(i + 2)",
    } <= texts


def _has(tree, node: c_ast.Node) -> bool:  # noqa: ANN001
    try:
        tree.span_of(node)
    except (KeyError, AttributeError):
        return False
    return True


def test_what_is_no_c_is_said_with_its_place() -> None:
    with pytest.raises(Wrong, match="this is not C"):
        tree_of("int f(void) { return 1 +; }")


def test_names_mean_the_nearest_declaration() -> None:
    tree = tree_of("int a; void f(int b) { a = b; { float a; a = 1; } for (int b = 0; b < 2; b++) a = b; }")
    names = resolve(tree)
    elements = [
        names.use[node].element()
        for node in descend(tree.unit)
        if isinstance(node, c_ast.ID) and node.name == "a"
    ]
    assert elements == ["int", "float", "int"]


def test_types_through_typedefs() -> None:
    tree = tree_of(
        "typedef float real; typedef real grid[4][5]; grid g; unsigned long int n; struct s { int a; } *p[3];"
    )
    names = resolve(tree)
    g, n, p = (names.file.names[name] for name in "gnp")
    assert (g.basic(), g.element(), [constant(dim) for dim in g.dims()]) == ("FLOAT", "real", [4, 5])
    assert n.basic() == "ULONG"
    assert p.basic() == "BYTES"
    assert p.element() == "struct s *"


@pytest.mark.parametrize(
    ("given", "there"),
    [
        ("long unsigned int", "unsigned long"),
        ("signed long long", "long long"),
        ("unsigned int", "unsigned int"),
    ],
)
def test_basic_types_in_any_order(given: str, there: str) -> None:
    assert normal(given.split()) == there


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("int i = 1; i < n; i++", ("i", False, False)),
        ("i = n; i >= 0; i -= 2", ("i", True, True)),
        ("i = 0; n > i; i = i + 3", ("i", False, False)),
        ("i = 0; i != n; ++i", ("i", False, False)),
    ],
)
def test_headers_that_count(header: str, expected: tuple[str, bool, bool]) -> None:
    tree = tree_of(f"void f(int n) {{ int i; for ({header}) ; }}")
    loop = next(node for node in descend(tree.unit) if isinstance(node, c_ast.For))
    found = counted(loop)
    assert isinstance(found, Counted)
    assert (found.variable, found.inclusive, found.down) == expected


@pytest.mark.parametrize(
    "header", ["; i < n; i++", "i = 0; i < n; i *= 2", "i = 0; i < n; i--", "i = 0; f(i); i++"]
)
def test_headers_that_do_not(header: str) -> None:
    tree = tree_of(f"int f(int n) {{ int i; for ({header}) ; }}")
    loop = next(node for node in descend(tree.unit) if isinstance(node, c_ast.For))
    assert isinstance(counted(loop), str)


def test_constants_are_those_of_c() -> None:
    tree = tree_of("int a[-7 / 2 + 010 * 2 - 7 % 4];")
    assert constant(tree.unit.ext[0].type.dim) == -3 + 16 - 3


def test_edits_keep_what_they_do_not_name() -> None:
    tree = tree_of("int  a [ 3 ] ;\n\n  int b = a\n[1] + 2;")
    edits = Edits(tree.tokens)
    use = tree.unit.ext[1].init.left
    edits.replace(*tree.span_of(use), lambda: f"<{edits.inline(*tree.span_of(use.subscript))}>")
    edits.before(tree.whole[tree.unit.ext[1]][0], "{")
    assert edits.whole() == "int  a [ 3 ] ;\n\n  {int b = <1>\n + 2;\n"


def test_a_directive_knows_its_tokens() -> None:
    tree = tree_of('# 3 "x.c"\n#pragma xmp barrier on p[0]\nint a;\n#pragma omp simd\n')
    assert isinstance(tree.unit.ext[0], Directive)
    assert len(tree.unit.ext) == 2
    assert tree.unit.ext[0].at.lineno == 3


def test_the_command_line_is_taken_apart() -> None:
    line = read_line(
        ["-O2", "-DN=8", "-I", "x y", "a b.c", "c.o", "-lm", "-o", "out", "-MD", "-shared", "--report"]
    )
    assert line.sources == [Path("a b.c")]
    assert line.operands == [Path("a b.c"), "c.o", "-lm"]
    assert line.preprocess == ["-O2", "-DN=8", "-I", "x y"]
    assert (line.compile, line.output, line.dependencies) == (["-O2"], "out", ["-MD"])
    assert line.link == ["-O2", "-shared"]
    assert line.report


@pytest.mark.parametrize("word", ["x.f90", "x.cpp"])
def test_other_languages_are_refused(word: str) -> None:
    with pytest.raises(TasukiError, match="tasuki cc reads C"):
        read_line([word])
