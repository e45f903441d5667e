"""Standard output that may be closed, full, or a pipe that nobody reads.

Python alone ends with status 0 where descriptor 1 is closed, and gives whatever file is opened next that
number. Here a write that fails is kept, what follows is dropped, and the command ends with a status: a run
of hours leaves its record even where its table cannot be shown.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from tasuki.errors import TasukiError

BROKEN_PIPE = 141  # as a shell has it of a tool that SIGPIPE ended


class Output:
    """A text stream that remembers why it could not be written, and goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.fault: OSError | None = None

    def write(self, text: str) -> int:
        """Writes, or drops the text where the stream has failed."""
        if self.fault is None:
            try:
                return self._stream.write(text)
            except OSError as error:
                self._failed(error)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """As of any stream."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hands on what was written."""
        if self.fault is None:
            try:
                self._stream.flush()
            except OSError as error:
                self._failed(error)

    def _failed(self, error: OSError) -> None:
        self.fault = error
        # What is still kept goes nowhere, so that the interpreter's last flush does not fail once more.
        with contextlib.suppress(OSError), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- whatever a stream has
        return getattr(self._stream, name)


def _reopen() -> None:
    """Gives the first three descriptors something to be where they are closed: a write still fails."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number, so this one. What is read-only refuses to be written.
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)


@contextlib.contextmanager
def guarded() -> Iterator[Output]:
    """Makes sys.stdout and sys.stderr streams that cannot stop the command; yields the first of them."""
    _reopen()
    before = sys.stdout, sys.stderr
    streams = []
    for number, stream in enumerate(before, 1):
        if stream is None:  # it was closed when Python started
            stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a box still shows the numbers
        streams.append(Output(stream))
    sys.stdout, sys.stderr = streams
    try:
        yield streams[0]
    finally:
        sys.stdout, sys.stderr = before


def status_of(output: Output, status: int) -> int:
    """The exit status of a command that would have ended with `status`. Throws TasukiError where what it
    wrote was lost."""
    output.flush()
    if output.fault is None:
        return status
    if isinstance(output.fault, BrokenPipeError):
        return status or BROKEN_PIPE
    raise TasukiError(
        f"cannot write to standard output: {output.fault.strerror}",
        "the output is lost; use a terminal, a pipe or a file on a disk with space",
        status or 1,
    )
