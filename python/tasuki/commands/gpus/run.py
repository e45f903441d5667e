"""``tasuki gpus run``: a program, started with the GPUs of other hosts."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from tasuki.errors import TasukiError


def run(
    words: Annotated[list[str], typer.Argument(metavar="[--] PROGRAM ...", help="and its own options")],
    hosts: Annotated[
        str,
        typer.Option(
            metavar="HOSTS",
            help="a,b:2,c[0,3],d@7500: all GPUs of a, two of b, these of c; a port. @FILE: one a line",
        ),
    ],
    per_gpu: Annotated[
        int, typer.Option(metavar="N", min=1, max=1024, help="devices that the program sees of each GPU")
    ] = 1,
    redundant: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=3, help="GPUs of each device, on different hosts: they compute the same"
        ),
    ] = 1,
    same_host: Annotated[
        bool, typer.Option("--same-host", help="the GPUs of a redundant device may be of one host")
    ] = False,
    tolerance: Annotated[
        str | None,
        typer.Option(
            metavar="TYPE:REL[:ABS]",
            help="f32:1e-5 or f64:1e-12: GPUs of a redundant device agree on numbers that are so near",
        ),
    ] = None,
    spare: Annotated[
        str | None,
        typer.Option(
            metavar="N|HOSTS", help="devices that stand by for lost ones: the last N, or those of c[0],d"
        ),
    ] = None,
    degrade: Annotated[
        bool, typer.Option("--degrade", help="without a spare, put a lost device onto one that is in use")
    ] = False,
    log: Annotated[
        str, typer.Option(metavar="SIZE", help="of memory that a device's calls may take, kept for its spare")
    ] = "1GiB",
    spill: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="that they may take behind it in a file, in TMPDIR; 0: none [4GiB]"
        ),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option(
            metavar="TIME|SIZE",
            help="of calls, after which a device's memory is kept, so the log begins anew",
        ),
    ] = None,
    image_at: Annotated[
        str | None,
        typer.Option(
            metavar="HOST", help="a server that keeps images on its disk (serve --images) [this host]"
        ),
    ] = None,
    movable: Annotated[
        bool,
        typer.Option(
            "--movable", help="keep a log of the calls, for tasuki gpus move, also without spares or replicas"
        ),
    ] = False,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="the key [~/.config/tasuki/gpus.key]")
    ] = None,
    silence: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="of a server, until its devices count as lost; 0: never"),
    ] = 10,
    lanes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=16,
            help="connections to each GPU of another host, for large copies [4; 1 with more than 64 GPUs]",
        ),
    ] = None,
    ucx: Annotated[
        bool,
        typer.Option("--ucx", help="by UCX (InfiniBand) to hosts that `serve --ucx`: nothing is encrypted"),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="wait for the answer of every call")] = False,
    no_ahead: Annotated[
        bool, typer.Option("--no-ahead", help="send no copy before the program asks for it")
    ] = False,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="each call with its times, for ui.perfetto.dev")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no two lines at the end")] = False,
    force: Annotated[bool, typer.Option("--force", help="start it, whatever the check says")] = False,
) -> None:
    """Start a program with the GPUs of other hosts as its own.

    tasuki gpus run --hosts a,b -- ./many
    tasuki gpus run --hosts a,b,c --spare 1 -- ./many
    tasuki gpus run --hosts a,b,c --redundant 2 --spare 1 -- ./many
    """
    from tasuki.gpus import door
    from tasuki.gpus.ask import ask, listed, named
    from tasuki.gpus.check import findings, program_of
    from tasuki.gpus.keyfile import default_path
    from tasuki.gpus.parts import library, served_calls
    from tasuki.gpus.replicas import refuse_models, refuse_tolerance, replicated, together
    from tasuki.gpus.spares import bytes_of, every, split
    from tasuki.output import refuse_output
    from tasuki.programs import find_program

    program = find_program(words[0])
    if tolerance:
        refuse_tolerance(tolerance, redundant)
    if image and not (spare or degrade or movable or redundant > 1):
        raise TasukiError(
            "--image is for whoever comes in for a lost device", "add --spare 1, or leave it out"
        )
    if image_at and not image:
        raise TasukiError("--image-at says where images are kept", "add --image 60s, or leave it out")
    preload = library()
    answers = ask("list", hosts, str(key) if key else None)
    checked = program_of([str(program), *words[1:]])
    if checked and not force:
        kinds = {answer["devices"][device]["kind"] for answer in answers for device in answer["chosen"]}
        for finding in findings(checked, served_calls(), "host" in kinds):
            if finding.breaks:
                raise TasukiError(str(finding), "`--force` starts it all the same")
    devices, spares = listed(answers, per_gpu), []
    if spare:
        devices, spares = split(devices, spare, per_gpu, str(key) if key else None)
    groups: list[list[int]] = []
    if redundant > 1:
        devices, groups, left = replicated(devices, redundant, same_host)
        if not tolerance:
            refuse_models(devices, groups, answers)
        spares = together(spares + left)
        same_host = same_host or len({host for host, _ in devices}) == 1
    usual = default_path()
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(filter(None, [str(preload), os.environ.get("LD_PRELOAD")])),
        "TASUKI_GPUS": named(devices),
        "TASUKI_GPUS_SPARES": named(spares),
        "TASUKI_GPUS_REPLICAS": ",".join("+".join(map(str, group)) for group in groups),
        "TASUKI_GPUS_SAME_HOST": str(int(same_host)),
        "TASUKI_GPUS_TOLERANCE": tolerance or "",
        **every(image, bytes_of(log, "--log")),
        "TASUKI_GPUS_PROGRAM": " ".join(words),
        # Its processes, and several devices of one GPU, are one client to the gates.
        "TASUKI_GPUS_SESSION": secrets.token_hex(16),
    }
    if image_at:
        environment["TASUKI_GPUS_IMAGE_AT"] = image_at
    if spill:
        environment["TASUKI_GPUS_SPILL"] = "0" if spill == "0" else str(bytes_of(spill, "--spill"))
    if key or usual.is_file():
        environment["TASUKI_GPUS_KEY"] = str((key or usual).resolve())
    environment["TASUKI_GPUS_SILENCE"] = str(silence)
    environment["TASUKI_GPUS_LANES"] = str(lanes or (4 if len(devices) <= 64 else 1))
    environment["TASUKI_GPUS_UCX"] = str(int(ucx))
    environment["TASUKI_GPUS_SUMMARY"] = "0" if quiet else "1"
    if trace:
        refuse_output(trace, "--trace")
        trace.unlink(missing_ok=True)  # the program's processes make it anew, the first by this name
        environment["TASUKI_GPUS_TRACE"] = str(trace.resolve())
    if degrade:
        environment["TASUKI_GPUS_DEGRADE"] = "1"
    if no_ahead:
        environment["TASUKI_GPUS_AHEAD"] = "0"
    environment.pop("TASUKI_GPUS_DOOR", None)
    if movable:
        environment["TASUKI_GPUS_DOOR"] = str(door.folder())
    elif spare or degrade or redundant > 1:  # a log is kept all the same
        with contextlib.suppress(TasukiError, OSError):
            environment["TASUKI_GPUS_DOOR"] = str(door.folder())
    if strict:
        environment["TASUKI_GPUS_STRICT"] = "1"
    try:
        os.execve(program, [words[0], *words[1:]], environment)
    except OSError as error:
        raise TasukiError(
            f"{program} cannot be started ({error.strerror})", "check its mode and its first line"
        ) from None
