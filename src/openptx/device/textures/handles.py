"""Handles: the numbers by which kernels name textures, samplers and surfaces."""

from __future__ import annotations

import itertools
import weakref

HANDLES = 1 << 56
"""The first handle, above all memory addresses."""

_numbers = itertools.count(HANDLES)
_known: weakref.WeakValueDictionary[int, Opaque] = weakref.WeakValueDictionary()


class Opaque:
    """An object with a handle: 64 bits that stay the same for its life."""

    kind = ""  # the PTX type of a variable that holds it

    def __init__(self) -> None:
        self.handle = next(_numbers)
        _known[self.handle] = self

    def __int__(self) -> int:
        return self.handle

    __index__ = __int__


def find(handle: int) -> Opaque | None:
    """The object of a handle, while it lives."""
    return _known.get(handle)
