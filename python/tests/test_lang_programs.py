"""Programs of directives on one rank, without MPI: what they print is what plain C prints.

The serial C of a program is its oracle. `tests/lang/serial.c` stands for the run time; many ranks are
tried by
tests/lang/test_programs.py.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tasuki.lang.driver import compile_line

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "tests/lang/programs").glob("*.c"))
GOLDEN = ROOT / "tests/lang/expected"
# Those whose translated text is kept; the others are tried on many ranks alone.
KEPT = [path for path in PROGRAMS if (GOLDEN / f"{path.stem}.txt").exists()]
# What serial.c knows: sections and inquiries are the real run time's.
ALONE = [path for path in KEPT if not {"gmove", "<xmp.h>"} & set(path.read_text().split())]


def options_of(program: Path) -> list[str]:
    """What stands behind `options:` in a program's first line."""
    match = re.search(r"options: (.*?) (?:ranks:|\*/)", program.read_text().split("\n", 1)[0])
    return match[1].split() if match else []


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("serial") / "serial.o"
    source = ROOT / "tests/lang/serial.c"
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-c", source, "-I", ROOT / "lang/runtime", "-o", made], check=True
    )
    return made


@pytest.mark.parametrize("program", ALONE, ids=lambda path: path.stem)
def test_one_rank_prints_what_plain_c_prints(program: Path, serial: Path, tmp_path: Path) -> None:
    options = options_of(program)
    plain, ours = tmp_path / "plain", tmp_path / "ours.o"
    subprocess.run(["cc", "-w", "-O1", *options, program, "-o", plain, "-lm"], check=True)
    assert compile_line(["--device", "host", "-O1", *options, "-c", str(program), "-o", str(ours)]) == 0
    subprocess.run(["cc", ours, serial, "-o", tmp_path / "ours", "-fopenmp", "-lm"], check=True)
    said = [
        subprocess.run([each], capture_output=True, text=True, check=True).stdout
        for each in (plain, tmp_path / "ours")
    ]
    assert said[0] == said[1]
    assert said[0]


