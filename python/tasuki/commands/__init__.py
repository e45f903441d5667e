"""The commands of ``tasuki``, a file each; `tasuki.cli` registers them."""
