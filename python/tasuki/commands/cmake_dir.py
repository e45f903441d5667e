"""``tasuki cmake-dir``: prints the folder of the installed library, for CMake."""

from __future__ import annotations

from pathlib import Path

from tasuki.errors import TasukiError


def cmake_dir() -> None:
    """Print the folder in which find_package(tasuki) finds the library that was installed with this command.

    cmake -S . -B build -Dtasuki_DIR=$(tasuki cmake-dir)
    """
    folder = Path(__file__).resolve().parents[1] / "lib" / "cmake" / "tasuki"
    if not (folder / "tasukiConfig.cmake").is_file():
        raise TasukiError(
            "this package came without the library",
            "install it with `pip install .`, or take the folder of `cmake --install build/host --prefix ..`",
        )
    print(folder)
