"""Finds out what a program means: names, distributed arrays, loops that count, what they refer to."""
