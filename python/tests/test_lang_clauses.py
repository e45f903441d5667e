"""Every clause that is read changes what becomes of its directive, or says here why it asks nothing.

A clause that the grammar takes and that nothing looks at gives wrong results, and no error.
"""

from __future__ import annotations

import pytest

from tasuki.lang.front.acc import CLAUSES
from tasuki.lang.front.diagnose import Findings
from tasuki.lang.front.pragma import Cursor
from tasuki.lang.front.preprocess import wrap_pragmas
from tasuki.lang.rewrite import MAY, WORDS, translate

HEAD = """
#pragma xmp nodes p[*]
#pragma xmp template t[8]
#pragma xmp distribute t[block] onto p
double a[8], b[8], c[8], *q; int s, k;
#pragma xmp align [i] with t[i] :: a, b
#pragma xmp shadow a[1]
void f(void) {
"""
# A clause has to change one of these.
LOOPS = [
    "for (int i = 0; i < 8; i++) c[i] = q[0];",
    "for (int i = 0; i < 8; i++) s += k;",
    "for (int i = 0; i < 8; i++) c[k * i % 8] = k;",
    "for (int j = 0; j < 8; j++) for (int i = 0; i < 8; i++) c[i] = j;",
]
# What stands around a directive: @ the directive with its clauses, LOOP each of the loops.
BEFORE_LOOP = "#pragma acc @\nLOOP"
IN_REGION = "#pragma acc kernels copy(c) deviceptr(q)\n{\n#pragma acc @\nLOOP\n}"
AROUND_REGION = "#pragma acc @\n{\n#pragma acc parallel loop copy(c)\nLOOP\n}"
XMP = {
    "loop (i) on t[i]": "#pragma xmp @\nfor (int i = 0; i < 8; i++) s += a[i];",
    "gmove": "#pragma xmp @\na[0:2] = b[2:2];",
    "task on p[0]": "#pragma xmp @\ns = 1;",
    **dict.fromkeys(
        ("barrier", "bcast (c)", "reduction (+:c)", "wait_async (1)", "reflect (a)", "reflect_init (a)",
         "reflect_do (a)", "reduce_shadow (a)"),
        "#pragma xmp @",
    ),
}  # fmt: skip
ACC = {
    "data copy(b)": AROUND_REGION,
    **dict.fromkeys(("parallel", "kernels", "serial"), BEFORE_LOOP),
    **dict.fromkeys(("parallel loop", "kernels loop", "serial loop"), BEFORE_LOOP),
    "loop": IN_REGION,
    "host_data use_device(c)": "#pragma acc @\ns = c[0] + *q;",
    "declare": "#pragma acc @\n#pragma acc parallel loop copy(c)\nLOOP",
    **dict.fromkeys(("enter data copyin(b)", "exit data delete(b)", "update host(b)"), "#pragma acc @"),
    "wait(1)": "#pragma acc @",
}  # fmt: skip
# What a clause takes, where it is not its word alone.
TAKES = {
    "width": "(1)", "async": "(1)", "on": " p[0]", "from": " p[0]", "reduction": "(+:s)", "wait": "(1)",
    "if": "(k)", "expand": "(1)", "margin": "(1)", "peel_and_wait": "(1, 1)", "collapse": "(2)",
    "tile": "(2)", "default": "(none)", "gang": "(4)", "worker": "(4)", "vector": "(4)",
    "device_type": "(nvidia) async(2)", "deviceptr": "(q)", "use_device": "(q)",
    **dict.fromkeys(("num_gangs", "num_workers", "vector_length"), "(2)"),
    **dict.fromkeys(("copy", "copyin", "copyout", "create", "present", "delete"), "(c)"),
    **dict.fromkeys(("private", "firstprivate", "host", "self", "device"), "(c)"),
}  # fmt: skip
# Clauses that ask nothing, and why.
IDLE = {
    "profile": "nothing is timed by directive",
    "tile": "kernels have tiles of their own",
    "auto": "what is independent is looked for anyway",
    ("wait(1)", "async"): "the host waits, which is more",
    ("serial", "reduction"): "one thread does it",
    **{
        ("serial loop", each): "one thread does it"
        for each in ("gang", "worker", "vector", "seq", "independent", "reduction")
    },
    ("parallel loop", "independent"): "parallel says it",
}


def known_of(pragma: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The clauses that the grammar offers where a word is none."""
    offered: list[str] = []

    def choose(cursor: Cursor, what: str, known: object) -> None:
        if cursor.peek() == "zzz":
            offered.extend(known)
        cursor.wrong(what, "")

    with monkeypatch.context() as patch:
        patch.setattr(Cursor, "choose", choose)
        made_of(pragma, Findings())
    return offered


def made_of(text: str, findings: Findings) -> str:
    """The C and the CUDA of a function's body."""
    made = translate(wrap_pragmas(f"{HEAD}{text}\n}}\n", WORDS), findings, kernels=MAY, asked=True)
    return made.text + made.cuda


@pytest.mark.parametrize(
    ("dialect", "directive", "around"),
    [("xmp", *each) for each in XMP.items()] + [("acc", *each) for each in ACC.items()],
    ids=lambda word: word if "@" not in word else "",
)
def test_each_clause_does_something(
    dialect: str, directive: str, around: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = known_of(around.replace("LOOP", LOOPS[0]).replace("@", f"{directive} zzz"), monkeypatch)
    assert offered, f"{directive} offers no clause"
    idle = [
        clause
        for clause in offered
        if clause not in IDLE
        and (directive, clause) not in IDLE
        and not any(changes(around.replace("LOOP", loop), directive, clause) for loop in LOOPS)
    ]
    assert idle == []


def changes(text: str, directive: str, clause: str) -> bool:
    findings = Findings()
    made = made_of(text.replace("@", f"{directive} {clause}{TAKES.get(clause, '')}"), findings)
    return bool(findings.errors) or made != made_of(text.replace("@", directive), Findings())


def test_each_directive_of_acc_is_tried() -> None:
    tried = {name for name in CLAUSES if any(f"{each} ".startswith((f"{name} ", f"{name}(")) for each in ACC)}
    assert {name for name in CLAUSES if CLAUSES[name]} - tried == {
        "atomic",
        "routine",
        "init",
        "shutdown",
        "set",
    }
