"""What a drawn program declares: nodes, templates and arrays, and what is known of each array meanwhile."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TYPES = ("int", "long", "double", "float", "short", "unsigned char")
INDICES = "ijkl"


@dataclass
class Template:
    """A template on nodes; formats by dimension, as they are written."""

    name: str
    extents: list[int]
    formats: list[str]
    head: list[str] = field(default_factory=list)  # the lines that declare it

    def blocks(self, dim: int) -> bool:
        return self.formats[dim].startswith(("block", "gblock"))


@dataclass(eq=False)
class Array:
    """An array; `along`: of each dimension the template's dimension, or -1, and the offset."""

    name: str
    kind: str
    extents: list[int]
    template: Template
    along: list[tuple[int, int]]
    shadow: list[tuple[int, int] | str]
    valid: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # shadows by side
    corners: dict[str, bool] = field(default_factory=dict)
    periodic: dict[str, list[bool]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=lambda: {"host"})

    def written(self, side: str) -> None:
        self.fresh = {side}
        self.valid = {}

    def element(self, subscripts: list[str]) -> str:
        return self.name + "".join(f"[{each}]" for each in subscripts)


@dataclass
class Nest:
    """Loops over an array's elements: bounds and step of each dimension."""

    of: Array
    low: list[int]
    high: list[int]  # one past
    step: list[int]


class Declared:
    """The declarations of one function; `flat`: its nodes have one dimension."""

    def __init__(self, draw: random.Random, name: str, flat: bool) -> None:
        self.draw, self.name, self.flat = draw, name, flat
        self.lines: list[str] = []
        self.head: list[str] = []
        self.functions: list[str] = []  # that it calls
        self.number = 0
        self.acc = draw.random() < 0.4
        self._nodes()
        self.templates = [self._template(k) for k in range(draw.choice((1, 1, 2)))]
        self.arrays = [self._array(k) for k in range(draw.randint(2, 4))]

    def _nodes(self) -> None:
        draw = self.draw
        shape = "[*]" if self.flat or draw.random() < 0.5 else draw.choice(("[*][2]", "[2][*]"))
        self.node_dims = shape.count("[")
        self.head.append(f"#pragma xmp nodes p{shape}")

    def _template(self, k: int) -> Template:
        draw, name, begin = self.draw, f"t{k}", len(self.head)
        dims = self.node_dims + (draw.random() < 0.25)
        cut = sorted(draw.sample(range(dims), self.node_dims))
        extents = [draw.randint(5, 16) for _ in range(dims)]
        formats, spelt = [], []
        for dim in range(dims):
            if dim not in cut:
                formats.append("*")
                spelt.append("*")
                continue
            along = self.node_dims - cut.index(dim)
            nodes = f"nodes_along(xmp_desc_of(p), {along})"
            kind = draw.choice(("block", "block", "block(w)", "cyclic", "cyclic(w)", "gblock"))
            variable = f"{name}_w{dim}"
            if kind == "block(w)":
                more = draw.choice((0, 0, 1, 3))
                self.head.append(f"int {variable} = ({extents[dim]} + {nodes} - 1) / {nodes} + {more};")
                spelt.append(f"block({variable})")
            elif kind == "cyclic(w)":
                spelt.append(f"cyclic({draw.randint(2, 4)})")
            elif kind == "gblock":
                self.head.append(f"int {variable}[16];")
                self.head.append(f"cut({variable}, {nodes}, {extents[dim]}, {draw.randrange(1 << 16)});")
                spelt.append(f"gblock({variable})")
            else:
                spelt.append(kind)
            formats.append(kind)
        self.head.append(f"#pragma xmp template {name}{''.join(f'[{n}]' for n in extents)}")
        self.head.append(f"#pragma xmp distribute {name}{''.join(f'[{f}]' for f in spelt)} onto p")
        return Template(name, extents, formats, self.head[begin:])

    def _array(self, k: int) -> Array:
        draw, name = self.draw, "abcd"[k]
        template = draw.choice(self.templates)
        dims = list(range(len(template.extents)))
        if draw.random() < 0.3:
            draw.shuffle(dims)
        if len(dims) > 1 and draw.random() < 0.2:
            dims.pop()  # along which it has copies
        along, extents, shadow = [], [], []
        for dim in dims:
            whole = template.extents[dim]
            offset = draw.choice((0, 0, 0, 1, 2))
            less = draw.choice((0, 0, 0, 1, 3))
            along.append((dim, offset))
            extents.append(max(2, whole - offset - less))
            shadow.append(self._shadow(template, dim))
        if draw.random() < 0.25:
            at = draw.randint(0, len(along))
            along.insert(at, (-1, 0))
            extents.insert(at, draw.randint(2, 5))
            shadow.insert(at, (0, 0))
        array = Array(name, draw.choice(TYPES), extents, template, along, shadow)
        self.head += self.declared(array)
        return array

    def declared(self, array: Array, parameter: bool = False) -> list[str]:
        """The lines that declare an array; of a parameter those behind its declaration."""
        names = {
            dim: f"{INDICES[at]}{f' + {off}' if off else ''}"
            for at, (dim, off) in enumerate(array.along)
            if dim >= 0
        }
        left = "".join(f"[{INDICES[at] if dim >= 0 else '*'}]" for at, (dim, _) in enumerate(array.along))
        right = "".join(f"[{names.get(dim, '*')}]" for dim in range(len(array.template.extents)))
        lines = [f"#pragma xmp align {array.name}{left} with {array.template.name}{right}"]
        if not parameter:
            extents = "".join(f"[{n}]" for n in array.extents)
            lines.insert(0, f"{array.kind} {array.name}{extents};")
        if any(each != (0, 0) for each in array.shadow):
            words = "".join("[*]" if each == "*" else f"[{each[0]}:{each[1]}]" for each in array.shadow)
            lines.append(f"#pragma xmp shadow {array.name}{words}")
        return lines

    def _shadow(self, template: Template, dim: int) -> tuple[int, int] | str:
        if not template.blocks(dim) or self.draw.random() < 0.3:
            return "*" if template.formats[dim] != "*" and self.draw.random() < 0.2 else (0, 0)
        return self.draw.choice(((1, 1), (1, 1), (2, 2), (1, 2), (0, 1), (2, 0), (3, 3)))
