"""Random programs on a space, with new seeds, as long as one likes; the tests do a few of them.

soak.py PROGRAM [SECONDS]: build/host/bin/test_space, an hour where no number is given. Ends with 1 at the
first that reads what a plain array does not hold, and says by which seed it is done again. TASUKI_TEST_SEED
draws the seeds of all rounds.
"""

from __future__ import annotations

import os
import random
import secrets
import shlex
import subprocess
import sys
import time

LAUNCHER = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --quiet --oversubscribe --bind-to none -n"))
PHASES = 40
TESTS = "--gtest_filter=Random.*:Litmus.*:Locking.*"


def main() -> int:
    """A line a round."""
    program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 3600.0
    dice = random.Random(int(os.environ.get("TASUKI_TEST_SEED", secrets.randbits(31))))
    begun, rounds = time.monotonic(), 0
    while rounds == 0 or time.monotonic() - begun < seconds:
        ranks, delay = (2, 3, 4)[rounds % 3], (0, 200)[rounds % 2]
        environment = {
            **os.environ,
            "TASUKI_PROGRESS": "none",
            "TASUKI_TUNING": "none",
            "TASUKI_TEST_SEED": str(dice.getrandbits(31)),
            "TASUKI_TEST_PHASES": str(PHASES),
            "TASUKI_SPACE_DELAY": str(delay),
        }
        said = {
            name: value for name, value in environment.items() if name.startswith(("TASUKI_T", "TASUKI_S"))
        }
        done = subprocess.run(
            [*LAUNCHER, str(ranks), program, TESTS],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        rounds += 1
        print(
            f"{time.monotonic() - begun:6.0f} s, {ranks} ranks, seed {said['TASUKI_TEST_SEED']}: "
            f"{'red' if done.returncode else 'green'}",
            flush=True,
        )
        if done.returncode:
            print(f"{done.stdout}{done.stderr}again by {said} on {ranks} ranks")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
