"""What is known of a loop that is cut: its directive, its axes, and whether its iterations depend on each
other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted
from tasuki.lang.front import forms
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Scope

FEW = 4096  # iterations of a single loop that one thread does about as fast as several
FEW_ROWS = 16  # rows of a piece or a rim


@dataclass
class Shown:
    """Whether iterations are independent, and which variables are each iteration's own."""

    why: str = ""
    private: list[str] = field(default_factory=list)
    reductions: list[tuple[str, str]] = field(default_factory=list)  # operator, variable

    @property
    def independent(self) -> bool:
        return not self.why


@dataclass
class Axis:
    """One index of a loop: the for that counts it, and the dimension of the reference that it runs along."""

    counted: Counted
    dim: int
    offset: c_ast.Node | None
    sign: str
    unit: bool  # whether a run's step is the program's (all but cyclic)


@dataclass
class Plan:
    """A loop directive with its nest."""

    record: forms.Loop
    directive: Directive
    scope: Scope
    outer: c_ast.For
    axes: list[Axis]
    number: int
    shown: Shown | None = None
    threads: bool = False
    settled: dict[int, str] = field(default_factory=dict)  # axes asked for once, by dimension
    exact: list[str] = field(default_factory=list)  # with --deterministic: what takes up an iteration's sums
    places: list[str] = field(default_factory=list)  # what the end of a body notes for locations
    strides: dict[str, list[str]] = field(default_factory=dict)  # arrays by how the text reaches elements

    @property
    def name(self) -> str:
        return f"tsk_l{self.number}"

    @property
    def indices(self) -> dict[str, int]:
        return {axis.counted.variable: axis.dim for axis in self.axes}
