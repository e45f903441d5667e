"""What `--report` says of a loop: done in any order where that is shown, else what stands against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasuki.lang.driver import compile_line

HEAD = """
#pragma xmp nodes p[*]
#pragma xmp template t[8][8]
#pragma xmp distribute t[block][*] onto p
float a[8][8], v[8][8][2], limit = 3;
int calls;
#pragma xmp align [j][i] with t[j][i] :: a
#pragma xmp align [j][i][*] with t[j][i] :: v
float unknown(float);
static float clipped(float x) { float most = limit; return x > most ? most : x; }
static float twice(float x) { return 2 * clipped(x); }
static float counted(float x) { calls++; return x; }
static float first(const float *x) { return x[0]; }
static float corner(float x) { return x + a[0][0]; }
static float deep(float x) { return x < 1 ? x : deep(x / 2); }
"""
ANY, ORDER = "threads and vectors: its iterations are independent", "in order: "


@pytest.mark.parametrize(
    ("pragma", "body", "says"),
    [
        ("", "a[j][i] = clipped(i);", ANY),
        ("", "a[j][i] = twice(sinf(i));", ANY),
        ("acc parallel loop collapse(2)", "a[j][i] = twice(i);", ANY),
        ("", "a[j][i] = unknown(i);", ORDER + "it calls unknown"),
        ("", "a[j][i] = counted(i);", ORDER + "it calls counted, which sets calls"),
        ("", "a[j][i] = first(v[j][i]);", ORDER + "it calls first, which uses x"),
        ("", "a[j][i] = corner(i);", ORDER + "it calls corner, which uses a"),
        ("", "a[j][i] = deep(i);", ORDER + "it calls deep, which calls deep"),
        ("", "{ v[j][i][0] = i; v[j][i][1] = v[j][i][0] + 1; }", ANY),
        ("", "{ v[j][i][0] = i; a[j][i] = v[j][7 - i][1]; }",
         ORDER + "v is written, and read at another place"),
        ("", "a[j][i] = a[j][7 - i];", ORDER + "a is written, and read at another place"),
    ],
)  # fmt: skip
def test_a_loop_is_done_in_any_order_where_that_is_shown(
    pragma: str, body: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.c"
    asked = f"#pragma {pragma}\n" if pragma else ""
    source.write_text(
        f"{HEAD}int main(void) {{\n#pragma xmp loop (j,i) on t[j][i]\n{asked}"
        f"for (int j = 0; j < 8; j++) for (int i = 0; i < 8; i++) {body}\n}}\n"
    )
    assert compile_line(["--device", "host", "-fsyntax-only", "--report", str(source)]) == 0
    out, err = capfd.readouterr()
    assert f"loop (j, i): {says}" in out + err


def test_strides_are_named_by_array(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Rows of blocks, the rank's elements of cyclic pieces, and subscripts where neither serves."""
    source = tmp_path / "a.c"
    source.write_text(
        f"{HEAD}#pragma xmp template c[8]\n#pragma xmp distribute c[cyclic(2)] onto p\n"
        "int d[8], e[8];\n#pragma xmp align [i] with c[i] :: d, e\n#pragma xmp shadow a[1][0]\n"
        "int main(void) {\n#pragma xmp loop (j,i) on t[j][i]\n"
        "for (int j = 0; j < 8; j++) for (int i = 0; i < 8; i++) v[j][i][0] = a[j][i];\n"
        "#pragma xmp loop (i) on c[i]\nfor (int i = 0; i < 8; i++) d[i] = e[i % 8];\n}\n"
    )
    assert compile_line(["--device", "host", "-fsyntax-only", "--report", str(source)]) == 0
    out, _ = capfd.readouterr()
    assert (
        "loop (j, i): threads and vectors: its iterations are independent; by rows: a; by subscripts: v"
        in out
    )
    assert (
        "loop (i): threads and vectors: its iterations are independent; by pieces: d; by subscripts: e" in out
    )


ACC_HEAD = """
#include <math.h>
float a[8][8], b[64];
static float *p;
#pragma acc routine seq
static void routine(float *x) { x[0] = 1; }
static float other(const float *x) { return x[0]; }
int main(void) {
  int i, j, n = 8, count = 0;
  float t = 0, most = 0;
  double s = 0;
"""


@pytest.mark.parametrize(
    ("pragma", "loop", "says"),
    [
        ("parallel loop collapse(2)",
         "for (j = 0; j < n; j++) for (i = 0; i < 8; i++) { t = 2 * i; a[j][i] = t; }",
         "(j, i): threads and vectors: "),
        ("parallel loop", "for (i = 0; i < 64; i++) p[i] = b[i];", "(i): threads and vectors: "),
        ("parallel loop", "for (j = 0; j < 8; j++) { routine(a[j]); }", "(j): threads and vectors: "),
        ("parallel loop reduction(max:most)", "for (i = 0; i < 64; i++) most = fmaxf(most, b[i]);",
         "(i): threads and vectors: "),
        ("parallel loop", "for (j = 0; j < 8; j++) { int k = 0; while (k < j) a[j][k++] = j; }",
         "(j): threads: "),
        ("kernels loop", "for (i = 1; i < 64; i++) b[i] = b[i - 1];", ": in order: b is written, and read"),
        ("parallel loop reduction(+:s)", "for (i = 0; i < 64; i++) s += b[i];",
         "(i): in order: + of s keeps"),
        ("parallel loop seq", "for (i = 0; i < 64; i++) b[i] = i;", ": in order: `seq` asks for it"),
        ("parallel loop", "for (j = 0; j < 8; j++) b[j] = other(a[j]);",
         "(j): in order: it calls other, which uses x"),
        ("parallel loop", "for (i = 0; i < 64; i++) {\n#pragma acc atomic\n b[i % 4] += 1; }",
         "(i): in order: it has `atomic`"),
        ("parallel loop copy(count)", "for (i = 0; i < 64; i++) if (b[i] > 0) count = i;",
         "(i): in order: count is one variable of all iterations"),
    ],
)  # fmt: skip
def test_loops_of_acc_are_threads_of_the_host(
    pragma: str, loop: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, made = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(f"{ACC_HEAD}#pragma acc {pragma}\n{loop}\n  return (int)(t + most + s) + count;\n}}\n")
    assert compile_line(["--device", "host", "--report", "-O1", "-c", str(source), "-o", str(made)]) == 0
    out, err = capfd.readouterr()
    assert f"loop of acc{' ' if says[0] == '(' else ''}{says}" in out + err
