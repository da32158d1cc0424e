"""Host allocations whose bits the sanitizer treats as undefined until a kernel or a copy has written them."""

from __future__ import annotations

import numpy as np

from openptx.device.memory import Bytes
from openptx.locks import MEMORY

_bits: dict[int, Bytes] = {}  # by address


def undefine(address: int, size: int) -> None:
    """All bits of an allocation, which must have its own slot, become undefined."""
    with MEMORY:
        _bits[address] = np.full(size, 0xFF, np.uint8)


def define(address: int, offset: int, size: int) -> None:
    """The host has written bytes of an allocation."""
    with MEMORY:
        if (known := _bits.get(address)) is not None:
            known[offset : offset + size] = 0


def forget(address: int) -> None:
    """The allocation has been freed."""
    with MEMORY:
        _bits.pop(address, None)


def undefined() -> dict[int, Bytes]:
    """The undefined bits, a byte for each byte, of allocations that have any. They are changed in place."""
    with MEMORY:
        for address in [address for address, bits in _bits.items() if not bits.any()]:
            del _bits[address]
        return dict(_bits)
