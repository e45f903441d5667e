"""What is wrong in a program of SMS ends it in one line that says so; killed homes end it within ten seconds.

wrong.py PROGRAM
"""

from __future__ import annotations

import ctypes
import json
import platform
import struct
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))

from ranks import Result, alive, end_of, is_open_mpi, ranks_of, run, start

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
    ("twice", [], "a thread takes lock 3, which it has; call sms_unlock first"),
    ("empty", [], "axis 1 of an array has 0 elements and is cut into 1 parts; give it 1 element or more"),
    ("pieces", [], "axis 0 of an array has 2 elements and is cut into 3 parts; give it 1 element or more"),
    ("bytes", [], "an array's elements have 0 bytes; give the size of an element"),
    ("none", [], "sms_mapalloc is given 0 nodes; give 1 or more"),
    ("within", [], "sms_free is given an address within wrong.c:16; give the one that the array begins at"),
    ("stranger", [], "a preload is given an address that is in no shared array; give one that sms_alloc or"),
    (
        "behind",
        [],
        "a section of 8192 bytes at byte 258048 ends behind the end of wrong.c:16, which has 262144",
    ),
    ("endless-run", [], "a section of 18446744073709551608 bytes at byte 258048 ends behind the end of"),
    ("unequal", [], "a section begins 4 bytes within an element; let it begin at the address of an element"),
    ("axes", [], "a section has 0 axes and elements of 8 bytes; give 1 or more of both"),
    ("odd", [], "an atomic act is asked for at an address that is no multiple of 8; give the address of an"),
    ("owner", [], "sms_owner is given an address that is in no shared array"),
    ("nowhere", [], "a section of 1048576 bytes at byte 0 ends behind the end of wrong.c:45, which has"),
    ("place", [], "sms_mapalloc_on is given place 2; give SMS_HOST or SMS_GPU"),
    ("", ["--page", "5000"], "--page 5000 is no power of two; give 4KiB, 8KiB, .. or 2MiB"),
    ("", ["--space-at", "0x7fffff000000"], "are not free on every rank"),
    ("unlike", [], "synchronises a space with arrays made and freed"),
    ("wild", [], "an address of the space that is in no array; look for a wild pointer"),
    ("wild", ["--faults", "signal"], "an address of the space that is in no array; look for a wild pointer"),
    ("freed", [], "an address of the space that is in no array"),
    ("freed", ["--faults", "signal"], "an address of the space that is in no array"),
    ("absent", ["--faults", "none"], "wrong.c:16[63,511] was read by rank 0 and is not there; preload it"),
    (
        "race",
        ["--races"],
        "wrong.c:16[63,511] was written differently by ranks 0 and 1 between synchronisations",
    ),
    (
        "race-home",
        ["--races"],
        "wrong.c:16[63,100] was written differently by ranks 0 and 1 between synchronisations",
    ),
]


def unseen(program: str) -> list[str]:
    """What the report and the record do not say of touches by two lines of the program."""
    source = (Path(__file__).parent / "wrong.c").read_text().splitlines()

    def line_of(mark: str) -> str:
        return f"wrong.c:{1 + next(k for k, line in enumerate(source) if mark in line)}"

    places = [f"{line_of(mark)} (main)" for mark in ("/* backwards */", "/* onwards */")]
    array = f"space.{line_of('(*a)[512]')}."
    missing = []
    with tempfile.TemporaryDirectory() as folder:
        for faults in ("auto", "signal"):
            record = Path(folder) / f"{faults}.json"
            options = [*APART, "--faults", faults, "--space-report", "--space-record", str(record)]
            done = run([program, "reads", *options], 2, {}, 60)
            results = json.loads(record.read_text())["results"] if record.exists() else {}
            told = {results.get(f"{array}costliest {k}") for k in (1, 2)}
            missing += [
                f"{faults}: {place} is not named by the report or the record {told}:\n{done.text}"
                for place in places
                if f"pages: {place}" not in done.text or place not in told
            ]
            pages = [results.get(f"{array}{what}") for what in ("pages by touch", "pages by sections")]
            saved = results.get(f"{array}saved by preload s")
            if pages != [63, 0] or not isinstance(saved, float):
                missing.append(
                    f"{faults}: the record has {pages} pages, and {saved} s that a preload would save"
                )
    return missing


# Of userfaultfd, by machine: what the kernel's filters call the architecture, and the number of the call.
CALLS = {"x86_64": (0xC000003E, 323), "aarch64": (0xC00000B7, 282)}


