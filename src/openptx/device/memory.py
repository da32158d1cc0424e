"""Device memory: allocations in slots of the generic address space, as plain arrays that compiled code can read.

A NumPy array that a kernel gets is device memory itself: no copy, written in place. Its device address stays the
same as long as the array lives, so pointers that a kernel stored remain good in the next launch.
"""

from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from openptx.isa.address_windows import CONST, FIRST, FUNCTION, LOCAL, PARAM, SHARED, SHIFT
from openptx.locks import MEMORY

if TYPE_CHECKING:
    from openptx.device.heap import Heap

ROW = struct.Struct("<4Q")
"""Of the table that compiled code reads: base, size, size if it may be written, host address less device address."""

WINDOWS = {SHARED: ".shared", LOCAL: ".local", CONST: ".const"}
"""What is outside of `.global` (6.4.1.1), by slot."""

REMEMBERED = 1024
"""How many freed allocations are remembered, so that faults can name them."""

FAR = 1 << 30
"""Distance in bytes beyond which an allocation is not mentioned in a fault."""

NULL_PAGE = 1 << 16  # addresses below come from a null pointer and an index, as on a GPU nothing is ever there

Array = NDArray[Any]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """`size` bytes of device memory at address `base`, which are the host's at `pointer`."""

    name: str
    base: int
    size: int
    pointer: int
    writable: bool

    def bytes(self) -> Bytes:
        """The host memory. It lives only as long as its owner."""
        if not self.size:
            return np.zeros(0, np.uint8)
        data = np.frombuffer(memoryview((ctypes.c_uint8 * self.size).from_address(self.pointer)), np.uint8)
        data.flags.writeable = self.writable
        return data

    def __str__(self) -> str:
        return f"{self.name}, {many(self.size)} at 0x{self.base:x}"


class MemorySnapshot(NamedTuple):
    """The table of slots at one time. A large allocation has several slots; a slot may be empty."""

    rows: tuple[Allocation | None, ...]
    table: bytes  # the same for machine code, a `ROW` each
    owners: Mapping[int, weakref.ref[Array]]  # by the base of the allocation that they keep alive

    def without(self, bases: Set[int]) -> MemorySnapshot:
        """Less the allocations at these bases."""
        rows, table = list(self.rows), bytearray(self.table)
        for slot, row in enumerate(rows):
            if row is not None and row.base in bases:
                rows[slot] = None
                table[slot * ROW.size : (slot + 1) * ROW.size] = bytes(ROW.size)
        return MemorySnapshot(tuple(rows), bytes(table), self.owners)


class MemoryView:
    """What a launch may touch outside of shared and local memory, one row a slot; all of it stays alive with the map.

    An access of n bytes at address a is good if, with `s = a >> shift`, s is a row, n <= size[s],
    `a - base[s] <= size[s] - n` in unsigned arithmetic, and the allocation allows it. The host address is then
    `pointer[s] + (a - base[s])`. A module's constant bank and a kernel's parameters have windows of their own, which
    are not in `snapshot`, so that launches may share one.
    """

    __slots__ = ("_rows", "const", "gone", "heap", "owners", "param", "shift", "snapshot", "workspace")

    def __init__(
        self, shift: int, snapshot: MemorySnapshot, owners: Sequence[object], const: Bytes | None, param: Bytes | None
    ) -> None:
        self.gone: Mapping[int, Allocation] = {}  # what lay in slots that are free now
        self.heap: Heap | None = None
        self.workspace = 0  # where barriers of the whole grid count who has come (`Image.map`)
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
        """All of them, without repeats, by address."""
        return list({a.base: a for a in self.rows if a is not None}.values())

    def nearest(self, address: int, count: int, space: str = "generic", shared: int = 0) -> str:
        """The allocation next to an access of `count` bytes by a generic address, and how far it missed.

        `space` is "global" for instructions that name it. A block has `shared` bytes of shared memory.
        """
        if address < NULL_PAGE:
            return "none: this is the null pointer" + (f", {many(address)} on" if address else "")
        if address >= (1 << 64) - NULL_PAGE:
            return f"none: this is the null pointer, {many((1 << 64) - address)} before it"
        slot = address >> self.shift
        if slot == FUNCTION:
            return "none: this is an address of a function"
        if space == "global" and slot in WINDOWS:
            return f"none: this is a generic address of {WINDOWS[slot]}, which is outside of .global"

        if slot in self.gone:
            return f"none: {self.gone[slot]}, was here and has been freed"

        if self.heap is not None and self.heap.within(address, 1):
            return self.heap.nearest(address, count)
        block = Allocation("the block's .shared", SHARED << self.shift, shared, 0, True)
        near = [*self.allocations(), block] if shared else self.allocations()
        found = min(near, key=lambda a: gap(a, address, count), default=block)
        return "none within 1 GiB" if gap(found, address, count) > FAR else beside(found, address, count)


def gap(a: Allocation, address: int, count: int) -> int:
    """How far an access of `count` bytes misses an allocation."""
    return max(a.base - address, address + count - (a.base + a.size), 0)


def beside(a: Allocation, address: int, count: int) -> str:
    """An allocation, and how far an access misses it."""
    if address < a.base:
        return f"{a}; the access begins {many(a.base - address)} before it"
    past = gap(a, address, count)
    return f"{a}; the access ends {many(past)} past it" if past else str(a)


def many(size: int) -> str:
    """`1 byte`, `7 bytes`."""
    return f"{size} byte{'s' if size != 1 else ''}"


