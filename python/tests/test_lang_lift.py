"""Time loops that are lifted, and what stops the others: by `tasuki cc --report`, nothing is compiled."""

from __future__ import annotations

import pytest

from tasuki.lang.front.diagnose import Findings
from tasuki.lang.rewrite import translate
from tasuki.lang.words import read_line

HEAD = """\
#pragma xmp nodes p[*]
#pragma xmp template t[64][64]
#pragma xmp distribute t[block][*] onto p
double u[64][64], v[64][64], w[64][64];
#pragma xmp align [j][i] with t[j][i] :: u, v, w
#pragma xmp shadow [1][1] :: u, v
double gettime(void); static double half(double x) { return x / 2; }
double scale, table[4], *far; double times(double x); double twice(double x) { return times(x); }
void steps(int n, double eps)
{
  double err = 0, x;
"""
BEHIND = """\
double times(double x) { return x * scale; }
static double late(double x) { return x + 1; }
"""
SWEEP = """\
#pragma xmp reflect (u)
#pragma xmp loop (j,i) on t[j][i]
for (int j = 1; j < 63; j++) for (int i = 1; i < 63; i++) v[j][i] = (u[j-1][i] + u[j+1][i]) / 2;
"""
COPY = """\
#pragma xmp loop (j,i) on t[j][i]
for (int j = 1; j < 63; j++) for (int i = 1; i < 63; i++) u[j][i] = v[j][i];
"""
FOR = "for (int k = 0; k < n; k++)\n"  # line 12


def sweep(
    cell: str, loop: str = "", rows: str = "int j = 1; j < 63; j++", columns: str = "int i = 1; i < 63; i++"
) -> str:
    """A step with one nest."""
    head = f"#pragma xmp reflect (u)\n#pragma xmp loop (j,i) on t[j][i]{loop}\n"
    return f"{head}for ({rows}) for ({columns}) {{ {cell} }}\n"


def translated(loop: str, unlifted: str = ""):  # noqa: ANN201
    findings = Findings()
    made = translate(f'# 1 "a.c"\n{HEAD}{loop}}}\n{BEHIND}', findings, unlifted=unlifted)
    assert not findings.errors, findings.text()
    return made


def said(loop: str) -> list[str]:
    """What a report says of each time loop, without its place."""
    return [line.split("time loop: ", 1)[1] for line in translated(loop).lifts]


def test_a_sweep_and_a_copy_back_become_a_sweep_and_a_swap() -> None:
    made = translated(f"{FOR}{{ {SWEEP}{COPY} }}")
    assert made.lifts == ["a.c:12:1: time loop: lifted: 1 sweep a step, u = v is a swap"]
    assert "k = (0) + (1) * tsk_lift(" in made.text
    assert "tsk_turns(0, n, 1)" in made.text


