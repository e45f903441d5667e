"""Kernels of OpenACC regions as text: what they are made of, what is refused, and how nvcc is asked for.

No nvcc is needed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tasuki.errors import TasukiError
from tasuki.lang import cuda, runtime
from tasuki.lang.dialects import DIRECTIVES
from tasuki.lang.driver import compile_line
from tasuki.lang.front.diagnose import Findings
from tasuki.lang.front.preprocess import preprocess
from tasuki.lang.rewrite import MAY, MUST, Translated, translate

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/lang/expected"


def made_of(source: Path, findings: Findings, wish: str = MUST, *options: str) -> Translated:
    heads = [runtime.headers() / runtime.HEADER]
    words = [*options, *DIRECTIVES.defines, "-I", str(runtime.headers()), *runtime.mpi_includes()]
    return translate(preprocess(source, ["cc"], words, heads), findings, kernels=wish)


def of_text(tmp_path: Path, body: str, wish: str = MUST) -> tuple[Translated, Findings]:
    source, findings = tmp_path / "a.c", Findings()
    source.write_text(body)
    return made_of(source, findings, wish), findings


@pytest.mark.parametrize("name", ["accelerated", "kernels", "laplace", "himeno"])
def test_the_cuda_text_is_as_expected(name: str) -> None:
    """TASUKI_WRITE_EXPECTED=1 writes it anew."""
    source, findings = ROOT / f"tests/lang/programs/{name}.c", Findings()
    text = made_of(source, findings).cuda.replace(str(source), source.name)
    assert not findings.errors
    kept = GOLDEN / f"{name}.cu.txt"
    if os.environ.get("TASUKI_WRITE_EXPECTED"):
        kept.write_text(text)
    assert text == kept.read_text()


REGION = """int n; double a[8], *q; long double x;
double far_away(double);
typedef struct { int k; double *z; } cell; cell c;
void f(int m) {
#pragma acc parallel loop %s
  for (int i = 0; i < 8; i++) { %s }
}
"""


@pytest.mark.parametrize(
    ("clause", "statement", "what"),
    [
        ("", "a[i] = far_away(a[i]);", "far_away is called, which is not defined in this file"),
        ("", "double t[m]; t[0] = 1; a[i] = t[0];", "t has a variable length, which C++ has not"),
        ("", "static int k; a[i] = k;", "k is static"),
        ("", "c = (cell){i, 0}; a[i] = c.k;", "a compound literal, which C++ has not"),
        ("", "int t[2] = {[1] = 3}; a[i] = t[1];", "an initializer that C++ has not"),
        ("", "a[i] = x;", "x is of type long double"),
        ("", "return;", "return"),
    ],
)
def test_what_a_kernel_cannot_hold_is_refused(tmp_path: Path, clause: str, statement: str, what: str) -> None:
    _, findings = of_text(tmp_path, REGION % (clause, statement))
    assert [finding.kind for finding in findings.all] == ["error"]
    assert what in findings.all[0].what
    assert findings.all[0].place.file == str(tmp_path / "a.c")
    assert findings.all[0].mend


def test_without_an_option_it_ends_a_run_on_a_gpu_alone(tmp_path: Path) -> None:
    made, findings = of_text(tmp_path, REGION % ("", "a[i] = far_away(a[i]);"), MAY)
    assert [finding.kind for finding in findings.all] == ["warning"]
    assert made.cuda == ""
    assert "if (tsk_acc_gpu()) { tsk_acc_launched(" in made.text
    assert "far_away is called" in made.text.split("tsk_acc_launched(&(struct tsk_launch)")[1]


@pytest.mark.parametrize(
    ("directive", "loop", "shared"),
    [
        ("kernels loop", "for (int i = 1; i < 8; i++) a[i] = a[i - 1];", ""),
        ("kernels loop independent", "for (int i = 1; i < 8; i++) a[i] = a[i - 1];", "i"),
        ("kernels loop", "for (int i = 0; i < 8; i++) a[i] = b[i + 1];", "i"),
        ("kernels", "for (int i = 0; i < 8; i++) total += b[i];", ""),
        ("serial loop", "for (int i = 0; i < 8; i++) a[i] = 1;", ""),
        ("parallel loop seq", "for (int i = 0; i < 8; i++) a[i] = 1;", ""),
        ("parallel loop", "for (int i = 0; i < 8; i++) { int k = i; q[k] = q[8]; }", "i"),
        ("parallel loop collapse(2)", "for (int i = 0; i < 8; i++) for (j = 0; j < 4; j++) q[j]++;", "i, j"),
        ("parallel loop", "for (int i = 0; i < 8; i++) for (int j = 0; j < i; j++) q[i] = j;", "i"),
        ("kernels loop", "for (int i = 0; i < (int)b[0]; i++) a[i] = 1;", ""),
    ],
)  # fmt: skip
def test_threads_share_what_is_said_or_shown_to_be_independent(
    tmp_path: Path, directive: str, loop: str, shared: str
) -> None:
    body = f"double a[9], b[9], total; void f(double *q) {{ int j;\n#pragma acc {directive}\n  {loop}\n}}\n"
    made, findings = of_text(tmp_path, body)
    assert not findings.errors
    says = re.search(r"threads share \((.*)\)|(one thread, in order)", made.kernels[0])
    assert (says[1] or "") == shared
    # Who wrote `kernels` or `parallel` is told that nothing is parallel.
    assert bool(findings.all) == (not shared and not directive.startswith("serial"))


def test_the_unshown_kernel_counts_on_one_thread(tmp_path: Path) -> None:
    body = "double total, b[9]; void f(void) {\n#pragma acc kernels\n"
    body += "for (int i = 0; i < 8; i++) total += b[i];\n}\n"
    made, _ = of_text(tmp_path, body)
    assert "(*tsk_c_total) += b[i]" in made.cuda
    assert "tsk_shape_of(0, 1, 1, 1, kTskMostBlocks)" in made.cuda


@pytest.mark.parametrize(
    ("pragma", "value", "wish", "regions"),
    [
        ("omp parallel for", "1", MAY, None),
        ("acc parallel loop", "1", "", "TSK_LOOPS"),
        ("acc parallel loop", "1", MAY, "TSK_KERNELS"),
        ("acc parallel loop if(q)", "1", MAY, "TSK_KERNELS"),
        ("acc parallel loop", "far_away(i)", MAY, "TSK_LOOPS | TSK_KERNELS"),
        ("acc data copy(a)", "1", "", None),
        ("acc data copy(a)", "1", MAY, "TSK_KERNELS"),
    ],
)
def test_a_unit_says_what_its_regions_are(
    tmp_path: Path, pragma: str, value: str, wish: str, regions: str
) -> None:
    body = f"double a[8], far_away(int); void f(double *q) {{\n#pragma {pragma}\n"
    body += f"  for (int i = 0; i < 8; i++) a[i] = {value};\n}}\n"
    made, findings = of_text(tmp_path, body, wish)
    assert not findings.errors
    unit = re.search(r"struct tsk_unit tsk_this_unit = \{.*, 0(?:, (.*))?\};", made.text)
    assert (unit and unit[1]) == regions


def test_a_condition_leaves_a_kernel_to_the_host(tmp_path: Path) -> None:
    body = """int a[8]; void f(int n, int *p) {
#pragma acc parallel loop copy(p[2:6]) if(n > 3)
  for (int i = 2; i < 8; i++) p[i] = a[i];
}
"""
    made, findings = of_text(tmp_path, body)
    assert not findings.all
    (condition,) = re.findall(r"const int (\w+) = \(n > 3\) != 0;", made.text)
    assert f"if (tsk_acc_gpu() && {condition}) {{" in made.text
    assert "else { tsk_acc_settle(); " in made.text
    assert f"({condition} ? (void *)tsk_acc_base(" in made.text
    (begin,) = re.findall(r"char \*const (\w+) = \(char \*\)&p\[2\];", made.text)
    assert f'tsk_acc_address("{tmp_path}/a.c:2:13", "p", {begin}) - ({begin} - (char *)p))' in made.text


def described(folder: Path, text: dict) -> Path:
    """A folder of programs beside which a run time says this of itself."""
    (folder / "lib").mkdir()
    (folder / "bin").mkdir()
    (folder / "lib" / "libtasuki_xmp.so").touch()
    (folder / "lib" / cuda.DESCRIPTION).write_text(json.dumps(text))
    return folder / "bin"


def test_a_run_time_of_the_host_alone_says_which_build_to_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASUKI_BIN", str(described(tmp_path, {"cuda": False})))
    assert cuda.find("") is None
    for device in ("cuda", "both"):
        with pytest.raises(TasukiError, match=r"was built for the host alone.*make cuda"):
            compile_line(["--device", device, "a.c"])


def test_nvcc_is_asked_for_every_gpu_of_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"cuda": True, "architectures": "90;100", "nvcc": "", "cudart": "/cuda/lib/libcudart.so"}
    monkeypatch.setenv("TASUKI_BIN", str(described(tmp_path, said)))
    monkeypatch.setenv("TASUKI_NVCC", "ccache nvcc")
    found = cuda.find("cuda")
    words = found.command(Path("a.cu"), Path("a.o"), ["-O2", "-Ofast", "-g"])
    assert words[:2] == ["ccache", "nvcc"]
    assert "arch=compute_90,code=sm_90" in words
    assert "arch=compute_100,code=[sm_100,compute_100]" in words
    assert "-fmad=false" in words
    assert "-O2" in words
    assert "-Ofast" not in words
    monkeypatch.setenv("TASUKI_NVCC", "")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(cuda.os, "access", lambda *_: False)
    with pytest.raises(TasukiError, match="nvcc is not there"):
        cuda.find("both")


def test_a_build_of_ptx_alone_has_kernels_of_ptx_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"cuda": True, "architectures": "90-virtual", "nvcc": "", "cudart": "/cuda/lib/libcudart.so"}
    monkeypatch.setenv("TASUKI_BIN", str(described(tmp_path, said)))
    monkeypatch.setenv("TASUKI_NVCC", "nvcc")
    assert "arch=compute_90,code=compute_90" in cuda.find("cuda").command(Path("a.cu"), Path("a.o"), [])


def test_two_halves_become_one_object_whose_launches_no_other_sees(tmp_path: Path) -> None:
    for name, text in (("host", "int tsk_kernel_1(void); int main(void) { return tsk_kernel_1(); }"),
                       ("cuda", "int tsk_kernel_1(void) { return 0; }")):  # fmt: skip
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run(["cc", "-c", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.o"], check=True)
    whole = tmp_path / "a.o"
    assert cuda.join(tmp_path / "host.o", tmp_path / "cuda.o", str(whole)) == 0
    symbols = subprocess.run(["nm", whole], capture_output=True, text=True, check=True).stdout
    assert " t tsk_kernel_1" in symbols
    assert " T main" in symbols


@pytest.mark.parametrize(
    ("before", "inside", "stays"),
    [
        ("double s = 0;", "", True),
        ("double s = 0;", "if (s > 3) q[0] = s;", True),
        ("double s = 0; double *where = &s;", "", False),
        ("static double s;", "", False),
        ("s = 0;", "", False),  # of the file
        ("double s = 0;", "if (q[0] > 3) return;", False),
        ("double s = 0;", "\n#pragma acc update host(s)\n;", False),
        ("double s = 0;", "\n#pragma omp parallel for firstprivate(s)\nfor (int i = 0; i < 2; i++) q[i] = 1;",
         False),
    ],
)  # fmt: skip
def test_a_sum_stays_on_the_device_where_the_text_shows_who_reads_it(
    tmp_path: Path, before: str, inside: str, stays: bool
) -> None:
    loop = "\n#pragma acc parallel loop reduction(+:s)\nfor (int i = 0; i < 8; i++) s += a[i];\n"
    head = f"double a[8], s; double f(double *q) {{ {before}\n#pragma acc data copyin(a)\n"
    made, findings = of_text(tmp_path, f"{head}{{ {loop} {inside} }}\n return s; }}\n")
    assert not findings.errors
    launch = re.search(r"tsk_acc_launched\(&tsk_g, .*?\)\); \}( tsk_acc_settle\(\);)?", made.text)
    assert launch
    assert bool(launch[1]) != stays
    reads = made.text.count("(*(tsk_acc_settle(), &s))")
    assert reads == (2 if stays and "s > 3" in inside else 0)
    assert made.text.count("tsk_acc_settle();") == 1  # behind the loop, or behind the region


def asked_of(tmp_path: Path, body: str) -> tuple[Translated, Findings]:
    source, findings = tmp_path / "a.c", Findings()
    source.write_text(body)
    words = [*DIRECTIVES.defines, "-I", str(runtime.headers()), *runtime.mpi_includes()]
    text = preprocess(source, ["cc"], words, [runtime.headers() / runtime.HEADER])
    return translate(text, findings, kernels=MUST, asked=True), findings


TWO = """double a[8][8]; void f(int n) {
#pragma acc %s
for (int j = 0; j < 8; j++)
%s
for (int i = 0; i < 8; i++) a[j][i] = 1; }
"""


@pytest.mark.parametrize(
    ("outer", "inner", "shared"),
    [
        ("parallel loop", "", "(j, i)"),  # nothing is asked for
        ("parallel loop vector_length(n)", "", "(j: gang vector)"),
        ("parallel loop num_workers(2)", "", "(j: gang worker vector)"),
        ("parallel loop gang", "\n#pragma acc loop vector", "(j: gang, i: vector)"),
        ("parallel loop", "\n#pragma acc loop vector", "(j: gang, i: vector)"),
        ("parallel loop vector", "", "(j: vector)"),
        ("parallel loop gang worker", "\n#pragma acc loop vector", "(j: gang worker, i: vector)"),
        ("parallel loop gang vector collapse(2)", "", "(j: gang vector, i: gang vector)"),
        ("kernels loop independent gang(4)", "\n#pragma acc loop independent vector", "(j: gang, i: vector)"),
        ("parallel loop gang(static: *)", "\n#pragma acc loop vector", "(j: gang, i: vector)"),
        ("kernels num_gangs(4)", "", "(j: gang vector)"),
        ("serial loop gang", "", ""),
    ],
)  # fmt: skip
def test_clauses_say_who_does_what_where_they_are_asked(
    tmp_path: Path, outer: str, inner: str, shared: str
) -> None:
    made, findings = asked_of(tmp_path, TWO % (outer, inner))
    assert not findings.errors
    assert made.kernels[0].partition("threads share ")[2] == shared


@pytest.mark.parametrize(
    ("outer", "inner", "kind", "what"),
    [
        ("parallel loop vector", "\n#pragma acc loop gang", "error", "a loop of gangs stands inside"),
        ("parallel loop gang", "\n#pragma acc loop gang", "error", "a loop of gangs stands inside"),
        ("parallel loop num_workers(32) vector_length(64)", "", "error", "a block of 2048 threads"),
        ("parallel loop gang", "if (n > j)\n#pragma acc loop vector", "warning", "each thread does this"),
    ],
)  # fmt: skip
def test_clauses_that_cannot_be_taken_literally_are_said(
    tmp_path: Path, outer: str, inner: str, kind: str, what: str
) -> None:
    _, findings = asked_of(tmp_path, TWO % (outer, inner))
    assert [finding.kind for finding in findings.all] == [kind]
    assert what in findings.all[0].what


def test_a_mapping_that_is_unknown_is_refused() -> None:
    with pytest.raises(TasukiError, match="--acc-mapping literal is unknown"):
        compile_line(["--acc-mapping", "literal", "a.c"])


CYCLIC = """double a[6][8];
#pragma xmp nodes p[2][*]
#pragma xmp template t[6][8]
#pragma xmp distribute t[block][cyclic(2)] onto p
#pragma xmp align a[j][i] with t[j][i]
void f(int n) {
#pragma xmp loop (j, i) on t[j][i]
#pragma acc parallel loop collapse(2)
for (int j = 0; j < 6; j++) for (int i = 0; i < %s; i++) a[j][i] = 1; }
"""


@pytest.mark.parametrize(("bound", "refused"), [("n", False), ("j", True)])
def test_an_inner_loop_over_cyclic_pieces_is_a_kernel_of_each_where_its_bounds_stay(
    tmp_path: Path, bound: str, refused: bool
) -> None:
    made, findings = of_text(tmp_path, CYCLIC % bound)
    assert bool(findings.errors) == refused
    assert refused == ("with bounds that the loop around it changes" in findings.text())
    assert refused or made.cuda


STEPS = """#pragma xmp nodes p[*]
#pragma xmp template t[64]
#pragma xmp distribute t[block] onto p
double u[64], v[64];
#pragma xmp align [i] with t[i] :: u, v
#pragma xmp shadow [1] :: u
void told(double *);
void steps(int n, double rate, double other) {
  %s
#pragma acc data copy(u) create(v) copyin(rate)
  for (int k = 0; k < n; k++) {
#pragma xmp reflect (u) acc
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 1; i < 63; i++) v[i] = rate * (u[i - 1] + u[i + 1]);
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 1; i < 63; i++) u[i] = v[i];
  }
}
"""


@pytest.mark.parametrize(("told", "lifted"), [("told(&other);", True), ("told(&rate);", False)])
def test_gpus_lift_no_steps_that_read_a_number_with_a_copy(tmp_path: Path, told: str, lifted: bool) -> None:
    """Its copy may be another than the host's number, which the cells of a lifted loop are given."""
    made, findings = of_text(tmp_path, STEPS % told)
    assert not findings.all
    assert [line.endswith("on GPUs too") for line in made.lifts] == [lifted]
