"""What scripts/test, scripts/slowest and tests/docs/rooms.py say of reports, logs and rooms."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

JUNIT = """<testsuite>
  <testcase name="a.n1" status="run" time="2.5"><system-out>[ RUN      ] A.gpu
/a/b.cpp:3: Skipped
no GPU

[  SKIPPED ] A.gpu (0 ms)
[ RUN      ] A.two
/a/b.cpp:9: Skipped
needs two ranks

[  SKIPPED ] A.two (0 ms)
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] A.gpu</system-out></testcase>
  <testcase name="a.n2" status="run" time="7"><system-out>[       OK ] A.two (1 ms)
/a/b.cpp:3: Skipped
no GPU

[  SKIPPED ] A.gpu (0 ms)</system-out></testcase>
  <testcase name="hosts" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>once
no namespaces here
</system-out></testcase>
  <testcase name="script" status="run"><system-out>ok: one
not tried: a full disk: nobody may mount here
</system-out></testcase>
  <testcase name="lost" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="bad" status="fail"><failure message=""/></testcase>
</testsuite>
"""


def load(name: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(f"script_{name}", str(SCRIPTS / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def test_every_skip_has_its_reason(tmp_path: Path) -> None:
    report = tmp_path / "ctest.xml"
    report.write_text(JUNIT)
    count = load("test").read_junit(report)
    assert count.passed == 3
    assert count.failed == ["lost (Unable to find executable)", "bad"]
    assert count.skipped == [("hosts", "no namespaces here")]
    # A.two was run on two ranks.
    assert count.cases == [("A.gpu", "no GPU"), ("a full disk", "nobody may mount here")]


def test_a_runner_beside_another_is_shown_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = load("test")
    report, output = tmp_path / "a.xml", tmp_path / "a.out"
    leave = f"open({str(report)!r}, 'w').write({JUNIT!r}); print('beside'); raise SystemExit(1)"
    beside = script.Runner("a", [sys.executable, "-c", leave], report, output).start({})
    falls = script.Runner("b", [sys.executable, "-c", "print('here')"], tmp_path / "b.xml").start({})
    assert falls.end().failed == ["b (left no report, status 0)"]
    assert "here" in capfd.readouterr().out
    assert beside.end().failed == ["lost (Unable to find executable)", "bad"]
    assert "beside" in capfd.readouterr().out
    report.write_text("<testsuite><testcase name='good'/></testsuite>")
    crashes = script.Runner("c", [sys.executable, "-c", "raise SystemExit(3)"], report).start({})
    assert crashes.end().failed == ["c (status 3)"]


def test_slowest_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = tmp_path / "host"
    (build / "reports").mkdir(parents=True)
    (build / "reports/ctest.xml").write_text(JUNIT)
    (build / "reports/pytest.xml").write_text(
        """<testsuites><testcase classname="python.tests.test_lang_front" name="test_a_name" time="120"/>