@pytest.mark.parametrize(
    ("loop", "how"),
    [
        (f"for (long k = n; k > 0; k -= 2) {{ {SWEEP} }}", "1 sweep a step"),
        (f"{FOR}{{ {SWEEP}{COPY}{COPY} }}", "3 sweeps a step"),
        (
            f"struct later *at; {FOR}{{ {SWEEP}if (k == 7) break; }}",
            "1 sweep a step, but for steps with a branch",
        ),
        (FOR + "{" + SWEEP + COPY.replace("1; i < 63", "2; i < 63") + "}", "2 sweeps a step"),
        (FOR + "{" + SWEEP + "#pragma xmp barrier\n" + COPY + "}", "1 sweep a step, u = v is a swap"),
        (
            FOR + "{" + sweep("v[j][i] = half(fabs(u[j-1][i])) + twice(w[j][i]);") + COPY + "}",
            "1 sweep a step, u = v is a swap",
        ),
        (FOR + "{" + sweep("if (w[j][i] > 0) v[j][i] = u[j][i-1];") + COPY + "}", "2 sweeps a step"),
        (
            FOR
            + "{ err = 0;"
            + sweep("x = u[j-1][i] * scale; v[j][i] = x; if (x > err) err = x;", " reduction(max:err)")
            + "}",
            "1 sweep a step",
        ),
        (
            FOR
            + "{ err = 0;"
            + sweep("v[j][i] = u[j-1][i] * eps; err += u[j][i];", " reduction(+:err)")
            + "}",
            "1 sweep a step",
        ),
        (
            f"for (int m = 0; m < 3; m++) {{ {FOR}{{ {SWEEP}{COPY} }} gettime(); }}",
            "1 sweep a step, u = v is a swap",
        ),
    ],
)
def test_what_is_lifted(loop: str, how: str) -> None:
    assert said(loop) == [f"lifted: {how}"]


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        # the loop itself
        (f"while (err < eps) {{ {SWEEP} }}", "the condition at a.c:12 reads nothing that a step reduces"),
        (
            f"for (int k = 0; err < eps; k++) {{ {SWEEP} }}",
            "for at a.c:12 counts no steps: its condition compares no loop variable with a bound",
        ),
        (f"{FOR}{{ {SWEEP} k += 1; }}", "k at a.c:12 is set within the loop too"),
        (
            f"for (int k = 0; k < gettime(); k++) {{ {SWEEP} }}",
            "the time loop's bound at a.c:12 may be another in every step",
        ),
        # what stands in a step
        (f"{FOR}{{ {SWEEP}\ngettime(); }}", "gettime() at a.c:17 may look at anything"),
        (f"{FOR}{{ {SWEEP}\nx = u[1][1]; }}", "u at a.c:17 is used outside of the step's loops"),
        (f"{FOR}{{ {SWEEP}\nerr = err + 1; }}", "err at a.c:17 goes from one step to the next"),
        (
            f"{FOR}{{ {SWEEP}\nif (k > 3) x = 1; else x = 2; }}",
            "if at a.c:17 is none of a sweep, a reflect and a copy",
        ),
        (f"{FOR}{{ {SWEEP}\nerr++; }}", "err at a.c:17 goes from one step to the next"),
        (
            f"{FOR}{{ if (k % 9 == 0) {{ {SWEEP} }} }}",
            "the loop at a.c:12 has no loop of xmp in each of its steps",
        ),
        (f"{FOR}{{ {SWEEP}\nbreak; }}", "break at a.c:17 is none of a sweep, a reflect and a copy"),
        (
            f"{FOR}{{ {SWEEP}#pragma xmp bcast (err)\n;}}",
            "bcast at a.c:16 is none of a sweep, a reflect and a copy",
        ),
        (
            f"{FOR}{{ {SWEEP}#pragma xmp task on p[0]\nx = 1; }}",
            "task at a.c:16 is none of a sweep, a reflect and a copy",
        ),
        (
            f"typedef double own; {FOR}{{ {SWEEP} }}",
            "a type at a.c:12 is declared in a function: its cells are another",
        ),
        # exchanges
        (
            f"struct own {{ int is; }} x; {FOR}{{ {SWEEP} }}".replace("x;", "mine;"),
            "a type at a.c:12 is declared in a function: its cells are another",
        ),
        (
            FOR + "{" + SWEEP.replace("#pragma xmp reflect (u)\n", "") + "}",
            "u at a.c:14 is read beside the own element, and not reflected before in this step",
        ),
        (
            FOR
            + "{"
            + SWEEP
            + COPY
            + SWEEP.replace("#pragma xmp reflect (u)\n", "").replace("v[j][i] =", "w[j][i] =")
            + "}",
            "u at a.c:19 is read beside the own element, and not reflected before in this step",
        ),
        (
            FOR + "{" + SWEEP.replace("(u)", "(u) width(1:0, 0)") + "}",
            "u at a.c:15 is read further away than its reflect brings",
        ),
        (
            FOR + "{" + SWEEP.replace("(u)", "(u) width(/periodic/n, 0)") + "}",
            "reflect at a.c:13 has a periodic width that is no number",
        ),
        (
            FOR + "{" + SWEEP.replace("(u)", "(u) width(/periodic/0:1, /periodic/1)") + "}",
            "u at a.c:15 is read further away than its reflect brings",
        ),
        (
            "#pragma xmp reflect_init (u) width(1, 0)\n#pragma xmp reflect_init (u)\n"
            + FOR
            + "{"
            + SWEEP.replace("(u)", "_do (u)").replace("t _do", "t_do")
            + "}",
            "reflect_do at a.c:15 is of arrays that several reflect_init name",
        ),
        (
            FOR + "{" + SWEEP.replace("(u)", "(u) async(3)") + "}",
            "reflect at a.c:13 goes on beside the loop: it is async",
        ),
        # loops of a step
        (
            FOR + "{" + sweep("v[j][i] = gettime();") + "}",
            "the loop at a.c:14 may not be done in any order: it calls gettime",
        ),
        (
            FOR
            + "{"
            + sweep("v[j][i] = half(u[j][i]);")
            + "scale = k;\n"
            + sweep("w[j][i] = times(2);")
            + "}",
            "times() at a.c:19 reads scale, which is another in every step",
        ),
        (
            FOR + "{ scale = k;" + sweep("v[j][i] = twice(u[j][i]);") + "}",
            "twice() at a.c:15 reads scale, which is another in every step",
        ),
        (
            FOR + "{" + sweep("v[j][i] = late(u[j][i]);") + "}",
            "late() at a.c:15 is declared behind the function with the time loop",
        ),
        (
            FOR + "{" + sweep("v[j][i] = u[j][i] * table[0];") + "}",
            "table at a.c:15 is neither a distributed array nor a number",
        ),
        (FOR + "{" + sweep("v[j][i] = u[j][i] + k;") + "}", "k at a.c:15 is another in every step"),
        (
            FOR + "{" + sweep("v[j][i] = u[j][2 * i];") + "}",
            "u at a.c:15 has a subscript that is not i plus a number",
        ),
        (
            FOR + "{" + sweep("v[j][i] = u[j][i]; err += u[j][i];", " reduction(+:err)") + "}",
            "err at a.c:15 is reduced over steps, or read by a later one",
        ),
        (
            FOR + "{ err = 0;" + sweep("err += 1; v[j][i] = err;", " reduction(+:err)") + "}",
            "err at a.c:15 is read by a cell, and reduced",
        ),
        (
            FOR + "{ err = 0;" + sweep("err += 1;", " reduction(+:err)") + sweep("v[j][i] = err;") + "}",
            "err at a.c:13 goes from one step to the next",
        ),
        (
            FOR + "{" + sweep("v[j][i] = u[j][i];", rows="int j = 1; j < 63; j += 2") + "}",
            "the loop at a.c:15 does not count up by one",
        ),
        (
            FOR + "{" + sweep("v[j][i] = u[j][i];", columns="int i = j; i < 63; i++") + "}",
            "j at a.c:15 is another in every step",
        ),
        (
            FOR + "{" + sweep("v[j][i] = u[j][i];", loop=" expand(1, 1)") + "}",
            "expand at a.c:14 does cells of neighbours",
        ),
    ],
)
def test_what_stops_a_loop_is_said_with_its_place(loop: str, why: str) -> None:
    assert said(loop) == [f"not lifted: {why}"]
    assert "tsk_lift(" not in translated(loop).text.replace("long tsk_lift(", "")


