"""C source to what `cc -E` leaves of it, with the text of pragmas macro-expanded.

    text = preprocess(Path("a.c"), ["cc"], ["-DN=8"], heads=[header], words=("xmp", "acc"))

A compiler expands no macro in a pragma that it does not know. So `#pragma xmp nodes p(N)` is given to it as
`tsk_pragma_xmp( nodes p(N) )`, a call of nothing, which it expands; line markers hold. Pragmas of headers
and of `_Pragma` come through as they are: a second pass expands them behind the source, by its macros.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tasuki.errors import TasukiError

CALL = "tsk_pragma_"


def wrap_pragmas(source: str, words: Sequence[str]) -> str:
    """The source with `#pragma WORD text` as `tsk_pragma_WORD( text )`, lines as they were."""
    start = re.compile(rf"^[ \t]*#[ \t]*pragma[ \t]+({'|'.join(words)})\b(.*)$")
    lines = source.split("\n")
    out: list[str] = []
    at = 0
    while at < len(lines):
        match = start.match(lines[at])
        if match is None:
            out.append(lines[at])
            at += 1
            continue
        text = match[2]
        continued = 0
        while text.rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
            continued += 1
            text = text.rstrip()[:-1] + " " + lines[at]
        code, comment = _split_comment(text)
        out.append(f"{CALL}{match[1]}({code} ){comment}")
        out += [""] * continued
        at += 1
    return "\n".join(out)


def _split_comment(text: str) -> tuple[str, str]:
    """The text before a comment that runs to the end of the line or beyond it, and that comment."""
    quote = ""
    at = 0
    while at < len(text):
        if quote:
            if text[at] == "\\":
                at += 1
            elif text[at] == quote:
                quote = ""
        elif text[at] in "\"'":
            quote = text[at]
        elif text.startswith("//", at):
            return text[:at], text[at:]
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                return text[:at], text[at:]
            at = end + 1
        at += 1
    return text, ""


def preprocess(
    source: Path,
    compiler: Sequence[str],
    options: Sequence[str],
    heads: Sequence[Path] = (),
    words: Sequence[str] = ("xmp", "acc", "tasuki"),
) -> str:
    """What the compiler's preprocessor makes of a source; TasukiError with its own words where it fails.

    `options` are those that the preprocessor takes (-D, -I, -std ..); `heads` are included in front."""
    try:
        text = source.read_text(errors="surrogateescape")
    except OSError as error:
        raise TasukiError(f"cannot read {source}: {error.strerror}", "check the name", 1) from None
    name = str(source).replace("\\", "\\\\").replace('"', '\\"')
    # Relative includes are looked for beside the source, as if it had been read from there.
    command = [*compiler, "-E", "-x", "c", "-iquote", str(source.parent), *options]
    for head in heads:
        command += ["-include", str(head)]

    def run(more: str) -> str:
        done = subprocess.run(
            [*command, "-"],
            input=f'# 1 "{name}"\n{wrap_pragmas(text, words)}{more}'.encode(errors="surrogateescape"),
            capture_output=True,
            check=False,
        )
        said = done.stderr.decode(errors="replace")
        if done.returncode:
            raise TasukiError(f"the preprocessor refused {source}:\n{said.rstrip()}", "", 1)
        # The file that is named first is the one that debuggers show.
        return done.stdout.decode(errors="surrogateescape").replace('"<stdin>"', f'"{name}"', 1)

    made = run("")
    pragma = re.compile(rf"(?m)^([ \t]*#[ \t]*pragma[ \t]+(?:{'|'.join(words)})\b)(.*)$")
    left = [match[2] for match in pragma.finditer(made)]
    if not left:
        return made
    calls = "".join(f"\ntsk_left_{at}({line} )" for at, line in enumerate(left))
    expanded = dict(re.findall(r"(?m)^tsk_left_(\d+)\((.*)\)[ \t]*$", run(f"\n{calls}\n")))
    number = itertools.count()
    return pragma.sub(lambda match: match[1] + expanded.get(str(next(number)), match[2]).rstrip(), made)
