"""Translates a preprocessed unit: directives become calls of the run time, all else stays as it is.

text = translate(preprocessed, findings, entry="main")
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from tasuki.lang.analysis.meaning import understand
from tasuki.lang.analysis.plans import Plan
from tasuki.lang.analysis.references import Use, element, use_of
from tasuki.lang.analysis.suspects import Suspects
from tasuki.lang.analysis.text import Text
from tasuki.lang.analysis.things import Array, Meaning, Nodes, Template
from tasuki.lang.front import forms
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.diagnose import Findings, Wrong
from tasuki.lang.front.edits import Edits
from tasuki.lang.front.parse import Coindexed, Directive, Section, parse
from tasuki.lang.front.tokens import Tokens
from tasuki.lang.front.types import descend
from tasuki.lang.host.accelerate import Accelerate
from tasuki.lang.host.checked import mark_copies, place
from tasuki.lang.host.coarrays import ATOMICS, Coarrays
from tasuki.lang.host.declare import Declarations
from tasuki.lang.host.library import place_calls
from tasuki.lang.host.loops import Loops
from tasuki.lang.host.rows import Rows
from tasuki.lang.host.sections import Sections
from tasuki.lang.host.statements import Statements
from tasuki.lang.kernels.kernels import Kernels, described
from tasuki.lang.kernels.threads import Threads
from tasuki.lang.lift.lift import Lift

MAY, MUST = "may", "must"
WORDS = ("xmp", "acc", "tasuki")


@dataclass
class Translated:
    """A unit's new text, and what a report says of it."""

    text: str
    meaning: Meaning
    plans: list[Plan]
    cuda: str = ""  # the CUDA file with the kernels of its loops, where some were asked for
    kernels: list[str] = field(default_factory=list)  # what a report says of them
    lifts: list[str] = field(default_factory=list)  # and of time loops
    threads: list[str] = field(default_factory=list)  # and of loops of OpenACC on the host


