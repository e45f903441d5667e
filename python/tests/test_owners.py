"""``tasuki plot --program``: who owns what of a program's arrays."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from conftest import Command, error_line

from tasuki.owners import Distribution, owners_figure, owners_of, parse_owners

LINE = {
    "name": "b",
    "nodes": [2, 3],
    "ranks": [5, 4, 3, 2, 1, 0],
    "axes": [
        {"extent": 10, "node_dim": 1, "format": "block", "shadow": "0", "pieces": [[0, 4, 0], [4, 6, 2]]}
    ],
}
SOURCE = """
#define N 10
#pragma xmp nodes p[2][*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][cyclic(2)] onto p
double a[N][8], b[N], whole[3][N];
#pragma xmp align a[j][i] with t[j][i + 2]
#pragma xmp align b[i] with t[*][i]
#pragma xmp align whole[*][j] with t[j][*]
#pragma xmp shadow a[1:2][0]
int main(void) { return 7; } /* not run */
"""


def read(line: dict[str, object]) -> tuple[str, Distribution]:
    found = parse_owners("@owners " + json.dumps(line))
    assert found is not None
    return found


def test_copies_are_held_by_all_along_a_dimension_without_an_axis() -> None:
    name, found = read(LINE)
    assert name == "b"
    assert found.ranks_at({1: 0}) == [5, 2]
    assert found.ranks_at({1: 2}) == [3, 0]
    assert found.ranks_at({0: 1, 1: 1}) == [1]
    assert parse_owners("owners of nothing") is None


def test_arrays_that_lie_alike_share_a_panel() -> None:
    _, alike = read(LINE)
    _, other = read({**LINE, "nodes": [6]} | {"axes": [{**LINE["axes"][0], "node_dim": 0}]})  # type: ignore[index]
    figure = owners_figure("x", 6, [("b", alike), ("c", alike), ("d", other)])
    titles = [axis.get_title() for axis in figure.axes if axis.get_title()]
    assert titles == ["b, c[10] on nodes 2x3", "d[10] on nodes 6"]
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert labels == ["5, 2", "3, 0"]
    plt.close(figure)


def test_a_program_says_what_its_run_time_does(native: Command, native_bin: Path, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SOURCE)
    assert native("cc", "--device", "host", "a.c", "-o", "a").returncode == 0
    found = dict(owners_of(tmp_path / "a", 4))
    a = found["a"]
    assert (a.nodes, a.ranks) == ((2, 2), (0, 1, 2, 3))
    assert [(axis.extent, axis.format, axis.shadow) for axis in a.axes] == [
        (10, "block", "1:2"),
        (8, "cyclic(2)", "0"),
    ]
    owners = [[-1] * 8 for _ in range(10)]
    for row in a.axes[0].pieces:
        for column in a.axes[1].pieces:
            (rank,) = a.ranks_at({0: row.coordinate, 1: column.coordinate})
            for j in range(row.first, row.first + row.count):
                for i in range(column.first, column.first + column.count):
                    owners[j][i] = rank
    assert owners == [[j // 5 * 2 + (i + 2) // 2 % 2 for i in range(8)] for j in range(10)]
    assert found["b"].ranks_at({1: 1}) == [1, 3]
    assert [axis.node_dim for axis in found["whole"].axes] == [-1, 0]

    done = native("plot", "--program", "a.c", "-n", "4", "--format", "svg", "--out", "pictures")
    assert (done.returncode, done.stdout) == (0, "picture: pictures/a-owners.svg\n"), done.stderr
    assert "whole[3][10] on nodes 2x2" in (tmp_path / "pictures/a-owners.svg").read_text()
    wrong = native("plot", "--program", "a", "-n", "3")
    assert wrong.returncode == 1
    assert wrong.stderr.splitlines()[-1] == "tasuki: a did not make its arrays; mend what is said above"
    assert "nodes 2 x * cannot be 3 ranks" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no RESULT is named to draw"),
        (("-n", "2", "r.json"), "-n is for --program alone"),
        (("--program", "no.c"), "there is no program no.c"),
    ],
)
def test_what_cannot_be_drawn(tasuki: Command, words: tuple[str, ...], said: str) -> None:
    done = tasuki("plot", *words)
    assert done.returncode != 0
    assert said in error_line(done)
