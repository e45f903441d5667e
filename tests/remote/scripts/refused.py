"""What a user may ask for that cannot be: a line and a status for each. For user.py."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from house import SECONDS, SERVES, House, expect
from watch import ANSWER, KNOCK, REQUEST

REFUSED = 4  # of remote/server/visit/greeting.hpp


def is_refused(here: House) -> None:
    """A line and a status for each."""
    local, tcp = f"localhost@{here.port}", f"127.0.0.1@{here.port}"
    key = here.folder / "config" / "tasuki" / "gpus.key"
    open_key, other_key = here.folder / "open.key", here.folder / "other.key"
    open_key.write_text(key.read_text())
    open_key.chmod(0o644)
    here.tasuki("key", "-o", str(other_key))

    def asked(hosts: str, line: str, *words: str, **changes: str) -> None:
        """The question that `run` asks first, without Python's start."""
        done = subprocess.run(
            [here.binaries / "tasuki-gpus-ask", "list", "--hosts", hosts, *words],
            cwd=here.folder,
            env={**here.environment, **changes},
            capture_output=True,
            text=True,
            check=False,
        )
        expect(done, 2, line)

    asked("no-such-host.invalid", "^tasuki: there is no host no-such-host.invalid")
    asked("127.0.0.1@1", "^tasuki: nobody serves GPUs at 127.0.0.1, port 1")
    asked(tcp, "^tasuki: there is no key for 127.0.0.1", XDG_CONFIG_HOME=str(here.folder / "none"))
    asked(tcp, "^tasuki: .* has another key, or none; copy", "--key", str(other_key))
    asked(tcp, "^tasuki: the key .*open.key can be read by others; chmod 600", "--key", str(open_key))
    asked(f"{local}:9", "has 2 devices, and 9 were asked for")
    asked(f"{local}[7]", "has no device 7 of 2")
    asked(f"{local},{local}", "^tasuki: --hosts names .* twice")
    asked("a[", "^tasuki: --hosts: ")
    listed = here.folder / "b.hosts"
    listed.write_text(f"# both are one\n{local}\n{local}:1  # two\n")
    asked("@b.hosts", "^tasuki: b.hosts, line 3 names .* twice; name it once")
    asked("@none.hosts", "^tasuki: --hosts: the file none.hosts cannot be read .*; name another")
    listed.write_text(f"{local}:9\n")
    asked("@b.hosts", "has 2 devices, and 9 were asked for")

    with another_version(here) as gate:
        asked(gate, "^tasuki: .* has Tasuki 0.0.1, this program [0-9.]+; install the same on both")

    def run(program: str, line: str, *words: str) -> None:
        expect(here.tasuki("run", "--hosts", local, *words, "--", program), 2, line)

    run("./none", "^tasuki: the program ./none is not there")
    run("./many", "^tasuki: the key none.key cannot be read", "--key", "none.key")
    run("./static", "static runtime.*-cudart shared")
    other = bytearray((here.folder / "many").read_bytes())
    other[18:20] = (183).to_bytes(2, "little")  # EM_AARCH64
    program_file(here, "other-machine", bytes(other))
    run("./other-machine", r"is a program of another machine \(AARCH64\)")
    program_file(here, "32-bit", bytes(other[:4]) + b"\x01\x01\x01" + bytes(45))
    run("./32-bit", "is a 32-bit program")
    if SERVES == "host":  # a GPU needs no PTX
        run("./no-ptx", "kernels without PTX")
        forced = here.tasuki("run", "--hosts", local, "--force", "--", "./no-ptx", "4096", "20")
        assert forced.returncode == 1, forced  # the program's own


