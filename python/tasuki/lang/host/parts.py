"""Data clauses of OpenACC as rows of `struct tsk_part`, in the C that a source becomes.

    copyin(a, b[lo:n])
    ->
    {TSK_ACC_COPYIN, "a", 0, (void *)a, sizeof(a)}, {TSK_ACC_COPYIN, "b", 0, (void *)&b[lo], (long)(n) * ..}

A row is one piece of memory. `update` takes sections that are several, and is a loop over them.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from pycparser import c_ast

from tasuki.lang.analysis.text import Text, quoted
from tasuki.lang.front.acc import DATA, Acc, Part
from tasuki.lang.front.pragma import Item
from tasuki.lang.front.types import Scope, Variable, constant

_MADE = ("copy", "copyin", "copyout", "create")  # on the device where it is not there


@dataclass
class Section:
    """Bytes of a program's own memory: `count` elements from `first` on."""

    first: str  # an element
    count: str  # one word, or in brackets

    @property
    def row(self) -> str:
        return f"(void *)&{self.first}, (long){self.count} * (long)sizeof({self.first})"


@dataclass
class Named:
    """An array or pointer that a clause names: a variable, or a member `p->x` of one."""

    name: str
    text: str  # in C; of a coarray, this image's part
    dims: list[c_ast.Node | None]  # extents, where the text says them
    is_address: bool  # a pointer, or a member, which may be one
    variable: Variable | None  # None: a member

    @property
    def key(self) -> Variable | str:
        """What it is known by: a variable, or a member's text."""
        return self.variable or self.name


