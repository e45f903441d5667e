"""A user's own project, outside of this repository, as the first page of the tutorial has it.

outside.py SOURCE BUILD [--cuda] [--hdf5]

Writes the page's program and CMakeLists.txt into an empty folder and sees that its command lines are
optimised, have the project's flags and the right GPU: with Tasuki as a folder, and as a package installed
from BUILD, which has what the options say. The package's program is built and has to print what the page
shows, on 2 ranks. The SMS library is installed by itself, and its page's commands are done.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = "docs/tutorial/01-one-device.md"
SMS_PAGE = "docs/programs/sms.md"
LAUNCHER = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun -n"))
MAJOR, MINOR = map(
    int,
    re.search(
        r"project\(tasuki VERSION (\d+)\.(\d+)", (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    ).groups(),
)
PACKAGE = f"find_package(tasuki {MAJOR}.{MINOR} REQUIRED)"


def call(command: list[str], status: int = 0, **environment: str) -> str:
    """What `command` writes; ends the test where it ends otherwise."""
    done = subprocess.run(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if (done.returncode != 0) != (status != 0):
        raise SystemExit(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(held: bool, what: str) -> None:
    if not held:
        raise SystemExit(what)


class Project:
    """The page's program in a folder, with Tasuki found by `way`, a line of CMake."""

    def __init__(self, folder: Path, page: str, way: str, cmake: str) -> None:
        self.folder = folder
        folder.mkdir()
        block = {
            name: re.search(rf"^```{name}\n(.*?)^```", page, re.M | re.S)[1] for name in ("cpp", "cmake")
        }
        (folder / "heat.cpp").write_text(block["cpp"])
        lists, changed = re.subn(r"^add_subdirectory\(.*\)$", lambda _: way, block["cmake"], flags=re.M)
        expect(changed == 1, f"{PAGE}: no add_subdirectory() in the page's CMakeLists.txt")
        (folder / "CMakeLists.txt").write_text(lists)
        self.cmake = cmake

    def set_languages(self, languages: str) -> None:
        lists = self.folder / "CMakeLists.txt"
        lists.write_text(re.sub(r"LANGUAGES [A-Z ]+", f"LANGUAGES {languages}", lists.read_text()))

    def configure(self, build: str, *options: str, status: int = 0) -> str:
        tree = str(self.folder / build)
        command = [self.cmake, "-G", "Ninja", "-S", str(self.folder), "-B", tree]
        return call([*command, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options], status)

    def compile_line(self, build: str) -> list[str]:
        """The words of heat.cpp's command line."""
        lines = json.loads((self.folder / build / "compile_commands.json").read_text())
        (line,) = (line for line in lines if line["file"] == str(self.folder / "heat.cpp"))
        return shlex.split(line["command"])

    def expect_host(self, build: str) -> None:
        words = self.compile_line(build)
        expect("-O3" in words and "-ffp-contract=off" in words, f"{build}: not as Release: {words}")
        expect("-Wall" not in words, f"{build}: has the project's own warnings: {words}")
        unrolls = "--param=max-completely-peeled-insns=1000"
        expect(unrolls in words or "clang" in words[0], f"{build}: keeps loops over directions: {words}")

    def expect_cuda(self, build: str, generation: int) -> None:
        words = self.compile_line(build)
        line = " ".join(words)
        expect("nvcc" in words[0] or "nvcc" in line.split(" -")[0], f"{build}: not by nvcc: {line}")
        expect("-O3" in words and "-fmad=false" in words, f"{build}: not as Release: {line}")
        expect("-ffp-contract=off" in line, f"{build}: not with the host's flags: {line}")
        found = set(re.findall(r"sm_(\d+)", line))
        expect(found == {str(generation)}, f"{build}: for {found}, not {generation}: {line}")

    def runtimes(self, build: str) -> set[str]:
        """CUDA's runtimes that the program is linked with."""
        lines = call(["ninja", "-C", str(self.folder / build), "-t", "commands", "heat"]).splitlines()
        link = next(line for line in lines if re.search(r" -o heat( |$)", line))
        words = [word for word in link.split() if "cudart" in word]
        return {"static" if "cudart_static" in word else "shared" for word in words}

    def build(self, build: str, target: str) -> None:
        call([self.cmake, "--build", str(self.folder / build), "-j", "2", "--target", target])


