"""Errors that are planted in a program of directives are found while it runs: by --check, or by the run time.

test_planted.py FOLDER_OF_LIBTASUKI_XMP

Each ends all ranks by one line that begins with its place. The same program without one runs to its end, and
prints what it prints unchecked.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
SOURCE = HERE / "planted/planted.c"
PAGES = HERE.parents[1] / "docs/lang"

# Word: what stands in the program's line, and what is said of it. "lock" is found unchecked too.
PLANTED = {
    "far": ("b[7 - 7 * me]", r"b\[[07]\] is not held by rank [01]: its owner is rank [01]; "),
    "cyclic": ("d[me + 1]", r"d\[[12]\] is not held by rank [01]: its owner is rank [01]; "),
    "outside": ("a[N + 3 * me]", r"a\[(8|11)\] is (not held by rank 0|outside of dimension 0 of a, 0 to 7)"),
    "row": ("memset", r"b\[5\] is not held by rank 0: its owner is rank 1; "),
    "stale": (
        "sum += a[i - 1] + a[i + 1]",
        r"a\[[34]\] is read from a shadow, and its owner, rank [01], has written it since .*reflect \(a\)",
    ),
    "task": ("sum += x[i - 1]", r"a\[3\] is read from a shadow, and its owner, rank 0, has written it"),
    "apart": (
        "#pragma xmp ",
        r"rank 0 comes to reduction at \S+planted.c:\d+:\d+, rank 1 comes to barrier at \S+planted.c:\d+",
    ),
    "copies": (
        "copied[5] += me",
        r"copied\[5\] has other values on rank 0 and rank 1, which both hold it, at \w+ at \S+planted.c:\d+",
    ),
    "images": (
        "xmp_sync_all",
        r"rank 0 comes to xmp_sync_all at \S+planted.c:\d+:\d+, rank 1 comes to barrier at \S+planted.c:\d+",
    ),
    "early": (
        "#pragma xmp barrier",
        r"rank 0 comes to barrier at \S+, rank 1 comes to the end of the program",
    ),
    "sections": (
        "#pragma xmp gmove",
        r"a section \[3\] is assigned to one \[2\]",
    ),  # issue 551: their lengths are known only now
    "pieces": ("#pragma acc parallel", "'own' is present in several parts; bring all of it over"),
    "parameter": (
        "#pragma xmp align x",
        r"parameter 'x' has no shadow, and 'kept', which is passed, has all of dimension 0",
    ),
    "lock": ("xmp_lock_t l", r"coarray 'l' ends while this image holds a lock of it; unlock it before"),
}

# Directives to which a rank comes no more, because it has been killed.
DEATHS = ["barrier", "bcast", "reduction", "loop", "reflect", "reduce_shadow", "gmove", "gmove_in",
          "gmove_out", "reflect_acc", "transpose", "sort", "lock", "sync_all", "image", "wait"]  # fmt: skip


def run(program: Path, *words: str, ranks: int = 2, **settings: str) -> subprocess.CompletedProcess[str]:
    launch = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --oversubscribe -n"))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **settings}
    return subprocess.run(
        [*launch, str(ranks), program, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def wrong_of(word: str, done: subprocess.CompletedProcess[str]) -> str:
    """What is not as it should be of a run with a planted error."""
    line, said = PLANTED[word]
    found = re.search(r"(?m)^(\S*planted\.c):(\d+):\d+: error: (.*)$", done.stderr)
    if done.returncode == 0 or found is None:
        return f"{word} was not found: status {done.returncode}, {done.stderr!r}"
    if not re.search(said, found[3]):
        return f"{word} is said as {found[0]!r}"
    text = SOURCE.read_text().splitlines()[int(found[2]) - 1]
    return "" if line in text else f"{word} is said of line {text!r}"


def wrong_of_page(scratch: Path) -> str:
    """The program of the page ends with the line that the page shows."""
    from tasuki.lang.driver import compile_line

    code, console = re.findall(r"(?ms)^```(?:c|console)\n(.*?)^```", (PAGES / "check.md").read_text())
    (scratch / "heat.c").write_text(code)
    if compile_line(["-O1", "--check", str(scratch / "heat.c"), "-o", str(scratch / "heat")]):
        raise SystemExit("heat.c was not translated")
    shown = console.splitlines()[-1].partition("heat.c")[2]
    done = run(scratch / "heat")
    # Either rank may be the one that speaks: of its own cell, and of the other as its owner.
    other = shown.replace("15:18", "15:29").replace("u[7]", "u[8]").replace("rank 0", "rank 1")
    return "" if shown in done.stderr or other in done.stderr else f"the page's program says {done.stderr!r}"


def wrong_of_update(scratch: Path) -> str:
    """The page's program, which forgets an update, prints what the page shows, and is right with one."""
    from tasuki.lang.driver import compile_line

    page = (PAGES / "gpus.md").read_text()
    code, console = re.findall(r"(?ms)^```(?:c|console)\n(/\* told\.c.*?|\$ tasuki cc told.*?)^```", page)
    update = "#pragma acc update device(a)\n#pragma acc parallel"
    said = []
    for name, text in (("told", code), ("mended", code.replace("#pragma acc parallel", update))):
        (scratch / f"{name}.c").write_text(text)
        if compile_line(["-O1", "--device", "host", str(scratch / f"{name}.c"), "-o", str(scratch / name)]):
            raise SystemExit(f"{name}.c was not translated")
        shared, apart = (run(scratch / name, ranks=1, TASUKI_ACC=acc).stdout for acc in ("shared", "apart"))
        said += [shared, apart]
    shown = [line + "\n" for line in console.splitlines() if not line.startswith("$")]
    return "" if said == [*shown, shown[0], shown[0]] else f"told.c says {said} instead of {shown}"


