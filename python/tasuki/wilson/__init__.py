"""What `tasuki wilson` knows of a run: its correlators, what masses they mean, and whether to believe them.

    from tasuki.wilson import load
    run = load("results/wilson-20260101-120000")
    run.pion                                      # numpy, [configurations, T]
    masses(run)["pion"].effective.value           # by t, with .error beside it

`folder` reads, `jackknife` makes errors, `mass` solves for effective masses and looks for their plateau,
`verdict` says what does not convince."""

from __future__ import annotations

from tasuki.wilson.folder import Run, load
from tasuki.wilson.jackknife import Estimate, jackknife
from tasuki.wilson.mass import Mass, masses

__all__ = ["Estimate", "Mass", "Run", "jackknife", "load", "masses"]
