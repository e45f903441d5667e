"""The study's program on servers of the host's cores: the same bits on any number of devices, with copies
ahead and without, with a worker killed, and as tasuki-argon has them; its measurements become a model.

study.py BIN STUDY      STUDY: the folder of remd and latency
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

try:
    import h5py
except ImportError:
    h5py = None
from house import SECONDS, House, comes_true, expect, house
from recover import workers

ATOMS, REPLICAS, EVERY, INTERVALS = 32, 8, 10, 16
ALIKE = 8  # intervals until the order of sums is seen in the energies
SYSTEM = {"atoms": ATOMS, "replicas": REPLICAS, "exchange-every": EVERY, "steps": EVERY * INTERVALS}
SYSTEM |= {"density": 1.4, "tmin": 60, "tmax": 600, "seed": 5}
WORDS = [word for name, value in SYSTEM.items() for word in (f"--{name}", str(value))]


def digests(text: str) -> list[str]:
    """Of all energies and exchanges, a simulation each."""
    return re.findall(r"digest ([0-9a-f]{16})$", text, re.MULTILINE)


def same_on_any_number(here: House, remd: Path) -> str:
    """1, 2, 4 and 8 devices; the digest. remd itself compares them, too."""
    words = ["--hosts", f"localhost@{here.port}", "--", str(remd), *WORDS]
    more = ["--devices", "1,2,4,8", "--energies", "energies", "--json", "remd.jsonl"]
    done = here.tasuki("run", *words, *more)
    expect(done, 0, "digest")
    assert re.search("read ahead [0-9]+, of which [1-9][0-9]* were used$", done.stderr), done.stderr
    text = done.stdout
    assert len(digests(text)) == 4 and len(set(digests(text))) == 1, text
    plain = here.tasuki("run", "--no-ahead", *words, "--devices", "8")
    expect(plain, 0, f"digest {digests(text)[0]}$")
    assert "read ahead" not in plain.stderr, plain.stderr
    print(text, end="")
    return digests(text)[0]


def with_a_kill(here: House, remd: Path, digest: str, *how: str) -> None:
    """A worker is killed as the simulation goes on; a spare, or its replica, goes on with it."""
    assert comes_true(lambda: not workers(here))  # of the run before
    begun = here.folder / "killed"
    begun.unlink(missing_ok=True)
    words = ["run", "--hosts", f"localhost@{here.port}[0,1,2,3]", *how, "--", str(remd), *WORDS]
    program = subprocess.Popen(
        [sys.executable, "-m", "tasuki", "gpus", *words, "--energies", "killed"],
        cwd=here.folder, env={**here.environment, "TASUKI_GPUS_TRIAL": "delay=10ms"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert comes_true(lambda: begun.exists() or program.poll() is not None)
    os.kill(workers(here)[0], signal.SIGKILL)  # the one that has worked most: no spare
    out, err = program.communicate(timeout=3 * SECONDS)
    assert program.returncode == 0 and digests(out) == [digest], out + err
    assert "comes in" in err, err
    print("killed, ", *how, ":", digest)


def compare(here: House, command: list[str], bits: bool) -> None:
    """The file of energies against the results of a run of tasuki-argon."""
    if not h5py:
        print("not compared with tasuki-argon: this python3 has no h5py")
        return
    done = subprocess.run(
        [*command, "--folder", "argon"],
        cwd=here.folder, env=here.environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(here.folder / "argon" / "results.h5") as file:
        exchange = file["exchange"]
        rows = [line.split() for line in (here.folder / "energies").read_text().splitlines()]
        assert len(rows) == INTERVALS == exchange["rows"][0]
        for k, row in enumerate(rows if bits else rows[:ALIKE]):
            states = [int(word) for word in row[1 : 1 + REPLICAS]]
            energies = [float.fromhex(word) for word in row[1 + REPLICAS :]]
            wanted = [*exchange["potential_kJ_mol"][k], *exchange["kinetic_kJ_mol"][k]]
            assert int(row[0]) == exchange["step"][k]
            assert states == list(exchange["state"][k]), (k, states)
            close = 0 if bits else 1e-5
            for got, value in zip(energies, wanted, strict=True):
                assert abs(got - value) <= close * abs(value), (k, got, value)
    print("as tasuki-argon:", "bit for bit" if bits else f"{ALIKE} exchanges, and energies to 1e-5")


def becomes_a_model(here: House, latency: Path) -> None:
    """What the programs measure is read by `tasuki gpus model`."""
    words = ["--devices", "1,2,4,8", "--repeats", "8", "--most", "4096", "--json", "latency.json"]
    done = here.tasuki("run", "--quiet", "--hosts", f"localhost@{here.port}", "--", str(latency), *words)
    expect(done, 0, "^rounds: R [0-9.]+ us")
    print(done.stdout, end="")
    made = here.tasuki("model", "latency.json", "remd.jsonl", "-o", "ours.json", "--one-machine", "--json")
    expect(made, 0, '"compared"')
    model = json.loads((here.folder / "ours.json").read_text())
    assert [case["name"] for case in model["cases"]] == [f"{ATOMS} atoms"], model
    measured = [row["devices"] for row in json.loads(made.stdout)["compared"]["rows"]]
    assert measured == [1, 2, 4, 8], measured


def main() -> None:
    """Serves, and runs all of it."""
    binaries, study = (Path(word).resolve() for word in sys.argv[1:3])
    begin = time.process_time()
    with house(binaries) as here:
        here.environment |= {"OMP_WAIT_POLICY": "passive", "TASUKI_PROGRESS": "none", "TASUKI_TUNING": "none"}
        expect(here.tasuki("key"), 0, "^key: ")
        here.serve("--per-gpu", "8")
        digest = same_on_any_number(here, study / "remd")
        # The host's own loop sums in another order, and a hot system is chaotic.
        compare(here, [str(binaries / "tasuki-argon"), *WORDS, "--device", "host"], bits=False)
        with_a_kill(here, study / "remd", digest, "--spare", "2")
        with_a_kill(here, study / "remd", digest, "--redundant", "2", "--same-host")
        becomes_a_model(here, study / "latency")
    print(f"done in {time.process_time() - begin:.1f} s of this process")


if __name__ == "__main__":
    main()
