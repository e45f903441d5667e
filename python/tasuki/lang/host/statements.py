"""Directives that are calls: reflect, barrier, bcast, reduction, task, wait_async, post, wait."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from tasuki.lang.analysis.conform import parts
from tasuki.lang.analysis.text import Text, compound
from tasuki.lang.analysis.things import Array
from tasuki.lang.front import forms, own
from tasuki.lang.front.acc import Acc
from tasuki.lang.front.parse import Directive, Section
from tasuki.lang.front.pragma import Ref
from tasuki.lang.front.tokens import Spot
from tasuki.lang.front.types import Scope, Variable, descend
from tasuki.lang.host.accelerate import Accelerate
from tasuki.lang.host.coarrays import Coarrays
from tasuki.lang.host.locations import elements
from tasuki.lang.host.reductions import is_rounded
from tasuki.lang.host.sections import Sections

# Records that are declarations, which tasuki.lang.host.declare edits.
_DECLARED = (
    forms.Nodes,
    forms.Template,
    forms.Distribute,
    forms.Align,
    forms.Shadow,
    forms.TemplateFix,
    forms.StaticDesc,
    forms.Coarray,
)


class Statements:
    """Edits the directives of statements."""

    def __init__(
        self, text: Text, number: Callable[[], int], sections: Sections, coarrays: Coarrays, acc: Accelerate
    ) -> None:
        self.text, self.m, self.edits, self.number = text, text.m, text.edits, number
        self.sections, self.coarrays, self.acc = sections, coarrays, acc

    def edit(self, directive: Directive, record: object) -> None:
        if isinstance(record, _DECLARED):
            return
        if isinstance(record, Acc):
            self.acc.edit(directive, record)
            return
        way = getattr(self, f"_{type(record).__name__.lower()}", None)
        if way is None:
            word = directive.tokens[0].value
            raise self.m.wrong(
                directive.tokens[0], f"{word} is not served yet", "see docs/lang/directives.md"
            )
        way(directive, record, self.m.names.scope[directive])

    def _call(self, directive: Directive, text: str) -> None:
        self.edits.replace(*self.m.tree.whole[directive], text)

    def _arrays(self, names: list[Spot], scope: Scope) -> list[Array]:
        return [self.m.arrays[scope.find(name.value)] for name in names]

    def _reflect(self, directive: Directive, record: forms.Reflect, scope: Scope) -> None:
        try:
            arrays = self._arrays(record.arrays, scope)
        except KeyError:
            return  # said already
        pointers = compound("struct tsk_array *", [f"&{array.name}" for array in arrays])
        where, sides = self.text.where(directive.at), self.text.sides(record.sides)
        if record.kind == "reflect_do":
            self._call(directive, f"tsk_reflect_do({where}, {len(arrays)}, {pointers}, {sides});")
            return
        widths = "0"
        if record.widths:
            rows = []
            for width in record.widths:
                lo = self.text.expr(width.lo)
                hi = self.text.expr(width.hi) if width.hi is not None else lo
                rows.append(f"{{{lo}, {hi}, {int(width.marked)}}}")
            widths = compound("struct tsk_width", rows)
        tail = "" if record.kind == "reflect_init" else f", {self.text.async_(record.wait)}"
        types = ""
        if record.kind == "reduce_shadow":
            self._refuse_rounded(record, arrays)
            types = compound("int", [f"TSK_{array.variable.basic()}" for array in arrays]) + ", "
        args = f"{where}, {len(arrays)}, {pointers}, {types}{widths}, {int(record.orthogonal)}, {sides}{tail}"
        self._call(directive, f"tsk_{record.kind}({args});")

    def _refuse_rounded(self, record: forms.Reflect, arrays: list[Array]) -> None:
        """An element and what shadows add to it are sums of their own, whose parts depend on the nodes."""
        for name, array in zip(record.arrays, arrays, strict=True):
            if self.m.deterministic and is_rounded("+", array.variable.basic()):
                what = f"{name.value} would have other bits on another number of ranks, with --deterministic"
                mend = "let each element read what its neighbours add, or compile it without the option"
                raise self.m.wrong(name, what, mend)

    def _collective(self, directive: Directive, record: forms.Collective, scope: Scope) -> None:
        where, on = self.text.where(directive.at), self.text.ref(record.on, scope)
        if record.kind == "barrier":
            self._call(directive, f"tsk_barrier({where}, {on});")
        elif record.kind == "wait_async":
            ids = [self.text.expr(node) for node in record.values]
            self._call(directive, f"tsk_wait_async({where}, {len(ids)}, {compound('long', ids)}, {on});")
        elif record.kind == "bcast":
            source = self.text.ref(record.source, scope)
            calls = []
            for node in record.values:
                self._refuse_distributed(node)
                named = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
                sides = self.text.sides(record.sides, named)
                tail = f"{source}, {on}, {sides}, {self.text.async_(record.wait)}"
                calls.append(self._bcast(node, where, tail))
            self._call(directive, " ".join(calls))
        else:
            self._call(directive, " ".join(self._reduction(directive, record, scope, on)))

    def _bcast(self, node: c_ast.Node, where: str, tail: str) -> str:
        if any(isinstance(each, Section) for each in descend(node)):
            return f"tsk_bcast_section({where}, {self.sections.section(node, [], None)}, {tail});"
        variable = self.m.names.use.get(node) if isinstance(node, c_ast.ID) else None
        if isinstance(node, c_ast.ID) and variable is None:
            raise self.m.wrong(self.m.tree.first(node), f"{node.name} is not declared", "declare it before")
        if variable is not None and variable.is_address():
            size = f"{self.text.count(variable, self.m.tree.first(node))} * sizeof({variable.element()})"
            return f"tsk_bcast({where}, (void *){node.name}, {size}, {tail});"
        value = self.text.expr(node)
        return f"tsk_bcast({where}, (void *)&({value}), sizeof({value}), {tail});"

    def _image(self, directive: Directive, record: forms.Image, scope: Scope) -> None:
        statement = self.m.names.next.get(directive)
        if statement is None:
            raise self.m.wrong(
                directive.at, "no statement stands behind this", "put it before one that names images"
            )
        nodes = scope.thing(record.nodes.value)
        where = self.text.where(directive.at)
        self._call(directive, f"{{ tsk_image({where}, &{nodes.name});")
        end = f" tsk_image({where}, 0); }}"
        self.edits.after(self.m.tree.whole[statement][1], end, self.m.tree.whole[directive][0])

    def _refuse_distributed(self, node: c_ast.Node) -> None:
        array = self.m.array_of(parts(node)[0] or node)
        if array is not None:
            what = f"{array.variable.name} is distributed: every node has a part of its own"
            raise self.m.wrong(self.m.tree.first(node), what, "use gmove, or a variable that every node has")

    def _reduction(self, directive: Directive, record: forms.Collective, scope: Scope, on: str) -> list[str]:
        calls = []
        for clause in record.reductions:
            for item in clause.items:
                name, variable = item.variable.value, scope.find(item.variable.value)
                if not isinstance(variable, Variable):
                    raise self.m.wrong(item.variable, f"{name} is not declared", "declare it before")
                if item.locations:
                    calls.append(self._location(record, clause, item, scope, on))
                    continue
                array = self.m.arrays.get(variable)
                kind = variable.basic()
                if kind == "BYTES":
                    raise self.m.wrong(item.variable, f"{name} is no number", "reduce an arithmetic type")
                at, count = f"&{name}", "1"
                if array is not None:
                    at, count = f"{array.name}.start", f"{array.name}.bytes / {array.name}.size"
                elif variable.dims() or variable.pointer_dims() is not None:
                    at, count = name, f"(long)({self.text.count(variable, item.variable)})"
                if self.m.deterministic and is_rounded(clause.op, kind):
                    what = f"{name} is reduced of what each node has, which depends on how many there are"
                    mend = "write reduction(..) behind the loop that sums, or compile without --deterministic"
                    raise self.m.wrong(item.variable, what, mend)
                op = forms.OPERATORS[clause.op]
                where = self.text.where(clause.at)
                calls.append(
                    f"tsk_reduce({where}, {on}, TSK_{op}, TSK_{kind}, (void *){at}, {count}, "
                    f"{self.text.sides(record.sides, variable)}, {self.text.async_(record.wait)});"
                )
        return calls

    def _location(
        self,
        record: forms.Collective,
        clause: forms.ReductionClause,
        item: forms.ReductionItem,
        scope: Scope,
        on: str,
    ) -> str:
        """A value with its locations; of equal ones the first node's (last..: the last one's)."""
        found = elements(self.text, item.locations, scope)
        rows = [f"{{&{each}, TSK_{variable.basic()}}}" for each, variable in found]
        value = item.variable.value
        kind = scope.find(value).basic()
        where, op = self.text.where(clause.at), forms.OPERATORS[clause.op]
        head = f"{where}, {on}, TSK_{op}, TSK_{kind}, &{value}, {len(rows)}"
        sides = self.text.sides(record.sides, scope.find(value))
        tail = f"1, 0, 0, {sides}, {self.text.async_(record.wait)}"
        return f"tsk_reduce_location({head}, {compound('struct tsk_location', rows)}, {tail});"

    def _task(self, directive: Directive, record: forms.Task, scope: Scope) -> None:
        statement = self.m.names.next.get(directive)
        if statement is None:
            raise self.m.wrong(
                directive.at, "no statement stands behind this", "put the task's block behind it"
            )
        name = f"tsk_k{self.number()}"
        on = self.text.ref(record.on, scope)
        call = f"tsk_task_begin({self.text.where(directive.at)}, {on}, {int(record.nocomm)})"
        head = f"{{ struct tsk_task {name} __attribute__((cleanup(tsk_task_end))) = {call}; if ({name}.mine)"
        self._call(directive, head)
        self.edits.after(self.m.tree.whole[statement][1], " }", self.m.tree.whole[directive][0])

    def _file(self, directive: Directive, record: own.File, scope: Scope) -> None:
        arrays = self._arrays(record.arrays, scope)
        where, path = self.text.where(directive.at), self.text.expr(record.path)
        pointers = compound("struct tsk_array *", [f"&{array.name}" for array in arrays])
        types = compound("int", [f"TSK_{array.variable.basic()}" for array in arrays])
        step = self.text.expr(record.step) if record.step is not None else ""
        listed = f"{path}, {len(arrays)}, {pointers}, {types}"
        if record.kind == "restore":
            into = f"{step} = " if step else ""
            self._call(directive, f"{into}tsk_restore({where}, {listed});")
        else:
            self._call(directive, f'tsk_save({where}, "{record.kind}", {listed}, {step or "0"});')

    def _tasks(self, directive: Directive, record: forms.Tasks, scope: Scope) -> None:
        del directive, record, scope  # its tasks pass each other by themselves

    def _gmove(self, directive: Directive, record: forms.Gmove, scope: Scope) -> None:
        del scope
        self.sections.gmove(directive, record)

    def _arrayon(self, directive: Directive, record: forms.ArrayOn, scope: Scope) -> None:
        del scope
        self.sections.array(directive, record)

    def _lock(self, directive: Directive, record: forms.Lock, scope: Scope) -> None:
        self.coarrays.lock(directive, record, scope)

    def _postwait(self, directive: Directive, record: forms.PostWait, scope: Scope) -> None:
        where = self.text.where(directive.at)
        node: Ref | None = record.node
        if record.kind == "post":
            self._call(
                directive, f"tsk_post({where}, {self.text.ref(node, scope)}, {self.text.expr(record.tag)});"
            )
            return
        tag = self.text.expr(record.tag) if record.tag is not None else "0"
        tagged = int(record.tag is not None)
        self._call(directive, f"tsk_wait({where}, {self.text.ref(node, scope)}, {tagged}, {tag});")
