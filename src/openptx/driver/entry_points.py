"""The entry points of cuda.h: one row each in entry_points.txt."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROWS = Path(__file__).with_name("entry_points.txt")


class IpcHandle(ctypes.Structure):
    """CUipcMemHandle and CUipcEventHandle: 64 bytes that are passed by value."""

    _fields_ = (("reserved", ctypes.c_uint8 * 64),)


TYPES: dict[str, Any] = {
    "p": ctypes.c_uint64, "h": ctypes.c_uint64, "d": ctypes.c_uint64, "z": ctypes.c_uint64, "m": ctypes.c_uint64,
    "u": ctypes.c_uint32, "i": ctypes.c_int32, "s": ctypes.c_uint16, "b": ctypes.c_uint8, "f": ctypes.c_float,
    "I": IpcHandle,
}  # fmt: skip
"""Types of parameters, by their letter in entry_points.txt. A structure of eight bytes is passed in one register."""


class EntryPoint(NamedTuple):
    """`since` is the CUDA version for which `cuGetProcAddress` returns this symbol; `aliases` are equivalent."""

    symbol: str
    since: int
    parameters: str
    aliases: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The name without a version: `cuMemAlloc` of `cuMemAlloc_v2`."""
        base, _, version = self.symbol.rpartition("_v")
        return base if version.isdigit() else self.symbol

    @property
    def types(self) -> Sequence[Any]:
        """The types of the parameters, for ctypes."""
        return [TYPES[letter] for letter in self.parameters]


@cache
def entry_points() -> tuple[EntryPoint, ...]:
    """All entry points, in the order of the library's table."""
    rows = (line.split() for line in ROWS.read_text("ascii").splitlines() if not line.startswith("#"))
    return tuple(EntryPoint(row[0], int(row[1]), row[2].strip("-"), aliases(*row)) for row in rows)


def aliases(symbol: str, since: str, parameters: str, *suffixes: str) -> tuple[str, ...]:
    """Symbols for programs with a per-thread default stream (`--default-stream per-thread`)."""
    return tuple(f"{symbol}_{suffix}" for suffix in suffixes)
