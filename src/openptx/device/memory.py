"""Device memory: allocations in slots of the generic address space, as plain arrays that compiled code can read.

A NumPy array passed to a kernel is device memory itself: no copy, written in place. Its device address stays the same
for the life of the array, so pointers that a kernel stored remain valid in the next launch.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from functools import cache

import numpy as np

from openptx.device.allocation import REMEMBERED, Allocation, Bytes
from openptx.device.heap import SIZE, Heap
from openptx.device.mapping import Occupied, can_choose, mapped
from openptx.device.memory_view import (
    ARRAY,
    ROW,
    Array,
    MemorySnapshot,
    MemoryView,
    owner,
    pointer_of,
)
from openptx.device.pool import POOL
from openptx.errors import ArgumentError
from openptx.isa.address_windows import FIRST, SHIFT
from openptx.locks import MEMORY

QUARANTINE = 256
"""The number of slots kept in quarantine after they were freed, so that a stale pointer faults."""


class Memory:
    """The global memory of a device, shared by all programs of one address size."""

    def __init__(self, address_size: int = 64) -> None:
        self.address_size = address_size
        self.shift = SHIFT[address_size]
        self._slots = 1 << min(address_size, 49) - self.shift
        self._rows: list[Allocation | None] = [None] * FIRST
        self._table = bytearray(FIRST * ROW.size)
        self._snapshot: MemorySnapshot | None = None  # as long as nothing changes
        self._version = 0
        self._owners: dict[int, weakref.ref[Array]] = {}
        self._gone: dict[int, Allocation] = {}
        self._known: dict[tuple[int, int, bool, int], Allocation] = {}
        self._placed: dict[int, tuple[weakref.ref[Array], Allocation | None]] = {}  # by id; None: it has been freed
        self._quarantine: dict[int, None] = {}  # slots, in the order in which they were freed
        self._occupied: set[int] = set()  # slots in which the host has other mappings
        self._lowest = FIRST  # no slot before this one is free
        self.heap: Heap | None = None  # until `device_heap` is asked for it

    def known_allocation(self, array: Array) -> Allocation | None:
        """The allocation of an array that `address` returned before; None if it is not contiguous."""
        flags = array.flags
        if not flags.forc:
            return None
        root = array
        while isinstance(base := root.base, np.ndarray):
            root = base
        if self._placed and id(root) in self._placed:
            return self._within_placed(array, root)
        found = self._known.get((pointer_of(array), array.nbytes, flags.writeable, id(root)))
        # As `_belongs`, whose call takes as long: each launch does this for each array.
        reference = self._owners.get(found.base) if found is not None else None
        return found if reference is not None and reference() is root else None

    def address(self, array: Array, name: str = ARRAY) -> Allocation:
        """The allocation of a contiguous array; the same one as long as the array's memory lives."""
        root = owner(array)
        if (placed := self._within_placed(array, root)) is not None:
            return placed
        pointer = pointer_of(array)
        # A view has the same distance from a 256-byte boundary as in its owner's memory.
        return self.span(name, root, pointer, array.nbytes, array.flags.writeable, (pointer - pointer_of(root)) % 256)

    def span(self, name: str, root: Array, pointer: int, size: int, writable: bool, lead: int = 0) -> Allocation:
        """The allocation of host bytes that an array keeps alive, `lead` bytes after a 256-byte boundary."""
        key = (pointer, size, writable, id(root))
        with MEMORY:
            found = self._known.get(key)
            if found is not None and not self._belongs(found, root):
                self.remove(found)
                found = None
            if found is None:
                # First, since a signal handler may raise in it: without this, the entry would outlive the array.
                weakref.finalize(root, self._forget, key).atexit = False
                found = self._known[key] = self._add(name, pointer, size, writable, root, lead)
            return found

    def _belongs(self, found: Allocation, root: Array) -> bool:
        """Whether an allocation is that of this array: an earlier one had the same address and identity if a signal
        handler raised in its finalizer, which does not run again."""
        reference = self._owners.get(found.base)
        return reference is not None and reference() is root

    def _within_placed(self, array: Array, root: Array) -> Allocation | None:
        """The allocation of an array that lies in memory from `place`, and so has an address already. None for other
        arrays."""
        reference, home = self._placed.get(id(root), (None, None))
        if reference is None or reference() is not root:
            return None
        if home is None:
            raise ArgumentError("the array's memory has been freed")
        if not array.flags.writeable and home.writable:
            return None
        pointer = pointer_of(array)
        return replace(home, base=home.base + pointer - home.pointer, size=array.nbytes, pointer=pointer)

    def avoid(self, address: int, size: int) -> None:
        """Leaves addresses unused: accesses to them fault."""
        with MEMORY:
            self._occupied.update(range(address >> self.shift, (address + max(size, 1) - 1 >> self.shift) + 1))

    def occupied(self, address: int) -> bool:
        """Whether something is allocated in the slot of an address."""
        slot = address >> self.shift
        return FIRST <= slot < len(self._rows) and self._rows[slot] is not None

    def placed_allocation(self, root: Array) -> Allocation | None:
        """The allocation whose bytes an array is, as `place` created it. Raises ArgumentError if it has been freed."""
        return self._within_placed(root, root)

    def place(self, name: str, size: int, *, reserve: int = 0, listed: bool = True) -> tuple[Allocation, Bytes]:
        """New zeroed memory of `size` bytes, with room for `reserve` bytes in total; it lives as long as the array.

        Its device address is also the host's if the system allows choosing it (not for 32-bit programs). Raises
        MemoryError if addresses or memory are exhausted.
        """
        extent = max(size, reserve)
        with MEMORY:
            while True:
                slot = self._free(max(1, -(-extent >> self.shift)))
                if not can_choose() or self.shift < 32:
                    data = np.zeros(extent, np.uint8)
                    break
                try:
                    data = mapped(slot << self.shift, extent)
                    break
                except Occupied:
                    self._occupied.add(slot)
            return self._settle(self._add(name, pointer_of(data), size, True, data, 0, listed, slot), data), data

    def device_heap(self) -> Heap:
        """The heap that kernels `malloc` from, created when the first module that calls `malloc` is loaded."""
        with MEMORY:
            if self.heap is None:
                room = POOL if self.shift == SHIFT[64] else 0
                allocation, data = self.place("device heap", SIZE, reserve=SIZE + room, listed=False)
                self.heap = Heap(allocation, data, self.extend)
            return self.heap

    def reserve(self, size: int) -> Bytes:
        """Pages of zeros at addresses that are reserved until `end_reservation`, and inaccessible to kernels.

        Raises MemoryError if addresses are exhausted.
        """
        with MEMORY:
            while True:
                count = max(1, -(-size >> self.shift))
                slot = self._free(count)
                self._occupied.update(range(slot, slot + count))
                try:
                    return mapped(slot << self.shift, size)
                except Occupied:
                    continue

    def show(self, name: str, address: int, data: Bytes) -> Allocation:
        """Makes bytes accessible to kernels at an address that was reserved or avoided; they must not share a slot with
        others."""
        with MEMORY:
            self._grow((address + data.size >> self.shift) + 1)
            lead = address & (1 << self.shift) - 1
            writable = data.flags.writeable
            return self._add(name, pointer_of(data), data.size, writable, data, lead, slot=address >> self.shift)

    def end_reservation(self, address: int, size: int) -> None:
        """Ends a reservation of addresses. They are not reused for some time."""
        with MEMORY:
            slots = range(address >> self.shift, (address + max(size, 1) - 1 >> self.shift) + 1)
            self._occupied.difference_update(slots)
            self._quarantine.update(dict.fromkeys(slots))
            self._free_oldest()

    def adopt(self, name: str, data: Bytes) -> Allocation:
        """Makes an array device memory until `release`, at the same distance from a 256-byte boundary as on the
        host."""
        with MEMORY:
            pointer = data.ctypes.data
            return self._settle(self._add(name, pointer, data.size, data.flags.writeable, data, pointer % 256), data)

    def _settle(self, found: Allocation, data: Bytes) -> Allocation:
        """Arrays that are views of these bytes have device addresses from now on."""
        self._placed[id(data)] = weakref.ref(data), found
        weakref.finalize(data, self._placed.pop, id(data), None).atexit = False
        return found

    def extend(self, allocation: Allocation, size: int) -> Allocation:
        """Enlarges an unlisted allocation, within what `place` reserved for it."""
        with MEMORY:
            slot = allocation.base >> self.shift
            found = self._rows[slot] = replace(allocation, size=size)
            self._invalidate_snapshot()
            return found

    def release(self, allocation: Allocation, data: Bytes) -> None:
        """Frees an allocation of `place` or `adopt`: its addresses are not reused for some time."""
        with MEMORY:
            if id(data) in self._placed:
                self._placed[id(data)] = weakref.ref(data), None
            self._quarantine.update(dict.fromkeys(self._slots_of(allocation)))
            self.remove(allocation)
            self._free_oldest()

    def withdraw(self, allocation: Allocation) -> None:
        """Makes accesses fault until `restore`, as if it were freed. Its addresses are not reused."""
        with MEMORY:
            self._occupied.update(self._slots_of(allocation))
            self.remove(allocation)

    def restore(self, allocation: Allocation, root: Array) -> Allocation:
        """Restores an allocation that was withdrawn."""
        with MEMORY:
            first = allocation.base >> self.shift
            self._occupied.difference_update(range(first, first + max(1, -(-allocation.size >> self.shift))))
            return self._add(
                allocation.name, allocation.pointer, allocation.size, allocation.writable, root, 0, slot=first
            )

    def _free_oldest(self) -> None:
        """Ends the quarantine of the oldest slots, if there are many."""
        while len(self._quarantine) > QUARANTINE:
            slot = next(iter(self._quarantine))
            del self._quarantine[slot]
            self._lowest = min(self._lowest, slot)

    def _slots_of(self, allocation: Allocation) -> range:
        first = allocation.base >> self.shift
        after = first
        while after < len(self._rows) and self._rows[after] is allocation:
            after += 1
        return range(first, after)

    def add(self, name: str, data: Bytes, *, writable: bool = True, listed: bool = True) -> Allocation:
        """Makes host bytes device memory, until `remove` or their end.

        If it is not `listed`, its row is empty to machine code, which must find out by other means what it may access.
        """
        with MEMORY:
            found = self._add(name, pointer_of(data), data.nbytes, writable, data, 0, listed)
            weakref.finalize(data, self.remove, found).atexit = False
            return found

    def _add(
        self, name: str, pointer: int, size: int, writable: bool, root: Array, lead: int, listed: bool = True,
        slot: int | None = None,
    ) -> Allocation:  # fmt: skip
        count = max(1, -(-(size + lead) >> self.shift))
        slot = self._free(count) if slot is None else slot
        base = (slot << self.shift) + lead
        found = Allocation(name, base, size, pointer, writable)
        extent = size if listed else 0
        row = ROW.pack(base, extent, extent if writable else 0, pointer - base & (1 << 64) - 1)
        reference = weakref.ref(root)
        for taken in range(slot, slot + count):
            self._gone.pop(taken, None)
        # No calls from here on, so that no signal handler can raise in between.
        self._owners[base] = reference
        self._rows[slot : slot + count] = [found] * count
        self._table[slot * ROW.size : (slot + count) * ROW.size] = row * count
        self._version += 1
        self._snapshot = None
        return found

    def _free(self, count: int) -> int:
        """The first of `count` consecutive free slots; MemoryError if the address space has none."""
        run, closed, version = 0, self._quarantine.keys() | self._occupied, self._version
        lowest = end = len(self._rows)
        found = -1
        for slot in range(self._lowest, end):
            run = run + 1 if self._rows[slot] is None and slot not in closed else 0
            lowest = slot if run and lowest == end else lowest
            if run == count:
                found = slot - count + 1
                break
        if version == self._version:  # otherwise a finalizer freed slots meanwhile
            self._lowest = lowest
        if found >= 0:
            return found
        slot = end
        while closed and any(one in closed for one in range(slot, slot + count)):
            slot += 1
        if slot + count > self._slots:
            raise MemoryError(f"no device addresses are left for {count << self.shift} bytes")
        self._grow(slot + count)
        return slot

    def _grow(self, slots: int) -> None:
        """Makes the table of slots at least as long."""
        added = max(slots - len(self._rows), 0)
        self._rows.extend([None] * added)
        self._table.extend(bytes(added * ROW.size))

    def remove(self, allocation: Allocation) -> None:
        """Forgets an allocation; its slots may be reused."""
        with MEMORY:
            # In place: a finalizer may run this in the middle of `_add`, on the same thread.
            slots = self._slots_of(allocation)
            if not slots:  # `release` came first
                return
            for slot in slots:
                self._rows[slot] = None
                self._gone[slot] = allocation
                self._table[slot * ROW.size : (slot + 1) * ROW.size] = bytes(ROW.size)
                if slot not in self._quarantine:
                    self._lowest = min(self._lowest, slot)
            self._owners.pop(allocation.base, None)
            while len(self._gone) > REMEMBERED:
                del self._gone[next(iter(self._gone))]
            self._invalidate_snapshot()

    def _forget(self, key: tuple[int, int, bool, int]) -> None:
        with MEMORY:
            if (found := self._known.pop(key, None)) is not None:
                self.remove(found)

    def map(self, const: Bytes | None = None, param: Bytes | None = None) -> MemoryView:
        """The current memory, with a module's constant bank and a kernel's parameters in their windows."""
        with MEMORY:
            snapshot, owners = self._now()
        found = MemoryView(self.shift, snapshot, owners, const, param)
        found.gone, found.heap = self._gone, self.heap
        return found

    def _now(self) -> tuple[MemorySnapshot, list[Array]]:
        """The allocations of arrays that live, and these arrays."""
        while True:
            while (snapshot := self._snapshot) is None:
                version = self._version
                made = MemorySnapshot(tuple(self._rows), bytes(self._table), self._owners.copy())
                if version == self._version:  # otherwise a finalizer ran meanwhile, on this very thread
                    self._snapshot = made
            owners = [owner for reference in snapshot.owners.values() if (owner := reference()) is not None]
            if len(owners) == len(snapshot.owners):
                return snapshot, owners
            self._remove_dead(snapshot)

    def _remove_dead(self, snapshot: MemorySnapshot) -> None:
        """Forgets arrays whose finalizers wait for our lock on another thread, or ended by a signal handler's
        exception."""
        for base, reference in snapshot.owners.items():
            if reference() is None:
                self._owners.pop(base, None)
                if (allocation := self._rows[base >> self.shift]) is not None and allocation.base == base:
                    self.remove(allocation)
        self._invalidate_snapshot()

    def _invalidate_snapshot(self) -> None:
        self._version += 1
        self._snapshot = None


@cache
def device(address_size: int) -> Memory:
    """The memory that all programs of an address size share, as on a GPU."""
    return Memory(address_size)