def try_folder(project: Project, nvcc: bool) -> None:
    """Tasuki as a folder of the project: what is configured, and the user's own object."""
    said = project.configure("host", "-DTASUKI_CUDA=OFF")
    project.expect_host("host")
    expect("Debug" not in said, f"says Debug where nobody asked for it:\n{said}")
    project.build("host", "CMakeFiles/heat.dir/heat.cpp.o")
    said = project.configure("host", "-DCMAKE_BUILD_TYPE=Debug")
    expect(said.count("tasuki: heat is built as Debug") == 1, f"does not say that it is Debug:\n{said}")
    expect("-O3" not in project.compile_line("host"), "Debug is optimised")
    if nvcc:
        project.configure("cuda", "-DTASUKI_CUDA=ON")
        project.expect_cuda("cuda", 90)
        expect(project.runtimes("cuda") == {"static"}, "not with CUDA's static runtime")
        project.build("cuda", "CMakeFiles/heat.dir/heat.cpp.o")
        project.configure("cuda", "-DTASUKI_CUDART=shared")
        expect(project.runtimes("cuda") == {"shared"}, "not with CUDA's shared runtime")
        project.configure("cuda", "-DCMAKE_CUDA_ARCHITECTURES=80")
        project.expect_cuda("cuda", 80)
        project.set_languages("CXX CUDA")  # CMake takes nvcc's default before Tasuki is asked
        project.configure("cuda-first", "-DTASUKI_CUDA=ON")
        project.expect_cuda("cuda-first", 90)
    project.set_languages("CXX")
    project.configure("cxx", "-DTASUKI_CUDA=ON" if nvcc else "-DTASUKI_CUDA=OFF")
    if nvcc:
        project.expect_cuda("cxx", 90)
    else:
        project.expect_host("cxx")


def try_pkg_config(project: Project, prefix: Path) -> None:
    """The flags of tasuki.pc are those of a program by tasuki_add_program, and its libraries link it."""
    (folder,) = {path.parent for path in prefix.rglob("tasuki.pc")}

    def ask(*what: str) -> list[str]:
        return shlex.split(call(["pkg-config", *what, "tasuki"], PKG_CONFIG_PATH=str(folder)))

    def compared(words: list[str]) -> set[str]:
        words = " ".join(words).replace("-isystem ", "-I").split()  # CMake says so of imported targets
        flags = {word for word in words if word.startswith(("-f", "-m", "--param", "-O", "-D", "-W"))}
        folders = {Path(word[2:]).resolve() for word in words if word.startswith("-I")}
        return flags | {str(path) for path in folders if path != Path("/usr/include")}

    flags, asked = compared(project.compile_line("build")), compared(ask("--cflags"))
    expect(flags == asked, f"tasuki_add_program and pkg-config differ in {sorted(flags ^ asked)}")
    built = str(project.folder / "build" / "CMakeFiles" / "heat.dir" / "heat.cpp.o")
    call(["g++", built, "-o", str(project.folder / "heat"), *ask("--libs")])


def try_package(project: Project, prefix: Path, has: set[str], page: str) -> None:
    """Tasuki as an installed package: the program is built and run."""
    where = f"-DCMAKE_PREFIX_PATH={prefix}"
    project.configure("build", where)
    if "CUDA" in has:
        project.expect_cuda("build", 90)
    else:
        project.expect_host("build")
    project.build("build", "heat")
    shown = re.search(r"^\$ \./heat\n(.*?)^```", page, re.M | re.S)[1]
    written = call(
        [*LAUNCHER, "2", str(project.folder / "build" / "heat"), "--device", "host"],
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )
    written = "".join(line for line in written.splitlines(True) if line.strip())  # as the page has it
    expect(written == shown, f"the program prints\n{written}and the page\n{shown}")
    if "CUDA" not in has and shutil.which("pkg-config"):
        try_pkg_config(project, prefix)

    lists = project.folder / "CMakeLists.txt"
    whole = lists.read_text()
    for part in ("CUDA", "HDF5"):
        lists.write_text(whole.replace(PACKAGE, f"find_package(tasuki REQUIRED COMPONENTS {part})"))
        said = project.configure("build", where, status=0 if part in has else 1)
        expect(part in has or f"has no {part}" in said, f"does not say that {part} is missing:\n{said}")
    lists.write_text(whole.replace(PACKAGE, f"find_package(tasuki {MAJOR}.{MINOR + 1} REQUIRED)"))
    expect(
        f"version: {MAJOR}.{MINOR}." in project.configure("build", where, status=1),
        "a later version is found",
    )
    lists.write_text(whole)
    project.set_languages("CXX")
    project.configure("build", where)


