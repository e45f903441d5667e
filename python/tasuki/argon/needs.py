"""Libraries that only the analysis of runs needs, imported where they are used."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import warnings
from types import ModuleType

from tasuki.errors import TasukiError


def need(name: str) -> ModuleType:
    """The module `name`; a TasukiError says how to come by it."""
    try:
        # They greet on stderr where they miss an accelerator that nobody asked for.
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            logging.getLogger("pymbar").setLevel(logging.ERROR)
            return importlib.import_module(name)
    except ImportError as error:
        raise TasukiError(
            f"{name.split('.')[0]} is not installed ({error})", "run `pip install 'tasuki[argon]'`"
        ) from None


def have(name: str) -> bool:
    """Whether `need(name)` would succeed."""
    try:
        need(name)
    except TasukiError:
        return False
    return True
