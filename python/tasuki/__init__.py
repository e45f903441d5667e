"""Tasuki: write a program for one GPU, run it on many. This package holds the ``tasuki`` command."""

__version__ = "0.1.0"
