"""The table of functions that the entry points of a library of `libcuda/*.c` call."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Sequence
from typing import Any

from openptx.driver.calls import dropped

_kept: list[Any] = []  # ctypes callbacks, which the table's pointers do not keep alive


def fill_table(c: Any, callbacks: Sequence[Any]) -> None:
    """Puts functions into the table of a library, given as ctypes has loaded it; None for entry points without one."""
    _kept.extend(callbacks)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))  # the interpreter's end does not free what others may call
    ready, close = c.openptx_driver_ready, c.openptx_driver_close
    ready.restype = close.restype = None
    ready.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    atexit.register(close)
    pointers = [ctypes.cast(each, ctypes.c_void_p).value if each is not None else None for each in callbacks]
    ready((ctypes.c_void_p * len(pointers))(*pointers), dropped)
