"""``tasuki gpus``: the key, what check sees in a program, what run refuses, what top shows. No gate."""

from __future__ import annotations

import json
import stat
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.gpus import status
from tasuki.gpus.ask import listed, named
from tasuki.gpus.check import findings, program_of
from tasuki.gpus.fatbin import Image, images_in
from tasuki.gpus.parts import refusals, served_calls
from tasuki.gpus.replicas import refuse_models, refuse_tolerance, replicated
from tasuki.gpus.spares import bytes_of, every, split

MANAGED = "__cudaRegisterManagedVar"
SERVED = frozenset({"cudaMalloc", "cudaMemcpy", "__cudaRegisterFatBinary", MANAGED})


def fatbin(*entries: tuple[int, int]) -> bytes:
    """One of (kind, architecture) entries: 1 is PTX, 2 machine code."""
    body = b""
    for kind, arch in entries:
        text = b".version 8.0\n.target sm_75\n.visible .entry k() { ret; }\n\0" if kind == 1 else b"machine."
        text += bytes(-len(text) % 8)
        head = struct.pack("<HHIQ", kind, 0, 64, len(text)) + bytes(12) + struct.pack("<I", arch) + bytes(32)
        body += head + text
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a runtime and libraries of no use, that programs are linked with."""
    path = tmp_path_factory.mktemp("gpus")
    names = [
        "cudaMalloc",
        "cudaMemcpy",
        "cudaMemcpy_ptds",
        "cudaMallocArray",
        "cudaFreeArray",
        "cudaCreateTextureObject",
        "cudaIpcGetMemHandle",
        "cudaMallocManaged",
        "__cudaRegisterFatBinary",
        MANAGED,
    ]
    runtime = "\n".join(f"int {name}(void) {{ return 0; }}" for name in names)
    library(path, "libcudart.so.13", runtime)
    library(path, "libcudart.so.12", runtime)
    library(path, "libcublas.so.13", "int cublasCreate_v2(void) { return 0; }")
    return path


def library(folder: Path, name: str, source: str) -> None:
    """A shared library of this name."""
    (folder / "library.c").write_text(source)
    build(folder, "-shared", "-fPIC", f"-Wl,-soname,{name}", "library.c", "-o", name)


def build(folder: Path, *words: str) -> None:
    """Runs the compiler."""
    subprocess.run(["gcc", *words], cwd=folder, check=True, capture_output=True)


def program(folder: Path, calls: str, libraries: str, kernels: bytes = b"") -> Path:
    """One that calls these, is linked with those, and carries these fat binaries."""
    names = calls.split()
    source = "\n".join(f"int {name}(void);" for name in names)
    source += "\nint main(void) { return " + " + ".join(["0", *(f"{name}()" for name in names)]) + "; }\n"
    if kernels:
        text = ", ".join(map(str, kernels))
        section = '__attribute__((section(".nv_fatbin"), aligned(8)))'
        source += f"{section} const unsigned char kernels[] = {{{text}}};\n"
    (folder / "program.c").write_text(source)
    build(folder, "program.c", "-o", "program", *libraries.split(), "-Wl,-rpath,$ORIGIN")
    return folder / "program"


def lines(path: Path, on_host: bool = False) -> tuple[list[str], list[str]]:
    """What works or is noted, and what breaks."""
    found = findings(path, SERVED, on_host)
    return [str(one) for one in found if not one.breaks], [str(one) for one in found if one.breaks]


GOOD = fatbin((2, 90), (1, 90)), "cudaMalloc cudaMemcpy_ptds __cudaRegisterFatBinary"


def test_a_program_of_the_shared_runtime_works(folder: Path) -> None:
    good, bad = lines(program(folder, GOOD[1], "libcudart.so.13", GOOD[0]), on_host=True)
    assert bad == []
    assert good == [
        "linked with the shared runtime, libcudart.so.13",
        "all 3 CUDA calls that it makes are served",
        "program: kernels with PTX, for GPUs from sm_90 on and servers without one",
    ]


def test_a_static_runtime_is_said_before_the_start(folder: Path) -> None:
    _, bad = lines(program(folder, "", "", GOOD[0]))
    assert len(bad) == 1
    assert "static runtime" in bad[0]
    assert "-cudart shared" in bad[0]


def test_another_release_is_refused(folder: Path) -> None:
    _, bad = lines(program(folder, GOOD[1], "libcudart.so.12", GOOD[0]))
    assert bad == [
        "linked with libcudart.so.12, and libcudart.so.13 is what is served; build it with CUDA 13"
    ]


def test_calls_that_are_not_served_are_named_by_what_they_are_of(folder: Path) -> None:
    calls = "cudaMalloc cudaMallocArray cudaFreeArray cudaCreateTextureObject cudaIpcGetMemHandle"
    good, bad = lines(program(folder, calls, "libcudart.so.13"))
    assert bad == []
    linear = "use linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)"
    assert good[1:] == [
        "4 of its 5 CUDA calls are not served; they return cudaErrorNotSupported, each with one line",
        f"not served, textures: cudaCreateTextureObject; {linear}",
        f"not served, arrays: cudaFreeArray, cudaMallocArray; {linear}",
        "not served, memory of other processes (IPC): cudaIpcGetMemHandle; memory of one process is not "
        "another's: pass it through the host",
    ]


def test_managed_memory_is_said(folder: Path) -> None:
    good, bad = lines(program(folder, "cudaMalloc cudaMallocManaged", "libcudart.so.13"))
    assert bad == []
    assert any(line.startswith("it has managed memory (cudaMallocManaged): host and device") for line in good)


def test_managed_variables_are_said(folder: Path) -> None:
    good, bad = lines(program(folder, f"cudaMalloc {MANAGED}", "libcudart.so.13"))
    assert len(bad) == 1 and bad[0].startswith("it has __managed__ variables, which are not served: "), bad
    assert not any("__managed__" in line for line in good)


def test_libraries_that_reach_a_driver_are_named(folder: Path) -> None:
    _, bad = lines(program(folder, "cudaMalloc cublasCreate_v2", "libcudart.so.13 libcublas.so.13"))
    assert len(bad) == 1
    assert bad[0].startswith("libcublas speaks to a local driver")


def test_kernels_without_ptx_run_on_their_gpus_alone(folder: Path) -> None:
    path = program(folder, GOOD[1], "libcudart.so.13", fatbin((2, 90)))
    assert any("without PTX, for sm_90 alone" in line for line in lines(path)[0])
    assert any("a server without a GPU cannot run them" in line for line in lines(path, on_host=True)[1])


def test_what_is_no_program_is_said(folder: Path) -> None:
    path = program(folder, "", "")
    other = folder / "other"
    text = bytearray(path.read_bytes())
    text[18:20] = b"\xb7\x00"  # EM_AARCH64
    other.write_bytes(text)
    assert "another machine (AARCH64)" in lines(other)[1][0]
    text = bytearray(path.read_bytes())
    text[4] = 1
    other.write_bytes(text)
    assert lines(other)[1]
    other.write_bytes(path.read_bytes()[:70])
    assert lines(other)[1]
    other.write_text("#!/bin/sh\n")
    assert "is a script" in lines(other)[0][0]
    assert "has no CUDA" in lines(path)[0][0]


def test_the_program_behind_a_launcher_is_found(folder: Path) -> None:
    path = str(program(folder, "", ""))
    assert program_of([path, "x"]) == Path(path)
    assert program_of(["env", "A=b", path, "3"]) == Path(path)
    assert program_of(["/no/such"]) is None


def test_fat_binaries_are_walked_whatever_they_hold() -> None:
    whole = fatbin((1, 75), (2, 90)) + bytes(8) + fatbin((2, 100))
    assert list(images_in(whole)) == [Image(0, True, 75), Image(0, False, 90), Image(1, False, 100)]
    for cut in range(len(whole)):  # ends, and says no more than there is
        assert len(list(images_in(whole[:cut]))) <= 3
    for at in range(len(whole)):
        list(images_in(whole[:at] + b"\xff" + whole[at + 1 :]))


def test_the_table_of_calls_is_read() -> None:
    calls = served_calls()
    assert {"cudaMalloc", "cudaMemcpy", "__cudaLaunchKernel"} <= calls
    assert "cudaIpcGetMemHandle" not in calls
    assert "__cudaRegisterManagedVar" not in calls
    names = ("cudaGraphicsMapResources", "cudaGraphCreate", "cudaMallocMipmappedArray", "cudaSomething")
    found = [next(row.what for row in refusals() if row.pattern.match(name)) for name in names]
    assert found == ["graphics", "graphs made node by node", "arrays", "other things"]


def mode_of(path: Path) -> int:
    """Its permissions."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_its_owners_alone(tasuki: Command, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    path = tmp_path / "config" / "tasuki" / "gpus.key"
    done = tasuki("gpus", "key", **home)
    assert done.returncode == 0, done.stderr
    assert str(path) in done.stdout
    key = path.read_text().strip()
    assert len(key) == 64
    assert key not in done.stdout
    assert mode_of(path) == 0o600
    again = tasuki("gpus", "key", **home)
    assert again.returncode == 2
    assert again.stderr == f"tasuki: there is a key already: {path}; use it, or remove it first\n"