class _Unit:
    def __init__(self, meaning: Meaning, entry: str, program: str, check: bool, asked: bool) -> None:
        self.m = meaning
        self.check = check
        self.edits = Edits(meaning.tree.tokens)
        self.text = Text(meaning, self.edits)
        self._count = 0
        self.uses = self._find_uses()
        self.rows = Rows(self.text, self.uses, self.number, self.base)
        self.declarations = Declarations(self.text, entry, program, check)
        self.sections = Sections(self.text, self.uses, self.number)
        self.coarrays = Coarrays(self.text, self.sections, self.number)
        self.acc = Accelerate(self.text, self.uses, self.number)
        self.loops = Loops(self.text, self.uses, self.rows, self.number)
        self.kernels = Kernels(self.text, self.uses, self.number, self.acc, self.loops, asked)
        self.threads = Threads(self.text, self.kernels)
        self.lift = Lift(self.text, self.uses, self.loops.plans, self.number)
        self.cuda = ""
        self.statements = Statements(self.text, self.number, self.sections, self.coarrays, self.acc)

    def number(self) -> int:
        self._count += 1
        return self._count

    def base(self, use: Use) -> str:
        return self.acc.base(use)

    def _find_uses(self) -> dict[c_ast.ID, Use]:
        found = {}
        for name, variable in self.m.names.use.items():
            array = self.m.arrays.get(variable)
            if array is not None:
                found[name] = use_of(self.m, name, array)
        return found

    def do(self, kernels: str, unlifted: str) -> str:
        self._braces()
        for directive, records in self.m.records.items():
            self.edits.replace(*self.m.tree.whole[directive], "")
            for record in records:
                if not isinstance(record, forms.Loop):
                    self._try(lambda d=directive, r=record: self.statements.edit(d, r))
        for directive, records in self.m.records.items():  # when all regions of acc are known
            for record in records:
                if isinstance(record, forms.Loop):
                    self._try(lambda d=directive, r=record: self._loop(d, r))
        if kernels:
            self._try(lambda: self._kernels(kernels == MUST))
        if not self.check:
            self._try(self.threads.plan)
        self.lift.plan("--check looks at each access" if self.check else unlifted)
        if kernels:
            self._try(self._lifted_kernels)
        self.lift.edit()
        for node in [node for node in descend(self.m.tree.unit) if _is_atomic(node)]:
            self._try(lambda n=node: self.coarrays.atomic(n))
        self._try(Suspects(self.m, self.uses, self.loops.plans).look)
        for node in [node for node in descend(self.m.tree.unit) if isinstance(node, Coindexed)]:
            self._try(lambda n=node: self.coarrays.coindexed(n))
        self._local_sections()
        self._coarrays()
        self.declarations.more_make, self.declarations.more_end = self.acc.make, self.acc.end
        self.declarations.regions = self._regions(bool(kernels))
        if self.check:
            mark_copies(self.m)
        place_calls(self.text)
        self._try(self.declarations.edit)
        for plan in self.loops.plans:
            self._try(lambda p=plan: self.loops.headers(p))
        for use in self.uses.values():
            self._try(lambda u=use: self._use(u))
        if self.m.findings.errors:
            return ""
        return self.edits.whole()

    def _kernels(self, must: bool) -> None:
        self.kernels.plan(must)

    def _lifted_kernels(self) -> None:
        if not self.kernels.refused:
            self.lift.kernels(self.kernels)
        self.cuda = self.kernels.file()

    def _regions(self, kernels: bool) -> str:
        """Kinds of the unit's compute regions: with a loop of the host no GPU is taken by default."""
        if not kernels:
            return "TSK_LOOPS" if self.acc.computes else ""
        if not any(isinstance(record, Acc) for records in self.m.records.values() for record in records):
            return ""
        return "TSK_LOOPS | TSK_KERNELS" if self.kernels.refused else "TSK_KERNELS"

    def _braces(self) -> None:
        """A directive and its statement behind `if (x)` or `for (..)` become one statement."""
        for node in descend(self.m.tree.unit):
            if isinstance(node, c_ast.Compound) and node in self.m.tree.whole:
                first, last = self.m.tree.whole[node]
                if self.m.tree.tokens.every[first].type == "PPPRAGMA":
                    self.edits.before(first, "{ ")
                    self.edits.after(last, " }", first)

    def _try(self, step: object) -> None:
        try:
            step()
        except Wrong as wrong:
            self.m.findings.add(wrong.finding)

    def _loop(self, directive: Directive, record: forms.Loop) -> None:
        plan = self.loops.plan(directive, record)
        if self.check:
            plan.threads, plan.shown.why = False, plan.shown.why or "--check looks at each access"
        else:
            self.rows.plan(plan)
        self.loops.edit(plan)

    def _use(self, use: Use) -> None:
        parent = self.m.names.parent.get(use.node)
        if isinstance(parent, c_ast.UnaryOp) and parent.op == "sizeof" and not use.subs:
            place = self.m.tree.tokens.place(self.m.tree.first(use.name))
            what = f"sizeof of {use.name.name}, which is distributed, is the size of this node's part"
            self.m.findings.warning(place, what)
            self.edits.replace(*self.m.tree.span_of(parent), f"((unsigned long){use.array.name}.bytes)")
            return
        if use.array.is_pointer and not use.subs:
            self._keeps_its_memory(use, parent)
            return  # the program's own pointer
        if use.has_section and not use.section_served:
            raise self.m.wrong(
                self.m.tree.first(use.name), "a section stands in C", "put it behind gmove or array"
            )
        self.edits.replace(*self.m.tree.span_of(use.node), lambda: self._element(use))

    def _keeps_its_memory(self, use: Use, parent: c_ast.Node | None) -> None:
        """`a = b` would change the pointer alone, and not where the elements of `a` are looked for."""
        if not (isinstance(parent, c_ast.Assignment) and parent.lvalue is use.node):
            return
        given = parent.rvalue
        while isinstance(given, c_ast.Cast):
            given = given.expr
        if isinstance(given, c_ast.ID) and self.m.names.use.get(given) is not None:
            raise self.m.wrong(
                self.m.tree.first(use.name),
                f"{use.name.name} is distributed, and another pointer is assigned to it",
                "copy the elements in a loop, which a time loop that is lifted does by a swap",
            )

    def _local_sections(self) -> None:
        """Assignments of sections that no directive stands before."""
        served = {
            self.m.names.next.get(directive) for directive, records in self.m.records.items() if records
        }
        for node in descend(self.m.tree.unit):
            if not isinstance(node, c_ast.Assignment) or node not in self.m.tree.whole or node in served:
                continue
            inside = list(descend(node))
            if any(isinstance(each, Section) for each in inside) and not any(
                isinstance(each, Coindexed) for each in inside
            ):
                self._try(lambda n=node: self.sections.local(n))

    def _coarrays(self) -> None:
        """This image's own part of a coarray, wherever the text names it."""
        for name, variable in self.m.names.use.items():
            coarray = self.m.coarrays.get(variable)
            if coarray is not None and not self.acc.stands_for(name):
                self.edits.replace(*self.m.tree.span_of(name), self.text.here(coarray))

    def _element(self, use: Use) -> str:
        if self.check and use.subs:
            return element(self.text, use, self.base(use), place(self.text, use))
        row = self.rows.element(use)
        if row is None:
            return element(self.text, use, self.base(use))
        every, first = self.m.tree.tokens.every, self.m.tree.span_of(use.node)[0]
        return f"({row})" if every[first].value == "(" else row  # of `sizeof(a[i])`

    def descriptors(self) -> None:
        """xmp_desc_of(name), which takes a name of any kind, and free(name) of memory by xmp_malloc."""
        for node in descend(self.m.tree.unit):
            if not (isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)):
                continue
            freed = self.m.array_of(node.args.exprs[0]) if node.name.name == "free" and node.args else None
            if freed is not None and freed.is_pointer:
                self.edits.replace(*self.m.tree.span_of(node), f"xmp_free({freed.name}.of)")
            if (
                node.name.name != "xmp_desc_of"
                or not node.args
                or not isinstance(node.args.exprs[0], c_ast.ID)
            ):
                continue
            name = node.args.exprs[0]
            thing = self.m.array_of(name) or self._thing_at(node, name.name)
            if thing is None:
                first = self.m.tree.first(name)
                wrong = self.m.wrong(
                    first, f"{name.name} has no descriptor", "name nodes, a template or a distributed array"
                )
                self.m.findings.add(wrong.finding)
                continue
            text = f"((void *){thing.name}.of)"
            if isinstance(thing, Array):
                text = f"tsk_described(&{thing.name}, TSK_{thing.variable.basic()})"
            self.edits.replace(*self.m.tree.span_of(node), text)

    def _thing_at(self, node: c_ast.Node, name: str) -> Nodes | Template | None:
        each: c_ast.Node | None = node
        while each is not None and each not in self.m.names.scope:
            each = self.m.names.parent.get(each)
        scope = self.m.names.scope.get(each, self.m.names.file)
        return scope.thing(name)


