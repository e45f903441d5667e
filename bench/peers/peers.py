#!/usr/bin/env python3
"""Builds rivals from their own sources and runs them beside Tasuki: one problem, one rule for the norm.

    peers.py build --checkout DIR [--checkout DIR ..] --out BINARIES [--sm 90]
    peers.py run --binaries BINARIES [--gpus 1,2] [--sizes 512,1024,..] [--out RECORD.json]
    peers.py show RECORD.json

Building needs nvcc and no GPU, running a GPU and no compiler: the binaries may be carried to another machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "python")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from rivals import (  # noqa: E402
    HIMENO_RIVALS,
    RECIPES,
    REPOSITORIES,
    RIVALS,
    Recipe,
    Rival,
    arguments_of,
    wrong_cells,
)

from tasuki.errors import TasukiError  # noqa: E402
from tasuki.launch import launch_command  # noqa: E402
from tasuki.machine import gpu_names, machine_name  # noqa: E402
from tasuki.output import make_parent, refuse_output, write_text  # noqa: E402
from tasuki_bench.steps import EXECUTORS, Effort, Way, measure, reason_of, run_quietly  # noqa: E402

# Steps of a rival's run: enough for a clock of 0.1 ms, few enough for all tables in some minutes.
STEPS = {512: 20000, 1024: 20000, 2048: 8000, 4096: 2000, 8192: 500, 16384: 200}
NORMS = ("off", "every")
LONGEST = 25.0  # seconds of a run; one that takes longer hangs
MULTICAST_OFF = {"NCCL_NVLS_ENABLE": "0", "NVSHMEM_DISABLE_NVLS": "1"}


@dataclass(frozen=True)
class Entry:
    """A cell of the tables: who did what, seconds a step, or why not."""

    who: str
    problem: str  # "laplace" or "himeno"
    size: str
    norm: str
    gpus: int
    seconds: float = 0.0
    steps: int = 0
    ours: bool = False
    refused: str = ""


# Building


def repository_of(checkout: Path) -> str:
    """Which of the repositories `checkout` is one of."""
    for name, repository in REPOSITORIES.items():
        if (checkout / repository.marker).is_file():
            return name
    known = ", ".join(repository.url for repository in REPOSITORIES.values())
    raise TasukiError(f"{checkout} is no checkout of a rival", f"give one of {known}")


def sources_of(recipe: Recipe, checkout: Path) -> list[Path]:
    """The files of a recipe, in an order that does not change."""
    files = [path for pattern in recipe.sources for path in sorted(checkout.glob(pattern))]
    if not files:
        raise TasukiError(f"{checkout} has no {recipe.sources[0]}", "check out another commit")
    return files


def edited(recipe: Recipe, files: Sequence[Path], folder: Path) -> list[Path]:
    """Copies of `files` with what the recipe changes; the files themselves where it changes nothing."""
    if not recipe.edits:
        return list(files)
    copies = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        for old, new in recipe.edits:
            if old not in text:
                raise TasukiError(f"{file} does not say '{old}'", "check out another commit")
            text = text.replace(old, new)
        copies.append(folder / f"{recipe.binary}-{file.name}")
        copies[-1].write_text(text, encoding="utf-8")
    return copies


def static_openmp() -> list[str]:
    """The compiler's OpenMP library to be linked in, so that the machine that runs needs none."""
    found = subprocess.run(
        ["g++", "-print-file-name=libgomp.a"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return [found] if Path(found).is_file() else ["-lgomp"]


def compile_command(recipe: Recipe, checkout: Path, files: Sequence[Path], sm: int, out: Path) -> list[str]:
    """One call of nvcc for the whole binary, the CUDA runtime and the C++ library linked in."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    words = [nvcc, "-gencode", f"arch=compute_{recipe.architecture or sm},code=sm_{sm}", "-std=c++17", "-w"]
    words += ["-cudart", "static", "-Xcompiler", "-fopenmp", *recipe.flags]
    words += ["-Xcompiler", "-static-libstdc++,-static-libgcc"]
    words += [f"-I{checkout / folder}" for folder in recipe.includes]
    if "mpi" in recipe.needs:
        words += ["-ccbin", "mpicxx"]
    words += [str(file) for file in files] + static_openmp() + ["-ldl"]
    if "nccl" in recipe.needs:
        home = os.environ.get("NCCL_HOME", "")
        words += [f"-I{home}/include", f"-L{home}/lib"] if home else []
        words.append("-lnccl")
    return [*words, "-o", str(out)]


def build(options: argparse.Namespace) -> int:
    """Builds all that the checkouts hold; 1 where anything that should build does not."""
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    failures = 0
    built = []
    for checkout in options.checkout:
        repository = repository_of(checkout)
        for recipe in RECIPES:
            if recipe.repository != repository or not re.search(options.only, recipe.binary):
                continue
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                files = edited(recipe, sources_of(recipe, checkout), Path(folder))
                command = compile_command(recipe, checkout, files, options.sm, out / recipe.binary)
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                built.append(recipe.binary)
                print(f"{recipe.binary}: built in {time.monotonic() - began:.0f} s", flush=True)
                continue
            lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line.lower()]
            why = lines[0] if lines else f"status {done.returncode}"
            if recipe.needs:
                why += f" (needs {' and '.join(recipe.needs)})"
            else:
                failures += 1
            print(f"{recipe.binary}: not built: {why}", flush=True)
    print(f"{len(built)} binaries for sm_{options.sm} in {out}")
    return 1 if failures or not built else 0


# Running


def steps_for(n: int) -> int:
    """How many steps of n x n a rival does."""
    fitting = [size for size in STEPS if size <= n]
    return STEPS[max(fitting)] if fitting else max(STEPS.values())


def gpu_environment(gpus: int) -> dict[str, str]:
    """The first GPUs alone, of those that there are: most rivals take all that they see."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    names = seen.split(",") if seen else [str(i) for i in range(gpus)]
    return {**os.environ, **MULTICAST_OFF, "CUDA_VISIBLE_DEVICES": ",".join(names[:gpus])}


@dataclass
class Clock:
    """What is left of the time for the rivals' runs."""

    end: float

    def left(self) -> float:
        return self.end - time.monotonic()


def run_rival(
    rival: Rival, binaries: Path, problem: str, n: int, norm: str, gpus: int, repeats: int, clock: Clock
) -> list[Entry]:
    """The fastest of `repeats` runs, and the same steps on one GPU where it did those as well."""
    size = rival.name.split()[-1] if problem == "himeno" else f"{n}x{n}"
    where: dict[str, Any] = {"problem": problem, "size": size, "norm": norm}
    steps = steps_for(n)
    command = [str(binaries / rival.binary), *arguments_of(rival, n, steps, norm)]
    environment = gpu_environment(gpus)
    try:
        if rival.ranks:
            command, environment = launch_command(command, gpus, environment=environment)
    except TasukiError as error:
        return [Entry(rival.name, gpus=gpus, refused=str(error), **where)]
    best = alone = None
    for _ in range(repeats):
        if clock.left() < 1:
            break
        status, said = run_quietly(command, environment, min(LONGEST, clock.left()))
        timing = rival.parse(said, steps)
        if status != 0 or timing is None:
            why = reason_of(status, said) if status != 0 else "it printed no result, or a wrong one"
            return [Entry(rival.name, gpus=gpus, refused=why, **where)]
        best = timing if best is None or timing.step < best.step else best
        if timing.one_gpu is not None:
            alone = min(timing.one_gpu, alone or timing.one_gpu)
    if best is None:
        return [Entry(rival.name, gpus=gpus, refused="no time was left for it", **where)]
    entries = [Entry(rival.name, gpus=gpus, seconds=best.step, steps=best.steps, **where)]
    if alone is not None and gpus > 1:
        entries.append(Entry(f"{rival.name}, reference", gpus=1, seconds=alone / steps, steps=steps, **where))
    return entries


def check_rival(rival: Rival, binaries: Path, n: int, gpus: int) -> str:
    """Holds a rival that does not do so in every run against its own reference, once."""
    words = [word.format(n=n) for word in rival.check]
    status, said = run_quietly([str(binaries / rival.binary), *words], gpu_environment(gpus), LONGEST)
    if status != 0 or rival.parse(said, 100) is None:
        return f"{rival.name} on {gpus}: its own check did not run: {reason_of(status, said)}"
    wrong = wrong_cells(said)
    told = "agrees with" if wrong == 0 else f"has {wrong} of {(n - 2) ** 2} cells that differ from"
    return f"{rival.name} on {gpus}: {told} its own reference ({n}x{n}, 100 steps)"


def run_ours(
    sizes: Sequence[int], executors: Sequence[str], gpus: int, himeno: bool, effort: Effort
) -> list[Entry]:
    """The same problems by Tasuki."""
    cases = [f"laplace/{n}x{n}/nvidia{norm}" for n in sizes for norm in ("", "/norm")]
    cases += [f"himeno/{size}{norm}" for size in "SML" for norm in ("", "/norm")] if himeno else []
    entries = []
    for executor in executors:
        for row in measure("peers", cases, Way(executor, executor), gpus, "cuda", effort=effort):
            problem, size, *words = row.case.split("/")
            norm = "every" if "norm" in words else "off"
            entries.append(
                Entry(
                    f"Tasuki {executor}", problem, size, norm, gpus, row.seconds, row.steps, True, row.refused
                )
            )
    return entries


def run(options: argparse.Namespace) -> int:
    """Tasuki and all rivals that were built, on each number of GPUs; prints tables and writes the record."""
    binaries: Path = options.binaries
    os.environ |= {"TASUKI_BIN": str(options.tasuki.resolve())} if options.tasuki else {}
    names = gpu_names()
    if not names:
        raise TasukiError("nvidia-smi sees no GPU", "run it where there is one")
    out: Path = options.out or Path("bench/results") / machine_name(names) / "peers.json"
    make_parent(out, "--out")
    refuse_output(out, "--out")
    clock = Clock(time.monotonic() + options.limit)
    entries: list[Entry] = []
    notes: list[str] = []
    for gpus in options.gpus:
        if names and gpus > len(names):
            notes.append(f"{gpus} GPUs: this machine has {len(names)}")
            continue
        if not options.no_tasuki:
            himeno, began = not options.no_himeno, time.monotonic()
            entries += run_ours(options.sizes, options.executors, gpus, himeno, Effort(options.seconds))
            clock.end += time.monotonic() - began
        chosen = [
            rival
            for rival in RIVALS
            if gpus <= rival.most_gpus
            and (binaries / rival.binary).is_file()
            and re.search(options.rivals, rival.name)
        ]
        for n in options.sizes:
            for rival in chosen:
                for norm in rival.norms:
                    if norm in options.norms:
                        entries += run_rival(
                            rival, binaries, "laplace", n, norm, gpus, options.repeats, clock
                        )
        notes += [
            check_rival(rival, binaries, 512, gpus) for rival in chosen if rival.check and clock.left() > 5
        ]
    if not options.no_himeno:
        for rival in HIMENO_RIVALS:
            if (binaries / rival.binary).is_file() and re.search(options.rivals, rival.name):
                entries += run_rival(rival, binaries, "himeno", 0, "off", 1, 1, clock)
    record = {
        "schema": 1,
        "machine": names,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "notes": notes,
        "entries": [asdict(entry) for entry in entries],
    }
    write_text(out, json.dumps(record, indent=1) + "\n")
    show_record(record)
    print(f"record: {out}")
    return 0 if any(entry.seconds for entry in entries) else 1


# Showing


def best_of(entries: Sequence[Entry], ours: bool) -> Entry | None:
    """The fastest of ours, or of the others."""
    timed = [entry for entry in entries if entry.ours == ours and entry.seconds > 0]
    return min(timed, key=lambda entry: entry.seconds, default=None)


def laplace_table(entries: Sequence[Entry], norm: str, gpus: int) -> Table | None:
    """Who by size, in microseconds a step; in the last row how many times faster our best is."""
    here = [e for e in entries if e.problem == "laplace" and e.norm == norm and e.gpus == gpus]
    if not here:
        return None
    rule = "norm off" if norm == "off" else "norm over all GPUs in every step"
    plural = "s" if gpus > 1 else ""
    table = Table(title=f"laplace fp32, {rule}, {gpus} GPU{plural}: us a step", title_justify="left")
    sizes = sorted({e.size for e in here}, key=lambda size: int(size.split("x")[0]))
    table.add_column("")
    for size in sizes:
        table.add_column(size.replace("x", " x "), justify="right")
    for who in dict.fromkeys(e.who for e in here):
        cells = {e.size: e for e in here if e.who == who}
        texts = [f"{1e6 * cells[s].seconds:.2f}" if s in cells and cells[s].seconds else "-" for s in sizes]
        table.add_row(who, *texts)
    table.add_section()
    ratios = []
    for size in sizes:
        ours, theirs = (best_of([e for e in here if e.size == size], mine) for mine in (True, False))
        ratios.append(f"{theirs.seconds / ours.seconds:.2f} x" if ours and theirs else "-")
    table.add_row("best of the others / our best", *ratios)
    return table


def himeno_table(entries: Sequence[Entry]) -> Table | None:
    """TFLOP/s of all who did Himeno, 34 flop a cell."""
    here = [e for e in entries if e.problem == "himeno"]
    if not here:
        return None
    table = Table(title="himeno: TFLOP/s", title_justify="left")
    sizes = [size for size in ("S", "M", "L", "XL") if any(e.size == size for e in here)]
    for title in ("", "GPUs", "gosa", *sizes):
        table.add_column(title, justify="left" if title in ("", "gosa") else "right")
    for who, gpus, norm in dict.fromkeys(
        ("gpu-himeno" if not e.ours else e.who, e.gpus, e.norm) for e in here
    ):
        texts = []
        for size in sizes:
            same = [
                e
                for e in here
                if e.size == size
                and e.gpus == gpus
                and e.norm == norm
                and e.who.startswith(who)
                and e.seconds
            ]
            texts.append(f"{himeno_flop(size) / same[0].seconds / 1e12:.2f}" if same else "-")
        table.add_row(
            who, str(gpus), "in the last step" if norm == "off" and who == "gpu-himeno" else norm, *texts
        )
    return table


def himeno_flop(size: str) -> float:
    """Of a step: 34 for each cell that is not on the rim."""
    n = 32 << ("XS", "S", "M", "L", "XL").index(size)
    return 34.0 * (n - 2) * (n - 2) * (2 * n - 2)


def show_record(record: dict[str, Any]) -> None:
    """The tables of a record, and below them what could not be run and why."""
    console = Console(width=None if sys.stdout.isatty() else 150)
    entries = [Entry(**entry) for entry in record["entries"]]
    for gpus in sorted({entry.gpus for entry in entries}):
        for norm in NORMS:
            table = laplace_table(entries, norm, gpus)
            if table:
                console.print(table)
    table = himeno_table(entries)
    if table:
        console.print(table)
    reasons = dict.fromkeys(f"{e.who} on {e.gpus}: {e.refused}" for e in entries if e.refused)
    for line in (*reasons, *record.get("notes", ())):
        console.print(line, markup=False, highlight=False)
    for rival in (*RIVALS, *HIMENO_RIVALS[:1]):
        if rival.note and any(e.who == rival.name for e in entries):
            console.print(f"{rival.name}: {rival.note}", markup=False, highlight=False)


def show(options: argparse.Namespace) -> int:
    """The tables of a record again."""
    try:
        show_record(json.loads(options.record.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TasukiError(
            f"{options.record} is no record of rivals: {error}", "give one that `run` wrote"
        ) from None
    return 0


# The command line


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _words(text: str) -> list[str]:
    return text.split(",")


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("build", help="build the rivals")
    one.add_argument(
        "--checkout", type=Path, action="append", required=True, help="of a rival; may be repeated"
    )
    one.add_argument("--out", type=Path, required=True, help="folder for the binaries")
    one.add_argument("--sm", type=int, default=90, help="compute capability of the GPU [90]")
    one.add_argument("--only", default="", metavar="REGEX", help="only these binaries")
    one.set_defaults(work=build)
    two = commands.add_parser("run", help="run them beside Tasuki")
    two.add_argument("--binaries", type=Path, required=True, help="what `build` made")
    two.add_argument(
        "--tasuki", type=Path, help="the folder of tasuki-bench-steps [as `tasuki run` finds it]"
    )
    two.add_argument("--gpus", type=_numbers, default=[1, 2, 4], help="[1,2,4]")
    two.add_argument("--sizes", type=_numbers, default=[512, 1024, 2048, 4096, 16384])
    two.add_argument("--norms", type=_words, default=list(NORMS), help="off, every or both [off,every]")
    two.add_argument("--executors", type=_words, default=list(EXECUTORS), help="of Tasuki [all]")
    two.add_argument("--rivals", default="", metavar="REGEX", help="only these")
    two.add_argument("--repeats", type=int, default=1, help="runs of a rival, the fastest counts [1]")
    two.add_argument("--seconds", type=float, default=0.2, help="that Tasuki times a case [0.2]")
    two.add_argument("--limit", type=float, default=240, help="seconds for all rivals together [240]")
    two.add_argument("--no-himeno", action="store_true")
    two.add_argument("--no-tasuki", action="store_true", help="the rivals alone")
    two.add_argument("--out", type=Path, help="[bench/results/MACHINE/peers.json]")
    two.set_defaults(work=run)
    three = commands.add_parser("show", help="print a record's tables again")
    three.add_argument("record", type=Path)
    three.set_defaults(work=show)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Does what the command line says."""
    options = options_of(arguments)
    try:
        return int(options.work(options))
    except (TasukiError, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
