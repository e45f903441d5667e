"""The dialect `#pragma tasuki`: what C cannot say and no other dialect has.

#pragma tasuki snapshot (u, v) "u.h5" step(k)
#pragma tasuki plot (u, v) "u.h5" step(k)         a snapshot that `tasuki run` draws at its end
#pragma tasuki checkpoint (u, v) "c.h5" step(k)
#pragma tasuki restore (u, v) "c.h5" step(k)      k becomes the step that the file was written at
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.front.pragma import Cursor
from tasuki.lang.front.tokens import Spot


@dataclass
class File:
    """Arrays that are written to a file, or read from it."""

    kind: str
    arrays: list[Spot]
    path: c_ast.Node
    step: c_ast.Node | None = None


KINDS = ("snapshot", "plot", "checkpoint", "restore")


def read(c: Cursor) -> list[File]:
    """The record of one directive."""
    if c.done:
        c.wrong("the directive is empty", f"write one of {', '.join(KINDS)}")
    if c.peek() not in KINDS:
        c.choose("directive of tasuki", KINDS)
    kind = c.take().value.lower()
    c.expect("(")
    arrays = c.names("an array")
    c.expect(")")
    if c.done:
        c.wrong(f"{kind} names no file", 'write its name behind the arrays: (u) "u.h5"')
    made = File(kind, arrays, c.expression())
    if c.accept("step"):
        c.expect("(")
        made.step = c.expression()
        c.expect(")")
    c.end()
    return [made]
