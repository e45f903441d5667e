"""Tasuki: write a program for one GPU, run it on many. This package holds the ``tasuki`` command."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("tasuki")  # of CMakeLists.txt, as the package was installed
except PackageNotFoundError:  # a clone in PYTHONPATH
    __version__ = "not installed"
