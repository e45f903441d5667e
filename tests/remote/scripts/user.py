"""What a user does, from the key to the server's end, on a machine without a GPU; and what may go wrong.

user.py BIN
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from house import ROOT, SECONDS, SERVES, House, children_of, comes_true, expect, house, many
from refused import has_bounds, is_refused, server_is_refused, settings_are_refused

MANY = ("./many", "4096", "20")
# A variable that host and device share; a kernel alone may use it.
MANAGED = r"""
#include <cstdio>
__managed__ int counter = 2;
__global__ void step(int* to) { *to = ++counter; }
int main(int count, char**) {
  int *p, three = 0;
  cudaMalloc(&p, sizeof *p);
  step<<<1, 1>>>(p);
  cudaMemcpy(&three, p, sizeof three, cudaMemcpyDeviceToHost);
  std::printf("device: %d\n", three);
  std::fflush(stdout);
  if (count > 1) std::printf("host: %d\n", counter);
}
"""


def works(here: House) -> None:
    """A program sees the devices of one host, by shared memory and by TLS, and several of each."""
    key = here.tasuki("key")
    expect(key, 0, "^key: .*gpus.key; copy it")
    here.serve("--per-gpu", "2")
    at = {"local": f"localhost@{here.port}", "tcp": f"127.0.0.1@{here.port}"}
    expect(here.tasuki("check", "./many"), 0, "^works +linked with the shared runtime")
    for host in at.values():
        done = here.tasuki("run", "--hosts", host, "--", *MANY)
        expect(done, 0, "^0 1[.]9")
        assert done.stdout == many(2, 20), done.stdout
    (here.folder / "a.hosts").write_text(f"{at['local']}[1]  # shared memory\n{at['tcp']}:1\n")
    chosen = here.tasuki("run", "--hosts", "@a.hosts", "--", *MANY)
    assert chosen.stdout == many(2, 20), chosen.stdout + chosen.stderr
    strict = here.tasuki("run", "--strict", "--quiet", "--hosts", at["local"], "--", *MANY)
    assert strict.stdout == many(2, 20), strict.stdout + strict.stderr
    assert not strict.stderr, strict.stderr
    several = here.tasuki("run", "--hosts", at["local"], "--per-gpu", "3", "--", *MANY)
    assert several.stdout == many(6, 20), several.stdout + several.stderr
    expect(here.tasuki("top", "--once", "--hosts", at["tcp"]), 0, f"^127.0.0.1@{here.port} +0 ")


def is_checked(here: House) -> None:
    """`check` reads the kernels' PTX as a server does."""
    expect(here.tasuki("check", "./heap"), 0, "heap: kernels allocate memory .*start it without --redundant")
    (here.folder / "lacks.cu").write_text(
        '__global__ void k() { asm volatile("barrier.cluster.arrive;"); }\nint main() { k<<<1, 1>>>(); }\n'
    )
    here.compile(here.folder / "lacks.cu", "lacks")
    lacks = "lacks, on a server without a GPU: kernel _Z1kv: barrier.cluster.* is not interpreted"
    expect(here.tasuki("check", "./lacks"), 0, lacks)
    if SERVES == "host":
        refused = here.tasuki("run", "--hosts", f"localhost@{here.port}", "--", "./lacks")
        expect(refused, 2, f"^tasuki: {lacks}")
    (here.folder / "managed.cu").write_text(MANAGED)
    here.compile(here.folder / "managed.cu", "managed")
    found = here.tasuki("check", "./managed")
    assert found.returncode == 1 and "fails  it has __managed__ variables" in found.stdout, found
    words = ("run", "--hosts", f"localhost@{here.port}", "--quiet")
    expect(here.tasuki(*words, "--", "./managed"), 2, "^tasuki: it has __managed__ variables")
    forced = here.tasuki(*words, "--force", "--", "./managed", "touch")
    expect(forced, 1, "^tasuki: the __managed__ variable counter is touched by the host, .*cudaMallocManaged")
    assert forced.stdout == "device: 3\n", forced  # what is the device's alone is served


def is_traced(here: House) -> None:
    """Each call stands in the trace, and the two lines at the end count them."""
    trace = here.folder / "run.json"
    trace.write_text("of an earlier run")
    done = here.tasuki("run", "--hosts", f"localhost@{here.port}", "--trace", str(trace), "--", *MANY)
    assert done.stdout == many(2, 20), done.stdout + done.stderr
    events = json.loads(trace.read_text() + "]")
    assert trace.stat().st_mode & 0o777 == 0o600
    for device in (0, 1):
        own = [event for event in events if event["pid"] == device]
        assert sum(event["name"] == "Launch" for event in own) == 20, own
        begun = {event["id"] for event in own if event["ph"] == "b"}
        ended = {event["id"] for event in own if event["ph"] == "e"}
        assert begun and begun == ended, own
        assert any(event["name"] == "CopyOut" for event in own if event["ph"] == "b"), own
    made = sum(event["ph"] in "ib" for event in events)
    first, second = done.stderr.splitlines()
    assert first.startswith(f"tasuki: {made} calls of 2 devices in "), first
    assert second.startswith("tasuki: by call: "), second
    assert "Launch 40" in second, second


