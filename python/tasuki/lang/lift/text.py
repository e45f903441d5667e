"""C text of lifted time loops: the table of their nests, the call that does the steps, and conditions.

static const struct tsk_lifted tsk_h3 = {2, 2, (int[]){TSK_DOUBLE, TSK_DOUBLE}, 1, ..};
for (int k = (0) + (1) * tsk_lift("a.c:3:1", &tsk_h3, ..); k < n; k++)
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.counted import Counted
from tasuki.lang.analysis.references import Use
from tasuki.lang.analysis.text import Text, compound
from tasuki.lang.analysis.things import Array
from tasuki.lang.front.types import descend
from tasuki.lang.lift.cells import Cells, kind_of
from tasuki.lang.lift.plan import Access, Live, Nest, TimeLoop


def functions(text: Text, uses: dict[c_ast.ID, Use], made: TimeLoop) -> str:
    """The functions of a time loop's nests and condition, and the table that names them, a line each."""
    lines, nests = [], []
    for at, nest in enumerate(made.nests):
        listed = _accesses(made, nest)
        rows = compound("struct tsk_access", [_access(made, nest, access) for access in listed])
        cells, gpu = "0", "0"
        if nest not in made.swaps:
            cells = f"tsk_cells_{made.number}_{at}"
            lines.append(Cells(text, uses, nest, listed, made.given).function(cells))
        if at in made.on_gpus:
            gpu = f"tsk_gpu_{made.number}_{at}"
            lines.append(made.on_gpus[at].function(text, made, nest, listed, gpu))
        reduced = "0, 0"
        if nest.live:
            rows_of = [_reduced(made, live) for live in nest.live]
            reduced = f"{len(rows_of)}, {compound('struct tsk_reduced', rows_of)}"
        nests.append(
            f"{{{text.where(nest.plan.record.at)}, {cells}, {gpu}, {len(listed)}, {rows}, {reduced}}}"
        )
    types = compound("int", [f"TSK_{array.variable.basic()}" for array in made.arrays])
    table = f"{len(made.nests[0].axes)}, {int(bool(made.on_gpus))}, {len(made.arrays)}, {types}, {len(nests)}"
    ending = "0, 0, 0, 0"
    if made.now_and_then:
        lines.append(_next(text, made))
    if made.ends is not None:
        lines.append(_goes_on(text, made))
    if made.ends is not None or made.now_and_then:
        shown = [_reflected(made, array) for array in made.reflected if array in made.arrays]
        goes_on = f"tsk_goes_{made.number}" if made.ends is not None else "0"
        listed = compound("struct tsk_reflected", shown) if shown else "0"
        ending = f"{goes_on}, {int(bool(made.now_and_then))}, {len(shown)}, {listed}"
    kind = "static const struct tsk_lifted"
    lines.append(f"{kind} tsk_h{made.number} = {{{table}, {compound('struct tsk_nest', nests)}, {ending}}};")
    return "\n" + "\n".join(lines)


def _goes_on(text: Text, made: TimeLoop) -> str:
    """The function that says whether there is another step."""
    sign = "!" if made.ends.form == "break" else "!!"
    body = f"return {sign}({_given(text, made, made.ends.cond)});"
    return f"static int tsk_goes_{made.number}(void *const *tsk_g) {{ (void)tsk_g; {body} }}"


def _next(text: Text, made: TimeLoop) -> str:
    """The function that says after how many steps the loop has one of its own."""
    counts = made.counts
    kind = kind_of(text, counts)
    ifs = " || ".join(f"({_given(text, made, each.cond)})" for each in made.now_and_then)
    loop = f"for ({kind} {counts.variable} = ({kind})tsk_k; tsk_d > 0 ? {counts.variable} < tsk_n : "
    loop += f"{counts.variable} > tsk_n; {counts.variable} += ({kind})tsk_d)"
    head = f"static long tsk_next_{made.number}(long tsk_k, long tsk_n, long tsk_d, void *const *tsk_g)"
    return f"{head} {{ long tsk_t = 0; (void)tsk_g; {loop} {{ tsk_t++; if ({ifs}) break; }} return tsk_t; }}"


def _given(text: Text, made: TimeLoop, cond: c_ast.Node) -> str:
    """A condition, with variables by their addresses."""
    m, out = text.m, []
    first, last = m.tree.span_of(cond)
    names = {m.tree.span_of(node)[0]: node for node in descend(cond) if isinstance(node, c_ast.ID)}
    for index in range(first, last + 1):
        token = m.tree.tokens.every[index]
        variable = m.names.use.get(names.get(index))
        if variable in made.given:
            out.append(f"(*(const {variable.element()} *)tsk_g[{made.given.index(variable)}])")
        else:
            out.append(token.value)
    return " ".join(out)


