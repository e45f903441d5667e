"""``tasuki cc``: a C compiler that knows directives."""

from __future__ import annotations

import typer


def cc(context: typer.Context) -> None:
    """Compile C with directives of XcalableMP, XcalableACC and OpenACC, or with arrays that all processes
    share (SMint, MpC); takes what cc takes.

    tasuki cc -O2 laplace.c -o laplace

    tasuki run ./laplace -n 4

    Beside the options of cc: --device host, cuda or both says whether loops of OpenACC become kernels of
    GPUs, --emit DIR (or --keep DIR) leaves the text that the compilers are given, --report says how every
    loop is done and why, --check looks at each access while the program runs, -fsyntax-only only looks,
    -fdiagnostics-format=json is for editors. --cc or TASUKI_CC names another compiler than cc, TASUKI_NVCC
    another nvcc.
    """
    from tasuki.lang.driver import compile_line

    if not context.args or context.args in (["--help"], ["-h"]):
        print(context.get_help())
        return
    status = compile_line(context.args)
    if status:
        raise typer.Exit(status)
