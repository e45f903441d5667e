"""What went wrong, said in one line with what to change."""

from __future__ import annotations


class TasukiError(Exception):
    """An error with its mend; the command shows it as ``tasuki: WHAT; MEND`` and leaves with `status`."""

    def __init__(self, what: str, mend: str, status: int = 2) -> None:
        super().__init__(f"{what}; {mend}" if mend else what)
        self.status = status