class Parts:
    """Texts of the parts that clauses name."""

    def __init__(self, text: Text, number: Callable[[], int], twins: Container[Variable]) -> None:
        self.text, self.m, self.number, self.twins = text, text.m, number, twins

    def of(self, data: list[tuple[str, Part]], scope: Scope) -> list[str]:
        """A row for each; none for numbers that have no copy: kernels bring theirs back."""
        return [row for action, part in data if (row := self._row(action, part, scope))]

    def _variable(self, part: Part, scope: Scope) -> Variable | None:
        """The variable that a part is; None of a member of one."""
        found = scope.find(part.name.value)
        if isinstance(found, Variable):
            return found
        base = part.name.value.replace("->", ".").split(".")[0]
        if base == part.name.value or not isinstance(scope.find(base), Variable):
            raise self.m.wrong(part.name, f"{base} is not declared", "declare it before")
        return None

    def here(self, variable: Variable) -> str:
        """The variable in C: of a coarray, this image's part."""
        known = variable in self.m.coarrays
        return self.text.here(self.m.coarrays[variable]) if known else variable.name

    def named(self, part: Part, scope: Scope) -> Named:
        variable, said = self._variable(part, scope), part.name.value
        if variable is None:
            return Named(said, said, [None] * max(1, len(part.section)), True, None)
        dims = variable.dims() or [None, *(variable.pointer_dims() or [])]
        return Named(said, self.here(variable), dims, variable.is_address(), variable)

    def _row(self, action: str, part: Part, scope: Scope) -> str:
        named = self.named(part, scope)
        variable, text = named.variable, named.text
        head = f"TSK_ACC_{DATA[action]}, {quoted(named.name)}"
        array = self.m.arrays.get(variable)
        if array is not None:
            return f"{{{head}, &{array.name}, 0, 0}}"
        has_length = variable is not None and variable.is_parameter and variable.dims() and action in _MADE
        if part.section or has_length:
            return f"{{{head}, 0, {self.section(part, named).row}}}"
        if variable is None:  # C knows whether it is an array
            return f"{{{head}, 0, (void *){text}, {is_pointer(text)} ? 0 : (long)sizeof({text})}}"
        if named.is_address:
            if action in _MADE:
                what = f"{text} is a pointer: how much it points to is not known"
                raise self.m.wrong(part.name, what, f"write {text}[0:n]")
            return f"{{{head}, 0, (void *){text}, 0}}"
        if variable in self.twins:
            return f"{{{head}, 0, (void *)&{text}, sizeof({text})}}"
        return f"{{{head}, 0, (void *){text}, sizeof({text})}}" if variable.dims() else ""

    def section(self, part: Part, named: Named) -> Section:
        """What a clause names of an array or pointer, as one piece of memory."""
        items = self._items(part, named, exact=False)
        singles = 0
        while singles < len(items) - 1 and not items[singles].colon:
            singles += 1
        if len(items) > singles + 1:
            what = f"this section of {named.name} is not one piece of memory"
            raise self.m.wrong(part.name, what, "name whole rows, or all of it")
        return self._piece(named, items, [self.text.expr(item.first) for item in items[:-1]])

    def update(self, part: Part, named: Named, call: Callable[[str], str]) -> str:
        """`call` of each piece of a section, in loops where it is several."""
        items = self._items(part, named, exact=True)
        heads, indices = "", []
        for depth, item in enumerate(items[:-1]):
            name = f"tsk_q{self.number()}"
            indices.append(name)
            before = named.text + "".join(f"[{each}]" for each in indices[:-1])
            low, count = self._low(item), self._count(item, before, depth, named)
            heads += f"for (long {name} = {low}, {name}e = {name} + {count}; {name} < {name}e; {name}++) "
        return f"{heads}{call(self._piece(named, items, indices).row)}"

    def _items(self, part: Part, named: Named, exact: bool) -> list[Item]:
        """The dimensions that are written, but for whole ones at the end. `exact`: a length of which the text
        does not say that it is the whole one is none; else it is taken as such, as memory is in one piece."""
        dims, items = named.dims, list(part.section)
        if len(items) > len(dims):
            what = f"{named.name} is an array of pointers: its rows lie anywhere"
            raise self.m.wrong(part.name, what, "keep its rows in one piece of memory")
        while len(items) > 1 and self._is_whole(items[-1], dims[len(items) - 1], exact):
            items.pop()
        if not items:  # a parameter whose declaration says how many there are
            at = part.name
            if dims[0] is None:
                what = f"{named.name} is a pointer: how much it points to is not known"
                raise self.m.wrong(at, what, f"write {named.name}[0:n]")
            items = [Item(at, second=dims[0], colon=True)]
        return items

    def _is_whole(self, item: Item, dim: c_ast.Node | None, exact: bool) -> bool:
        if not item.colon or not (item.first is None or constant(item.first) == 0):
            return False
        if item.second is None:
            return True
        count, extent = constant(item.second), constant(dim)
        if count is not None and extent is not None:
            return count == extent
        return not exact or (dim is not None and self.text.expr(item.second) == self.text.expr(dim))

    def _low(self, item: Item) -> str:
        return self.text.expr(item.first) if item.first is not None else "0"

    def _count(self, item: Item, row: str, depth: int, named: Named) -> str:
        """How many elements an item selects of `row`."""
        if not item.colon:
            return "1"
        if item.second is not None:
            return f"({self.text.expr(item.second)})"
        if depth == 0 and named.is_address:
            what = f"{named.name} is a pointer: how much is meant"
            raise self.m.wrong(item.at, what, f"write {named.name}[0:n]")
        return f"((long)(sizeof({row}) / sizeof({row}[0])) - ({self._low(item)}))"

    def _piece(self, named: Named, items: list[Item], indices: list[str]) -> Section:
        row = named.text + "".join(f"[{each}]" for each in indices)
        last = items[-1]
        return Section(f"{row}[{self._low(last)}]", self._count(last, row, len(items) - 1, named))


def is_pointer(text: str) -> str:
    """A constant of C: whether an expression is a pointer, rather than an array."""
    return f"__builtin_types_compatible_p(__typeof__({text}), __typeof__(&({text})[0]))"


def condition_of(record: Acc, text: Text) -> str:
    """The clause `if` of a directive, as C; empty where it has none."""
    given = record.numbers.get("if")
    return f"({text.expr(given[0])}) != 0" if given else ""
