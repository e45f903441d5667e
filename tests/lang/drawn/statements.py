"""Statements of a drawn program that are loops."""

from __future__ import annotations

from drawn.declared import INDICES, Array, Nest
from drawn.wholes import Wholes


class Statements(Wholes):
    """Each adds lines, and says the digest of what it has changed."""

    def fill(self, array: Array) -> None:
        names = [INDICES[at] for at in range(len(array.extents))]
        words = " + ".join(f"{self.draw.randint(1, 40)} * {name}" for name in names)
        side = self.side()
        if side not in array.fresh:
            self.need(array, side)
        self.loop(
            self.nest(array, True),
            f"{array.element(names)} = {self.value(f'{words} + {self.draw.randint(0, 50)}', array.kind)};",
            side=side,
        )
        array.written(side)
        self.say(array)

    def compute(self) -> None:
        """A loop that sets an array by its own elements and those of others."""
        draw = self.draw
        array, side = draw.choice(self.arrays), self.side()
        nest, free = self.nest(array), True
        self.need(array, side)
        names = [INDICES[at] for at in range(len(array.extents))]
        words = [
            f"{draw.randint(1, 9)} * {array.element(names)}"
            if draw.random() < 0.7
            else str(draw.randint(0, 9))
        ]
        kept = [at for at, (dim, _) in enumerate(array.along) if dim < 0]
        if kept and draw.random() < 0.5:  # from one iteration to the next, where one node does both
            at = kept[0]
            nest.low[at], nest.step[at], free = max(nest.low[at], 1), 1, False
            words.append(array.element([f"{name} - 1" if k == at else name for k, name in enumerate(names)]))
        others = [other for other in self.readable(array) if other is not array]
        for other in draw.sample(others, min(len(others), draw.randint(0, 2))):
            self.need(other, side)
            if (
                any(each != (0, 0) for each in other.shadow)
                and draw.random() < 0.8
                and side not in other.valid
            ):
                self.bring(other, side)
            words += [self.read(nest, other, side, True) for _ in range(draw.randint(1, 3))]
        target = array.element(names)
        value = self.value(" + ".join(words), array.kind)
        form = draw.random()
        if form < 0.6:
            body = f"{target} = {value};"
        elif form < 0.8:
            body = f"if (({' + '.join(names)}) % {draw.randint(2, 4)}) {target} = {value};"
        else:
            body = (
                f"long x = {' + '.join(words)}; if (x % 3 == 1) continue; {target} = ({array.kind})(x % 97);"
            )
            free = free and side == "host"
        self.loop(nest, body, side=side, free=free)
        array.written(side)
        self.say(array)

    def shadowed(self) -> list[Array]:
        """Arrays with shadows, none of them a whole dimension."""
        return [
            array
            for array in self.arrays
            if "*" not in array.shadow and any(each != (0, 0) for each in array.shadow)
        ]

    def widths(self, array: Array) -> list[tuple[int, int]]:
        """Of its shadow, by the dimensions of its template."""
        by_dim = {dim: array.shadow[at] for at, (dim, _) in enumerate(array.along) if dim >= 0}
        return [by_dim[dim] for dim in sorted(by_dim)]

    def wider(self) -> None:
        """A loop over more than the own part: its results are in shadows too."""
        draw = self.draw
        fits = self.shadowed()
        if not fits:
            return
        array = draw.choice(fits)
        self.need(array, "host")
        names = [INDICES[at] for at in range(len(array.extents))]
        widths = self.widths(array)
        said = ", ".join(f"{low}:{high}" for low, high in widths)
        words = " + ".join(f"{draw.randint(1, 9)} * {name}" for name in names)
        nest = self.nest(array, True)
        self.loop(nest, f"{array.element(names)} = {self.value(words, array.kind)};", f" expand({said})")
        array.written("host")
        array.valid = {
            "host": [each if array.along[at][0] >= 0 else (0, 0) for at, each in enumerate(array.shadow)]
        }
        array.corners, array.periodic = {"host": True}, {"host": [False] * len(array.extents)}
        self.say(array)

    def reduce(self) -> None:
        draw = self.draw
        array, side = draw.choice(self.arrays), self.side()
        self.need(array, side)
        nest = self.nest(array)
        names = [INDICES[at] for at in range(len(array.extents))]
        op = draw.choice(
            ("+", "-", "*", "&", "|", "^", "&&", "||", "max", "min", "firstmax", "lastmin", "lastmax")
        )
        kind = (
            draw.choice(("int", "long", "double", "float"))
            if op in ("+", "-", "max", "min")
            else "unsigned long"
        )
        value = f"({kind}){array.element(names)}"
        begin = draw.choice((0, 1) if op in ("&&", "||") else (0, 1, 5))
        located = len(op) > 3
        if located:
            side = "host"
            self.need(array, side)
            places = ", ".join(f"at{name}" for name in names)
            sets = " ".join(f"at{name} = {name};" for name in names)
            compare = {"firstmax": ">", "lastmax": ">=", "lastmin": "<="}[op]
            body = f"if ({value} {compare} s) {{ s = {value}; {sets} }}"
            clause = f" reduction({op}:s/{places}/)"
            begin = -1 if "max" in op else 200
            self.lines.append(
                "{ " + " ".join(f"int at{name} = -1;" for name in names) + f" {kind} s = {begin};"
            )
        else:
            if op in ("max", "min"):
                body = f"if ({value} {'>' if op == 'max' else '<'} s) s = {value};"
            elif op in ("&&", "||"):
                body = f"s = s {op} {value} {draw.choice(('< 90', '> 3'))};"
            elif op == "*":
                body = f"s *= {value} % 5 + 1;"
            else:
                body = f"s {op}= {value};"
            clause = f" reduction({op}:s)"
            self.lines.append(f"{{ {kind} s = {begin};")
        self.loop(
            nest,
            body,
            clause,
            side=side,
            sums=f" reduction({'+' if op == '-' else op}:s)" if side == "acc" else "",
            free=not located,
        )
        shown = "(long)s" + "".join(
            f" + {1000 * 50**k} * at{name}" for k, name in enumerate(names) if located
        )
        self.told(op, f"mixed({shown}, 0)")
        self.lines.append("}")

    def task(self) -> None:
        """An element is read by its owner, who tells all; and a task of some nodes has a loop."""
        draw = self.draw
        array = draw.choice(self.arrays)
        if len({dim for dim, _ in array.along if dim >= 0}) != len(array.template.extents):
            return
        self.need(array, "host")
        at = [draw.randrange(extent) for extent in array.extents]
        on = {dim: at[k] + off for k, (dim, off) in enumerate(array.along) if dim >= 0}
        place = "".join(f"[{on[dim]}]" for dim in range(len(array.template.extents)))
        element = array.element([str(each) for each in at])
        self.lines += [
            "{ long x = 0, y[4] = {1, 2, 3, 4};",
            f"#pragma xmp task on {array.template.name}{place}",
            f"{{ x = (long){element}; y[2] = x + 1; {element} = 50; }}",
            f"#pragma xmp bcast (x, y) from {array.template.name}{place}",
        ]
        self.told("told", "mixed(x, y[2])")
        self.lines.append("}")
        array.written("host")
        # A loop within a task on a part of the template.
        low, count = {}, {}
        for k, (dim, off) in enumerate(array.along):
            if dim >= 0:
                low[k] = draw.randrange(array.extents[k])
                count[k] = draw.randint(1, array.extents[k] - low[k])
                on[dim] = f"{low[k] + off}:{count[k]}"
        part = "".join(f"[{on[dim]}]" for dim in range(len(array.template.extents)))
        nest = self.nest(array, True)
        for k in low:
            nest.low[k], nest.high[k] = low[k], low[k] + count[k]
        names = [INDICES[k] for k in range(len(array.extents))]
        self.lines += ["{ long s = 3;", f"#pragma xmp task on {array.template.name}{part}", "{"]
        body = f"{array.element(names)} = {self.value(array.element(names) + ' * 3 + 1', array.kind)};"
        self.loop(nest, body)
        self.loop(nest, f"s += (long){array.element(names)};", " reduction(+:s)")
        first = "".join(f"[{str(on[dim]).split(':')[0]}]" for dim in range(len(array.template.extents)))
        self.lines += ["#pragma xmp barrier", "}", f"#pragma xmp bcast (s) from {array.template.name}{first}"]
        self.told("sum", "mixed(s, 0)")
        self.lines.append("}")
        self.say(array)

    def steps(self) -> None:
        """A time loop of two arrays that lie alike: it may be lifted."""
        draw = self.draw
        pairs = [
            (one, two)
            for one in self.arrays
            for two in self.arrays
            if one is not two and one.template is two.template and one.along == two.along
            and one.extents == two.extents and any(each not in ((0, 0), "*") for each in one.shadow)
            and all(each != "*" for each in one.shadow)
        ]  # fmt: skip
        if not pairs:
            return
        one, two = draw.choice(pairs)
        side = self.side()
        self.need(one, side)
        self.need(two, side)
        names = [INDICES[at] for at in range(len(one.extents))]
        name = f"s{self.number}"
        self.lines.append(f"for (int {name} = 0; {name} < {draw.randint(3, 14)}; {name}++) {{")
        one.valid, one.fresh, two.fresh = {}, {side}, {side}
        nest = self.nest(one, True)
        self.bring(one, side)
        words = [
            f"{draw.randint(1, 3)} * {self.read(nest, one, side, True)}" for _ in range(draw.randint(1, 4))
        ]
        self.loop(
            nest, f"{two.element(names)} = {self.value(' + '.join(words) + ' + 1', two.kind)};", side=side
        )
        back = Nest(one, list(nest.low), list(nest.high), list(nest.step))
        value = (
            two.element(names) if draw.random() < 0.6 else self.value(f"{two.element(names)} + 1", one.kind)
        )
        self.loop(back, f"{one.element(names)} = {value};", side=side)
        self.lines.append("}")
        one.written(side)
        two.written(side)
        self.say(one)
        self.say(two)

    def shadows_added(self) -> None:
        """reduce_shadow: what neighbours have added into a shadow comes to its owner."""
        draw = self.draw
        fits = [array for array in self.shadowed() if array.kind not in ("unsigned char", "short")]
        if not fits:
            return
        array = draw.choice(fits)
        self.need(array, "host")
        names = [INDICES[at] for at in range(len(array.extents))]
        said = ", ".join(f"{low}:{high}" for low, high in self.widths(array))
        self.loop(self.nest(array, True), f"{array.element(names)} = 0;", f" expand({said})")
        for _ in range(2):
            nest = self.nest(array, True)
            subscripts = []
            for at, each in enumerate(array.shadow):
                delta = draw.randint(-each[0], each[1])
                nest.low[at], nest.high[at] = (
                    max(0, -delta),
                    min(array.extents[at], array.extents[at] - delta),
                )
                subscripts.append(f"{names[at]} {'-' if delta < 0 else '+'} {abs(delta)}")
            words = " + ".join(f"{draw.randint(1, 9)} * {name}" for name in names)
            self.loop(nest, f"{array.element(subscripts)} += {words};")
        self.lines.append(f"#pragma xmp reduce_shadow ({array.name})")
        array.written("host")
        self.say(array)