def refused_userfaultfd(command: list[str]) -> Result:
    """A run for which the system refuses userfaultfd, as containers do: by a filter of its system calls.

    The filter is for this process and those that it starts, so it is made in a child of its own.
    """
    architecture, number = CALLS[platform.machine()]
    refuse = struct.pack("HBBI", 0x06, 0, 0, 0x00050000 | 1)  # EPERM
    allow = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
    words = b"".join(
        [
            struct.pack("HBBI", 0x20, 0, 0, 4),  # the architecture
            struct.pack("HBBI", 0x15, 0, 3, architecture),
            struct.pack("HBBI", 0x20, 0, 0, 0),  # the number of the call
            struct.pack("HBBI", 0x15, 0, 1, number),
            refuse,
            allow,
        ]
    )
    text = ctypes.create_string_buffer(words, len(words))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(words) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")
    return run(command, 2, {}, 60)


def unrefused(program: str) -> list[str]:
    """What is not said where userfaultfd is asked for by name and refused; auto takes signals then."""
    missing = []
    done = refused_userfaultfd([program, "", *APART, "--faults", "uffd"])
    says = ("userfaultfd does not serve here: ", "seccomp=unconfined", "take --faults signal")
    lines = [line for line in done.text.splitlines() if says[0] in line]
    if done.status == 0 or len(lines) != 1 or not all(text in lines[0] for text in says):
        missing.append(f"userfaultfd that is refused ended with {done.status} and said:\n{done.text}")
    done = refused_userfaultfd([program, "", *APART])
    if done.status != 0 or "it went on: 0" not in done.text:
        missing.append(f"without userfaultfd the run ended with {done.status}:\n{done.text}")
    return missing


def unlooked(program: str) -> list[str]:
    """What is not said of --races: that nothing is compared where all ranks are of one node; silence else."""
    missing = []
    note = "--races compares what nodes wrote, and all ranks are of one node"
    for options, times in (([], 1), (APART, 0)):
        done = run([program, "", "--races", *options], 2, {}, 60)
        if done.status != 0 or done.text.count(note) != times:
            missing.append(f"--races {options} ended with {done.status} and said:\n{done.text}")
    return missing


def unnoted(program: str) -> list[str]:
    """What the log does not say of an overload of what was never loaded, which loads it."""
    done = run([program, "overload", *APART, "--log", "info"], 2, {}, 60)
    note = "a section of wrong.c:16 was not there, pages: 2; fetched, and kept up to date from now on"
    if done.status == 0 and done.text.count("kept up to date") == done.text.count(note) == 1:
        return []
    return [f"an overload of what was never loaded ended with {done.status} and said:\n{done.text}"]


def files_in_shm(pid: int) -> set[Path]:
    """What a process has mapped of /dev/shm, and nobody has removed yet."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return set()
    paths = (line.split(maxsplit=5)[5] for line in lines if "/dev/shm/" in line)
    return {Path(path) for path in paths if not path.endswith(" (deleted)")}


def left_by_killed(program: str, mode: str) -> list[str]:
    """A rank is killed while another waits for it: the other says so in one line, and nothing is left."""
    began, died, files, ranks = time.monotonic(), 0.0, set(), set()
    # Open MPI gives the others a second before it kills them as well: two, to hear what they say.
    process = start([program, mode, *APART], 2, {"OMPI_MCA_odls_base_sigkill_timeout": "2"})
    while process.poll() is None and time.monotonic() - (died or began + 50) < LIMIT:
        found = ranks_of(process, program)
        ranks |= set(found)
        files |= set().union(*map(files_in_shm, found))
        if not died and len(ranks) == 2 and not all(map(alive, ranks)):
            died = time.monotonic()
        time.sleep(0.05)
    done = end_of(process, 1)
    seconds = time.monotonic() - (died or time.monotonic())
    ended = f"{mode} ended with {done.status} {seconds:.1f} s after the kill"
    wrong = []
    if done.status in (0, -9) or seconds > LIMIT:
        wrong.append(f"{ended}:\n{done.text}")
    told = [line for line in done.text.splitlines() if line.startswith("tasuki: ")]
    if len(told) > 1 or (is_open_mpi() and (len(told) != 1 or "rank 1 died" not in told[0])):
        wrong.append(f"{ended}, and said not once that rank 1 died:\n{done.text}")
    if left := [str(path) for path in files if path.exists()]:
        wrong.append(f"{ended}, and left {', '.join(left)}")
    if not files:
        wrong.append(f"{ended}, and {len(ranks)} processes were seen to map nothing of /dev/shm")
    return wrong


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
    wrong += unseen(program)
    wrong += unnoted(program)
    wrong += unlooked(program)
    done = run([program, "segv", *APART], 2, {}, 60)
    if done.status == 0 or "address of the space" in done.text:
        wrong.append(f"another's fault ended with {done.status}:\n{done.text}")
    if platform.machine() in CALLS:
        with ProcessPoolExecutor(1) as child:
            wrong += child.submit(unrefused, program).result()
    for mode in ("kill-fault", "kill-sync", "kill-lock"):
        wrong += left_by_killed(program, mode)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
