"""Reads C with directives: tokens, syntax, types, pragmas of each dialect; says where something is wrong."""