<testcase classname="test_space.n2" name="test_space.n2" time="119"/></testsuites>"""
    )
    log = [
        "# ninja log v5",
        "0\t90000\t1\ttasuki/CMakeFiles/tasuki.dir/base/box.cpp.o\tab",
        "0\t2000\t1\ttasuki/CMakeFiles/tasuki.dir/base/box.cpp.o\tab",
        "500\t3700\t1\tapps/CMakeFiles/x.dir/main.cpp.o\tcd",
        "0\t60000\t1\ttests/remote/CMakeFiles/y.dir/link/test_tcp.cpp.o\tcd",
        "0\t99000\t1\tbin/x\tef",
    ]
    (build / ".ninja_log").write_text("\n".join(log) + "\n")
    script = load("slowest")
    monkeypatch.setattr("sys.argv", ["slowest", "--count", "1", str(build)])
    assert script.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "slowest of 3 compilations, 1.1 minutes together:",
        "    60.0 s  host: tests/remote/y: link/test_tcp.cpp",
        "slowest of 8 tests, 4.1 minutes together:",
        "   120.0 s  host: test_lang_front.test_a_name",
        "minutes of a core by part:   compilations   tests",
        "    remote                            1.0     0.0",
        "    lang                              0.0     2.0",
        "    space                             0.0     2.0",
        "    wilson                            0.0     0.0",
        "    argon                             0.0     0.0",
        "    core                              0.1     0.2",
    ]


def test_the_rooms_of_the_page_are_the_folders(tmp_path: Path) -> None:
    page = ["| 2 | `tasuki/device/` | x | y |", "| 1 | `tasuki/base/` | x | y |", "| 3 | `tools/` | x | y |"]
    page += ["| 4 | `remote/programs/` | x | y |", "| 3 | `remote/link/` | x | y |"]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/architecture.md").write_text("\n".join(page))
    for name, text in {
        "tasuki/base/a.hpp": "#include <tasuki/device/b.hpp>\n",
        "tasuki/device/b.hpp": "#include <tasuki/base/a.hpp>\nint x = MPI_SUCCESS;\n",
        "tasuki/more/c.cpp": "#include <tasuki/base/a.hpp>\n",
        "tasuki/base/d.cpp": "int x = H5Pset_fapl_mpio(p, comm, info), y = MPI_SUCCESS;\n",
        "apps/main.cpp": "int x = MPI_SUCCESS;\n",
        "remote/link/l.cpp": "#include <tasuki/device/b.hpp>\n",
        "remote/programs/p.cu": "#include <tasuki/device/b.hpp>\n#include <remote/link/l.hpp>\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    rooms = load("../tests/docs/rooms.py")
    assert rooms.faults(tmp_path) == [
        "apps/: a folder without a row on the page",
        "tasuki/more/: a folder without a row on the page",
        "tools/: a row of the page without a folder",
        "tasuki/base/a.hpp: tasuki/base/ includes tasuki/device/",
        "tasuki/base/d.cpp: calls H5Pset_fapl_mpio",
        "remote/link/l.cpp: remote/link/ includes tasuki/device/",
        "remote/programs/p.cu: remote/programs/ includes remote/link/",
    ]


def test_programs_that_reach_into_the_core_are_named(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/architecture.md").write_text("| 1 | `apps/` | x | y |")
    for name, text in {
        "apps/own/a.hpp": "namespace own::detail {\nstruct Mine {};\n}\nauto x = detail::Mine{};\n",
        "apps/own/b.cpp": "auto x = field.core()->grid();\nauto y = tasuki::detail::ValueOf<int>{};\n",
        "apps/own/c.cpp.in": "const FieldCore* x = at->core();\nint y = MPI_SUCCESS;\n",
        "apps/own/d.cpp": "int x = MPI_SUCCESS, score = 1;\n",
        "examples/e.cpp": "auto x = host_memory();\n",
        "tasuki/f.cpp": "auto x = field.core();\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    rooms = load("../tests/docs/rooms.py")
    assert rooms.reaches(tmp_path) == [
        "apps/own/b.cpp: reaches into the core by .core()",
        "apps/own/b.cpp: reaches into the core by detail::ValueOf",
        "apps/own/c.cpp.in: reaches into the core by ->core()",
        "apps/own/c.cpp.in: reaches into the core by FieldCore",
        "examples/e.cpp: reaches into the core by host_memory",
    ]
    assert rooms.faults(tmp_path) == ["apps/own/d.cpp: calls MPI_SUCCESS"]


def test_the_demo_has_the_library_in_units_and_the_tests_do_not(tmp_path: Path) -> None:
    """What shows that each source includes what it uses is that it is compiled by itself."""
    shutil.copy(Path(__file__).resolve().parents[2] / "Makefile", tmp_path)
    for name in ("CMakePresets.json", "pyproject.toml", "CMakeLists.txt", "python/constraints.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def done_by(target: str) -> str:
        words = ["make", "-n", "PACKAGES=no", target]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    apart = "cmake --preset host -DTASUKI_UNITY=OFF"
    assert "cmake --preset host -DTASUKI_UNITY=ON" in done_by("demo")
    assert "UNITY=ON\n" not in done_by("host")
    assert apart in done_by("test")  # where the demo has made the build


def test_the_demo_builds_all_that_it_runs() -> None:
    """And tasuki-info, which is asked whether fields can be written: else no field has a picture."""
    root = Path(__file__).resolve().parents[2]
    built = re.search(r"^DEMO +:= (.*)$", (root / "Makefile").read_text(), re.M)[1].split()
    run = re.findall(r'^"\$tasuki" run (\w+)', (root / "scripts/demo").read_text(), re.M)
    assert len(run) > 1
    assert set(built) == {f"tasuki-{name}" for name in run} | {"tasuki-info"}


def test_names_that_clash_in_a_unit_are_found(tmp_path: Path) -> None:
    begin, end = "namespace {\n\n", "\n} // namespace\n"
    for name, text in {
        "a.cpp": "constexpr int kTurn = 3;\nstruct Relax {\n};\nbool is(int a) { return a; }",
        "b.cpp": "constexpr long kTurn = 4;\nstruct Relax {\n};\nbool is(long a) {\nint own() {",
        "c.cpp": "std::mutex own;\nbool is(int other) {\n  constexpr int kTurn = 1;",
    }.items():
        (tmp_path / name).write_text(begin + text + end)
    units = load("../tests/cmake/units.py")
    assert units.faults(sorted(tmp_path.glob("*.cpp"))) == [
        "Relax is a type in a.cpp and b.cpp",
        "is is a function in a.cpp and c.cpp",
        "kTurn is a variable in a.cpp and b.cpp",
        "own is a function in b.cpp, a variable in c.cpp",
    ]


def test_types_of_a_source_that_hide_those_of_a_unit_s_headers_are_found(tmp_path: Path) -> None:
    for name, text in {
        "a.cpp": "namespace tasuki {\nnamespace {\nstruct Pass {\n};\n} // namespace\n}\n",
        "b.cpp": '#include "uses.hpp"\n',
        "pass.hpp": "namespace tasuki {\nclass Pass {\n};\n} // namespace tasuki\n",
        "uses.hpp": '#include "pass.hpp"\nnamespace tasuki {\nvoid go(Pass& pass);\n} // namespace tasuki\n',
    }.items():
        (tmp_path / name).write_text(text)
    units = load("../tests/cmake/units.py")
    assert units.hidden(sorted(tmp_path.glob("*.cpp"))) == [
        "Pass is a type of a.cpp and another in pass.hpp",
        "Pass is a type of a.cpp and another in uses.hpp",
    ]
