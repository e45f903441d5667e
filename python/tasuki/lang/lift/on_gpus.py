"""Kernels of lifted nests: a region's own statement, over boxes and fields of the core.

    static const char *tsk_gpu_3_0(const struct tsk_cells *tsk_s, const struct tsk_launch *tsk_l) {
      const struct tsk_array tsk_a_u = tsk_s->array[0]; ..
      return tsk_kernel_9(tsk_l, (const struct tsk_run[]){{tsk_s->lo[0], tsk_s->hi[0], 1}, ..}, ..);
    }

A time loop goes to a GPU where all of its nests are regions, its reflects are of the device's memory, and no
condition looks at a step. What a nest sums is done by the loop's own last step, so these kernels sum nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pycparser import c_ast

from tasuki.lang.analysis.text import Text, compound
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.host.regions import Region
from tasuki.lang.kernels.arguments import Arguments
from tasuki.lang.kernels.file import Kernel
from tasuki.lang.kernels.kernels import Kernels
from tasuki.lang.kernels.nest import Ask, read_nest
from tasuki.lang.kernels.nest import Nest as Shaped
from tasuki.lang.kernels.text import Body
from tasuki.lang.lift.plan import Access, Nest, TimeLoop, aligned


@dataclass
class OnGpus:
    """A nest's kernel, and what C passes for its parameters."""

    kernel: Kernel
    given: list[str]

    def function(self, text: Text, made: TimeLoop, nest: Nest, accesses: list[Access], name: str) -> str:
        """The function of C that launches it over a box."""
        heads = [f"const struct tsk_array {each.array.name} = tsk_s->array[{at}];"
                 for at, each in enumerate(accesses)]  # fmt: skip
        for variable, part in self.kernel.nest.scalars.items():
            if part not in ("value", "start"):
                continue
            kind, value = variable.element(), "{0}"  # of a loop's header alone
            if variable in made.given:
                value = f"*(const {kind} *)tsk_s->given[{made.given.index(variable)}]"
            heads.append(f"const {kind} {variable.name} = {value}; (void){variable.name};")
        axes = [axis.counted.loop for axis in nest.axes]
        places = [axes.index(turn.counts.loop) for turn in self.kernel.nest.axes]
        runs = compound("const struct tsk_run", [f"{{tsk_s->lo[{k}], tsk_s->hi[{k}], 1}}" for k in places])
        kernel = f"tsk_kernel_{self.kernel.number}"
        return (
            f"extern const char *{kernel}({', '.join(self.kernel.prototype())}); "
            f"static const char *{name}(const struct tsk_cells *tsk_s, const struct tsk_launch *tsk_l) "
            f"{{ {' '.join(heads)} return {kernel}({', '.join(['tsk_l', runs, *self.given])}); }}"
        )


def make(kernels: Kernels, made: TimeLoop) -> None:
    """Makes the kernels of a time loop's nests, where each can have one; else GPUs do its regions alone."""
    if made.ends is not None or made.on_host:
        return
    asked = {each: (region, ask) for _, _, each, region, ask in kernels.asks()}
    found: dict[int, OnGpus] = {}
    for at, nest in enumerate(made.nests):
        if nest.plan.outer not in asked:
            return
        if nest in made.swaps:
            continue
        one = _one(kernels, nest, *asked[nest.plan.outer])
        if one is None:
            return
        found[at] = one
    kernels.more += [one.kernel for one in found.values()]
    made.on_gpus = found


def _one(kernels: Kernels, nest: Nest, region: Region, ask: Ask) -> OnGpus | None:
    m = kernels.m
    shaped = read_nest(replace(ask, asked=False), nest.plan.outer)
    axes = [axis.counted.loop for axis in nest.axes]
    # The copy of a number on the device may be another than the host's, which the cells are given.
    if region.condition or region.members or region.twins or not _fits(nest, shaped, axes):
        return None
    for variable in [*shaped.sums, *(v for v, part in shaped.scalars.items() if part == "cell")]:
        shaped.sums.pop(variable, None)
        shaped.scalars[variable] = "unread"
    base = {array: f"(void *){array.name}.at" for array in nest.accesses}
    try:
        body = Body(m, kernels.uses, shaped.body, shaped)
        kinds = [kernels.loops._kind(turn.counts) for turn in shaped.shared]
        kernel = Kernel(kernels.number(), shaped, body.text(), body.routines, kinds)
        given = Arguments(kernels.text, kernel, body, Region(base=base)).all(nest.plan.outer)
    except Wrong:
        return None  # its region says why
    return OnGpus(kernel, given)


def _fits(nest: Nest, shaped: Shaped, axes: list[c_ast.Node]) -> bool:
    """Whether boxes say where its loops run, and rows of fields are dense as its text takes them."""
    loops = [turn.counts.loop for turn in shaped.axes]
    dense = all(aligned(array)[-1] == array.dims - 1 for array in nest.accesses)
    return dense and sorted(map(id, loops)) == sorted(map(id, axes))
