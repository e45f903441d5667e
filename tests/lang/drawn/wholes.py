"""Statements of a drawn program that take a whole array: the library's functions on arrays, and functions of
the program, in which the array is a parameter that is aligned again. Serial C has loops for the former.
"""

from __future__ import annotations

from math import gcd

from drawn.declared import INDICES, Array, Nest
from drawn.moves import Moves


class Wholes(Moves):
    """Each declares what it needs beside the array in a block of its own."""

    def new(self, name: str, like: Array, dims: list[int], kind: str = "") -> Array:
        """An array of the block that lies as some dimensions of another one do; -1: one that is not cut."""
        extents = [3 if at < 0 else like.extents[at] for at in dims]
        along = [(-1, 0) if at < 0 else like.along[at] for at in dims]
        made = Array(name, kind or like.kind, extents, like.template, along, [(0, 0)] * len(dims))
        self.lines += self.declared(made)
        return made

    def filled(self, array: Array, value: str) -> None:
        names = list(INDICES[: len(array.extents)])
        self.loop(self.nest(array, True), f"{array.element(names)} = {self.value(value, array.kind)};")

    def call(self, call: str, serial: str) -> None:
        """A call of the library, and what serial C does instead."""
        self.lines += ["#ifdef _XCALABLEMP", f"{call};", "#else", serial, "#endif"]

    def named(self, *arrays: Array) -> str:
        return ", ".join(f"xmp_desc_of({array.name})" for array in arrays)

    def whole(self) -> None:
        """One of the library's functions, with an array that it fits."""
        draw = self.draw
        array = draw.choice(self.arrays)
        ways = {1: [self.sorted, self.picked, self.packed], 2: [self.turned, self.multiplied]}
        if len(array.extents) in ways and all(dim >= 0 for dim, _ in array.along):
            self.need(array, "host")
            self.lines.append("{")
            draw.choice(ways[len(array.extents)])(array)
            self.lines.append("}")

    def turned(self, array: Array) -> None:
        made = self.new("w", array, [1, 0])
        rows, columns = array.extents
        loops = f"for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++)"
        self.call(f"xmp_transpose({self.named(made, array)}, 0)", f"{loops} w[j][i] = {array.name}[i][j];")
        self.say(made)

    def multiplied(self, array: Array) -> None:
        right, made = self.new("v", array, [1, -1]), self.new("w", array, [0, -1])
        rows, middle = array.extents
        self.filled(right, f"7 * i + {self.draw.randint(1, 20)} * j")
        loops = f"for (int i = 0; i < {rows}; i++) for (int j = 0; j < 3; j++)"
        terms = f"for (int k = 0; k < {middle}; k++) w[i][j] += {array.name}[i][k] * v[k][j];"
        self.call(f"xmp_matmul({self.named(made, array, right)})", f"{loops} {{ w[i][j] = 0; {terms} }}")
        self.say(made)

    def sorted(self, array: Array) -> None:
        made, extent = self.new("w", array, [0]), array.extents[0]
        way, sign = self.draw.choice((("up", "<"), ("down", ">")))
        moved = f"for (int k = i; k > 0 && w[k] {sign} w[k - 1]; k--)"
        swap = f"{{ {array.kind} kept = w[k]; w[k] = w[k - 1]; w[k - 1] = kept; }}"
        serial = f"for (int i = 0; i < {extent}; i++) {{ w[i] = {array.name}[i]; {moved} {swap} }}"
        self.call(f"xmp_sort_{way}({self.named(array, made)})", serial)
        self.say(made)

    def picked(self, array: Array) -> None:
        """gather, scatter: by indices that are each another one."""
        extent = array.extents[0]
        made, index = self.new("w", array, [0]), self.new("v", array, [0], "int")
        step = self.draw.choice([n for n in range(1, extent + 1) if gcd(n, extent) == 1])
        head = f"v[i] = ({step} * i + {self.draw.randrange(extent)}) % {extent};"
        self.loop(self.nest(index, True), head)
        loop = f"for (int i = 0; i < {extent}; i++)"
        if self.draw.random() < 0.5:
            self.call(f"xmp_gather({self.named(made, array, index)})", f"{loop} w[i] = {array.name}[v[i]];")
        else:
            self.call(f"xmp_scatter({self.named(made, array, index)})", f"{loop} w[v[i]] = {array.name}[i];")
        self.say(made)

    def packed(self, array: Array) -> None:
        """pack, then unpack into the array itself."""
        extent = array.extents[0]
        made, mask = self.new("w", array, [0]), self.new("v", array, [0], self.draw.choice(("int", "long")))
        self.filled(made, "3 * i")
        self.loop(self.nest(mask, True), f"v[i] = (i * i + {self.draw.randint(0, 4)}) % 3;")
        take = f"for (int i = 0; i < {extent}; i++) if (v[i])"
        self.call(
            f"xmp_pack({self.named(made, array, mask)})",
            f"{{ int n = 0; {take} w[n++] = {array.name}[i]; }}",
        )
        self.say(made)
        self.loop(self.nest(made, True), f"w[i] = {self.value('w[i] + 5', made.kind)};")
        self.call(
            f"xmp_unpack({self.named(array, made, mask)})",
            f"{{ int n = 0; {take} {array.name}[i] = w[n++]; }}",
        )
        array.written("host")
        self.say(array)

    def passed(self) -> None:
        """A function of the program takes an array, aligns it again, and sets it by its neighbours."""
        draw = self.draw
        array, side = draw.choice(self.arrays), self.side()
        self.need(array, side)
        outer, name = self.lines, f"{self.name}_{len(self.functions)}"
        keeps = draw.random() < 0.7 or "*" in array.shadow  # else it takes that of the array
        shadow = array.shadow if keeps else [(0, 0)] * len(array.extents)
        inner = Array("x", array.kind, array.extents, array.template, array.along, shadow)
        inner.fresh = {side} if self.acc else {"host"}
        other = Array("y", array.kind, array.extents, array.template, array.along, [(0, 0)] * len(shadow))
        self.lines = [*self.declared(inner, parameter=True), *self.declared(other)]
        if any(each != (0, 0) for each in shadow):
            self.bring(inner, side)
        nest = self.nest(inner, True)
        names = list(INDICES[: len(array.extents)])
        words = [self.read(nest, inner, side, True) for _ in range(draw.randint(1, 3))]
        back = Nest(inner, list(nest.low), list(nest.high), list(nest.step))
        self.loop(
            nest, f"{other.element(names)} = {self.value(' + '.join([*words, '2']), other.kind)};", side=side
        )
        self.loop(back, f"{inner.element(names)} = {other.element(names)};", side=side)
        body, self.lines = self.lines, outer
        extents = "".join(f"[{extent}]" for extent in array.extents)
        head = [self.head[0], *array.template.head]
        self.functions.append(
            "\n".join([f"static void {name}({array.kind} x{extents}) {{", *head, *body, "}"]) + "\n"
        )
        self.lines.append(f"{name}({array.name});")
        array.written(side)
        self.say(array)
