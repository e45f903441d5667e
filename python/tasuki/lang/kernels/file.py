"""The CUDA file of a unit: types and functions that kernels name, then each kernel and what launches it.

It includes kernels.cuh alone, so nvcc takes a second or two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.types import Variable, constant
from tasuki.lang.kernels.cxx import cxx
from tasuki.lang.kernels.nest import OPERATORS, Nest
from tasuki.lang.kernels.types import declarations, routines

_STARTS = {"times": "1", "bits_and": "~0", "both": "1"}  # what a part begins with; else 0


@dataclass
class _Parameter:
    launcher: str  # of the function of C: `void *u`
    kernel: str  # `double * u`; empty: the kernel has none
    passed: str = ""  # `(double *)u`


@dataclass(eq=False)
class Kernel:
    """A kernel: its number in the unit, what it does, its parameters."""

    number: int
    nest: Nest
    body: str
    routines: list[c_ast.FuncDef]
    kinds: list[str]  # C's types of the shared loops' variables
    parameters: list[_Parameter] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)  # of an iteration
    starts: list[str] = field(default_factory=list)  # of a thread
    folds: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)  # in the launcher
    after: list[str] = field(default_factory=list)
    bytes: list[str] = field(default_factory=list)

    def pointer(self, variable: Variable, kind: str) -> None:
        name = cxx(variable.name)
        typed = kind.format(name) if "{}" in kind else f"{kind}{name}"
        cast = kind.replace("{}", "").replace("__restrict__ ", "")
        self.parameters.append(_Parameter(f"void *{name}", typed, f"({cast}){name}"))

    def member(self, name: str, kind: str) -> None:
        self.parameters.append(_Parameter(f"void *{name}", f"{kind} {name}", f"({kind}){name}"))

    def longs(self, names: list[str]) -> None:
        self.parameters += [_Parameter(f"long {name}", f"long {name}", name) for name in names]

    def launch_alone(self, names: list[str]) -> None:
        self.parameters += [_Parameter(f"long {name}", "") for name in names]

    def descriptor(self, name: str) -> None:
        self.parameters.append(
            _Parameter(f"const struct tsk_array *{name}", f"const tsk_array {name}", f"*{name}")
        )

    def own(self, variable: Variable) -> None:
        """A variable of each iteration."""
        if variable.name not in {turn.counts.variable for turn in self.nest.shared}:
            self.locals.append(f"{variable.element()} {cxx(variable.name)}{_dims(variable)};")

    def scalar(self, variable: Variable, part: str) -> None:
        name, kind = cxx(variable.name), variable.element()
        if part == "unread":
            self.locals.append(f"{kind} {name}{_dims(variable)} = {{}};")
        elif part == "value":
            self.parameters.append(_Parameter(f"{kind} {name}", f"const {kind} {name}", name))
        elif part == "start":
            self.parameters.append(_Parameter(f"{kind} {name}", f"const {kind} tsk_f_{name}", name))
            self.locals.append(f"{kind} {name} = tsk_f_{name};")
        else:
            cell = f"tsk_c_{variable.name}"
            self.parameters.append(_Parameter(f"{kind} *{name}", f"{kind} *{cell}", cell))
            self.before.append(f"{kind}* const {cell} = tsk_lend(tsk_q, {name});")
            self.after.append(f"tsk_return(tsk_q, {name}, {cell});")
            self.bytes.append(f"sizeof({kind}) + 16")

    def sum(self, variable: Variable, op: str, m: Meaning) -> None:
        name, kind, fold = cxx(variable.name), variable.element(), OPERATORS.get(op, "")
        count = 1
        for dim in variable.dims():
            size = constant(dim)
            if size is None:
                at = m.tree.tokens.every[m.tree.whole[variable.decl][0]]
                raise m.wrong(at, f"{name} is summed in a kernel, and has a variable length",
                              "give it a constant one")  # fmt: skip
            count *= size
        part, most = f"tsk_p_{name}", ", TSK_MOST" if self.nest.mapping else ""
        self.parameters.append(_Parameter(f"{kind} *{name}", f"{kind} *{part}", part))
        start = _STARTS.get(fold, "0")
        if fold in ("most", "least"):
            self.parameters.append(_Parameter("", f"const {kind} tsk_f_{name}", f"{name}[0]"))
            start = f"tsk_f_{name}"
        self.starts.append(f"{kind} {name}{_dims(variable)}{'' if variable.dims() else f' = {start}'};")
        if variable.dims():
            each = f"for (int tsk_k = 0; tsk_k < {count}; ++tsk_k)"
            cell = f"(({kind}*){name})[tsk_k]"
            self.starts.append(f"{each} {cell} = {start};")
            self.folds.append(f"{each} tsk_fold<tsk_{fold}{most}>({cell}, {part} + tsk_k * TSK_ALL_BLOCKS);")
        else:
            self.folds.append(f"tsk_fold<tsk_{fold}{most}>({name}, {part});")
        self.before.append(f"{kind}* const {part} = tsk_q.take<{kind}>({count} * tsk_n.blocks());")
        self.after.append(f"tsk_collect<tsk_{fold}>(tsk_q, {name}, {part}, {count}, tsk_n.blocks());")
        most_blocks = "TSK_BLOCKS_OF_ARRAYS" if self._sums_arrays() else "TSK_BLOCKS"
        self.bytes.append(f"{count} * {most_blocks} * sizeof({kind}) + 16")

    def scratch(self) -> str:
        """C's text of how many bytes a launch needs."""
        return " + ".join(f"{each}" for each in self.bytes) or "0"

    def prototype(self) -> list[str]:
        """C's types of the launching function's parameters."""
        rest = [each.launcher for each in self.parameters if each.launcher]
        return ["const struct tsk_launch *", "const struct tsk_run *", *rest]

    def text(self) -> str:
        """CUDA C++ of the kernel and of the function that launches it."""
        axes = range(len(self.nest.axes))
        tiled, grid, each = self._tiled()
        heads = [
            *tiled,
            *[f"const tsk_steps tsk_{at}" for at in axes],
            *[p.kernel for p in self.parameters if p.kernel],
        ]
        passed = [head.split()[-1] for head in tiled]
        passed += [*[f"tsk_{at}" for at in axes], *[p.passed for p in self.parameters if p.kernel]]
        loops, ends = self._loops()
        lines = [
            f"static __global__ void tsk_grid_{self.number}({', '.join(heads)}) {{",
            *[f"  {each}" for each in self.starts],
            *loops,
            *[f"  {each}" for each in [*self._early(), *self.locals]],
            self.body.rstrip(),
            f'# 1 "kernel {self.number}"',
            ends,
            *[f"  {each}" for each in self.folds],
            "}",
        ]  # fmt: skip
        takes = ["const tsk_launch* tsk_l", "const tsk_run* tsk_r"]
        takes += [p.launcher for p in self.parameters if p.launcher]
        lines += [
            f'extern "C" const char* tsk_kernel_{self.number}({", ".join(takes)}) {{',
            "  tsk_pieces tsk_q(tsk_l);",
            *[f"  const tsk_steps tsk_{at} = tsk_steps_of(tsk_r[{at}]);" for at in axes],
            f"  const tsk_shape tsk_n = {self._shape()};",
            *(["  if (tsk_n.wrong) return tsk_n.wrong;"] if self.nest.mapping else []),
            "  if (tsk_n.blocks() == 0) return nullptr;",
            *[f"  {each}" for each in self.before],
            f"  {each}tsk_grid_{self.number}<<<{grid}, tsk_n.block, 0, tsk_q.stream()>>>"
            f"({', '.join(passed)});",
            *[f"  {each}" for each in self.after],
            "  return tsk_wrong();",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def _tiled(self) -> tuple[list[str], str, str]:
        """What a kernel over tiles is given, a launch's grid, and the loop around launches."""
        if self.nest.mapping or len(self.nest.shared) < 2:
            return [], "tsk_n.grid", ""
        if self.nest.sums:
            return ["const tsk_tiles tsk_m"], "tsk_n.grid", "const tsk_tiles tsk_m = tsk_n.tiles; "
        heads = ["const unsigned tsk_y", "const unsigned tsk_z"]
        return heads, "tsk_n.grid_from(tsk_y, tsk_z)", "TSK_EACH_GRID(tsk_y, tsk_z, tsk_n) "

    def _early(self) -> list[str]:
        loops = {turn.counts.variable for turn in self.nest.shared}
        return [f"{CGenerator().visit(decl)};" for decl in self.nest.early if decl.name not in loops]

    def _shape(self) -> str:
        if self.nest.mapping:
            return self.nest.mapping.shape(self._most() if self.nest.sums else "0")
        count = len(self.nest.shared)
        x, y = (f"tsk_{count - 1}.turns" if count else "1"), (f"tsk_{count - 2}.turns" if count > 1 else "1")
        z = " * ".join(f"tsk_{at}.turns" for at in range(count - 2)) or "1"
        return f"tsk_shape_of({min(count, 3)}, {x}, {y}, {z}, {self._most()})"

    def _most(self) -> str:
        """How many blocks a launch has at most."""
        if not self.nest.sums:
            return "kTskMostBlocks"
        return "kTskBlocksOfArrays" if self._sums_arrays() else "kTskBlocks"

    def _sums_arrays(self) -> bool:
        return any(variable.dims() for variable in self.nest.sums)

    def _loops(self) -> tuple[list[str], str]:
        """Headers of the loops that threads share, and what closes them."""
        shared = self.nest.shared
        count = len(shared)
        if count == 0:
            return ["  {"], "  }"
        if self.nest.mapping:
            lines, ends = self.nest.mapping.loops()
            return lines + self._variables(), ends
        deep = range(count - 2)
        z = " * ".join(f"tsk_{at}.turns" for at in deep)
        axes = [("z", "tsk_tz", z)] if deep else []
        axes += [
            (axis, f"tsk_t{at}", f"tsk_{at}.turns")
            for at, axis in ((count - 2, "y"), (count - 1, "x"))
            if at >= 0
        ]
        if count == 1:
            lines = _turn(*axes[0], bool(self.nest.sums))
        else:
            lines = _tiles(axes) if self.nest.sums else _cell(axes)
        rest = "tsk_tz"
        for at in reversed(deep):
            lines.append(f"  const long tsk_t{at} = {rest}{f' % tsk_{at}.turns' if at else ''};")
            rest = f"{rest} / tsk_{at}.turns"
        return lines + self._variables(), "  }}" if self.nest.sums and count > 1 else "  }"

    def _variables(self) -> list[str]:
        """The variables of the shared loops, by their turns."""
        lines = []
        for at, turn in enumerate(self.nest.shared):
            # In the variable's own type: what the compiler knows of its overflow makes addresses short.
            name, own = cxx(turn.counts.variable), f"({self.kinds[at]})"
            lines.append(
                f"  {self.kinds[at]} {name} = {own}tsk_{at}.first + {own}tsk_t{at} * {own}tsk_{at}.step;"
            )
        return lines


def _turn(axis: str, turn: str, turns: str, sums: bool) -> list[str]:
    """A loop along one axis. There is a thread for each of its turns, but for those that sum."""
    return [f"  {'TSK_FOR' if sums else 'TSK_ONCE'}({axis}, {turn}, {turns}) {{"]


def _cell(axes: list[tuple[str, str, str]]) -> list[str]:
    """A thread's turns along all axes, and a test whether they are any."""
    first = {"x": "blockIdx.x", "y": "tsk_y + blockIdx.y", "z": "tsk_z + blockIdx.z"}
    lines = [f"  const long {turn} = TSK_IN_TILE({first[axis]}, {axis});" for axis, turn, _ in axes]
    # A loop of one turn, since the statement may `continue`.
    return [*lines, f"  for (bool tsk_in = {_any(axes)}; tsk_in; tsk_in = false) {{"]


def _tiles(axes: list[tuple[str, str, str]]) -> list[str]:
    """One loop over the tiles of all axes, x first, and a test whether the thread's turns are any."""
    everything = " * ".join(f"tsk_m.{axis}" for axis, _, _ in reversed(axes))
    lines, number = [], "tsk_tile"
    for axis, turn, _ in reversed(axes):
        last = axis == axes[0][0]
        place = f"{number}{'' if last else f' % tsk_m.{axis}'}"
        lines.append(f"  const long {turn} = TSK_IN_TILE({place}, {axis});")
        number += f" / tsk_m.{axis}"
    loop = f"for (unsigned tsk_tile = blockIdx.x; tsk_tile < {everything}; tsk_tile += gridDim.x)"
    return [f'  _Pragma("unroll 1") {loop} {{', *lines, f"  if ({_any(axes)}) {{"]


def _any(axes: list[tuple[str, str, str]]) -> str:
    return " && ".join(f"{turn} < {turns}" for _, turn, turns in axes)


def _dims(variable: Variable) -> str:
    return "".join(f"[{constant(dim)}]" for dim in variable.dims())


def whole_file(m: Meaning, uses: dict[c_ast.ID, Use], kernels: list[Kernel]) -> str:
    """All of it."""
    functions = routines(m, uses, [each for kernel in kernels for each in kernel.routines])
    texts = [kernel.text() for kernel in kernels]
    head = declarations(m, [*functions, *texts])
    return "\n".join(['#include "kernels.cuh"', *head, *functions, *texts])