def wrong_of_device(scratch: Path) -> str:
    """Loops that were compiled for the host alone do not run with a GPU's memory, which they cannot reach."""
    from tasuki.lang.driver import compile_line

    loop = "for (int i = 0; i < 8; i++) a[i] = i;"
    code = f"int a[8];\nint main(void) {{\n#pragma acc parallel loop\n{loop}\nreturn a[7] - 7; }}\n"
    (scratch / "host.c").write_text(code)
    if compile_line(["-O1", "--device", "host", str(scratch / "host.c"), "-o", str(scratch / "host")]):
        raise SystemExit("host.c was not translated")
    if run(scratch / "host", TASUKI_SHARE_DEVICES="0").returncode:
        return "loops of the host do not run by default"
    said = run(scratch / "host", TASUKI_DEVICE="cuda").stderr
    return "" if "was compiled for the host alone" in said else f"loops of the host with a GPU say {said!r}"


def wrong_of_wishes(scratch: Path) -> str:
    """XMP_NODE_SIZE0, 1, .. are the free extents from the fastest on; the slowest one is what is left."""
    from tasuki.lang.driver import compile_line

    asked = 'xmp_nodes_size(xmp_desc_of(p), {}, &n); if (xmp_node_num() == 1) printf("%d ", n);'
    lines = "\n".join(asked.format(d) for d in (1, 2, 3))
    head = "#include <stdio.h>\n#include <xmp.h>\n#pragma xmp nodes p[*][*][*]\n"
    (scratch / "wishes.c").write_text(f"{head}int main(void) {{ int n;\n{lines}\nreturn 0; }}\n")
    if compile_line(["-O1", str(scratch / "wishes.c"), "-o", str(scratch / "wishes")]):
        raise SystemExit("wishes.c was not translated")
    said = []
    for first, second in (("2", "3"), ("3", "1"), ("", "")):
        wished = {f"XMP_NODE_SIZE{k}": each for k, each in enumerate((first, second)) if each}
        said.append(run(scratch / "wishes", ranks=6, **wished).stdout)
    if said != ["2 3 1 ", "3 1 2 ", "1 1 6 "]:
        return f"wishes for extents of nodes give {said}"
    for wish, what in (("4", "4"), ("two", "XMP_NODE_SIZE0=two")):
        done = run(scratch / "wishes", ranks=6, XMP_NODE_SIZE0=wish)
        if done.returncode == 0 or not re.search(rf"wishes\.c:3:\d+: error: .*{what}", done.stderr):
            return f"XMP_NODE_SIZE0={wish} says {done.stderr!r}"
    return ""


