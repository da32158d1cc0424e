"""The functions of `libcuda/*.c` that this package calls, and the table of functions that its entry points call."""

from __future__ import annotations

import atexit
import ctypes
from collections.abc import Sequence
from typing import Any

from openptx.driver.calls import dropped
from openptx.driver.results import Result


class Library:
    """The library that this process has loaded, found by its path: loading it again returns the same one."""

    def __init__(self, path: bytes) -> None:
        c: Any = ctypes.PyDLL(path.decode("utf-8", "surrogateescape"))
        for name in ("current", "context", "forget", "initialized", "push", "pop", "text", "busy", "attribute"):
            getattr(c, f"openptx_driver_{name}").restype = None
        c.openptx_driver_current.restype = c.openptx_driver_pop.restype = ctypes.c_uint64
        c.openptx_driver_context.argtypes = (ctypes.c_uint64, ctypes.c_int)
        c.openptx_driver_forget.argtypes = c.openptx_driver_push.argtypes = (ctypes.c_uint64,)
        c.openptx_driver_context.restype = c.openptx_driver_push.restype = ctypes.c_int
        c.openptx_driver_text.argtypes = (ctypes.c_int, ctypes.c_char_p)
        c.openptx_driver_attribute.argtypes = (ctypes.c_int, ctypes.c_int)
        self.c = c
        self.set_attribute = c.openptx_driver_attribute
        """Sets the value of an attribute of the device, by its number."""
        self.current = c.openptx_driver_current
        """The handle of the thread's context, or 0."""
        self.busy = c.openptx_driver_busy
        """Sets whether streams have pending work, so that a synchronization waits."""
        self.pop = c.openptx_driver_pop
        self.initialized = c.openptx_driver_initialized
        self.forget = c.openptx_driver_forget

    def context(self, handle: int, error: Result = Result.SUCCESS) -> bool:
        """Registers a context, or sets the result of its calls; False if there are too many."""
        return bool(self.c.openptx_driver_context(handle, error))

    def push(self, handle: int) -> bool:
        """Makes a context the thread's current one; False if its stack is full."""
        return bool(self.c.openptx_driver_push(handle))

    def describe(self, result: Result, words: str) -> None:
        """Sets the text that `cuGetErrorString` returns for a result."""
        self.c.openptx_driver_text(result, words.encode("utf-8", "replace"))


_kept: list[Any] = []  # ctypes callbacks, which the table's pointers do not keep alive


def fill_table(c: Any, callbacks: Sequence[Any]) -> None:
    """Puts functions into the table of a library of `libcuda/*.c`, as ctypes has loaded it; None for entry
    points without one."""
    _kept.extend(callbacks)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))  # the interpreter's end does not free what others may call
    ready, close = c.openptx_driver_ready, c.openptx_driver_close
    ready.restype = close.restype = None
    ready.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    atexit.register(close)
    pointers = [ctypes.cast(each, ctypes.c_void_p).value if each is not None else None for each in callbacks]
    ready((ctypes.c_void_p * len(pointers))(*pointers), dropped)
