"""Numbers of a command line that are none."""

from __future__ import annotations

import pytest

from tasuki.cli import main

OPTIONS = [
    ("trajectory", "--temperature"),
    ("transition", "--cutoff"),
    ("transition", "--tmin"),
    ("transition", "--tmax"),
]


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_a_number_that_is_none_is_refused(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["argon", command, "results/none", option, "inf"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"invalid value for '{option}': inf is no number" in err
