"""Entry points that return a property of an object."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from openptx.driver.calls import in_context, put, write
from openptx.driver.devices.contexts import Context


def getter(
    symbol: str, value: Callable[[Context, int], float | bytes], kind: Any = ctypes.c_uint64, *, out_first: bool = False
) -> None:
    """Declares an entry point of a context with two arguments, a handle and an address, to which it writes what `value`
    returns for the handle: a number of the `kind`, or a structure."""

    def write_value(context: Context, first: int, second: int) -> None:
        handle, out = (second, first) if out_first else (first, second)
        found = value(context, handle)
        if isinstance(found, bytes):
            write(out, found)
        else:
            put(out, found, kind)

    in_context(symbol)(write_value)
