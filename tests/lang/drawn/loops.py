"""Loops of a drawn program: their text, which elements an iteration may read, and what that needs first."""

from __future__ import annotations

from drawn.declared import INDICES, Array, Declared, Nest


class Loops(Declared):
    """Lines of one function, which are loops and what stands around them."""

    def say(self, array: Array) -> None:
        """Its digest, by a loop that reads each element on the host."""
        self.need(array, "host")
        nest = Nest(array, [0] * len(array.extents), list(array.extents), [1] * len(array.extents))
        place = "0"
        for at, extent in enumerate(array.extents):
            place = f"({place}) * {extent} + {INDICES[at]}"
        element = array.element(list(INDICES[: len(array.extents)]))
        self.lines.append("{ unsigned long digest = 0;")
        self.loop(nest, f"digest += mixed((long){element}, {place});", " reduction(+:digest)")
        self.number += 1
        self.lines.append(f'say("{self.name} {self.number} {array.name}", digest); }}')

    def told(self, what: str, digest: str) -> None:
        """Says a digest that each node has."""
        self.number += 1
        self.lines.append(f'say("{self.name} {self.number} {what}", {digest});')

    def need(self, array: Array, side: str) -> None:
        if side in array.fresh or not self.acc:
            return
        self.lines.append(f"#pragma acc update {'host' if side == 'host' else 'device'}({array.name})")
        other = "acc" if side == "host" else "host"
        for each in (array.valid, array.corners, array.periodic):
            each.pop(side, None)
            if other in each:
                each[side] = each[other]
        array.fresh.add(side)

    def side(self) -> str:
        return self.draw.choice(("host", "acc", "acc")) if self.acc else "host"

    def loop(
        self, nest: Nest, body: str, clause: str = "", side: str = "host", sums: str = "", free: bool = True
    ) -> None:
        """A loop directive with its nest. `free`: its iterations may go in any order."""
        draw, array = self.draw, nest.of
        dims = len(array.extents)
        order = list(range(dims))
        if free and draw.random() < 0.3:
            draw.shuffle(order)
        cut = [at for at in order if array.along[at][0] >= 0]
        by_dim = {array.along[at][0]: at for at in cut}
        target = ""
        for dim in range(len(array.template.extents)):
            if dim in by_dim:
                offset = array.along[by_dim[dim]][1]
                target += f"[{INDICES[by_dim[dim]]}{f' + {offset}' if offset else ''}]"
            else:
                target += "[*]"
        listed = ", ".join(INDICES[at] for at in cut)
        said = [f"#pragma xmp loop ({listed}) on {array.template.name}{target}{clause}"]
        if side == "acc":
            collapse = f" collapse({dims})" if free and dims > 1 and draw.random() < 0.7 else ""
            said.append(f"#pragma acc parallel loop{collapse}{sums}")
            if not free and order[0] not in cut:
                said[-1] = "#pragma acc serial" if not sums else f"#pragma acc parallel loop seq{sums}"
            if draw.random() < 0.5:
                said.reverse()
        self.lines += said
        for at in order:
            name, low, high, step = INDICES[at], nest.low[at], nest.high[at], nest.step[at]
            if step > 0:
                turn = f"{name}++" if step == 1 else f"{name} += {step}"
                self.lines.append(f"for (int {name} = {low}; {name} < {high}; {turn})")
            else:
                turn = f"{name}--" if step == -1 else f"{name} -= {-step}"
                self.lines.append(f"for (int {name} = {high - 1}; {name} >= {low}; {turn})")
        self.lines.append(f"{{ {body} }}" if not body.startswith("{") else body)

    def nest(self, array: Array, whole: bool = False) -> Nest:
        low, high, step = [], [], []
        for extent in array.extents:
            first = 0 if whole or self.draw.random() < 0.5 else self.draw.randrange(extent)
            last = extent if whole or self.draw.random() < 0.5 else self.draw.randint(first, extent)
            low.append(first)
            high.append(last)
            step.append(1 if whole else self.draw.choice((1, 1, 1, 2, 3, -1, -2)))
        return Nest(array, low, high, step)

    def value(self, words: str, kind: str) -> str:
        return f"({kind})((long)({words}) % 97)"

    def readable(self, array: Array) -> list[Array]:
        """Arrays whose elements lie where those of `array` do."""
        mapped = {dim for dim, _ in array.along if dim >= 0}
        return [
            other
            for other in self.arrays
            if other.template is array.template
            and all(dim in mapped or dim < 0 or array.template.formats[dim] == "*" for dim, _ in other.along)
        ]

    def bring(self, array: Array, side: str) -> None:
        """A reflect, of all or part of the shadow."""
        draw = self.draw
        self.need(array, side)
        widths, words, wraps = [], [], []
        part = draw.random() < 0.4
        for at, each in enumerate(array.shadow):
            dim, _ = array.along[at]
            if each == "*":
                widths.append((99, 99))
                words.append("0")
                wraps.append(False)
                continue
            low, high = each
            if part:
                low, high = draw.randint(0, low), draw.randint(0, high)
            wrap = part and (low or high) and dim >= 0 and draw.random() < 0.5
            wrap = bool(wrap) and low <= array.extents[at] and high <= array.extents[at]
            widths.append((low, high))
            wraps.append(wrap)
            words.append(f"{'/periodic/' if wrap else ''}{low}:{high}")
        full = any(each == "*" for each in array.shadow)
        part = part and not full
        clause = f" width({', '.join(words)})" if part else ""
        if not part:
            wraps = [False] * len(wraps)
        orthogonal = draw.random() < 0.2
        clause += " orthogonal" if orthogonal else ""
        clause += " acc" if side == "acc" else ""
        if draw.random() < 0.2:
            self.lines.append(f"#pragma xmp reflect ({array.name}){clause} async(7)")
            self.lines.append("#pragma xmp wait_async (7)")
        elif draw.random() < 0.2 and side == "host":
            self.lines.append(f"#pragma xmp reflect_init ({array.name}){clause}")
            self.lines.append(f"#pragma xmp reflect_do ({array.name})")
        else:
            self.lines.append(f"#pragma xmp reflect ({array.name}){clause}")
        array.valid = {side: widths} if self.acc else {"host": widths}
        array.corners = {side: not orthogonal}
        array.periodic = {side: wraps}
        if self.acc:
            array.fresh = {side}

    def read(self, nest: Nest, other: Array, side: str, far: bool) -> str:
        """An element of another array for the iteration; narrows the nest so that it is there."""
        draw, array = self.draw, nest.of
        moved = False
        subscripts = []
        widths = other.valid.get(side) if far else None
        for at, (dim, offset) in enumerate(other.along):
            extent = other.extents[at]
            mine = [k for k, (each, _) in enumerate(array.along) if each == dim] if dim >= 0 else []
            if not mine:  # a dimension that every node has whole
                k = draw.randrange(len(array.extents))
                subscripts.append(f"({INDICES[k]} + {draw.randint(0, 3)}) % {extent}")
                continue
            k = mine[0]
            less = array.along[k][1] - offset
            delta = 0
            if widths and (other.corners[side] or not moved):
                low, high = widths[at]
                if (low, high) == (99, 99):
                    if draw.random() < 0.5:
                        subscripts.append(
                            f"({INDICES[k]} * {draw.randint(1, 5)} + {draw.randint(0, 9)}) % {extent}"
                        )
                        moved = True
                        continue
                else:
                    delta = draw.randint(-low, high)
            moved = moved or delta != 0
            shift = less + delta
            name = f"{INDICES[k]} {'-' if shift < 0 else '+'} {abs(shift)}" if shift else INDICES[k]
            if delta and other.periodic[side][at] and extent >= 1:
                # The iteration's own element of the other array has to be there.
                nest.low[k] = max(nest.low[k], -less)
                nest.high[k] = min(nest.high[k], extent - less)
                subscripts.append(f"AT({name}, {extent})")
                continue
            nest.low[k] = max(nest.low[k], -shift)
            nest.high[k] = min(nest.high[k], extent - shift)
            subscripts.append(name)
        return other.element(subscripts)