@pytest.mark.parametrize("program", KEPT, ids=lambda path: path.stem)
def test_translating_twice_gives_the_same(program: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        words = [
            "--device",
            "host",
            *options_of(program),
            "-fsyntax-only",
            "--emit",
            str(tmp_path / folder),
            str(program),
        ]
        assert compile_line(words) == 0
    texts = [(tmp_path / folder / f"{program.stem}.i").read_text() for folder in ("a", "b")]
    assert texts[0] == texts[1]
    assert "tsk_main" in texts[0]


def body_of(text: str, program: Path) -> str:
    """What the program's own file became: no headers, no paths."""
    kept, mine = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            mine = marker[1] == str(program)
        elif mine and line.strip():
            kept.append(line.replace(str(program), program.name))
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize("program", KEPT, ids=lambda path: path.stem)
def test_the_text_is_as_expected(program: Path, tmp_path: Path) -> None:
    """Kept text shows a reader of a change what changes; TASUKI_WRITE_EXPECTED=1 writes it anew."""
    import os

    words = ["--device", "host", *options_of(program), "-fsyntax-only", "--emit", str(tmp_path)]
    assert compile_line([*words, str(program)]) == 0
    text = body_of((tmp_path / f"{program.stem}.i").read_text(), program)
    kept = GOLDEN / f"{program.stem}.txt"
    if os.environ.get("TASUKI_WRITE_EXPECTED"):
        kept.write_text(text)
    assert text == kept.read_text()


def test_private_variables_are_as_gcc_has_them(serial: Path, tmp_path: Path) -> None:
    """Behind a region of OpenACC they have the value from before it, which serial C does not show."""
    source, ours = tmp_path / "private.c", tmp_path / "ours.o"
    source.write_text(
        "#include <stdio.h>\nint a[9];\nint main(void) {\n  int own = -1, start = 3;\n"
        "#pragma acc parallel loop private(own) firstprivate(start)\n"
        "  for (int i = 0; i < 9; i++) {\n    own = i + start;\n    a[i] = own;\n  }\n"
        '  printf("%d %d %d\\n", own, start, a[8]);\n}\n'
    )
    subprocess.run(["gcc", "-fopenacc", source, "-o", tmp_path / "gcc"], check=True)
    assert compile_line(["--device", "host", "-O1", "-c", str(source), "-o", str(ours)]) == 0
    subprocess.run(["cc", ours, serial, "-o", tmp_path / "ours", "-fopenmp", "-lm"], check=True)
    said = [
        subprocess.run([tmp_path / name], capture_output=True, text=True, check=True).stdout
        for name in ("gcc", "ours")
    ]
    assert said == ["-1 3 11\n"] * 2


def test_the_compiler_points_at_the_users_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "two words.c"
    source.write_text(
        "#pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n"
        "int a[8];\n#pragma xmp align a[i] with t[i]\nint main(void) {\n#pragma xmp loop (i) on t[i]\n"
        "  for (int i = 0; i < 8; i++)\n    a[i] = nowhere;\n}\n"
    )
    assert compile_line(["-c", str(source), "-o", str(tmp_path / "x.o")]) != 0
    assert "two words.c:9:" in capfd.readouterr().err


def test_functions_are_where_the_user_wrote_them(tmp_path: Path) -> None:
    source, made = tmp_path / "two words.c", tmp_path / "x.o"
    source.write_text(
        "#pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n"
        "int a[8];\n#pragma xmp align a[i] with t[i]\nint here(void)\n{\n#pragma xmp loop (i) on t[i]\n"
        "  for (int i = 0; i < 8; i++)\n    a[i] = 1;\n  return 3;\n}\n"
        "int there(void)\n{\n  return here();\n}\n"
    )
    assert compile_line(["-g", "-c", str(source), "-o", str(made)]) == 0
    symbols = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout
    for name, line in (("here", 7), ("there", 14)):
        address = next(each.split()[0] for each in symbols.splitlines() if each.endswith(f" T {name}"))
        asked = ["addr2line", "-e", made, address]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        assert said.strip().endswith(f"two words.c:{line}")


def test_issue_125_the_compiler_behind_still_makes_vectors(tmp_path: Path) -> None:
    """A stencil's inner loop goes along rows without calls, and says that its iterations are independent."""
    source = ROOT / "tests/lang/programs/laplace.c"
    assert compile_line(["-DN=8", "-DSTEPS=1", "-fsyntax-only", "--emit", str(tmp_path), str(source)]) == 0
    text = (tmp_path / "laplace.i").read_text()
    inner = re.search(r"#pragma omp simd\n.*\n(.*?;\s*i\+\+\)[^;]*;)", text)
    assert inner is not None
    assert "tsk_local" not in inner[1]
    assert "tsk_check" not in inner[1]


def test_images_may_count_from_one(tmp_path: Path) -> None:
    """In each form that names an image: the run time counts from 0."""
    source = tmp_path / "a.c"
    source.write_text(
        "#include <xmp.h>\n#pragma xmp nodes p[*]\nint a[4]:[*], n:[*];\nxmp_lock_t l:[*];\n"
        "int main(void) {\n  int k = 2, x = a[1]:[k];\n  a[0:2]:[k + 1] = a[2:2];\n"
        "#pragma xmp lock (l:[k * 2])\n#pragma xmp unlock (l:[k * 2])\n  xmp_atomic_define(n:[3], x);\n}\n"
    )
    texts = []
    for first in ("0", "1"):
        words = ["--device", "host", "--first-image", first, "-fsyntax-only", "--emit", str(tmp_path / first)]
        assert compile_line([*words, str(source)]) == 0
        texts.append(body_of((tmp_path / first / "a.i").read_text(), source))
    for image in ("k", "k + 1", "k * 2", "3"):
        assert f"{{{image}}}" in texts[0]
        assert f"{{({image}) - 1}}" in texts[1]
        assert f"{{{image}}}" not in texts[1]


def test_check_asks_at_each_access(tmp_path: Path) -> None:
    source = ROOT / "tests/lang/programs/laplace.c"
    words = ["-DN=8", "-DSTEPS=1", "-fsyntax-only", "--check", "--emit", str(tmp_path), str(source)]
    assert compile_line(words) == 0
    text = body_of((tmp_path / "laplace.i").read_text(), source)
    assert "omp simd" not in text
    assert "tsk_a_u.at)[tsk_check(" in text
    assert "TSK_WRITES" in text
    assert "TSK_READS" in text


@pytest.mark.parametrize("header", ["xmp.h", "openacc.h"])
def test_each_function_of_the_library_is_called_by_a_program(header: str) -> None:
    text = (ROOT / "lang/runtime" / header).read_text()
    declared = set(re.findall(r"^[a-z][\w ]*[ *]((?:xmpc?|acc)_\w+)\(", text, re.M))
    assert len(declared) > 20
    folders = [ROOT / "tests/lang" / name for name in ("programs", "planted", "runtime")]
    programs = "".join(path.read_text() for folder in folders for path in sorted(folder.glob("*.c")))
    assert declared - set(re.findall(r"\b(\w+)\(", programs)) == set()
