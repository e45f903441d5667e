"""The reflects of a step: which reads beside the own element they bring, and which of those go round an end.

#pragma xmp reflect (u) width(/periodic/1, 1)
v[j][i] = u[j-1][i] + u[j][i+1];    // u[j-1] of the first j is that of the last one
"""

from __future__ import annotations

from tasuki.lang.analysis.things import Array, Meaning
from tasuki.lang.front import forms
from tasuki.lang.front.parse import Directive
from tasuki.lang.front.types import constant
from tasuki.lang.lift.plan import Access, NotLifted, Reflected, TimeLoop, aligned

_NUMBERS = "has a periodic width that is no number"


class Reflects:
    """`fresh`: of each array the reflects that have filled its shadow since it was written."""

    def __init__(self, m: Meaning, made: TimeLoop) -> None:
        self.m, self.made = m, made
        self.fresh: dict[Array, list[forms.Reflect]] = {}

    def look(self, directive: Directive, record: forms.Reflect) -> None:
        """A directive of the step."""
        if record.kind not in ("reflect", "reflect_do"):
            raise NotLifted(self.m, directive.at, record.kind, "is none of a sweep, a reflect and a copy")
        if record.wait is not None:
            raise NotLifted(self.m, directive.at, "reflect", "goes on beside the loop: it is async")
        said = [record] if record.kind == "reflect" else self._begun(record)
        if len(said) > 1 and any(each.widths for each in said):
            what = "is of arrays that several reflect_init name"
            raise NotLifted(self.m, directive.at, "reflect_do", what)
        scope = self.m.names.scope[directive]
        for name in record.arrays:
            array = self.m.arrays.get(scope.find(name.value))
            if array is None or not said:
                continue
            how = said[0] if len(said) == 1 else forms.Reflect("", [], orthogonal=True)
            self.fresh.setdefault(array, []).append(how)
            self._note(directive, array, how)

    def _begun(self, record: forms.Reflect) -> list[forms.Reflect]:
        """What a reflect_do does, as reflect_init has it."""
        names = {name.value for name in record.arrays}
        every = [each for records in self.m.records.values() for each in records]
        inits = [each for each in every if isinstance(each, forms.Reflect) and each.kind == "reflect_init"]
        return [each for each in inits if names & {name.value for name in each.arrays}]

    def _note(self, directive: Directive, array: Array, how: forms.Reflect) -> None:
        """What the run time has to do behind the steps that it does, where no step of the loop follows."""
        widths = self.made.reflected.setdefault(array, Reflected()).periodic
        for dim, width in enumerate(how.widths):
            if not width.marked:
                continue
            low, high = _sides(width)
            if low is None or high is None:
                raise NotLifted(self.m, directive.at, "reflect", _NUMBERS)
            before = widths.get(dim, (0, 0))
            widths[dim] = (max(before[0], low), max(before[1], high))

    def seen(self, access: Access) -> None:
        """A nest's reads of an array: reflects of this step have to bring those beside the own element."""
        ways = [access.array.aligned[dim] for dim in aligned(access.array)]
        cut = [access.array.template.format(way.dim) != "*" for way in ways]
        everywhere = [True] * len(ways)
        for offset in access.reads:
            far = [distance if is_cut else 0 for distance, is_cut in zip(offset, cut, strict=True)]
            marks: list[list[bool]] = [] if any(far) else [[False] * len(ways)]
            for reflect in self.fresh.get(access.array, ()):
                if not self._against(reflect, access, far):
                    marks.append(self._marks(reflect, access, offset))
            if not marks:
                raise self._missing(access, far)
            best = max(marks, key=sum)
            everywhere = [
                so_far and (mark or not distance)
                for so_far, mark, distance in zip(everywhere, best, offset, strict=True)
            ]
        lows, highs = access.widths(len(ways))
        access.around = [
            mark and bool(low or high) for mark, low, high in zip(everywhere, lows, highs, strict=True)
        ]

    def _missing(self, access: Access, far: list[int]) -> NotLifted:
        what = "is read beside the own element, and not reflected before in this step"
        for reflect in self.fresh.get(access.array, ()):
            what = self._against(reflect, access, far)
        return NotLifted(self.m, access.at, access.array.variable.name, what)

    def _against(self, reflect: forms.Reflect, access: Access, far: list[int]) -> str:
        """Why a reflect does not bring what lies that far away."""
        if reflect.orthogonal and sum(map(bool, far)) > 1:
            return "is read at a corner, and its reflect leaves corners out"
        if reflect.widths and not all(
            _holds(reflect.widths[dim], distance)
            for dim, distance in zip(aligned(access.array), far, strict=True)
        ):
            return "is read further away than its reflect brings"
        return ""

    def _marks(self, reflect: forms.Reflect, access: Access, offset: tuple[int, ...]) -> list[bool]:
        """Along which dimensions it brings that from the other end."""
        if not reflect.widths:
            return [False] * len(offset)
        widths = [reflect.widths[dim] for dim in aligned(access.array)]
        return [
            width.marked and _holds(width, distance)
            for width, distance in zip(widths, offset, strict=True)
        ]  # fmt: skip


def _sides(width: forms.Width) -> tuple[int | None, int | None]:
    low = constant(width.lo)
    return low, constant(width.hi) if width.hi is not None else low


def _holds(width: forms.Width, distance: int) -> bool:
    side = _sides(width)[0 if distance < 0 else 1]
    return not distance or (side is not None and side >= abs(distance))
