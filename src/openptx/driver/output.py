"""Output of kernels: through the C library's `stdout`, in order with what the program prints."""

from __future__ import annotations

import ctypes
import io
import sys


class Output(io.TextIOBase):
    """The C library's `stdout`; in a program of Python, what was printed there before comes first."""

    def __init__(self) -> None:
        self._c = ctypes.CDLL(None)
        self._before = sys.stdout

    def write(self, text: str, /) -> int:
        self._before.flush()
        data = text.encode("utf-8", "surrogateescape")
        stdout = ctypes.c_void_p.in_dll(self._c, "stdout")
        self._c.fwrite(data, ctypes.c_size_t(1), ctypes.c_size_t(len(data)), stdout)
        return len(text)

    def flush(self) -> None:
        self._c.fflush(ctypes.c_void_p.in_dll(self._c, "stdout"))
