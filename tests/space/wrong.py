"""What is wrong in a program of SMS ends it in one line that says so; killed homes end it within ten seconds.

wrong.py PROGRAM
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))

from ranks import run

LIMIT = 10
APART = ["--subclusters", "2"]
# What is done, with which options, and what has to be said.
LINES = [
    ("lengths", [], "an array has 2 extents and is cut along 1 axes; give dim and div equally many numbers"),
    ("endless", [], "finds no -1 among the first 8 numbers of dim; end dim and div by -1"),
    ("node", [], "array 'wrong.c:24' has a part on rank 2, and there are 2 ranks; give another first rank"),
    (
        "nodes",
        [],
        "puts an array on nodes 0 to 2, and there are 2; start more processes, or give fewer nodes",
    ),
    ("huge", [], "are free; make it smaller, or cut it over more nodes"),
    ("outside", [], "a section has elements 60 to 64 of axis 0, which has 64; let it end within its array"),
    ("lock", [], "a rank synchronises while it has lock 3; call sms_unlock first"),
    ("unlock", [], "lock 3 is let go by a thread that has it not; call sms_unlock after sms_lock"),
    ("unlike", [], "synchronises a space with arrays made and freed"),
    ("wild", [], "an address of the space that is in no array; look for a wild pointer"),
    ("wild", ["--faults", "signal"], "an address of the space that is in no array; look for a wild pointer"),
    ("freed", [], "an address of the space that is in no array"),
    ("absent", ["--faults", "none"], "wrong.c:16[63,511] was read by rank 0 and is not there; preload it"),
    (
        "race",
        ["--races"],
        "wrong.c:16[63,511] was written differently by ranks 0 and 1 between synchronisations",
    ),
]


def main() -> int:
    """Prints what went wrong."""
    program, wrong = sys.argv[1], []
    for mode, options, says in LINES:
        done = run([program, mode, *APART, *options], 2, {}, 60)
        lines = [line for line in done.text.splitlines() if says in line]
        if done.status == 0 or len(lines) != 1:
            wrong.append(
                f"{mode} {options} ended with {done.status} and said:\n{done.text}\nnot once: {says}"
            )
    done = run([program, "", *APART], 2, {}, 60)
    if done.status != 0 or "it went on: 0" not in done.text:
        wrong.append(f"what is right ended with {done.status}:\n{done.text}")
    done = run([program, "segv", *APART], 2, {}, 60)
    if done.status == 0 or "address of the space" in done.text:
        wrong.append(f"another's fault ended with {done.status}:\n{done.text}")
    for mode in ("kill-fault", "kill-sync", "kill-lock"):
        done = run([program, mode, *APART], 2, {"OMPI_MCA_odls_base_sigkill_timeout": "2"}, 30)
        if done.status == 0 or done.seconds > LIMIT:
            wrong.append(f"{mode} ended with {done.status} after {done.seconds:.1f} s:\n{done.text}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
