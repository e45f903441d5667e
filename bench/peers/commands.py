"""What command lines of this folder have in common: `run` measures and keeps a record, `show` prints one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tasuki.errors import TasukiError
from tasuki.output import make_parent, refuse_output, write_text

Record = dict[str, Any]


def _console() -> Console:
    """As wide as the terminal; wide enough for a table where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=100)


@dataclass(frozen=True)
class Tool:
    """A script of this folder. `add`: its options of run; `measure`: the record, and where it shall be kept;
    `show`: prints a record."""

    name: str
    about: str
    add: Callable[[argparse.ArgumentParser], None]
    measure: Callable[[argparse.Namespace], tuple[Record, Path]]
    show: Callable[[Record, Console], None]

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Does what the words ask for; returns the exit status."""
        parser = argparse.ArgumentParser(
            description=self.about, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parts = parser.add_subparsers(required=True)
        part = parts.add_parser("run", help="measure, print, keep")
        self.add(part)
        part.add_argument("--out", type=Path, help="of the record")
        part.set_defaults(do=self._run)
        part = parts.add_parser("show", help="print a record")
        part.add_argument("record", type=Path)
        part.set_defaults(do=self._show)
        options = parser.parse_args(arguments)
        try:
            options.do(options)
        except TasukiError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return error.status
        return 0

    def _run(self, options: argparse.Namespace) -> None:
        if options.out:
            make_parent(options.out, "--out")
            refuse_output(options.out, "--out")
        record, path = self.measure(options)
        make_parent(path, "--out")
        write_text(path, json.dumps(record, indent=2) + "\n")
        self.show(record, _console())
        print(f"record: {path}")

    def _show(self, options: argparse.Namespace) -> None:
        try:
            record = json.loads(options.record.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TasukiError(f"{options.record} is no record ({error})", "name one that run kept") from None
        self.show(record, _console())
