"""Draws programs of directives that print, behind each statement, a digest of the array that it has changed.

text = program(seed)          # C: as serial C it prints what it has to print on any number of ranks

A program has several functions, each with nodes, templates and arrays of its own: all formats, offsets,
copies, transposed dimensions, shadows. Statements are loops with steps and neighbours, loops over more than
the own part, reductions, reflects, gmoves of sections, tasks, broadcasts, time loops, and each of these on a
device; the library's functions on whole arrays, and functions that take arrays. `python program.py SEED`
prints one.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from drawn.statements import Statements

HEAD = """/* Drawn by seed {seed}. ranks: {ranks} */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#define AT(i, n) (i)
static int nodes_along(xmp_desc_t nodes, int dim) {{ int n; xmp_nodes_size(nodes, dim, &n); return n; }}
#else
#define AT(i, n) (((i) % (n) + (n)) % (n)) /* periodic shadows */
#define nodes_along(nodes, dim) 1
#endif
static void cut(int *sizes, int parts, int whole, unsigned seed) {{
  for (int k = 0; k < parts; k++) {{
    seed = seed * 1103515245u + 12345u;
    int size = k == parts - 1 ? whole : (int)((seed >> 16) % (2 * whole / (parts - k) + 1));
    sizes[k] = size > whole ? whole : size;
    whole -= sizes[k];
  }}
}}
static unsigned long mixed(long value, unsigned long at) {{
  unsigned long x = (unsigned long)value * 0x9e3779b97f4a7c15ul + at * 0xc2b2ae3d27d4eb4ful;
  x ^= x >> 29;
  return x * 0xbf58476d1ce4e5b9ul;
}}
#pragma xmp nodes all[*]
static void say(const char *what, unsigned long digest) {{
#pragma xmp task on all[0]
  printf("%s %lx\\n", what, digest);
}}
"""


class Function(Statements):
    """One function of a program."""

    def text(self) -> str:
        for array in self.arrays:
            self.fill(array)
        ways = (
            [self.compute] * 6
            + [self.reduce] * 3
            + [self.move] * 4
            + [self.wider, self.elementwise, self.task]
        )
        ways += [self.steps] * 2 + [self.shadows_added] + [self.whole] * 2 + [self.passed] * 2
        for _ in range(self.draw.randint(5, 9)):
            self.draw.choice(ways)()
        body = self.lines
        if self.acc:
            names = ", ".join(array.name for array in self.arrays)
            body = [f"#pragma acc data copyin({names})", "{", *body, "}"]
        own = "\n".join([f"static void {self.name}(void) {{", *self.head, *body, "}"]) + "\n"
        return "".join([*self.functions, own])


def program(seed: int, functions: int = 6) -> str:
    """A whole program."""
    draw = random.Random(seed)
    flat = draw.random() < 0.4
    ranks = "1 2 3 4 6" if flat else "1 2 4 6"
    texts = [Function(draw, f"f{k}", flat).text() for k in range(functions)]
    calls = " ".join(f"f{k}();" for k in range(functions))
    return HEAD.format(seed=seed, ranks=ranks) + "".join(texts) + f"int main(void) {{ {calls} return 0; }}\n"


if __name__ == "__main__":
    print(program(int(sys.argv[1])), end="")
