"""What a kernel is given: its parameters, and what the C passes for them.

given = Arguments(text, kernel, body, region).all(statement)    # ["tsk_d3", "tsk_a_u.step[0]", "n", "&sum"]

Arrays are addresses of the device, with the strides that are known at run time only; scalars are values.
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.text import Text
from tasuki.lang.front.types import Variable, constant, descend
from tasuki.lang.host.regions import Path, Region
from tasuki.lang.kernels.cxx import cxx
from tasuki.lang.kernels.file import Kernel
from tasuki.lang.kernels.text import Body, inner_dims, member_name


class Arguments:
    """Fills in the parameters of one kernel."""

    def __init__(self, text: Text, kernel: Kernel, body: Body, region: Region) -> None:
        self.text, self.m = text, text.m
        self.kernel, self.body, self.region = kernel, body, region

    def all(self, statement: c_ast.Node) -> list[str]:
        """Fills in a kernel's parameters; what the C passes for them, in order."""
        given: list[str] = []
        if mapping := self.kernel.nest.mapping:
            self.kernel.launch_alone(["tsk_gangs", "tsk_workers", "tsk_length"])
            given = ["0" if size is None else f"({self.text.expr(size)})" for size in mapping.asked_for()]
        seen = set()
        for node in descend(statement):
            if node in self.body.led:
                continue
            if node in self.region.members:
                path = self.region.members[node]
                if path.text not in seen:
                    seen.add(path.text)
                    given.append(self._member(path))
                continue
            variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable is None or variable in seen or variable.is_function():
                continue
            seen.add(variable)
            given += self._argument(variable)
        for variable, op in self.kernel.nest.sums.items():
            self.kernel.sum(variable, op, self.m)
            given.append(
                f"({variable.element()} *){variable.name}" if variable.dims() else f"&{variable.name}"
            )
        return given

    def _member(self, path: Path) -> str:
        """What a member leads to. C++ knows its type by that of the struct."""
        struct = self.m.names.use[path.base].element()
        rest = path.text.removeprefix(path.base.name).removeprefix("->").removeprefix(".")
        self.kernel.member(member_name(path.text), f"decltype(&((({struct} *)0)->{rest})[0])")
        return f"(void *){self.region.member[path.text]}"

    def _argument(self, variable: Variable) -> list[str]:
        if variable in self.kernel.nest.sums:
            return []
        name, kind = variable.name, variable.element()
        # Arrays are not the same memory, pointers and parameters may be.
        is_array = bool(variable.dims()) or variable in self.m.arrays
        apart = "__restrict__ " if is_array and not variable.is_parameter else ""
        array = self.m.arrays.get(variable)
        if array is not None:
            local = all(array.linear(dim) for dim in range(array.dims))
            self.kernel.pointer(variable, f"{kind} *{apart}")
            base = self.region.base[array]
            if local:
                steps = [f"{array.name}.step[{dim}]" for dim in range(array.dims - 1)]
                self.kernel.longs([f"tsk_s_{cxx(name)}_{dim}" for dim in range(array.dims - 1)])
                return [base, *steps]
            self.kernel.descriptor(array.name)
            return [base, f"&{array.name}"]
        part = self.kernel.nest.scalars.get(variable)
        here = self.text.here(self.m.coarrays[variable]) if variable in self.m.coarrays else name
        if part == "own":
            self.kernel.own(variable)
            return []
        if part:
            self.kernel.scalar(variable, part)
            if part == "unread":
                return []
            return [f"&{here}" if part == "cell" else here]
        if variable not in self.region.name:
            return []  # of the statement itself, or a sum
        if kind.endswith("*"):
            at = self.m.tree.tokens.every[self.m.tree.whole[variable.decl][0]]
            what = f"{name} leads to pointers, in a kernel"
            raise self.m.wrong(at, what, "copy what they lead to into an array")
        if variable in self.body.steps:
            self.kernel.pointer(variable, f"{kind} *{apart}")
            count = self.body.steps[variable]
            self.kernel.longs([f"tsk_s_{name}_{k}" for k in range(count)])
            rows = [f"{here}{'[0]' * (k + 1)}" for k in range(count)]
            return [
                f"(void *){_local(self.region, variable)}",
                *[f"(long)(sizeof({r}) / sizeof({kind}))" for r in rows],
            ]
        dims = "".join(f"[{constant(dim)}]" for dim in inner_dims(variable))
        self.kernel.pointer(variable, f"{kind} (*{apart}{{}}){dims}" if dims else f"{kind} *{apart}")
        return [f"(void *){_local(self.region, variable)}"]


def _local(region: Region, variable: Variable) -> str:
    return region.name[variable].removeprefix("(*").removesuffix(")")
