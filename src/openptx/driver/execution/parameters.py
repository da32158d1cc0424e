"""The parameters of a launch, as the caller of `cuLaunchKernel` gives them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from openptx.driver.calls import get, invalid

END, POINTER, SIZE = 0, 1, 2
"""CU_LAUNCH_PARAM_*: the meaning of the next word in `extra`."""


def packed(name: str, size: int, places: Sequence[tuple[int, int]], pointers: int, extra: int) -> bytearray:
    """The bytes of all parameters: from a pointer for each, or all together by `extra`. `places` are (offset, bytes).

    Fails if some are missing; `name` is the kernel's.
    """
    if pointers and extra:
        raise invalid(f"the parameters of kernel `{name}` are given twice")
    buffer = bytearray(size)
    if not size:
        return buffer
    if pointers:
        address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        table = (ctypes.c_uint64 * len(places)).from_address(pointers)
        for pointer, (offset, count) in zip(table, places, strict=True):
            if not pointer:
                raise invalid(f"a parameter of kernel `{name}` is null")
            ctypes.memmove(address + offset, pointer, count)
        return buffer
    if not extra:
        raise invalid(f"kernel `{name}` needs parameters, and there are none")
    words = dict[int, int]()
    while (number := get(extra)) != END:
        words[number] = get(extra + 8)
        extra += 16
    provided = get(words.get(SIZE, 0))
    if provided < size:
        raise invalid(f"kernel `{name}` takes {size} bytes of parameters, not {provided}")
    return bytearray(ctypes.string_at(words.get(POINTER, 0), size))