def _reduced(made: TimeLoop, live: Live) -> str:
    start = len(made.given) + made.live.index(live)
    kind = f"TSK_{live.op.upper()}, TSK_{live.variable.basic()}"
    return f"{{{made.given.index(live.variable)}, {start}, {kind}}}"


def _reflected(made: TimeLoop, array: Array) -> str:
    periodic, widths = made.reflected[array].periodic, "0"
    if periodic:
        rows = [f"{{{', '.join(map(str, periodic.get(dim, (-1, -1))))}, {int(dim in periodic)}}}"
                for dim in range(array.dims)]  # fmt: skip
        widths = compound("struct tsk_width", rows)
    return f"{{{made.arrays.index(array)}, {widths}}}"


def call(text: Text, made: TimeLoop) -> str:
    """What does the steps, and how many it has done."""
    where = text.m.tree.tokens.every[text.m.tree.whole[made.loop][0]]
    arrays = compound("struct tsk_array *", [f"&{array.name}" for array in made.arrays])
    ranges = []
    for nest in made.nests:
        for axis in nest.axes:
            end = text.expr(axis.counted.bound)
            ranges += [text.expr(axis.counted.first), f"({end}) + 1" if axis.counted.inclusive else end]
    names = [f"(void *)&{variable.name}" for variable in made.given]
    names += [f"(void *)&({live.variable.element()}){{{text.expr(live.start)}}}" for live in made.live]
    given = compound("void *", names) if names else "0"
    marks = made.now_and_then or (made.ends is not None and made.ends.form == "break")
    over = f"&tsk_over{made.number}" if marks else "0"
    turns = "1L << 40"
    if made.counts is not None:
        first, bound, step = _header(text, made.counts)
        turns = f"tsk_turns({first}, {bound}, {step})"
        if made.now_and_then:
            turns = f"tsk_next_{made.number}({made.counts.variable}, {bound}, {step}, {given})"
    args = f"{text.where(where)}, &tsk_h{made.number}, {arrays}, {compound('long', ranges)}, {given}"
    done = f"tsk_lift({args}, {turns}, {over})"
    if made.ends is not None and made.ends.form != "break":
        return f"(({text.expr(made.ends.cond)}) ? {done} : 0)"
    return done


def go_on(text: Text, made: TimeLoop) -> str:
    """What stands before the condition of a loop that has steps of its own: it comes to the next of them."""
    _, _, step = _header(text, made.counts)
    steps = f"{made.counts.variable} += ({step}) * {call(text, made)}"
    return f"(void)(tsk_over{made.number} ? 0 : ({steps}))"


def ahead(text: Text, made: TimeLoop) -> str:
    """What stands before a `while`."""
    if made.counts is None:
        return f"(void){call(text, made)}; "
    _, _, step = _header(text, made.counts)
    return f"{made.counts.variable} += ({step}) * {call(text, made)}; "


def begin(text: Text, made: TimeLoop) -> str:
    """What stands for the first value of the loop's variable: the first one that is left for the loop."""
    first, _, step = _header(text, made.counts)
    return f"({first}) + ({step}) * {call(text, made)}"


def _header(text: Text, counts: Counted) -> tuple[str, str, str]:
    """First value, bound, and step with its sign."""
    bound = text.expr(counts.bound)
    if counts.inclusive:
        bound = f"({bound}) {'-' if counts.down else '+'} 1"
    step = "1" if counts.step is None else f"({text.expr(counts.step)})"
    return text.expr(counts.first), bound, f"-{step}" if counts.down else step


def _accesses(made: TimeLoop, nest: Nest) -> list[Access]:
    """As the nest's table lists them; of a swap what is filled first."""
    if nest not in made.swaps:
        return list(nest.accesses.values())
    return [nest.accesses[array] for array in nest.copy()]


def _access(made: TimeLoop, nest: Nest, access: Access) -> str:
    how = "TSK_READS" if not access.written else "TSK_WRITES"
    if access.written and (access.kept or access.reads):
        how = "TSK_READS | TSK_WRITES"
    by_index = list(access.widths(len(nest.axes)))
    by_index += [list(map(int, access.around))] if any(access.around) else []
    widths = ", ".join("{" + ", ".join(map(str, each)) + "}" for each in by_index)
    return f"{{{made.arrays.index(access.array)}, {how}, {access.order}, {widths}}}"
