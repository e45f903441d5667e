"""Calls of functions of xmp.h that nodes come to together: an error in one names its place.

xmp_sync_all(NULL);
->
(tsk_here("a.c:9:3"), xmp_sync_all)(NULL);
"""

from __future__ import annotations

from pycparser import c_ast

from tasuki.lang.analysis.text import Text
from tasuki.lang.front.types import descend

_PLACED = {
    "xmp_sync_all", "xmp_sync_image", "xmp_sync_images", "xmp_sync_images_all", "xmp_malloc", "xmp_free",
    "xmp_transpose", "xmp_matmul", "xmp_gather", "xmp_scatter", "xmp_pack", "xmp_pack_mask",
    "xmp_pack_nomask", "xmp_unpack", "xmp_unpack_mask", "xmp_unpack_nomask", "xmp_sort_up", "xmp_sort_down",
}  # fmt: skip


def place_calls(text: Text) -> None:
    """Edits those of a unit."""
    for node in descend(text.m.tree.unit):
        name = node.name if isinstance(node, c_ast.FuncCall) else None
        if not isinstance(name, c_ast.ID) or name.name not in _PLACED:
            continue
        variable = text.m.names.use.get(name)
        if variable is None or variable.is_function():
            where = text.where(text.m.tree.first(name))
            text.edits.replace(*text.m.tree.span_of(name), f"(tsk_here({where}), {name.name})")