def pointer_of(array: Any) -> int:
    """Where an array's memory begins. `array.ctypes.data` says the same, in six times the time."""
    if not array.nbytes:
        return 0
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except (TypeError, ValueError, BufferError):  # not to be written, or of elements that only NumPy knows
        return array.ctypes.data


def owner(array: Array) -> Array:
    """The array at the end of a chain of views: the one whose life is the memory's."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Memory:
    """The global memory of a device, shared by all programs of one address size."""

    def __init__(self, address_size: int = 64) -> None:
        self.shift = SHIFT[address_size]
        self._slots = 1 << min(address_size, 49) - self.shift
        self._rows: list[Allocation | None] = [None] * FIRST
        self._table = bytearray(FIRST * ROW.size)
        self._snapshot: MemorySnapshot | None = None  # as long as nothing changes
        self._version = 0
        self._owners: dict[int, weakref.ref[Array]] = {}
        self._gone: dict[int, Allocation] = {}
        self._known: dict[tuple[int, int, bool, int], Allocation] = {}
        self.heap: Heap | None = None  # until `heap_of` is asked for it

    def known(self, array: Array) -> Allocation | None:
        """The allocation that `address` gave a contiguous array before."""
        return self._known.get((pointer_of(array), array.nbytes, array.flags.writeable, id(owner(array))))

    def address(self, array: Array, name: str = "array") -> Allocation:
        """The allocation of a contiguous array; the same one as long as the array's memory lives."""
        root = owner(array)
        key = (pointer_of(array), array.nbytes, array.flags.writeable, id(root))
        with MEMORY:
            found = self._known.get(key)
            if found is None:
                # A view lies as far from a 256-byte boundary as it lies in its owner's memory.
                lead = (pointer_of(array) - pointer_of(root)) % 256
                found = self._add(name, array, array.flags.writeable, root, lead)
                self._known[key] = found
                weakref.finalize(root, self._forget, key).atexit = False
            return found

    def add(self, name: str, data: Bytes, *, writable: bool = True, listed: bool = True) -> Allocation:
        """Makes bytes of our own device memory, until `remove` or their end.

        What is not `listed` is an empty row to machine code, which must find out by other means what it may touch.
        """
        with MEMORY:
            found = self._add(name, data, writable, data, 0, listed)
            weakref.finalize(data, self.remove, found).atexit = False
            return found

    def _add(self, name: str, data: Array, writable: bool, root: Array, lead: int, listed: bool = True) -> Allocation:
        count = max(1, -(-(data.nbytes + lead) >> self.shift))
        slot = self._free(count)
        base, size, pointer = (slot << self.shift) + lead, data.nbytes, pointer_of(data)
        found = Allocation(name, base, size, pointer, writable)
        extent = size if listed else 0
        row = ROW.pack(base, extent, extent if writable else 0, pointer - base & (1 << 64) - 1)
        self._rows[slot : slot + count] = [found] * count
        for taken in range(slot, slot + count):
            self._gone.pop(taken, None)
        self._table[slot * ROW.size : (slot + count) * ROW.size] = row * count
        self._owners[found.base] = weakref.ref(root)
        self._changed()
        return found

    def _free(self, count: int) -> int:
        """The first of `count` free slots in a row; MemoryError where the address space has no more."""
        run = 0
        for slot in range(FIRST, len(self._rows)):
            run = run + 1 if self._rows[slot] is None else 0
            if run == count:
                return slot - count + 1
        slot = len(self._rows)
        if slot + count > self._slots:
            raise MemoryError(f"no device addresses are left for {count << self.shift} bytes")
        self._rows.extend([None] * count)
        self._table.extend(bytes(count * ROW.size))
        return slot

    def remove(self, allocation: Allocation) -> None:
        """Forgets an allocation; its slots may be used again."""
        with MEMORY:
            # In place: a finalizer may come here in the midst of `_add`, on the same thread.
            for slot, row in enumerate(self._rows):
                if row is allocation:
                    self._rows[slot] = None
                    self._gone[slot] = allocation
                    self._table[slot * ROW.size : (slot + 1) * ROW.size] = bytes(ROW.size)
            self._owners.pop(allocation.base, None)
            while len(self._gone) > REMEMBERED:
                del self._gone[next(iter(self._gone))]
            self._changed()

    def _forget(self, key: tuple[int, int, bool, int]) -> None:
        with MEMORY:
            self.remove(self._known.pop(key))

    def map(self, const: Bytes | None = None, param: Bytes | None = None) -> MemoryView:
        """The memory as it is now, with a module's constant bank and a kernel's parameters in their windows."""
        with MEMORY:
            snapshot = self._now()
            owners = [ref() for ref in snapshot.owners.values()]
        for one in owners:
            if one is None:  # about to be forgotten, by a thread that waits for our lock
                snapshot = snapshot.without(
                    {base for base, o in zip(snapshot.owners, owners, strict=True) if o is None}
                )
                break
        found = MemoryView(self.shift, snapshot, owners, const, param)
        found.gone, found.heap = self._gone, self.heap
        return found

    def _now(self) -> MemorySnapshot:
        while (snapshot := self._snapshot) is None:
            version = self._version
            made = MemorySnapshot(tuple(self._rows), bytes(self._table), self._owners.copy())
            if version == self._version:  # else a finalizer came meanwhile, on this very thread
                self._snapshot = made
        return snapshot

    def _changed(self) -> None:
        self._version += 1
        self._snapshot = None


@cache
def device(address_size: int) -> Memory:
    """The memory that all programs of an address size share, as they would a GPU's."""
    return Memory(address_size)
