"""Kernels of OpenACC regions: a CUDA file beside the translated C, and what the C launches them with.

    #pragma acc parallel loop collapse(2)
    for (int j = 1; j < n; j++) for (int i = 1; i < n; i++) v[j][i] = u[j][i];
    ->
    if (tsk_acc_gpu()) { struct tsk_launch tsk_g = ..; tsk_acc_launched(&tsk_g, tsk_kernel_3(&tsk_g, ..)); }
    else for (..)

A region is a kernel for each of its statements. The C launches by functions of plain C, which the CUDA
file defines; what both are made of is lang/runtime/kernels.cuh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Meaning
from tasuki.lang.front.acc import Acc, Part
from tasuki.lang.front.diagnose import Wrong
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import Variable, descend
from tasuki.lang.host.accelerate import Accelerate
from tasuki.lang.host.loops import Loops
from tasuki.lang.host.regions import Region
from tasuki.lang.host.threads import is_settled
from tasuki.lang.kernels.arguments import Arguments
from tasuki.lang.kernels.file import Kernel, whole_file
from tasuki.lang.kernels.kept import Kept
from tasuki.lang.kernels.mapping import LEVELS
from tasuki.lang.kernels.nest import Ask, Nest, Turn, read_nest
from tasuki.lang.kernels.text import Body


@dataclass
class Made:
    """What a report says of a kernel."""

    kernel: Kernel
    at: object
    nest: Nest
    conditional: bool  # the clause `if` may leave it to the host


class Kernels:
    """Makes the kernels of a unit, and edits their launches into its C."""

    def __init__(
        self,
        text: Text,
        uses: dict[c_ast.ID, Use],
        number: Callable[[], int],
        acc: Accelerate,
        loops: Loops,
        asked: bool,
    ) -> None:
        self.text, self.m, self.edits = text, text.m, text.edits
        self.uses, self.number, self.acc, self.loops = uses, number, acc, loops
        self.asked = asked  # --acc-mapping
        self.made: list[Made] = []
        self.more: list[Kernel] = []  # of time loops as a whole
        self.refused = False  # a region cannot be a kernel, and ends a run on a GPU
        self.kept = Kept(self.m, self.edits)

    def plan(self, must: bool) -> None:
        """Looks at all regions. What cannot be a kernel is an error where it must be one, else it says so."""
        for directive, record, each, region, ask in self.asks():
            try:
                self._one(directive, record, each, region, ask)
            except Wrong as wrong:
                if must:
                    self.m.findings.add(wrong.finding)
                    continue
                self.refused = True
                place, found = wrong.finding.place, wrong.finding
                self.m.findings.warning(place, f"{found.what}: it ends a run on a GPU", found.mend)
                what = f'"{found.what}"'.replace("\n", " ")
                where = self.text.where(directive.at)
                launch = f"(struct tsk_launch){{{where}, TSK_ACC_NOW, 0, 0}}"
                self._around(each, region, lambda v=launch, q=what: f"tsk_acc_launched(&{v}, {q});")
        self.kept.plan([made.nest for made in self.made if not made.conditional])

    def asks(self) -> Iterator[tuple[Directive, Acc, c_ast.Node, Region, Ask]]:
        """The statements of all regions, and what is asked of each."""
        plans = {plan.outer: plan for plan in self.loops.plans}
        for directive, record, whole, region in self.acc.computes:
            for each in self._statements(whole, record):
                loops, named = self._acc_loops(each), self._named(record, each)
                yield (
                    directive,
                    record,
                    each,
                    region,
                    Ask(self.m, record, self.uses, plans.get(each), loops, named, self.asked),
                )

    def file(self) -> str:
        """The CUDA file; empty where there are no kernels."""
        kernels = [*(each.kernel for each in self.made), *self.more]
        return whole_file(self.m, self.uses, kernels) if kernels else ""

    def _statements(self, statement: c_ast.Node, record: Acc) -> list[c_ast.Node]:
        """What becomes a kernel each: a block's statements, where it declares nothing."""
        items = getattr(statement, "block_items", None)
        if not isinstance(statement, c_ast.Compound) or not items:
            return [statement]
        if any(isinstance(item, c_ast.Decl) for item in items):
            return [statement]
        rest = [item for item in items if not isinstance(item, (Directive, c_ast.EmptyStatement))]
        return [each for item in rest for each in self._statements(item, record)]

    def _one(
        self, directive: Directive, record: Acc, statement: c_ast.Node, region: Region, ask: Ask
    ) -> None:
        m, plan = self.m, ask.plan
        nest = read_nest(ask, statement)
        self._refuse(nest, plan, directive, record)
        body = Body(m, self.uses, nest.body, nest, region.members)
        kinds = [self.loops._kind(turn.counts) for turn in nest.shared]
        kernel = Kernel(self.number(), nest, body.text(), body.routines, kinds)
        for node in descend(statement):
            variable = m.names.use.get(node) if isinstance(node, c_ast.ID) else None
            if variable in nest.scalars or variable in nest.sums:
                body.refuse_type(variable, m.tree.first(node))
        given = Arguments(self.text, kernel, body, region).all(statement)
        self.made.append(Made(kernel, directive.at, nest, bool(region.condition)))
        if nest.why and not nest.shared and isinstance(statement, c_ast.For) and record.name[0] != "s":
            what = f"one thread of a GPU does this in order: {nest.why}"
            m.findings.warning(m.tree.tokens.place(directive.at), what, "write `independent` where it is")
        self._around(statement, region, lambda: self._launch(directive, record, kernel, given, plan))

    def _acc_loops(self, statement: c_ast.Node) -> dict[c_ast.Node, Acc]:
        found = {}
        for directive, records in self.m.records.items():
            for record in records:
                if isinstance(record, Acc) and record.name == "loop":
                    found[self.m.names.next.get(directive)] = record
        inside = set(descend(statement))
        return {loop: record for loop, record in found.items() if loop in inside}

    def _named(self, record: Acc, statement: c_ast.Node) -> set[Variable]:
        """Variables that a data clause of this region or of one around it names."""
        around, each = [record], statement
        by_statement = {
            self.m.names.next.get(directive): one
            for directive, records in self.m.records.items()
            for one in records
            if isinstance(one, Acc) and one.name == "data"
        }
        while each is not None:
            if each in by_statement:
                around.append(by_statement[each])
            each = self.m.names.parent.get(each)
        names = {part.name.value for one in around for _, part in one.data}
        used = {self.m.names.use.get(node) for node in descend(statement) if isinstance(node, c_ast.ID)}
        return {variable for variable in used if variable is not None and variable.name in names}

    def _refuse(self, nest: Nest, plan: Plan | None, directive: Directive, record: Acc) -> None:
        inside = set(descend(nest.statement))
        cut = [other for other in self.loops.plans if other.outer in inside and other is not plan]
        if cut:
            raise self.m.wrong(cut[0].record.at, "a loop of xmp inside of a kernel's statement",
                               "let it be a region of its own")  # fmt: skip
        if not nest.shared and record.reductions:
            arrays = [part for _, part in record.reductions if self._has_dims(part, directive)]
            if arrays:
                what = f"{arrays[0].name.value} is summed by one thread, in a kernel"
                raise self.m.wrong(arrays[0].name, what, "write `independent` where the loop is")
        if plan is None:
            return
        if any(item.locations for clause in plan.record.reductions for item in clause.items):
            raise self.m.wrong(plan.record.at, "a reduction with locations, in a kernel",
                               "leave the directive of acc out")  # fmt: skip
        if plan.exact:
            raise self.m.wrong(plan.record.at, "a sum by --deterministic, in a kernel",
                               "run it on the host, or compile without the option")  # fmt: skip
        for turn in nest.axes:
            if turn.axis is None or (turn.shared and turn.axis.unit):
                continue
            is_first = turn.counts.loop is plan.outer
            if not is_first and not is_settled(plan, turn.axis):
                raise self.m.wrong(plan.record.at, "a loop that is cut, with bounds that the loop around it "
                                   "changes, in a kernel", "leave the directive of acc out")  # fmt: skip
            if not turn.axis.unit and not turn.shared:
                what = "a loop over cyclic pieces that goes in order, in a kernel"
                raise self.m.wrong(plan.record.at, what, "distribute by block, or say `loop independent`")

    def _has_dims(self, part: Part, directive: Directive) -> bool:
        variable = self.m.names.scope[directive].find(part.name.value)
        return isinstance(variable, Variable) and bool(variable.dims())

    def _around(self, statement: c_ast.Node, region: Region, launch: Callable[[], str]) -> None:
        first, last = self.m.tree.whole[statement]
        asked, other, end = "tsk_acc_gpu()", "", ""
        if region.condition:  # the host's loop reads what kernels before it have summed
            asked, other, end = f"{asked} && {region.condition}", "{ tsk_acc_settle(); ", " }"
        self.edits.before(first, lambda: f"{{ if ({asked}) {{ {launch()} }} else {other}")
        self.edits.after(last, f"{end} }}", first)

    def _launch(
        self, directive: Directive, record: Acc, kernel: Kernel, given: list[str], plan: Plan | None
    ) -> str:
        """Text of C that launches a kernel, for each run of the axes that are cut."""
        heads, runs = [], []
        for at, turn in enumerate(kernel.nest.axes):
            head_of, run = self._run(kernel.number, at, turn, plan)
            heads.append(head_of)
            runs.append(run)
        head = "".join(sorted(heads, key=lambda each: each.startswith("for")))  # declarations before loops
        where, queue = self.text.where(directive.at), self.acc.queue(record)
        name = f"tsk_kernel_{kernel.number}"
        rows = f"(const struct tsk_run[]){{{', '.join(runs)}}}" if runs else "0"
        call = f"{name}({', '.join(['&tsk_g', rows, *given])})"
        before, behind = self.kept.before(kernel.nest), self.kept.behind(kernel.nest)
        return (
            f"extern const char *{name}({', '.join(kernel.prototype())}); {before}{head}{{ "
            f"struct tsk_launch tsk_g = tsk_acc_launch({where}, {queue}, {kernel.scratch()}); "
            f"tsk_acc_launched(&tsk_g, {call}); }}{behind}"
        )

    def _run(self, number: int, at: int, turn: Turn, plan: Plan | None) -> tuple[str, str]:
        counts = turn.counts
        if turn.axis is None:
            first, bound = self.text.expr(counts.first), self.text.expr(counts.bound)
            if counts.inclusive:
                bound = f"({bound}) {'-' if counts.down else '+'} 1"
            step = "1" if counts.step is None else f"({self.text.expr(counts.step)})"
            return "", f"{{{first}, {bound}, {'-' if counts.down else ''}{step}}}"
        name, axis = f"tsk_g{number}_{at}", self.loops._axis(plan, turn.axis)
        if turn.axis.unit:  # one run, or nothing to do
            return f"const struct tsk_axis {name} = {axis}; ", f"tsk_run_of(&{name})"
        walk = f"for (struct tsk_walk {name} = tsk_walk({axis}); "
        walk += f"{name}.turn < {name}.axis.runs; tsk_walk_on(&{name})) "
        return walk, f"{name}.run"


def described(kernels: Kernels, meaning: Meaning) -> list[str]:
    """Lines of a report."""
    lines = []
    for made in kernels.made:
        shared = [turn.counts.variable for turn in made.nest.shared]
        if made.nest.mapping:
            said = [
                " ".join(sorted(g.levels, key=LEVELS.index))
                for g in made.nest.mapping.groups
                for _ in range(g.loops)
            ]
            shared = [f"{name}: {level or 'each'}" for name, level in zip(shared, said, strict=True)]
        how = f"threads share ({', '.join(shared)})" if shared else f"one thread, in order: {made.nest.why}"
        lines.append(f"{meaning.tree.tokens.place(made.at)}: kernel {made.kernel.number}: {how}")
    return lines
