"""Two hosts on one machine: the same bits as on one, peer inside a host, mpi between them.

Each host is a namespace of the network and of the host name, joined to the other by a virtual link. Open
MPI's own launcher starts the ranks in both; what would be ssh is a script that enters the namespace. Nothing
outside of the namespaces is touched, and they go with this script.

two_hosts.py BIN
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ranks import ENVIRONMENT, LAUNCHER, is_open_mpi, run, skip

NAMES = ("tasuki-left", "tasuki-right")
ADDRESSES = ("10.231.77.1", "10.231.77.2")  # seen in the two namespaces alone


@dataclass
class Hosts:
    """Two namespaces, each kept by a process that sleeps."""

    keepers: list[subprocess.Popen[bytes]]
    folder: Path

    def enter(self, host: int) -> list[str]:
        """What stands before a command to run it on a host."""
        return ["nsenter", "--target", str(self.keepers[host].pid), "--net", "--uts", "--"]

    def tell(self, host: int, *command: str) -> None:
        subprocess.run([*self.enter(host), *command], check=True, capture_output=True, text=True)

    def close(self) -> None:
        """Ends the keepers; namespaces and link go with them."""
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def launcher(self, slots: tuple[int, int]) -> list[str]:
        """mpirun on both hosts, so many ranks on each."""
        hostfile = self.folder / f"hosts-{slots[0]}-{slots[1]}"
        hostfile.write_text("".join(f"{a} slots={n}\n" for a, n in zip(ADDRESSES, slots, strict=False)))
        network = ADDRESSES[0].rpartition(".")[0] + ".0/24"
        options = {
            "plm_rsh_agent": str(self.folder / "agent"),
            "oob_tcp_if_include": network,
            "btl_tcp_if_include": network,
            "btl": "self,vader,tcp",
            "pml": "ob1",
            "mpi_yield_when_idle": "1",  # slots here are more than cores
        }
        settings = [part for key, value in options.items() for part in ("--mca", key, value)]
        return [
            *self.enter(0),
            "mpirun",
            *settings,
            *("--hostfile", str(hostfile), "--map-by", "slot", "--bind-to", "none"),
            *(
                "-x",
                "TASUKI_PROGRESS",
                "-x",
                "TASUKI_THREADS",
                "-x",
                "TASUKI_TEST_SEED",
                "-np",
                str(sum(slots)),
            ),
        ]


def make_hosts() -> Hosts:
    """Both, joined; the script ends as skipped where that is not allowed."""
    for tool in ("unshare", "nsenter", "ip", "mpirun"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool}")
    if not is_open_mpi() or "--oversubscribe" not in LAUNCHER:
        skip("this needs Open MPI's launcher")
    hosts = Hosts([], Path(tempfile.mkdtemp(prefix="tasuki-hosts-")))
    try:
        for _ in NAMES:
            hosts.keepers.append(
                subprocess.Popen(
                    ["unshare", "--net", "--uts", "sleep", "600"],
                    stdin=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
            )
        own = Path("/proc/self/ns/net").readlink()
        end = time.monotonic() + 5
        while any(Path(f"/proc/{keeper.pid}/ns/net").readlink() == own for keeper in hosts.keepers):
            if any(keeper.poll() is not None for keeper in hosts.keepers) or time.monotonic() > end:
                raise OSError("namespaces are not allowed here")
            time.sleep(0.02)
        right = str(hosts.keepers[1].pid)
        hosts.tell(0, "ip", "link", "add", "link0", "type", "veth", "peer", "name", "link0", "netns", right)
        for host, (name, address) in enumerate(zip(NAMES, ADDRESSES, strict=False)):
            hosts.tell(host, "hostname", name)
            hosts.tell(host, "ip", "address", "add", f"{address}/24", "dev", "link0")
            hosts.tell(host, "ip", "link", "set", "link0", "up")
            hosts.tell(host, "ip", "link", "set", "lo", "up")
    except (OSError, subprocess.CalledProcessError) as fault:
        hosts.close()
        detail = getattr(fault, "stderr", "") or str(fault)
        skip(f"no namespaces of network and host name can be made and joined here: {detail.strip()}")
    agent = hosts.folder / "agent"
    cases = "\n".join(
        f'  {address}) exec {shlex.join(hosts.enter(host))} sh -c "$*" ;;'
        for host, address in enumerate(ADDRESSES)
    )
    agent.write_text(
        f'#!/bin/sh\nhost=$1\nshift\ncase "$host" in\n{cases}\nesac\necho "no host $host" >&2\nexit 1\n'
    )
    agent.chmod(0o755)
    return hosts


PROGRAMS = (
    ("laplace", "--nx 90 --ny 70 --times 60 --boundary nvidia"),
    (
        "laplace",
        "--nx 90 --ny 70 --times 60 --boundary nvidia --halo 3 --executor overlapped --ranks 2x{half}",
    ),
    ("himeno", "--size XS --times 6 --ranks 1x2x{half} --deterministic"),
    ("diffusion", "--extents 20x24x28 --points 27 --times 12 --halo 2 --executor overlapped"),
)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    binary = parser.parse_args().binary
    hosts = make_hosts()
    failures: list[str] = []

    def check(holds: bool, what: str) -> None:
        if not holds:
            failures.append(what)
            print(f"FAILED: {what}", flush=True)

    def on_hosts(
        slots: tuple[int, int], command: list[str], limit: float = 120
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*hosts.launcher(slots), *command],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit,
            check=False,
        )

    try:
        for program, options in PROGRAMS:
            command = [str(binary / f"tasuki-{program}"), "--device", "host", "--record"]
            one, two = hosts.folder / "one.json", hosts.folder / "two.json"
            alone = run([*command, str(one), *options.format(half=1).split()], 2)
            check(alone.status == 0, f"{program} on one host:\n{alone.text}")
            for slots in ((2, 2), (1, 3)):
                words = options.format(half=2).split()
                done = on_hosts(slots, [*command, str(two), *words])
                where = f"{program} {' '.join(words)} on {slots[0]} + {slots[1]} ranks of two hosts"
                check(done.returncode == 0, f"{where}:\n{done.stdout}")
                if failures:
                    return 1
                first, second = json.loads(one.read_text()), json.loads(two.read_text())
                check(second["machine"]["nodes"] == 2, f"{where}: {second['machine']['nodes']} nodes")
                check(second["machine"]["hosts"] == list(NAMES), f"{where}: {second['machine']['hosts']}")
                use = second["run"]["channels"]
                check(use["peer"]["bytes"] > 0, f"{where}: nothing went by peer")
                check(use["mpi"]["bytes"] > 0, f"{where}: nothing went by mpi")
                sums = first["results"]["checksum"], second["results"]["checksum"]
                check(sums[0] == sums[1], f"{where}: {sums[1]}, and {sums[0]} on one host")
                if "--deterministic" in options:
                    check(first["results"]["gosa"] == second["results"]["gosa"], f"{where}: another gosa")
                print(
                    f"{where}: {sums[1]}, {use['peer']['bytes']} bytes by peer, {use['mpi']['bytes']} by mpi",
                    flush=True,
                )

        refused = on_hosts((1, 1), [str(binary / "tasuki-laplace"), "--device", "host", "--channel", "peer"])
        check(
            refused.returncode != 0 and "tasuki: channel peer cannot join ranks" in refused.stdout,
            f"peer between hosts was not refused:\n{refused.stdout}",
        )
        for tests, chosen in (("test_halo", "*Two*:*Three*"), ("test_run", "Executors.TwoStages*")):
            if not (binary / tests).exists():
                continue
            began = time.monotonic()
            done = on_hosts(
                (2, 1), [str(binary / tests), "--device", "host", f"--gtest_filter={chosen}"], limit=400
            )
            check(done.returncode == 0, f"{tests} on two hosts:\n{done.stdout[-6000:]}")
            seconds = time.monotonic() - began
            print(f"{tests} on 2 + 1 ranks of two hosts: {seconds:.0f} s", flush=True)
    finally:
        hosts.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