def try_cuda_package(project: Project, tree: Path, prefix: Path) -> None:
    """The package of a build with CUDA that was only configured: its libraries are empty ones. It hands on
    the GPU and the runtime that it was configured for."""
    call(["ar", "qc", str(tree / "tasuki" / "tasuki" / "libtasuki.a")])
    directives = tree / "lib" / "libtasuki_xmp.so"
    directives.parent.mkdir(exist_ok=True)
    call(["g++", "-shared", "-o", str(directives), "-x", "c++", os.devnull])
    install = [
        project.cmake,
        "--install",
        str(tree / "tasuki"),
        "--prefix",
        str(prefix),
        "--component",
        "library",
    ]
    call(install)
    project.configure("cuda", f"-DCMAKE_PREFIX_PATH={prefix}")
    project.expect_cuda("cuda", 80)
    expect(project.runtimes("cuda") == {"shared"}, "not with CUDA's shared runtime, as the package is")


def try_c_library(options: argparse.Namespace, place: Path) -> None:
    """The library of SMS, installed without the rest: the page's commands compile and run a program of C."""
    page = (options.source / SMS_PAGE).read_text()
    lines = re.search(r"^```sh\n(.*?)^```", page, re.M | re.S)[1].splitlines()
    folder, prefix = place / "c", place / "sms"
    folder.mkdir()
    examples = options.source / "lang/sms/examples"
    shutil.copy(examples / "digest.h", folder)
    shutil.copy(examples / "matrix_vector.c", folder / "prog.c")
    commands = "\n".join(lines[:4]).replace("build/host", str(options.build)).replace("~/tasuki", str(prefix))
    commands = commands.replace("cmake ", f"{options.cmake} ", 1)
    commands = commands.replace("mpirun -n", shlex.join(LAUNCHER)) + "\n"
    expect("mpicc prog.c" in commands and "/prog" in commands, f"{SMS_PAGE}: other commands:\n{commands}")
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    said = call(["sh", "-e", "-c", f"cd {shlex.quote(str(folder))}\n{commands}"], **environment)
    expect("y[0] " in said and "digest " in said, f"the program of C prints\n{said}")
    headers = sorted(path.name for path in (prefix / "include").rglob("*.h*"))
    expect(headers == ["shared.h", "smint.h", "sms.h"], f"the component has headers {headers}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--hdf5", action="store_true")
    options = parser.parse_args()
    nvcc = call([str(options.source / "scripts/find-nvcc")]).strip()
    if nvcc:
        os.environ["PATH"] += os.pathsep + str(Path(nvcc).parent)
    for name in ("CUDAARCHS", "CMAKE_BUILD_TYPE"):
        os.environ.pop(name, None)
    page = (options.source / PAGE).read_text()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        folder = Project(place / "folder", page, f"add_subdirectory({options.source} tasuki)", options.cmake)
        try_folder(folder, bool(nvcc))
        prefix = place / "prefix"
        install = ["--install", str(options.build), "--prefix", str(prefix), "--component", "library"]
        call([options.cmake, *install])
        has = {name for name in ("CUDA", "HDF5") if getattr(options, name.lower())}
        try_package(Project(place / "package", page, PACKAGE, options.cmake), prefix, has, page)
        if nvcc and not options.cuda:
            other = Project(place / "cuda-package", page, PACKAGE, options.cmake)
            try_cuda_package(other, place / "folder" / "cuda", place / "cuda-prefix")
        if (
            shutil.which("mpicc")
            and shutil.which("pkg-config")
            and list(options.build.glob("lib/libtasuki_sms.*"))
        ):
            try_c_library(options, place)
        shutil.rmtree(place / "folder", ignore_errors=True)
    print(f"by folder and by package{', with nvcc' if nvcc else ''}: as the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
