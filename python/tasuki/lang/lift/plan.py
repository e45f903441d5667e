"""What is known of a time loop that is lifted: its nests as sweeps, and which of them are swaps.

nest.accesses[u].reads      # {(-1, 0), (1, 0)}: u[j-1][i], u[j+1][i]
nest.copy()                 # (u, v) of u[j][i] = v[j][i]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted
from tasuki.lang.analysis.plans import Axis, Plan
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array, Meaning
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Scope, Variable


class NotLifted(Exception):
    """Why a time loop stays as it is."""

    def __init__(self, m: Meaning, token: Spot, what: str, because: str) -> None:
        """`what` at the token's place, and why that is against it."""
        place = m.tree.tokens.place(token)
        super().__init__(f"{what} at {place.file}:{place.line} {because}")


def scope_of(m: Meaning, node: c_ast.Node) -> Scope:
    """The scope in which a statement stands."""
    while node not in m.names.scope:
        node = m.names.parent[node]
    return m.names.scope[node]


@dataclass
class Access:
    """What a nest does with an array. Offsets are by index of the nest, the outermost first."""

    array: Array
    reads: set[tuple[int, ...]] = field(default_factory=set)
    written: bool = False
    kept: bool = False  # an element may stay as it was
    at: Spot | None = None  # of the use that is furthest away
    by: c_ast.Node | None = None  # the assignment that every cell does
    around: list[bool] = field(default_factory=list)  # by index: a read may go round an end of the array

    @property
    def order(self) -> int:
        return max((sum(map(bool, offset)) for offset in self.reads), default=0)

    def widths(self, dims: int) -> tuple[list[int], list[int]]:
        """How far it reads, below and above."""
        lows = [max([0, *(-offset[a] for offset in self.reads)]) for a in range(dims)]
        highs = [max([0, *(offset[a] for offset in self.reads)]) for a in range(dims)]
        return lows, highs


@dataclass
class Live:
    """A maximum or minimum of each step, which the loop's condition reads."""

    variable: Variable
    op: str
    start: c_ast.Node  # what each step begins with


@dataclass
class Ending:
    """A condition that ends a loop: of `while`, beside the count of `for`, or of a `break` at its end."""

    cond: c_ast.Node
    form: str
    given: list[Variable] = field(default_factory=list)  # that it reads, beside reductions


@dataclass
class Nest:
    """A nest as a sweep."""

    plan: Plan
    axes: list[Axis]  # as the arrays' dimensions go, the last one fastest
    body: c_ast.Node
    accesses: dict[Array, Access]
    given: list[Variable]  # read, and changed by no step
    bounds: list[tuple[str, ...]]  # of each axis, as the text has them
    live: list[Live] = field(default_factory=list)

    @property
    def indices(self) -> list[str]:
        return [axis.counted.variable for axis in self.axes]

    def copy(self) -> tuple[Array, Array] | None:
        """The arrays of a nest that is `to[j][i] = from[j][i]` and no more."""
        body = self.body
        while isinstance(body, c_ast.Compound) and len(body.block_items or ()) == 1:
            body = body.block_items[0]
        if not isinstance(body, c_ast.Assignment) or body.op != "=" or len(self.accesses) != 2:
            return None
        if not isinstance(body.lvalue, c_ast.ArrayRef) or not isinstance(body.rvalue, c_ast.ArrayRef):
            return None
        to = [one for one in self.accesses.values() if one.written and not one.kept]
        source = [one for one in self.accesses.values() if one.reads == {(0,) * len(self.axes)}]
        if len(to) != 1 or len(source) != 1 or to[0].reads or source[0].written:
            return None
        alike = to[0].array.variable.basic() == source[0].array.variable.basic()
        whole = all(aligned(one.array) == list(range(one.array.dims)) for one in (to[0], source[0]))
        return (to[0].array, source[0].array) if alike and whole else None


def aligned(array: Array) -> list[int]:
    return [dim for dim, way in enumerate(array.aligned) if way.dim >= 0]


def order_of(array: Array) -> list[int]:
    """The template's dimensions as those of the array go."""
    return [array.aligned[dim].dim for dim in aligned(array)]


@dataclass
class Reflected:
    """How a step reflects an array: its whole shadow, but for dimensions that are periodic."""

    periodic: dict[int, tuple[int, int]] = field(default_factory=dict)  # by dimension: low, high


class Launches(Protocol):
    """What makes the function that launches a nest's kernel: on_gpus.py has it."""

    def function(self, text: Text, made: TimeLoop, nest: Nest, accesses: list[Access], name: str) -> str: ...


@dataclass
class TimeLoop:
    """A loop around nests; `nests` in the order of a step, `swaps` those that are swaps."""

    loop: c_ast.Node
    number: int
    counts: Counted | None = None  # none where a condition alone ends it
    counter: c_ast.Node | None = None  # of a `while`: the statement that counts
    ends: Ending | None = None
    nests: list[Nest] = field(default_factory=list)
    swaps: list[Nest] = field(default_factory=list)
    now_and_then: list[c_ast.If] = field(default_factory=list)  # branches of steps that are the loop's own
    reflected: dict[Array, Reflected] = field(default_factory=dict)
    asked: list[Variable] = field(default_factory=list)  # numbers that those conditions read
    why: str = ""  # it is not lifted
    on_host: bool = False  # a step has a directive that is about the host's memory
    on_gpus: dict[int, Launches] = field(default_factory=dict)  # kernels, by nest; none: GPUs do not lift it

    @property
    def arrays(self) -> list[Array]:
        return list(dict.fromkeys(array for nest in self.nests for array in nest.accesses))

    @property
    def live(self) -> list[Live]:
        return [live for nest in self.nests for live in nest.live]

    @property
    def given(self) -> list[Variable]:
        """Variables that cells and the condition read, and those of reductions."""
        cells = [each for nest in self.nests for each in nest.given]
        condition = self.ends.given if self.ends else []
        condition = [*condition, *self.asked]
        return list(dict.fromkeys([*cells, *condition, *(live.variable for live in self.live)]))