def wrong_of_deterministic(scratch: Path) -> str:
    """With --deterministic sums have the same bits on any number of ranks; a program without is refused."""
    from tasuki.lang.driver import compile_line

    source, said = SOURCE.with_name("exact.c"), set()
    for name, options in (("exact", ["--deterministic"]), ("rounded", [])):
        if compile_line(["-O2", *options, str(source), "-o", str(scratch / name)]):
            raise SystemExit("exact.c was not translated")
    right = 0.125 + math.fsum(1.0 / (i + 1) + 1e-17 for i in range(1000) if i % 7 != 3)
    for ranks, settings in ((1, {}), (2, {"TASUKI_SUMS": "exact"}), (4, {"TASUKI_CHANNEL": "mpi"}), (6, {})):
        said.add(run(scratch / "exact", ranks=ranks, **settings).stdout)
    if len(said) != 1 or not all(each.startswith(f"{right.hex()} ") for each in said):
        return f"sums by --deterministic are {said}"
    (scratch / "shared.c").write_text(
        "#pragma xmp nodes p[*]\n#pragma xmp template t[9]\n#pragma xmp distribute t[block] onto p\n"
        "double a[9];\n#pragma xmp align a[i] with t[i]\n#pragma xmp shadow a[1]\n"
        "int main(void) {\n#pragma xmp reduce_shadow (a)\n}\n"
    )
    if compile_line(["-O1", str(scratch / "shared.c"), "-o", str(scratch / "shared")]):
        raise SystemExit("shared.c was not translated")
    for name, mend in (
        ("rounded", r"compile it with `tasuki cc --deterministic`"),
        ("shared", "let each element read what its neighbours add"),
    ):
        done = run(scratch / name, TASUKI_DETERMINISTIC="1")
        if done.returncode == 0 or not re.search(
            rf"\.c:\d+:\d+: error: --deterministic: .*{mend}", done.stderr
        ):
            return f"{name} with --deterministic says {done.stderr!r}"
    done = run(scratch / "shared")
    return "" if done.returncode == 0 else f"shared without --deterministic says {done.stderr!r}"


def wrong_of_death(word: str, done: subprocess.CompletedProcess[str]) -> str:
    """A rank's death ends the others, wherever they wait for it; run() waits a minute and no longer."""
    if done.returncode and "the end" not in done.stdout:
        return ""
    return f"a death before {word} gives status {done.returncode}, {done.stdout!r}"


def main() -> int:
    """Prints what differs; ends with 0 where nothing does."""
    from tasuki.lang.driver import compile_line

    library = Path(sys.argv[1])
    os.environ["TASUKI_BIN"] = str(library.parent / "bin")
    wrong = []
    with tempfile.TemporaryDirectory(prefix="tasuki-planted-") as scratch:
        checked, plain = Path(scratch) / "checked", Path(scratch) / "plain"
        death = Path(scratch) / "death"
        for source, program, option in (
            (SOURCE, checked, ["--check"]),
            (SOURCE, plain, []),
            (SOURCE.with_name("death.c"), death, []),
        ):
            if compile_line(["-O1", *option, str(source), "-o", str(program)]):
                raise SystemExit(f"{source.name} was not translated")
        if "the end" not in (alive := run(death)).stdout:
            wrong.append(f"without a death it says {alive}")
        sound = [run(program) for program in (checked, plain)]
        if sound[0].returncode or sound[0].stdout != sound[1].stdout or not sound[1].stdout:
            wrong.append(f"without an error it says {sound[0]} and {sound[1]}")
        folder = Path(scratch)
        wrong += [wrong_of_page(folder), wrong_of_update(folder), wrong_of_device(folder)]
        wrong += [wrong_of_wishes(folder), wrong_of_deterministic(folder)]
        with ThreadPoolExecutor(4) as several:  # they wait more than they compute
            dead = several.map(lambda word: run(death, word), DEATHS)
            done = several.map(lambda word: run(plain if word == "lock" else checked, word), PLANTED)
            wrong += [wrong_of_death(word, each) for word, each in zip(DEATHS, dead, strict=True)]
            wrong += [wrong_of(word, each) for word, each in zip(PLANTED, done, strict=True)]
    wrong = [each for each in wrong if each]
    print("\n".join(wrong) if wrong else f"{len(PLANTED)} errors and {len(DEATHS)} deaths are found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
