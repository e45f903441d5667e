"""A device moves to another GPU while its program runs, whose output stays what it is, and one of two
replicas does; what is refused; and what `top` shows of a program that keeps a log.

move.py BIN [--rounds 1] [--seed N]
"""

from __future__ import annotations

import re
import subprocess
from typing import Any

from house import ROOT, House, asked, comes_true, expect, house
from recover import calls_of, devices_of, end, workers


def start(here: House, **changes: str) -> subprocess.Popen[str]:
    """The program on a server's first device, as `run --movable` starts it."""
    environment = {
        **here.settings(f"localhost@{here.port}[0]"),
        "TASUKI_GPUS_DOOR": str(here.folder),
        "TMPDIR": str(here.folder),
        **changes,
    }
    return subprocess.Popen(
        ["./lists", "10000000", "until", "enough"],
        cwd=here.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(here: House) -> dict[str, Any]:
    """What a client has said of its device, as `top --json` has it."""
    clients = [client for row in devices_of(here) for client in row["clients"]]
    return next((client["told"] for client in clients if client["told"]), {})


def is_seen(here: House, images: bool, replicas: int) -> None:
    """`top` shows what the program waits for, its log, its image and its replicas."""
    seen: set[str] = set()

    def all_seen() -> bool:
        now = told(here)
        seen.update(name for name in ("waits_for", "log", "image", "replicas") if now.get(name))
        if now.get("replicas"):
            assert now["replicas"]["count"] == replicas, now
            assert now["replicas"]["differed"] == 0, now
        assert not now.get("faults"), now
        return seen >= {
            "waits_for",
            "log",
            *(["image"] if images else []),
            *(["replicas"] if replicas else []),
        }

    assert comes_true(all_seen), (seen, told(here))
    assert images or "image" not in seen
    assert replicas or "replicas" not in seen


def replica_moves(here: House) -> None:
    """One of two, as `run --redundant 2` starts them, to a third GPU."""
    enough = here.folder / "enough"
    enough.unlink(missing_ok=True)
    at, other = f"localhost@{here.port}", f"127.0.0.1@{here.port}"
    program = start(
        here, TASUKI_GPUS=f"{at}[0],{other}[1]", TASUKI_GPUS_REPLICAS="0+1", TASUKI_GPUS_SILENCE="4"
    )
    assert comes_true(lambda: calls_of(here) > 500)
    is_seen(here, images=False, replicas=2)
    expect(here.tasuki("move", "0", f"{at}:2", "--from", "c:0"), 2, "none of its replicas is at c:0; ")
    expect(here.tasuki("move", "0", f"{at}:2", "--from", f"{other}:1"), 2, "on that host, which --same-host")
    expect(here.tasuki("move", "0", f"{at}:2", "--from", f"{at}:0"), 0, "")
    assert comes_true(lambda: not devices_of(here)[0]["clients"])
    assert [len(row["clients"]) for row in devices_of(here)] == [0, 1, 1]
    enough.touch()
    out, errors = end(program, "a replica moves")
    assert program.returncode == 0 and out == "lists: well\n", out + errors
    moved = re.findall(
        r"^tasuki: device 0: (\S+):2 comes in for \S+:0 \(it was asked to move\)", errors, re.M
    )
    assert moved == [at], errors
    assert comes_true(lambda: not workers(here))


def main() -> None:
    """There and back, with images and without."""
    given, _ = asked(__doc__, rounds=1)
    with house(given.binaries.resolve()) as here:
        here.compile(ROOT / "tests/remote/programs/lists.cu", "lists")
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "3")
        at = f"localhost@{here.port}"
        expect(here.tasuki("move", "0", f"{at}:1"), 2, "no such program runs with movable GPUs; start it by")
        for number in range(given.rounds):
            enough = here.folder / "enough"
            enough.unlink(missing_ok=True)
            program = start(here, TASUKI_GPUS_IMAGE_MS="0" if number % 2 else "100")
            assert comes_true(lambda: calls_of(here) > 500)
            first = workers(here)
            expect(here.tasuki("move", "0", f"{at}:1"), 0, "")
            assert comes_true(lambda: len(workers(here)) == 1)  # the other has ended
            assert workers(here) != first
            back = f"127.0.0.1@{here.port}:0"  # by another way
            expect(here.tasuki("move", "0", back), 0, "")
            if number == 0:
                is_seen(here, images=True, replicas=0)
                expect(here.tasuki("move", "1", back), 2, "the program has 1 devices, from 0; name one")
                expect(here.tasuki("move", "0", f"{at}:7"), 2, "serves 3 devices, and device 7 was asked for")
            enough.touch()
            out, errors = end(program, "a device moves")
            assert program.returncode == 0 and out == "lists: well\n", out + errors
            moved = re.findall(r"^tasuki: device 0: \S+:([01]) comes in for \S+:[01] \(it was", errors, re.M)
            assert moved == ["1", "0"], errors
            assert not list(here.folder.glob("tasuki-gpus-run-*"))
            assert comes_true(lambda: not workers(here))
        replica_moves(here)
        assert here.end() == 0


if __name__ == "__main__":
    main()
