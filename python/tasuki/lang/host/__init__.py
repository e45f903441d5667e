"""Writes C for the host: declarations, statements, sections, loops."""
