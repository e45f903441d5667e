"""Sections of a drawn program: gmove of each kind, and array on. Serial C has no sections, and gets loops."""

from __future__ import annotations

from math import prod

from drawn.declared import Array
from drawn.loops import Loops


class Moves(Loops):
    """Statements that assign sections."""

    def both(self, directive: str, assignment: str, loops: str) -> None:
        """A directive with its statement, and what serial C does instead."""
        self.lines += ["#ifdef _XCALABLEMP", directive, f"{assignment};", "#else", loops, "#endif"]

    def section(self, extents: list[int], counts: list[int]) -> tuple[list[str], list[str]]:
        """Subscripts of a section with these counts, in C of sections and as C of loops over q0, q1, .."""
        draw = self.draw
        at = sorted(draw.sample(range(len(extents)), len(counts)))
        said, plain = [], []
        for k, extent in enumerate(extents):
            if k not in at:
                one = str(draw.randrange(extent))
                said.append(one)
                plain.append(one)
                continue
            count = counts[at.index(k)]
            step = draw.choice((1, 2))
            if count > 1:
                step = draw.randint(1, max(1, (extent - 1) // (count - 1)))
            first = draw.randint(0, extent - 1 - (count - 1) * step)
            whole = first == 0 and count == extent and draw.random() < 0.5
            said.append(":" if whole else f"{first}:{count}{f':{step}' if step > 1 else ''}")
            plain.append(f"{first} + {step} * q{at.index(k)}")
        return said, plain

    def counts(self, *all_extents: list[int]) -> list[int]:
        """As many elements along each range as each of these arrays has in any of its dimensions."""
        ranges = self.draw.randint(1, min(len(extents) for extents in all_extents))
        least = min(min(extents) for extents in all_extents)
        return [self.draw.randint(1, least) for _ in range(ranges)]

    def loops_over(self, counts: list[int]) -> tuple[str, str]:
        """Loops over q0, q1, .., and their place among all."""
        heads, place = "", "0"
        for k, count in enumerate(counts):
            heads += f"for (int q{k} = 0; q{k} < {count}; q{k}++) "
            place = f"({place}) * {count} + q{k}"
        return heads, place

    def move(self) -> None:
        """gmove between arrays, in and out too, and between arrays and what each node has."""
        draw = self.draw
        to = draw.choice(self.arrays)
        self.need(to, "host")
        draw.choice((self.between, self.between, self.between, self.from_own, self.to_own, self.numbers))(to)

    def between(self, to: Array) -> None:
        way = self.draw.choice(("", "", "", " in", " out", " async(3)"))
        other = self.draw.choice([each for each in self.arrays if each.kind == to.kind])
        self.need(other, "host")
        counts = self.counts(to.extents, other.extents)
        said, plain = self.section(to.extents, counts)
        from_said, from_plain = self.section(other.extents, counts)
        loops, place = self.loops_over(counts)
        self.lines.append("#pragma xmp barrier")
        self.both(
            f"#pragma xmp gmove{way}",
            f"{to.element(said)} = {other.element(from_said)}",
            f"{{ {to.kind} kept[{prod(counts)}]; {loops}kept[{place}] = {other.element(from_plain)};\n"
            f"{loops}{to.element(plain)} = kept[{place}]; }}",
        )
        self.lines.append("#pragma xmp wait_async (3)" if "async" in way else "#pragma xmp barrier")
        to.written("host")
        self.say(to)

    def own(self, kind: str) -> Array:
        """An array that each node has whole; its brace is open."""
        count = self.draw.randint(6, 14)
        self.lines.append(f"{{ {kind} own[{count}]; for (int q = 0; q < {count}; q++) own[q] = q * 5;")
        return Array("own", kind, [count], self.templates[0], [], [])

    def from_own(self, to: Array) -> None:
        own = self.own(to.kind)
        counts = self.counts(to.extents, own.extents)
        (said, plain), (own_said, own_plain) = (self.section(each.extents, counts) for each in (to, own))
        loops, _ = self.loops_over(counts)
        self.lines.append("#pragma xmp barrier")
        self.both(
            f"#pragma xmp gmove{self.draw.choice(('', ' out'))}",
            f"{to.element(said)} = {own.element(own_said)}",
            f"{loops}{to.element(plain)} = {own.element(own_plain)};",
        )
        self.lines.append("#pragma xmp barrier\n}")
        to.written("host")
        self.say(to)

    def to_own(self, source: Array) -> None:
        own = self.own(source.kind)
        counts = self.counts(source.extents, own.extents)
        (said, plain), (own_said, own_plain) = (self.section(each.extents, counts) for each in (source, own))
        loops, _ = self.loops_over(counts)
        self.lines.append("#pragma xmp barrier")
        self.both(
            f"#pragma xmp gmove{self.draw.choice(('', ' in'))}",
            f"{own.element(own_said)} = {source.element(said)}",
            f"{loops}{own.element(own_plain)} = {source.element(plain)};",
        )
        self.lines += ["#pragma xmp barrier", "unsigned long d = 0;"]
        self.lines.append(f"for (int q = 0; q < {own.extents[0]}; q++) d += mixed((long)own[q], q);")
        self.told("own", "d")
        self.lines.append("}")

    def numbers(self, to: Array) -> None:
        """An element into a number of another type, and a number into a section."""
        element = to.element([str(self.draw.randrange(extent)) for extent in to.extents])
        self.lines += ["{ long x = 0;", "#pragma xmp gmove", f"x = {element};"]
        self.told("x", "mixed(x, 0)")
        counts = self.counts(to.extents)
        said, plain = self.section(to.extents, counts)
        loops, _ = self.loops_over(counts)
        value = self.draw.choice(("x", str(self.draw.randint(0, 90))))
        directive, assignment = "#pragma xmp gmove", f"{to.element(said)} = {value}"
        self.both(directive, assignment, f"{loops}{to.element(plain)} = {value};")
        self.lines.append("}")
        to.written("host")
        self.say(to)

    def elementwise(self) -> None:
        """array on: a section by another one of an array that lies alike."""
        draw = self.draw
        to = draw.choice(self.arrays)
        if any(dim < 0 for dim, _ in to.along) or len(to.extents) != len(to.template.extents):
            return
        self.need(to, "host")
        low = [draw.randrange(extent) for extent in to.extents]
        count = [draw.randint(1, extent - first) for first, extent in zip(low, to.extents, strict=True)]
        said = to.element([f"{first}:{number}" for first, number in zip(low, count, strict=True)])
        on = {dim: f"{low[at] + off}:{count[at]}" for at, (dim, off) in enumerate(to.along)}
        target = "".join(f"[{on[dim]}]" for dim in range(len(to.template.extents)))
        plain = to.element([f"{first} + q{k}" for k, first in enumerate(low)])
        loops, _ = self.loops_over(count)
        more = draw.randint(1, 9)
        self.both(
            f"#pragma xmp array on {to.template.name}{target}",
            f"{said} = {said} / 2 + {more}",
            f"{loops}{plain} = {plain} / 2 + {more};",
        )
        to.written("host")
        self.say(to)