def _is_atomic(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name in ATOMICS


def translate(
    text: str,
    findings: Findings,
    entry: str = "main",
    program: str = "",
    check: bool = False,
    kernels: str = "",
    unlifted: str = "",
    asked: bool = False,
    first_image: int = 0,
    deterministic: bool = False,
) -> Translated:
    """The text that the user's compiler is given; empty where there are errors. `check`: each access asks
    the run time first. `kernels`: whether loops of OpenACC become kernels of GPUs: "", MAY or MUST.
    `unlifted`: why no time loop is lifted; empty: each that can be. `asked`: kernels take gang, worker and
    vector literally. `first_image`: what the program calls the first one in `a:[k]`. `deterministic`: sums
    of floating point have the same bits on any number of ranks.
    """
    try:
        tree = parse(Tokens(text, WORDS))
    except Wrong as wrong:
        findings.add(wrong.finding)
        return Translated("", None, [])
    meaning = understand(tree, findings)
    meaning.deterministic = deterministic
    unit = _Unit(meaning, entry, program, check, asked)
    unit.coarrays.first_image = first_image
    unit.descriptors()
    made = unit.do(kernels, unlifted)
    kernel_lines, lift_lines = described(unit.kernels, meaning), unit.lift.described()
    return Translated(
        made, meaning, unit.loops.plans, unit.cuda, kernel_lines, lift_lines, unit.threads.described()
    )