def test_options_that_switch_it_off() -> None:
    words = {
        "--no-lift": "--no-lift is given",
        "-ffast-math": "-ffast-math lets the compiler round as it likes",
        "-O2": "",
    }
    for word, why in words.items():
        assert read_line([word, "a.c"]).unlifted() == why
    assert read_line(["--no-lift", "--lift", "a.c"]).unlifted() == ""
    made = translated(f"{FOR}{{ {SWEEP} }}", unlifted="--no-lift is given")
    assert made.lifts == ["a.c:12:1: time loop: not lifted: --no-lift is given"]


def test_what_the_sweep_of_a_nest_declares() -> None:
    text = translated(FOR + "{" + sweep("v[j][i] = u[j-1][i+1] + w[j][i]; w[j][i] = 0;") + "}").text
    table = next(line for line in text.splitlines() if "static const struct tsk_lifted" in line)
    assert "{{0, TSK_WRITES, 0, {0, 0}, {0, 0}}, {1, TSK_READS, 2, {1, 0}, {0, 1}}" in table
    assert "{2, TSK_READS | TSK_WRITES, 0, {0, 0}, {0, 0}}" in table


@pytest.mark.parametrize(
    ("reflects", "cell", "around"),
    [
        (["(u) width(/periodic/1, 0)"], "u[j-1][i]", "{1, 0}, {0, 0}, {1, 0}"),
        (["(u) width(/periodic/1, /periodic/0:1)"], "u[j+1][i] + u[j][i+1]", "{0, 0}, {1, 1}, {1, 1}"),
        (["(u) width(0, /periodic/1)", "(u) width(1, 0)"], "u[j-1][i] + u[j][i-1]", "{1, 1}, {0, 0}, {0, 1}"),
        (["(u) width(/periodic/1, 1)", "(u)"], "u[j-1][i]", "{1, 0}, {0, 0}, {1, 0}"),
        (["(u) width(/periodic/1, 1)"], "u[j][i-1]", "{0, 1}, {0, 0}}"),
        (["(u) width(1, /periodic/1:0)"], "u[j][i+1]", "{0, 0}, {0, 1}}"),  # i is not cut
    ],
)
def test_reads_that_go_round_an_end(reflects: list[str], cell: str, around: str) -> None:
    lines = "".join(f"#pragma xmp reflect {each}\n" for each in reflects)
    step = sweep(f"v[j][i] = {cell};").replace("#pragma xmp reflect (u)\n", lines)
    assert f"TSK_READS, 1, {around}" in translated(FOR + "{" + step + "}").text


def test_a_corner_goes_round_both_ends_where_one_reflect_says_so() -> None:
    both = sweep("v[j][i] = u[j-1][i+1];").replace("(u)", "(u) width(/periodic/1, /periodic/1)")
    assert "{1, 0}, {0, 1}, {1, 1}}" in translated(FOR + "{" + both + "}").text
    lines = "(u) width(/periodic/1, 1)\n#pragma xmp reflect (u) width(1, /periodic/1)"
    each = sweep("v[j][i] = u[j-1][i+1];").replace("(u)", lines)
    assert "{1, 1}}" not in translated(FOR + "{" + each + "}").text