def settings_are_refused(here: House) -> None:
    """A number of the environment that is none, by the variable's name; no part of it is taken."""
    for name, text, words in (
        ("LANES", "2x", "is no whole number; give lanes from 1 to 16"),
        ("LANES", "17", "is out of range; give lanes from 1 to 16"),
        ("LOG", "1GiB", "is no whole number; give bytes from 0 to"),
        ("SPILL", "-1", "is no whole number; give bytes from 0 to"),
        ("IMAGE_MS", "1e3", "is no whole number; give milliseconds from 0 to"),
        ("REPLICAS", "0+x", "is no whole number; give devices from 0 to 1"),
        ("SILENCE", "10s", "is no time; give seconds"),
    ):
        done = subprocess.run(
            ["./many", "4096", "20"],
            cwd=here.folder,
            env={**here.settings(f"127.0.0.1@{here.port}"), f"TASUKI_GPUS_{name}": text},
            capture_output=True,
            text=True,
            check=False,
        )
        line = rf"tasuki: TASUKI_GPUS_{name}=\S* ?.*{re.escape(words)}"
        assert done.returncode != 0 and re.match(line, done.stderr), (name, done)
        assert done.stderr.count("TASUKI_GPUS_") == 1, done  # once


def program_file(here: House, name: str, content: bytes) -> None:
    """A file that may be started."""
    (here.folder / name).write_bytes(content)
    (here.folder / name).chmod(0o755)


@contextlib.contextmanager
def another_version(here: House) -> Iterator[str]:
    """The socket of a gate of Tasuki 0.0.1, which answers one question."""
    path = here.folder / "other-version.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def answer() -> None:
            client, _ = listener.accept()
            with client:
                client.recv(KNOCK.size + REQUEST.size, socket.MSG_WAITALL)
                client.sendall(ANSWER.pack(b"0.0.1", REFUSED, 0, 0, b"", b""))

        gate = threading.Thread(target=answer)
        gate.start()
        yield str(path)
        gate.join(SECONDS)
    path.unlink()


def has_bounds(here: House) -> None:
    """The server's --memory is what a program has, exactly; and a program may lie where an arena would."""
    host, most = f"localhost@{here.port}", str(256 << 20)
    for words in (("./bounds", most), ("./bounds", most, "taken")):
        done = subprocess.run(
            words, cwd=here.folder, env=here.settings(host), capture_output=True, text=True, check=False
        )
        expect(done, 0, "^bounds: well$")
        said = "tasuki: something of this program lies among the addresses of devices, at 0x200000000000 .*\n"
        assert re.fullmatch(said if len(words) > 2 else "", done.stderr), done.stderr


def server_is_refused(here: House) -> None:
    """A server says what it does not do."""
    root = ["--allow-root"] if os.geteuid() == 0 else []
    none = {"XDG_CONFIG_HOME": str(here.folder / "none")}

    def serve(line: str, *words: str, device: str = "host", **changes: str) -> None:
        done = subprocess.run(
            [here.binaries / "tasuki-gpus-serve", "--device", device, *words],
            env={**here.environment, **changes},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        expect(done, 2, line)

    other = ["--socket", str(here.folder / "other.sock")]
    serve("^tasuki: --checked is for --device host", *other, *root, "--checked", device="cuda", **none)
    serve("served at .* already", "--port", str(here.port), *root, **none)
    serve("would serve strangers, as there is no key", *other, *root, "--listen", "0.0.0.0", **none)
    serve(
        "cannot listen at 127.0.0.1, port .*Address already in use", *other, *root, "--port", str(here.port)
    )
    if root:
        serve("^tasuki: this is root", *other)
        serve("^tasuki: --user root is no user that is not root", *other, "--user", "root")
        becomes_another(here)


def becomes_another(here: House) -> None:
    """Started by root, a server and the processes of its clients are those of --user."""
    with tempfile.TemporaryDirectory(prefix="tasuki-gpus-") as folder:
        Path(folder).chmod(0o777)
        words = ["--device", "host", "--user", "nobody", "--socket", f"{folder}/nobody.sock"]
        server = subprocess.Popen(
            [here.binaries / "tasuki-gpus-serve", *words],
            env={**here.environment, "XDG_CONFIG_HOME": f"{folder}/none"},
            cwd="/",
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout and server.stdout.readline().startswith("serving ")
            users = re.search(r"^Uid:(.*)$", Path(f"/proc/{server.pid}/status").read_text(), re.MULTILINE)
            assert users and set(map(int, users[1].split())) == {pwd.getpwnam("nobody").pw_uid}
            groups = re.search(r"^Groups:(.*)$", Path(f"/proc/{server.pid}/status").read_text(), re.MULTILINE)
            assert groups and "0" not in groups[1].split()
        finally:
            server.terminate()
            server.wait(SECONDS)