def is_counted(here: House, host: str) -> bool:
    """Whether `top` shows a client's calls, bytes and memory."""
    (gate,) = json.loads(here.tasuki("top", "--json", "--hosts", host).stdout)
    clients = [client for device in gate["devices"] for client in device["clients"]]
    return any(min(client["calls"], client["bytes_in"], client["memory"]) > 0 for client in clients)


def key_is_nowhere(here: House, processes: list[int]) -> None:
    """Neither words nor environment of a process hold it, which others may see."""
    key = (here.folder / "config" / "tasuki" / "gpus.key").read_text().split()[-1].encode()
    assert len(key) == 64
    for process in processes:
        for name in ("cmdline", "environ"):
            said = Path(f"/proc/{process}/{name}").read_bytes()
            assert said and key not in said, f"{name} of {process} has the key"


def waits(here: House) -> None:
    """A second run waits in line and says so; `top` shows both."""
    host = f"localhost@{here.port}"
    first = subprocess.Popen(["./many", "4096", "2000000"], cwd=here.folder, env=here.settings(host))
    try:
        assert comes_true(lambda: is_counted(here, host)), "top shows no calls, bytes and memory"
        second = subprocess.Popen(
            [*("./many", "4096", "20")], cwd=here.folder, env=here.settings(host), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert second.stderr
        line = second.stderr.readline()
        assert "is in use; place 1 in line" in line, line
        assert here.server
        key_is_nowhere(here, [here.server.pid, *children_of(here.server.pid), first.pid, second.pid])
    finally:
        first.kill()
        first.wait()
    out, _ = second.communicate(timeout=60)
    assert out == many(2, 20), out


def two_share(here: House) -> None:
    """Two programs on one device at a time, each to its end."""
    both = [
        subprocess.Popen(
            ["./lists", "300"], cwd=here.folder, env=here.settings(f"localhost@{here.port}"), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    for program in both:
        out, errors = program.communicate(timeout=3 * SECONDS)
        assert (program.returncode, out, errors) == (0, "lists: well\n", ""), out + errors


def ends(here: House) -> None:
    """Nothing is left of a server, however it ends, but its socket where it was killed."""
    assert here.server
    host = f"localhost@{here.port}"
    busy = subprocess.Popen(
        ["./lists", "100000000"], cwd=here.folder, env=here.settings(host), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    gate = here.server.pid
    assert comes_true(lambda: len(children_of(gate)) >= 2)
    assert comes_true(lambda: is_counted(here, host)), "the program makes no calls"
    workers = children_of(gate)
    assert here.end(signal.SIGTERM) == 0
    assert comes_true(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    out, _ = busy.communicate(timeout=3 * SECONDS)  # it ends by the first call that fails
    assert busy.returncode == 1 and "unavailable" in out, out
    assert not list(here.folder.glob("*.sock"))
    here.serve("--clients", "2", "--memory", "256MiB", "--keep-alive", "1ms")
    two_share(here)
    has_bounds(here)
    drained = here.tasuki("serve", "--drain", "--port", str(here.port))
    expect(drained, 0, "")
    assert here.server.wait(20) == 0
    here.server = None


def races_are_told(here: House) -> None:
    """A server with --checked ends a kernel that has a race as a fault; another does not look."""
    socket = here.folder / "checked.sock"
    root = ["--allow-root"] if os.geteuid() == 0 else []
    words = [here.binaries / "tasuki-gpus-serve", "--device", "host", "--checked", *root]
    server = subprocess.Popen(
        [*words, "--socket", str(socket)],
        env={**here.environment, "XDG_CONFIG_HOME": str(here.folder / "none")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout and server.stdout.readline().startswith("serving ")
        for hosts, wrong in ((f"localhost@{here.port}:1", False), (str(socket), True)):
            for barrier, bad in (("1", False), ("0", wrong)):
                done = subprocess.run(
                    ["./races", barrier], cwd=here.folder, env=here.settings(hosts), text=True,
                    capture_output=True, check=False,
                )  # fmt: skip
                expected = "races: unspecified launch failure\n" if bad else "races: well\n"
                assert (done.returncode, done.stdout) == (int(bad), expected), (hosts, barrier, done)
    finally:
        server.terminate()
        server.wait(SECONDS)


def main() -> None:
    """Everything in turn, on one server."""
    begin = time.process_time()
    with house(Path(sys.argv[1]).resolve()) as here:
        programs = ROOT / "tests/remote/programs"
        for name in ("bounds", "heap", "lists", "many", "races"):
            here.compile(programs / f"{name}.cu", name)
        here.compile(programs / "many.cu", "static", "-arch=sm_90")
        here.compile(
            programs / "many.cu", "no-ptx", "-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90"
        )
        works(here)
        is_checked(here)
        is_traced(here)
        waits(here)
        is_refused(here)
        settings_are_refused(here)
        server_is_refused(here)
        if SERVES == "host":
            races_are_told(here)
        ends(here)
    print(f"done in {time.process_time() - begin:.1f} s of this process")


if __name__ == "__main__":
    main()