def test_a_key_goes_into_the_file_of_the_output(tmp_path: Path) -> None:
    from tasuki.gpus.keyfile import write_to_output

    path = tmp_path / "gpus.key"
    with path.open("w") as file:
        assert write_to_output(file.fileno())
    assert mode_of(path) == 0o600
    assert len(path.read_text()) == 65
    with Path("/dev/null").open("w") as nowhere:
        assert not write_to_output(nowhere.fileno())
    log = tmp_path / "log"
    with log.open("w") as file:
        file.write("a line\n")
        file.flush()
        assert not write_to_output(file.fileno())
    assert log.read_text() == "a line\n"


def test_run_says_what_is_not_there(tasuki: Command) -> None:
    for words, line in {
        ("run", "--hosts", "a", "--", "./no-such"): "the program ./no-such is not there; build it",
        ("run", "--", "true"): "missing option '--hosts'",
        ("run", "--hosts", "a", "--per-gpu", "0", "--", "true"): "invalid value for '--per-gpu'",
        ("run", "--hosts", "a", "--redundant", "4", "--", "true"): "invalid value for '--redundant'",
        (
            "run",
            "--hosts",
            "a",
            "--image",
            "60s",
            "--",
            "true",
        ): "--image is for whoever comes in for a lost device",
        ("move", "0", "c"): "c names no GPU; give host and number, as c:1",
        ("check", "./no-such"): "the program ./no-such is not there",
    }.items():
        done = tasuki("gpus", *words)
        assert done.returncode == 2
        assert done.stderr.startswith(f"tasuki: {line}"), done.stderr
        assert done.stderr.count("\n") == 1


