"""The variables of shared memory, by position."""

from __future__ import annotations

import re

from openptx.device.shared_layout import SharedLayout

DYNAMIC = "dynamic shared memory"


def shared_place(layout: SharedLayout, offset: int) -> tuple[str, int]:
    """The variable at an offset in a block's shared memory, and the byte in it."""
    if layout.names_dynamic and offset >= layout.dynamic:
        return DYNAMIC, offset - layout.dynamic
    before = [(begin, name) for (name, _), begin in layout.offsets.items() if begin <= offset]
    if not before:
        return "shared memory", offset
    begin, name = max(before)
    return f"shared variable `{in_program(name)}`", offset - begin


def in_program(name: str) -> str:
    """The source name of a function's variable: `s` for `_ZZ3sumPKiE1s` (Itanium C++ ABI, 5.1.6)."""
    found = re.match(r"_ZZ.+E(\d+)(\w+)$", name)
    return found[2] if found and int(found[1]) == len(found[2]) else name
