"""A device moves to another GPU while its program runs, whose output stays what it is; and what is refused.

move.py BIN [--rounds 1] [--seed N]
"""

from __future__ import annotations

import re
import subprocess

from house import ROOT, House, asked, comes_true, expect, house
from recover import calls_of, end, workers


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


def main() -> None:
    """There and back, with images and without."""
    given, _ = asked(__doc__, rounds=1)
    with house(given.binaries.resolve()) as here:
        here.compile(ROOT / "tests/remote/programs/lists.cu", "lists")
        assert here.tasuki("key").returncode == 0
        here.serve("--per-gpu", "2")
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
                expect(here.tasuki("move", "1", back), 2, "the program has 1 devices, from 0; name one")
                expect(here.tasuki("move", "0", f"{at}:7"), 2, "serves 2 devices, and device 7 was asked for")
            enough.touch()
            out, errors = end(program, "a device moves")
            assert program.returncode == 0 and out == "lists: well\n", out + errors
            moved = re.findall(r"^tasuki: device 0: \S+:([01]) comes in for \S+:[01] \(it was", errors, re.M)
            assert moved == ["1", "0"], errors
            assert not list(here.folder.glob("tasuki-gpus-run-*"))
            assert comes_true(lambda: not workers(here))
        assert here.end() == 0


if __name__ == "__main__":
    main()