def test_devices_are_named_for_the_library() -> None:
    answers: list[dict[str, Any]] = [
        {"host": "a@80", "chosen": [0, 1]},
        {"host": "/run/g.sock", "chosen": [3]},
    ]
    devices = listed(answers, 2)
    assert named(devices) == "a@80[0,0,1,1],/run/g.sock[3,3]"
    used, spares = split(devices, "3", 2, None)
    assert (named(used), named(spares)) == ("a@80[0,0,1]", "a@80[1],/run/g.sock[3,3]")
    with pytest.raises(TasukiError, match="leaves no device of 6; name more hosts"):
        split(devices, "6", 2, None)


def test_sizes_of_a_log_are_read() -> None:
    assert bytes_of("2GiB", "--log") == 2 << 30
    assert bytes_of("3MB", "--log") == 3_000_000
    for wrong in ("2", "0MiB", "much", "1.5GiB"):
        with pytest.raises(TasukiError, match=r"--log .* is no size; give one as"):
            bytes_of(wrong, "--log")


def test_images_are_taken_by_time_or_size() -> None:
    assert every(None, 7) == {"TASUKI_GPUS_LOG": "7"}
    assert every("5min", 7) == {"TASUKI_GPUS_LOG": "7", "TASUKI_GPUS_IMAGE_MS": "300000"}
    assert every("1MiB", 1 << 20) == {
        "TASUKI_GPUS_LOG": str(2 << 20),
        "TASUKI_GPUS_IMAGE_BYTES": str(1 << 20),
    }
    for wrong in ("0s", "much", "1h"):
        with pytest.raises(TasukiError, match=f"--image {wrong} is no"):
            every(wrong, 7)


def test_replicas_are_of_different_hosts() -> None:
    def of(counts: dict[str, int], count: int, same_host: bool = False) -> tuple[Any, Any, Any]:
        devices = [(host, n) for host, number in counts.items() for n in range(number)]
        used, groups, left = replicated(devices, count, same_host)
        assert sorted(used + left) == sorted(devices)
        assert all(len(group) == count for group in groups)
        if not same_host and len(counts) > 1:
            assert all(len({used[n][0] for n in group}) == count for group in groups)
        return used, groups, left

    assert of({"a": 2, "b": 2}, 2)[1] == [[0, 2], [1, 3]]
    assert len(of({"a": 3, "b": 2, "c": 1}, 2)[1]) == 3
    assert len(of({"a": 3, "b": 1}, 2)[1]) == 1
    assert len(of({"a": 3, "b": 1}, 2, same_host=True)[1]) == 2
    assert of({"a": 3}, 2)[2] == [("a", 2)]  # there is one host only
    assert replicated([("a", 0)] * 4, 2, False)[1] == [[0, 2], [1, 3]]
    with pytest.raises(TasukiError, match=r"takes 3 devices on 3 hosts .* name more hosts, or --same-host"):
        of({"a": 5, "b": 1}, 3)
    with pytest.raises(TasukiError, match=r"takes 3 devices for each .* and 2 on 1 host are left"):
        of({"a": 2}, 3)


