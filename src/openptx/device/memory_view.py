"""A launch's view of device memory: allocations, and the table of slots that compiled code reads."""

from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.device.allocation import Allocation, Bytes, beside, gap, in_bytes
from openptx.device.heap import Heap
from openptx.isa.address_windows import CONST, FUNCTION, LOCAL, PARAM, SHARED

if TYPE_CHECKING:
    from openptx.device.nested_launches import NestedLaunches

ROW = struct.Struct("<4Q")
"""The columns of the table that compiled code reads: base, size, size if writable, host address minus device
address."""

WINDOWS = {SHARED: ".shared", LOCAL: ".local", CONST: ".const"}
"""Slots outside `.global` (6.4.1.1)."""

ARRAY = "array"
"""The name of an allocation that a program made as an array or a tensor. Faults call it by the argument of the launch
that points to it (`MemoryView.named`)."""

FAR = 1 << 30
"""Distance in bytes beyond which an allocation is not mentioned in a fault."""

NULL_PAGE = 1 << 16  # addresses below come from a null pointer and an index, as on a GPU nothing is ever there


class MemorySnapshot(NamedTuple):
    """A snapshot of the table of slots. A large allocation has several slots; a slot may be empty."""

    rows: tuple[Allocation | None, ...]
    table: bytes  # the same for machine code, a `ROW` each
    owners: Mapping[int, weakref.ref[Array]]  # by the base of the allocation that they keep alive


class MemoryView:
    """What a launch may access outside shared and local memory, one row per slot; all of it lives as long as the map.

    An access of n bytes at address a is valid if, with `s = a >> shift`, s is a row, n <= size[s], `a - base[s] <=
    size[s] - n` in unsigned arithmetic, and the allocation allows it. The host address is then `pointer[s] + (a -
    base[s])`. A module's constant bank and a kernel's parameters have windows of their own, which are not in
    `snapshot`, so that launches may share one.
    """

    __slots__ = (
        "_rows", "const", "gone", "heap", "nested", "owners", "param", "pointers", "shift", "snapshot", "workspace",
    )  # fmt: skip

    def __init__(
        self, shift: int, snapshot: MemorySnapshot, owners: Sequence[object], const: Bytes | None, param: Bytes | None
    ) -> None:
        self.gone: Mapping[int, Allocation] = {}  # earlier contents of slots that are free now
        self.heap: Heap | None = None
        self.nested: NestedLaunches | None = None  # which threads of this launch make
        self.workspace = 0  # where barriers of the whole grid count arrivals (`Image.map`)
        self.pointers: Callable[[], Iterable[tuple[str, int]]] = tuple  # the launch's arguments: names and addresses
        self.shift, self.snapshot, self.owners, self.const, self.param = shift, snapshot, owners, const, param
        self._rows: tuple[Allocation | None, ...] | None = None

    @property
    def rows(self) -> tuple[Allocation | None, ...]:
        """All slots, windows too."""
        if self._rows is None:
            rows = list(self.snapshot.rows)
            windows = (CONST, "constant memory", self.const), (PARAM, "kernel parameters", self.param)
            for slot, name, data in windows:
                if data is not None:
                    rows[slot] = Allocation(name, slot << self.shift, data.size, pointer_of(data), False)
            self._rows = tuple(rows)
        return self._rows

    def allocations(self) -> list[Allocation]:
        """All allocations, without repetitions, by address."""
        return list({a.base: a for a in self.rows if a is not None}.values())

    def nearest(self, address: int, count: int, space: str = "generic", shared: int = 0) -> str:
        """The allocation nearest to an access of `count` bytes at a generic address, and the distance.

        `space` is "global" for instructions that name it. A block has `shared` bytes of shared memory.
        """
        if address < NULL_PAGE:
            return f"none: this is {f'{in_bytes(address)} after ' if address else ''}the null pointer"
        if address >= (1 << 64) - NULL_PAGE:
            return f"none: this is {in_bytes((1 << 64) - address)} before the null pointer"
        slot = address >> self.shift
        if slot == FUNCTION:
            return "none: this is an address of a function"
        if space == "global" and slot in WINDOWS:
            return f"none: this is a generic address of {WINDOWS[slot]}, which is outside of .global"

        if self.heap is not None and self.heap.within(address, 1):
            return self.heap.nearest(address, count)
        block = Allocation("the block's .shared", SHARED << self.shift, shared, 0, True)
        near = [*self.allocations(), block] if shared else self.allocations()
        found = min(near, key=lambda a: gap(a, address, count), default=block)
        freed = self.gone.get(slot)
        if freed is not None and gap(freed, address, count) < gap(found, address, count):
            return f"none: {freed}, was here and has been freed"
        if gap(found, address, count) > FAR:
            return "none within 1 GiB"
        return beside(self.named(found, address), address, count)

    def named(self, found: Allocation, address: int) -> Allocation:
        """An array with the name of the argument that points to it, the last one before an address if several do.

        Names are those of this launch: the same array may have been another argument of an earlier one.
        """
        if found.name != ARRAY:
            return found
        inside = [p for p in self.pointers() if found.base <= p[1] < found.base + max(found.size, 1)]
        if not inside:
            return found
        name, start = max(inside, key=lambda p: (p[1] <= address, p[1] if p[1] <= address else -p[1]))
        return replace(found, name=name if start == found.base else f"memory of {name}")


_address, _first = ctypes.addressof, ctypes.c_char.from_buffer


def pointer_of(array: Any) -> int:
    """The address of an array's first element. `array.ctypes.data` is the same, but takes six times as long."""
    if not array.nbytes:
        return 0
    try:
        return _address(_first(array))
    except (TypeError, ValueError, BufferError):  # read-only, or with elements that only NumPy knows
        return array.ctypes.data


def owner(array: Array) -> Array:
    """The array at the end of a chain of views, which owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
