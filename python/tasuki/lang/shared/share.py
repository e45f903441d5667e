"""C with arrays that all processes share (MpC, SMint) to C that calls the SMS library.

text = share(preprocessed, findings)
"""

from __future__ import annotations

from tasuki.lang.front.diagnose import Findings, Wrong
from tasuki.lang.front.parse import parse
from tasuki.lang.front.tokens import Tokens
from tasuki.lang.shared.dealt import Dealt
from tasuki.lang.shared.mpc import blank
from tasuki.lang.shared.shared import Unit
from tasuki.lang.shared.smint import Directives


def share(text: str, findings: Findings, entry: str = "main") -> str:
    """The text that the user's compiler is given; empty where there are errors."""
    try:
        clean, marks = blank(text)
        unit = Unit(parse(Tokens(clean, ("SMint",))), findings)
    except Wrong as wrong:
        findings.add(wrong.finding)
        return ""
    unit.mark(marks)
    directives = Directives(unit)
    directives.read()
    unit.look_at_values()
    directives.edit(Dealt(directives).edit)
    if findings.errors:
        return ""
    unit.rename()
    return unit.finish(entry)
