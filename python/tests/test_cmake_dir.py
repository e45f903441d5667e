"""``tasuki cmake-dir`` of a package that has no library; scripts/check-install asks one that has."""

from __future__ import annotations

from conftest import Command, error_line


def test_a_package_without_the_library_says_so(tasuki: Command) -> None:
    done = tasuki("cmake-dir")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "came without the library" in error_line(done)