OWN = (
    "#pragma xmp loop (j,i) on t[j][i]\n"
    + "for (int j = 0; j < 9; j++) for (int i = 0; i < 9; i++) v[j][i] = 0;"
)


def test_steps_with_a_branch_are_the_loops_own() -> None:
    made = translated(
        f"{FOR}{{ {SWEEP}{COPY}\nif (k % 10 == 0 && scale > eps) {{ scale = gettime();\n{OWN}\n}} }}"
    )
    assert made.lifts == [
        "a.c:12:1: time loop: lifted: 1 sweep a step, u = v is a swap, but for steps with a branch"
    ]
    (condition,) = [line for line in made.text.splitlines() if "static long tsk_next_" in line]
    assert "((k % 10 == 0 && (*(const double *)tsk_g[0]) > (*(const double *)tsk_g[1])))" in condition
    assert "? 0 : (k += (1) * tsk_lift(" in made.text


@pytest.mark.parametrize(
    ("branch", "why"),
    [
        ("if (gettime() > k) x = 1;", "gettime() at a.c:18 may look at anything"),
        ("if (err > k) x = 1;", "err at a.c:18 is another in every step"),
        ("if (table[0] > k) x = 1;", "table at a.c:18 is no number"),
        ("if (k > 3) k = 7;", "k at a.c:12 is set within the loop too"),
        ("if (k > 3) scale = x;\nx = 1;", "x at a.c:18 goes from one step to the next"),
    ],
)
def test_what_stops_a_loop_with_a_branch(branch: str, why: str) -> None:
    inside = sweep("v[j][i] = u[j-1][i]; err += 1;", " reduction(+:err)")
    assert said(f"{FOR}{{ err = 0;\n{inside}\n{branch} }}") == [f"not lifted: {why}"]


CHANGE = "x = (u[j-1][i] + u[j+1][i]) / 2 - u[j][i]; v[j][i] = u[j][i] + x; if (x > err) err = x;"
STEP = "err = 0;\n" + sweep(CHANGE, " reduction(max:err)") + COPY


@pytest.mark.parametrize(
    ("loop", "has"),
    [
        (f"err = 1; while (err > eps) {{ {STEP} }}", "(void)((err > eps) ? tsk_lift("),
        (
            f"err = 1; for (int k = 0; k < n && err > eps; k++) {{ {STEP} }}",
            "k = (0) + (1) * ((err > eps) ? tsk_lift(",
        ),
        (f"{FOR}{{ {STEP} if (err < eps) break; }}", "!tsk_over"),
        (
            f"int k = 0; err = 1; while (k < n && err > eps) {{ {STEP} k++; }}",
            "k += (1) * ((err > eps) ? tsk_lift(",
        ),
    ],
)
def test_loops_that_end_by_a_reduction(loop: str, has: str) -> None:
    made = translated(loop)
    assert [line.split("time loop: ")[1] for line in made.lifts] == [
        "lifted: 1 sweep a step, u = v is a swap, until err ends it"
    ]
    assert has in made.text
    assert "return !" in next(line for line in made.text.splitlines() if "static int tsk_goes_" in line)
    assert "#pragma omp simd reduction(max:err)" in made.text


def test_a_while_that_counts() -> None:
    made = translated(f"int k = n; while (k > 0) {{ k -= 2; {SWEEP} }}")
    assert made.lifts == ["a.c:12:12: time loop: lifted: 1 sweep a step"]
    assert "{ k += (-(2)) * tsk_lift(" in made.text
    assert "tsk_turns(k, 0, -(2))" in made.text


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        (f"do {{ {STEP} }} while (err > eps);", "do at a.c:12 looks at its condition behind its first step"),
        (
            f"while (err > eps) {{ {STEP.replace('max', '+')} }}",
            "err at a.c:12 ends the loop, and a lifted loop sums in another order",
        ),
        (
            f"while (err > eps) {{ {STEP}\nx = err; }}",
            "err at a.c:12 ends the loop, and is no reduction of each step alone",
        ),
        (f"while (err > gettime()) {{ {STEP} }}", "gettime() at a.c:12 may look at anything"),
        (f"while (eps > 1) {{ {STEP} }}", "the condition at a.c:12 reads nothing that a step reduces"),
        (
            f"while (err > eps) {{ {STEP} }}\nscale = x;",
            "x at a.c:19 is read, and is what the loop's last step left",
        ),
        (
            f"while (err > eps) {{ {STEP} scale = 1; }}",
            "the last step of the loop at a.c:12 sets scale, which others may read",
        ),
    ],
)
def test_what_stops_a_loop_with_a_condition(loop: str, why: str) -> None:
    assert said(loop) == [f"not lifted: {why}"]
