"""What a program with spares comes to where all are lost, where its log is too long, with images and without
room for them, where its kernel faults. Workers that are lost at random calls are the matter of kills.py.

recover.py BIN
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from house import (
    ROOT,
    SECONDS,
    House,
    asked,
    children_of,
    comes_true,
    expect,
    hit,
    house,
    many,
    shared_segments,
)

SILENCE = "2"
ROUNDS = "3000"
CAME = re.compile(r"^tasuki: device 0: \S+ comes in for \S+ \(", re.MULTILINE)
LOST = "is lost: .*, and no spare is left; start with more of them"


def start(here: House, *words: str, spares: str = "1,2", **changes: str) -> subprocess.Popen[str]:
    """The program on a server's first device, with others of its devices as spares."""
    host = f"{'localhost' if here.port % 2 else '127.0.0.1'}@{here.port}"
    environment = {
        **here.settings(f"{host}[0]"),
        "TMPDIR": str(here.folder),
        "TASUKI_GPUS_SPARES": f"{host}[{spares}]",
        "TASUKI_GPUS_SILENCE": SILENCE,
        **changes,
    }
    return subprocess.Popen(
        words, cwd=here.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def end(program: subprocess.Popen[str], said: str) -> tuple[str, str]:
    """What it printed; one that hangs ends the test."""
    try:
        return program.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        raise SystemExit(f"{said}: the program hangs") from None


def workers(here: House) -> list[int]:
    """Of the program's device and its spares; that of the device has most calls, and is the first."""
    assert here.server
    found = children_of(here.server.pid)
    if len(found) < 2:
        return found
    calls = {c["process"]: c["calls"] for row in devices_of(here) for c in row["clients"]}
    return sorted(calls.keys() & set(found), key=lambda process: -calls[process])  # others answer who asks


def devices_of(here: House) -> list[dict[str, Any]]:
    """What the server says of each of its devices."""
    words = [here.binaries / "tasuki-gpus-ask", "status", "--hosts", f"localhost@{here.port}"]
    asked = subprocess.run(words, env=here.environment, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(asked.stdout)["hosts"][0]["devices"]
    return rows


def calls_of(here: House, devices: slice = slice(1)) -> int:
    """Of the program, on the first device."""
    return sum(client["calls"] for row in devices_of(here)[devices] for client in row["clients"])


def has_image(here: House) -> bool:
    """Whether the program has said that there is one of the first device."""
    return any((client["told"] or {}).get("image") for client in devices_of(here)[0]["clients"])


def device_is_lost(here: House, said: str, pattern: str, **changes: str) -> None:
    """All workers are killed in the midst of it."""
    program = start(here, "./lists", "1000000", **changes)
    assert comes_true(lambda: calls_of(here) > 2000), said
    for process in workers(here):
        hit(process, signal.SIGKILL)
    out, errors = end(program, said)
    assert program.returncode == 1 and re.search(pattern, errors) and "unavailable" in out, out + errors
    assert comes_true(lambda: not workers(here)), said


def log_goes_on_in_a_file(here: House) -> None:
    """Which nobody else can read, and which has no name; a spare plays it. A full disk is one line."""
    program = start(here, "./lists", "6000", TASUKI_GPUS_LOG="1000")  # less than one call, its kernels
    assert comes_true(lambda: calls_of(here) > 3000)
    files = list(Path(f"/proc/{program.pid}/fd").iterdir())
    (hidden,) = [file for file in files if str(file.readlink()).startswith(f"{here.folder}/tasuki-gpus-")]
    about = hidden.stat()
    assert (about.st_mode & 0o777, about.st_nlink) == (0o600, 0) and about.st_size > 0, about
    assert hit(workers(here)[0], signal.SIGKILL)
    out, errors = end(program, "a log in a file")
    assert program.returncode == 0 and out == "lists: well\n" and CAME.search(errors), out + errors
    full = ("sh", "-c", "trap '' XFSZ; ulimit -f 8; exec ./lists 1000")
    program = start(here, *full, TASUKI_GPUS_LOG="1000")
    out, errors = end(program, "a log on a full disk")
    assert program.returncode == 0 and out == "lists: well\n", out + errors
    line = (
        rf"the log of its calls has no more room in {here.folder} \(File too large\), so no spare can come in"
    )
    assert re.search(line, errors) and errors.count("\n") == 1, errors
    assert comes_true(lambda: not workers(here))


def spare_begins_with_an_image(here: House) -> None:
    """The spare's log is short, where the program's is long."""
    enough = here.folder / "enough"
    program = start(here, "./lists", "10000000", "until", "enough", TASUKI_GPUS_IMAGE_MS="100")
    assert comes_true(lambda: has_image(here))
    assert hit(workers(here)[0], signal.SIGKILL)
    enough.touch()
    out, errors = end(program, "with images")
    assert program.returncode == 0 and out == "lists: well\n" and CAME.search(errors), out + errors
    assert re.search(r"after \S+ s, an image of 0\.\d MB and \S+ MB of calls", errors), errors
    assert not list(here.folder.glob("tasuki-gpus-??????"))  # it has no name
    nowhere = str(here.folder / "no-such")
    program = start(here, "./lists", "1000", TASUKI_GPUS_IMAGE_MS="100", TMPDIR=nowhere)
    out, errors = end(program, "without room for images")
    assert program.returncode == 0 and out == "lists: well\n", out + errors
    assert f"has no images of its memory: an image of a device cannot be kept in {nowhere}" in errors, errors
    assert errors.count("\n") == 1, errors
    # A disk that is full, as the system has it for one process: files may not grow.
    full = ("sh", "-c", "trap '' XFSZ; ulimit -f 8; exec ./lists 6000")
    program = start(here, *full, TASUKI_GPUS_IMAGE_MS="100")
    out, errors = end(program, "on a full disk")
    assert program.returncode == 0 and out == "lists: well\n", out + errors
    assert "an image of a device cannot be kept in" in errors and errors.count("\n") == 1, errors
    assert comes_true(lambda: not workers(here))


def kept_by(process: int, folder: Path) -> bool:
    """Whether it has a hidden file there."""
    with contextlib.suppress(OSError):  # it has just ended, or closed one
        files = [str(file.readlink()) for file in Path(f"/proc/{process}/fd").iterdir()]
        return any(file.startswith(f"{folder}/tasuki-gpus-") and ".sock" not in file for file in files)
    return False


def image_is_of_after(here: House, moment: float) -> bool:
    """Whether the last one was taken since; what is told of it may be a heartbeat old."""
    clients = [client for row in devices_of(here) for client in row["clients"] if client["told"]]
    images = [client["told"]["image"] for client in clients]
    return any(image and image["seconds"] + 2 < time.monotonic() - moment for image in images)


def images_lie_elsewhere(here: House) -> None:
    """A server keeps them; one that is lost, or keeps none, is told, and they are kept here."""
    with house(here.binaries) as there:
        there.environment["TMPDIR"] = str(there.folder)
        there.serve("--images", "1GiB")
        at = str(there.folder / f"tasuki-gpus-{there.port}.sock")
        enough = here.folder / "elsewhere"
        words = ("./lists", "10000000", "until", "elsewhere")
        program = start(here, *words, TASUKI_GPUS_IMAGE_MS="100", TASUKI_GPUS_IMAGE_AT=at)
        assert comes_true(lambda: has_image(here))
        assert not kept_by(program.pid, here.folder)
        assert there.server
        server = there.server.pid
        assert comes_true(lambda: any(kept_by(one, there.folder) for one in children_of(server)))
        assert hit(workers(here)[0], signal.SIGKILL)
        moment = time.monotonic()
        assert comes_true(lambda: image_is_of_after(here, moment))  # so the spare is in
        there.end(signal.SIGKILL)
        moment = time.monotonic()
        assert comes_true(lambda: image_is_of_after(here, moment) and kept_by(program.pid, here.folder))
        assert hit(workers(here)[0], signal.SIGKILL)
        enough.touch()
        out, errors = end(program, "images elsewhere")
        assert program.returncode == 0 and out == "lists: well\n", out + errors
        assert len(CAME.findall(errors)) == 2 and errors.count("an image of 0.") == 2, errors
        assert errors.count("device 0 keeps images of its memory on this host from now on: ") == 1, errors
    program = start(
        here, "./lists", "1000", TASUKI_GPUS_IMAGE_MS="100", TASUKI_GPUS_IMAGE_AT=f"localhost@{here.port}"
    )
    out, errors = end(program, "a server that keeps none")
    assert program.returncode == 1 and "this server keeps no images; start it with --images" in errors, errors
    assert comes_true(lambda: not workers(here))


def degrades(here: House) -> None:
    """Without a spare, a device that is in use has two clients of this run."""
    program = start(here, "./lists", ROUNDS, TASUKI_GPUS_SPARES="", TASUKI_GPUS_DEGRADE="1")
    assert comes_true(lambda: calls_of(here) > 500)
    assert hit(workers(here)[0], signal.SIGKILL)
    out, errors = end(program, "degraded")
    assert program.returncode == 0 and out == "lists: well\n" and CAME.search(errors), out + errors


def fault_is_the_programs_own(here: House) -> None:
    """A kernel's fault comes again on a spare, which is not used up by it."""
    program = start(here, "./lists", "50", "fault", spares="1")
    out, errors = end(program, "a faulting kernel")
    assert program.returncode == 0 and out == "lists: faulted\n", out + errors
    assert "comes in" not in errors, errors


def heap_is_refused(here: House) -> None:
    """Memory of malloc in kernels lies elsewhere on a spare; without spares the program runs."""
    program = start(here, "./heap")
    out, errors = end(program, "malloc in kernels")
    assert program.returncode == 1 and "operation not supported" in out, out + errors
    assert re.fullmatch("tasuki: kernels of this program call malloc, .*\n", errors), errors
    out, errors = end(start(here, "./heap", TASUKI_GPUS_SPARES=""), "malloc in kernels, without spares")
    assert out == "heap: well\n" and not errors, out + errors


def by_the_command(here: House) -> None:
    """As the page has it: two devices of three, a spare, and words that are refused."""
    at = f"localhost@{here.port}"
    done = here.tasuki("run", "--quiet", "--hosts", at, "--spare", "1", "--", "./many", "4096", "20")
    assert done.stdout == many(2, 20), done.stdout + done.stderr
    assert not done.stderr, done.stderr
    expect(
        here.tasuki("run", "--hosts", at, "--spare", f"{at}[1]", "--", "./many"), 2, "is in use by --hosts;"
    )
    expect(
        here.tasuki("run", "--hosts", at, "--spare", "1", "--image-at", at, "--", "./many"),
        2,
        "--image-at says where images are kept; add --image 60s",
    )


def main() -> None:
    """One after another."""
    given, _ = asked(__doc__, rounds=0)
    before = shared_segments()
    with house(given.binaries.resolve()) as here:
        for name in ("heap", "lists", "many"):
            here.compile(ROOT / f"tests/remote/programs/{name}.cu", name)
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "3")
        out, errors = end(start(here, "./lists", ROUNDS), "without a fault")
        assert out == "lists: well\n" and not errors, out + errors
        assert comes_true(lambda: not workers(here))
        device_is_lost(here, "no spare is left", LOST)
        device_is_lost(
            here,
            "a log of 64 KiB",
            "the log of its calls has come to 0 MiB, so no spare can come in for it any more",
            TASUKI_GPUS_LOG="65536",
            TASUKI_GPUS_SPILL="0",
        )
        log_goes_on_in_a_file(here)
        spare_begins_with_an_image(here)
        images_lie_elsewhere(here)
        degrades(here)
        fault_is_the_programs_own(here)
        heap_is_refused(here)
        by_the_command(here)
        assert comes_true(lambda: not workers(here))
        assert here.end() == 0
    assert comes_true(lambda: shared_segments() <= before)  # those of other tests come and go


if __name__ == "__main__":
    main()
