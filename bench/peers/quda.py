"""QUDA on a GPU, by the two tests that come with it: what they are asked for and what they print.

A test tunes its kernels when it first calls them, and keeps what it found in the folder of
QUDA_RESOURCE_PATH. ``dslash_test`` calls its operator once before it times it, and then holds it against its
own on the host; of ``invert_test`` a first run tunes and the second is timed.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from outputs import Unread, last_of

from tasuki.output import make_folder, write_text
from tasuki_bench.steps import run_quietly

HOP = 1320  # flops by site that is written
# The tests' links are random SU(3), so that convergence is quick: some thirty iterations to 1e-10.
KAPPA = "0.15"
TIMES = "1000"  # of the operator
SOLVES = "2"  # timed together


@dataclass(frozen=True)
class Figure:
    """Seconds of what `what` says; `iterations` of all that was timed, 0 where it is no solve."""

    seconds: float
    iterations: int = 0


@dataclass(frozen=True)
class Case:
    """One figure: `precision` and `links` of what is computed with most, `outer` of the residual, which is
    worked out anew when it has fallen to `update` of itself."""

    what: str  # operator, iteration, mixed
    precision: str
    links: int
    outer: str = ""
    tolerance: str = ""
    update: str = ""


CASES = (
    Case("operator", "single", 12),
    Case("operator", "half", 12),
    Case("operator", "double", 18),
    Case("iteration", "single", 12, "single", "1e-5", "1e-5"),
    Case("mixed", "half", 12, "double", "1e-10", "0.1"),
    Case("mixed", "single", 12, "double", "1e-10", "0.001"),
)


def operator_figure(text: str) -> Figure:
    """Of the operator on all sites: dslash_test writes one parity at a time. Its own check has to pass."""
    timed, _, _ = text.partition("DslashTest.verify")  # which times its two calls as well
    (microseconds,) = last_of(r"^([\d.]+)us per kernel call", timed)
    (flops,) = last_of(r"flops per kernel call, (\d+) flops per site", timed)
    if int(flops) != HOP:
        raise Unread(f"it counts {flops} flop a site, not {HOP}")
    if not re.search(r"^\[  PASSED  \] 2 tests", text, re.MULTILINE):
        raise Unread("its operator is not the one that it computes on the host")
    return Figure(2e-6 * float(microseconds))


def solve_figure(text: str, tolerance: str) -> Figure:
    """Of an iteration, the mean of all solves of invert_test: what its own clock says of the solver's loop.
    The seconds behind "Done" hold the way to the device and back as well."""
    residuals = re.findall(r"BiCGstab: Convergence at \d+ iterations.* true = (\S+)", text)
    iterations = [int(count) for count in re.findall(r"^Done: (\d+) iter / ", text, re.MULTILINE)]
    if not residuals or not iterations:
        last_of(r"^Done: (\d+) iter / ", text)
        raise Unread("it does not say how far its solves came")
    if not all(float(residual) <= 2 * float(tolerance) for residual in residuals):
        raise Unread(f"its solves did not converge to {tolerance}")
    _, _, solver = text.partition("invertQuda Total time")
    compute = re.search(r"^ *compute +=.* with +(\d+) calls at +(\S+) us per call", solver, re.MULTILINE)
    if compute is None:
        raise Unread("it does not say how long its solver's loop took")
    # Its clock stops for every piece of memory that is taken within: calls are more than solves.
    seconds = 1e-6 * int(compute[1]) * float(compute[2])
    return Figure(seconds / sum(iterations), sum(iterations))


def words(case: Case, lattice: str, solves: str) -> list[str]:
    """The words for the test of a case."""
    common = ["--dim", *lattice.split("x"), "--dslash-type", "wilson", "--kappa", KAPPA]
    if case.what == "operator":
        kind = ["--test", "Dslash", "--prec", case.precision, "--recon", str(case.links), "--niter", TIMES]
        return [*common, *kind]
    outer = 18 if case.outer == "double" else case.links
    return [
        *common, "--inv-type", "bicgstab", "--solve-type", "direct-pc", "--matpc", "even-even",
        "--prec", case.outer, "--recon", str(outer),
        "--prec-sloppy", case.precision, "--recon-sloppy", str(case.links),
        "--tol", case.tolerance, "--reliable-delta", case.update, "--niter", "2000",
        "--nsrc", solves, "--verify", "false",
    ]  # fmt: skip


def said(command: list[str], folder: Path, name: str, left: float) -> str:
    """What a test prints, if it ends in so many seconds; `folder` keeps it, and what was tuned."""
    if left <= 0:
        raise Unread("no time was left for it")
    environment = dict(os.environ) | {"QUDA_RESOURCE_PATH": str(folder), "QUDA_ENABLE_TUNING": "1"}
    status, text = run_quietly(command, environment, left)
    write_text(folder / f"{name}.txt", text, "--keep")
    if status == 124:
        raise Unread(f"it took longer than the {left:.0f} s that were left")
    return text


def figure_of(case: Case, tests: Path, lattice: str, end: float, folder: Path) -> Figure:
    """What a case takes; Unread where that is not known by `end`."""
    name = f"{case.what}-{case.precision}"
    if case.what == "operator":
        command = [str(tests / "dslash_test"), *words(case, lattice, "")]
        return operator_figure(said(command, folder, name, end - time.monotonic()))
    test = str(tests / "invert_test")
    said([test, *words(case, lattice, "1")], folder, f"{name}-tunes", end - time.monotonic())
    text = said([test, *words(case, lattice, SOLVES)], folder, name, end - time.monotonic())
    return solve_figure(text, case.tolerance)


def measure(tests: Path, lattice: str, end: float, keep: Path | None = None) -> dict[Case, Figure | str]:
    """By case what it takes, or why that is not known. None is begun or goes on after `end`, of the monotonic
    clock. `keep`: a folder for what is printed and tuned [one that is removed]."""
    found: dict[Case, Figure | str] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = make_folder(keep or Path(temporary), "--keep")
        for case in CASES:
            try:
                found[case] = figure_of(case, tests, lattice, end, folder)
            except Unread as why:
                found[case] = str(why)
    return found