def test_words_of_a_tolerance_are_read() -> None:
    for right in ("f32:1e-5", "f64:1e-12:1e-9", "f32:0", "f64:.5:3"):
        refuse_tolerance(right, 2)
    for wrong in ("1e-5", "f16:1e-3", "f32:", "f32:1", "f32:-1", "f32:1e-5:", "f32:nan", "f64:1e-5:1e999"):
        with pytest.raises(TasukiError, match="is none; give f32:1e-5"):
            refuse_tolerance(wrong, 2)
    with pytest.raises(TasukiError, match="add --redundant 2"):
        refuse_tolerance("f32:1e-5", 1)


def test_replicas_of_different_models_are_refused() -> None:
    answers: list[dict[str, Any]] = [
        {"host": "a", "devices": [{"name": "one"}]},
        {"host": "b", "devices": [{"name": "one"}, {"name": "other"}]},
    ]
    refuse_models([("a", 0), ("b", 0)], [[0, 1]], answers)
    with pytest.raises(TasukiError, match="of one and other, which do not come to the same bits"):
        refuse_models([("a", 0), ("b", 1)], [[0, 1]], answers)


def client(calls: int, seconds: float) -> dict[str, Any]:
    """As a gate tells of one."""
    return {
        "process": 7,
        "program": "./many [red]\x1b[2J",
        "peer": "here",
        "seconds": seconds,
        "calls": calls,
        "bytes_in": 2 * calls,
        "bytes_out": 0,
        "memory": 5,
    }


def answer(*clients: Mapping[str, Any]) -> dict[str, Any]:
    """Of a gate with one device."""
    device = {"device": 0, "gpu": 0, "kind": "host", "name": "cores", "memory": 9000, "waiting": 3}
    return {"host": "a", "version": "1", "leaving": False, "devices": [{**device, "clients": list(clients)}]}


def test_top_shows_rates_since_the_last_look() -> None:
    first = list(status.rows([answer(client(100, 10))]))
    assert first[0].rates == {"calls": 10, "bytes_in": 20, "bytes_out": 0}
    later = list(status.rows([answer(client(150, 12))], [answer(client(100, 10))], 2.0))
    assert later[0].rates == {"calls": 25, "bytes_in": 50, "bytes_out": 0}
    assert next(status.rows([answer()])).client is None


def test_top_shows_what_gates_say_and_nothing_else() -> None:
    console = Console(width=200, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    console.print(status.table([answer(client(100, 10)), {"host": "b", "error": "nobody is there; look"}]))
    text = console.export_text()
    assert "./many [red]?[2J" in text
    assert "nobody is there" in text
    assert "5 B of 9 kB" in text


def shown(*clients: Mapping[str, Any]) -> list[str]:
    """The lines of the table."""
    console = Console(width=250, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    console.print(status.table([answer(*clients)]))
    return console.export_text().splitlines()


def test_top_shows_what_clients_tell_of_their_devices() -> None:
    told = {
        "waits_for": {"call": "WaitStream", "seconds": 3.21},
        "log": 4_200_000,
        "image": {"bytes": 8_400_000, "seconds": 130},
        "replicas": {"count": 2, "agreed": 812, "differed": 0},
        "faults": 1,
    }
    head, line = shown({**client(100, 10), "told": told})
    assert head.split("in line")[1].split() == ["waits", "for", "log", "image", "replicas", "faults"]
    assert "WaitStream 3.2 s" in line
    assert "4.2 MB" in line
    assert "8.4 MB, 2 min old" in line
    assert "2: 812 agreed " in line
    assert line.rstrip().endswith(" 1")
    other = {**told, "replicas": {"count": 3, "agreed": 7, "differed": 1}, "waits_for": None}
    assert "3: 7 agreed, 1 not" in shown({**client(100, 10), "told": other})[1]
    nothing = {"waits_for": None, "log": None, "image": None, "replicas": None, "faults": 0}
    for silent in (client(100, 10), {**client(100, 10), "told": None}, {**client(100, 10), "told": nothing}):
        assert shown(silent)[0].rstrip().endswith("in line")


def test_times_are_short() -> None:
    spans = [status.span(seconds) for seconds in (0, 9.9, 9.96, 99, 100, 5000, 360_000, 1e7)]
    assert spans == ["0.0 s", "9.9 s", "10 s", "99 s", "2 min", "83 min", "4 d", "116 d"]


def test_sizes_have_three_digits() -> None:
    assert [status.size(n) for n in (0, 999, 1000, 1.5e6, 141e9)] == [
        "0 B",
        "999 B",
        "1 kB",
        "1.5 MB",
        "141 GB",
    ]


def test_check_prints_json(tasuki: Command, folder: Path) -> None:
    done = tasuki("gpus", "check", "--json", str(program(folder, "", "", GOOD[0])))
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["breaks"] is True
