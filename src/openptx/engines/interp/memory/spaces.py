"""The memory that the lanes of a batch see: resolves an address, checks it, gathers and scatters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.device.allocation import Allocation, Bytes
from openptx.device.heap import Heap
from openptx.device.image import Image
from openptx.device.memory_view import MemoryView
from openptx.engines.common import fault_text
from openptx.engines.interp import lane_sets
from openptx.engines.interp.abandon import Abandonable
from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.memory.alignment import any_unaligned, within
from openptx.engines.interp.memory.views import Plane, grown
from openptx.engines.interp.memory.written_bytes import WrittenBytes
from openptx.isa.address_windows import CTA_SHIFT, FIRST, FUNCTION, LOCAL, PARAM, RANK_0, SHARED, SLOTS
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.reductions import any_set, distinct, largest, paired, smallest, where_set

Place = tuple[Plane, NDArray[np.int64]]


OFFSET = np.dtype(np.int64)

CLUSTER = 16
"""The maximum number of CTAs in a cluster: larger ranks belong to invalid addresses, such as numbers below 0."""

WIDE = 32
"""The bits of a shared address."""

ALLOCA = {64: 1 << 30, 32: 1 << 23}
"""Local addresses from here on are the thread's `alloca` stack, lower ones are frames; by address size, because a
generic address has room for it in its window."""


class Violation(Exception):
    """An illegal action of a lane. The engine turns it into a Fault, because it knows the instruction."""

    def __init__(
        self, code: str, message: str, lane: int, address: int | None = None, space: str = "", size: int = 0,
        limit: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.code, self.message, self.lane = code, message, lane
        self.address, self.space, self.size, self.limit = address, space, size, limit


STACK_BYTES = 1 << 30
"""The host memory that the stacks of a batch may use before a recursion counts as endless."""


class Spaces(NumpyMachine):
    """Loads and stores. `executing` is the set of lanes; values have one element for each of them, or one for all."""

    def __init__(self, geometry: Geometry, memory: MemoryView, image: Image) -> None:
        super().__init__()
        self.geometry, self.memory, self.image = geometry, memory, image
        self.address_size = image.program.address_size
        self.heap_base = memory.heap.allocation.base if memory.heap is not None else 0
        self.n = geometry.n
        self.executing: lane_sets.Lanes = None
        self.doing = "load"  # or store, atomic, copy: the word in fault texts
        self.copy_size = 0  # bytes of the copy that the access is a part of; 0 if it is not part of one
        self.written: WrittenBytes | None = None
        """Of shared memory, if reads of other bytes are faults."""
        self.abandon: Abandonable | None = None
        self.shift = memory.shift
        self._slot_shift = np.array(memory.shift, np.uint64)
        self._within_slot = np.array((1 << memory.shift) - 1, np.uint64)
        self.shared_size = geometry.shape.shared
        self.shared_stride = max(256, -(-self.shared_size // 256) * 256)
        self.shared = Plane(np.zeros(self.shared_stride * geometry.count, np.uint8))
        self._cta_base = geometry.cta * self.shared_stride
        self.local_size = 0  # bytes that the executing function may touch
        self._local_stride = 0
        self.local = Plane(np.zeros(0, np.uint8))
        self._local_base: NDArray[np.int64] = np.zeros(0, np.int64)
        self.stack_base = ALLOCA[self.address_size]
        self.stack_top = np.full(self.n, self.stack_base, np.int64)
        self._stack_stride = 0
        self._stack = Plane(np.zeros(0, np.uint8))
        self._planes: dict[int, Plane] = {}

    # Events, of which subclasses learn.

    def uses(self, what: str, *values: Bits) -> None:
        """The system uses values outside of meanings, to print, allocate, or access a texture. `what`: an undefined one
        ..., for the sanitizer."""

    def stores_outside(self, *values: Bits) -> None:
        """Values are stored in memory that is no allocation: a surface."""

    def keep(self, reason: str) -> None:
        """The launch does something irrevocable."""
        if self.abandon is not None:
            self.abandon.keep(reason)

    @property
    def heap(self) -> Heap:
        """The heap that `malloc` allocates from."""
        assert self.memory.heap is not None
        return self.memory.heap

    def take(self, lane: int, size: int) -> int:
        """The address that a lane's `malloc` returns."""
        self.keep("it allocates memory")
        return self.heap.take(size)

    def give_back(self, lane: int, address: int) -> bool:
        """A lane's `free`; False for an address that `malloc` did not return."""
        self.keep("it frees memory")
        return self.memory.heap is not None and self.heap.give_back(address)

    @property
    def heap_plane(self) -> Plane | None:
        """The heap's memory, if it has been used."""
        return self._planes.get(self.heap_base) if self.heap_base else None

    def close(self) -> None:
        """Ends the machine."""
        self._planes.clear()
        self._constants.clear()
        del self.memory

    def use_memory(self, shared: Bytes, local: Bytes, stride: int) -> None:
        """Makes the batch's single CTA use existing memory; each lane has `stride` bytes of the local memory."""
        self.shared, self.local = Plane(shared), Plane(local)
        self._local_stride, self._local_base = stride, np.arange(self.n) * stride

    def shared_of(self, cta: int) -> int:
        """The address in this process of a CTA's shared memory."""
        return self.shared.data.ctypes.data + cta * self.shared_stride

    # Local memory grows with the depth of calls.

    def reserve(self, size: int) -> None:
        """Makes room for `size` bytes of local memory in every lane."""
        if size > self._local_stride:
            self.local, self._local_stride = grown(self.local, self.n, size)
            self._local_base = np.arange(self.n) * self._local_stride

    def reserve_stack(self, size: int) -> None:
        """Reserves memory for what `alloca` allocates. Raises Violation for more than there is."""
        if size * self.n > STACK_BYTES or self.stack_base + size > 1 << self.shift:
            raise Violation("stack-overflow", f"`alloca` asks for {size} bytes in every thread", -1)
        if size > self._stack_stride:
            self._stack, self._stack_stride = grown(self._stack, self.n, size)

    def copy_local(self, lanes: lane_sets.Lanes, a: int, b: int, size: int) -> None:
        """Moves bytes of each lane's local memory from `a` to `b`."""
        rows = self.local.data.reshape(self.n, self._local_stride)
        index = slice(None) if lanes is None else lanes
        rows[index, b : b + size] = rows[index, a : a + size]

    # Address resolution.

    def fault(
        self, code: str, message: str, bad: NDArray[np.bool_], address: Array, space: str, size: int, limit: int = -1
    ) -> Violation:
        """The violation of the first lane that is `bad`; a copy counts as one access of all its bytes."""
        i = int(where_set(bad)[0])
        lane = int(lane_sets.positions(self.executing, self.n)[i]) if bad.size > 1 else lane_sets.first(self.executing)
        at = int(address[i if address.size > 1 else 0])
        return Violation(code, message, lane, at, space, self.copy_size or size, limit)

    def check(
        self, offsets: Array, last: int, limit: int, size: int, lead: int, address: Array, space: str
    ) -> None:  # fmt: skip
        """Faults unless all offsets, of which `last` is the largest, are multiples of `size` and leave room for it
        below `limit`."""
        if offsets.size == 1:
            aligned = not last + lead & size - 1
        else:
            aligned = size == 1 or not (lead & size - 1 or any_unaligned(offsets, size))
        if aligned and last + size <= limit:
            return
        if not aligned:
            bad = np.bitwise_and(offsets + np.uint64(lead), within(size)) != 0
            if any_set(bad):
                raise self.fault(
                    "misaligned-access", fault_text.misaligned(self.doing, size), bad, address, space, size
                )
        bad = (offsets > np.uint64(max(limit - size, 0))) | (size > limit)
        if any_set(bad):
            own = limit if space not in ("generic", "global") else -1
            what = fault_text.outside(self.doing, self.copy_size or size, space, own)
            raise self.fault("out-of-bounds", what, bad, address, space, size, own)

    def in_shared(self, a: Array, size: int, space: str) -> Place:
        """A shared address, of the executing CTA or with the rank of another CTA of its cluster.

        The manual (6.4.1) truncates a 64-bit register to the 32 bits of a shared address, so a generic address of
        shared memory works, too. Other high bits, such as those of a pointer to global memory, are left for the fault.
        """
        geometry = self.geometry
        base = lane_sets.take(self._cta_base, self.executing) if geometry.count > 1 else None
        last = largest(a)
        if last >> CTA_SHIFT:
            if last >> WIDE:
                a = np.where(a >> np.uint64(WIDE) == SHARED, a & np.uint64((1 << WIDE) - 1), a)
            named = (a >> np.uint64(CTA_SHIFT)).astype(np.int64)
            rank, bare = np.where(named < 2 * RANK_0, named & RANK_0 - 1, -1), named == 0
            own = lane_sets.take(geometry.cta, self.executing)
            mine = geometry.rank[own].astype(np.int64)
            shape = geometry.shape
            others = space == "shared::cluster"
            reachable = bare | ((rank >= 0) & (rank < shape.cluster_size) if others else rank == mine)
            absent = ~reachable & (rank >= 0) & (rank < CLUSTER)
            if shape.explicit_cluster and others and any_set(absent):
                raise self.fault("out-of-bounds", "no such CTA in the cluster", absent, a, space, size)
            base = np.where(reachable & ~bare, own - mine + rank, own) * self.shared_stride
            a = np.where(reachable, a & np.uint64((1 << CTA_SHIFT) - 1), a)
            last = largest(a)
        self.check(a, last, self.shared_size, size, 0, a, "shared")
        offsets = a.view(OFFSET)
        return self.shared, offsets if base is None else np.add(*paired(base, offsets))

    def in_local(self, a: Array, size: int, space: str) -> Place | None:
        last = largest(a)
        if self._stack_stride and last >= self.stack_base:
            return self.in_stack(a, size, space) if smallest(a) >= self.stack_base else None
        self.check(a, last, self.local_size, size, 0, a, space)
        base = self._local_base if self.executing is None else self._local_base[self.executing]
        return self.local, np.add(*paired(base, a.view(OFFSET)))

    def in_stack(self, a: Array, size: int, space: str) -> Place:
        top = lane_sets.take(self.stack_top, self.executing)
        offsets = a - np.uint64(self.stack_base)
        self.check(offsets, largest(offsets), self._stack_stride, size, 0, a, space)
        bad = a.astype(np.int64) + size > top
        if any_set(bad):
            what = f"{fault_text.access(self.doing, self.copy_size or size)} beyond the stack"
            raise self.fault("out-of-bounds", what, bad, a, space, size)
        places = lane_sets.positions(self.executing, self.n)
        return self._stack, places * self._stack_stride + offsets.view(np.int64)

    def in_allocation(self, a: Array, size: int, space: str, write: bool) -> Place | None:
        """A generic address of global, constant or parameter memory; None if lanes address several allocations."""
        slot: int = a.item(0) >> self.shift
        rows = self.memory.rows
        row = rows[slot] if slot < len(rows) else None
        if space == "generic" and slot >= FIRST:
            space = "global"
        elif space == "global" and slot < FIRST and slot != PARAM:
            row = None  # the window of parameters is inside `.global`, all others are outside (6.4.1.1)
        if row is not None:
            plane = self._planes.get(row.base) or self.plane_of(row)
            offsets = np.subtract(a, plane.base)
            last = largest(offsets)
            if a.size == 1 or last < row.size:
                self.check(offsets, last, row.size, size, plane.lead, a, space)
                if write and not row.writable:
                    raise self.locked(row, a, space, size)
                if self.heap_base == row.base:
                    self.check_heap(a, size, space)
                if write and self.abandon is not None:
                    self.abandon.before_write(row)
                return plane, offsets.view(OFFSET)
        slots = np.right_shift(a, self._slot_shift)
        if a.size > 1 and any_set(slots != slots[0]):
            return None
        limit = row.size if row is not None else 0
        offsets = a - np.uint64(row.base if row is not None else slot << self.shift)
        self.check(offsets, largest(offsets), limit, size, 0, a, space)
        raise AssertionError("an address outside of its allocation passed the check")

    def locked(self, row: Allocation, a: Array, space: str, size: int) -> Violation:
        """The violation of a write to read-only memory."""
        return self.fault(
            "read-only", fault_text.read_only(self.memory.named(row, int(a[0]))), np.ones(1, np.bool_), a, space, size
        )

    def in_window(self, a: Array, size: int, space: str, write: bool) -> Place:
        """An address of the constants or of the kernel's parameters."""
        row = self.memory.rows[SLOTS[space]]
        last = a.item(0) if a.size == 1 else largest(a)
        self.check(a, last, row.size if row is not None else 0, size, 0, a, space)
        assert row is not None
        if write:
            raise self.locked(row, a, space, size)
        return self.plane_of(row), a.view(OFFSET)

    def plane_of(self, row: Allocation) -> Plane:
        plane = self._planes.get(row.base)
        if plane is None:
            plane = self._planes[row.base] = Plane(row.bytes(), row.base & 255, row.writable, row.base)
        return plane

    def check_heap(self, a: Array, size: int, space: str) -> None:
        """Faults on accesses to the heap outside blocks that `malloc` returned and `free` has not freed."""
        bad = ~self.heap.holds(a, size)
        if any_set(bad):
            pooled = self.heap.pooled(int(a[int(where_set(bad)[0]) if a.size > 1 else 0]))
            what = fault_text.beyond_blocks(self.doing, self.copy_size or size, pooled)
            raise self.fault("out-of-bounds", what, bad, a, space, size)

    def place(self, space: str, a: Array, size: int, write: bool) -> Place | None:
        """The plane that the lanes' addresses refer to, and the offsets in it; None if there are several planes."""
        if space == "shared" or space == "shared::cta" or space == "shared::cluster":
            return self.in_shared(a, size, space)
        if space == "const" or space == "param":
            return self.in_window(a, size, space, write)
        if space == "local" or space == "frame":
            return self.in_local(a, size, space)
        if space == "generic":
            slot = a.item(0) >> self.shift
            if slot <= FUNCTION:
                if a.size > 1 and any_set(np.right_shift(a, self._slot_shift) != slot):
                    return None
                low = np.bitwise_and(a, self._within_slot)
                if slot == SHARED:
                    return self.in_shared(low, size, "shared::cluster")
                if slot == LOCAL:
                    return self.in_local(low, size, "local")
        return self.in_allocation(a, size, space, write)

    def by_slot(self, a: Array) -> list[tuple[NDArray[np.intp], lane_sets.Lanes]]:
        """For addresses in several slots: for each slot, the positions of its lanes among the executing ones, and the
        lanes.

        Frames and the `alloca` stack lie in one slot, but in different memory.
        """
        slots = a >> np.uint64(min(self.shift, self.stack_base.bit_length() - 1) if self._stack_stride else self.shift)
        chosen = [slots == slot for slot in distinct(slots)]
        return [(where_set(mask), lane_sets.where(self.executing, mask, self.n)) for mask in chosen]

    def places(self, space: str, a: Array, size: int, write: bool) -> list[tuple[NDArray[np.intp] | None, Place]]:
        """The places that the lanes address, each with the positions of its lanes among the executing ones; None: all.

        All of them are checked before one is accessed. Of several invalid lanes the first is reported.
        """
        before = self.executing
        try:
            place = self.place(space, a, size, write)
            if place is not None:
                return [(None, place)]
            found: list[tuple[NDArray[np.intp] | None, Place]] = []
            for chosen, some in self.by_slot(a):
                self.executing = some
                place = self.place(space, a[chosen], size, write)
                assert place is not None
                found.append((chosen, place))
            return found
        except Violation:
            lanes = lane_sets.positions(before, self.n).tolist()
            for lane, one in zip(lanes, np.broadcast_to(a, len(lanes)), strict=True):
                self.executing = slice(lane, lane + 1)
                self.place(space, one[np.newaxis], size, write)
            raise
        finally:
            self.executing = before

    def check_written(
        self, chosen: NDArray[np.intp] | None, offsets: NDArray[np.int64], size: int, address: Array
    ) -> None:
        assert self.written is not None
        bad = ~self.written.all_written(offsets, size)
        if any_set(bad):
            if chosen is not None:
                bad = np.isin(np.arange(address.size), chosen[bad])
            what = f"{size} bytes of shared memory are read before anything is written to them"
            raise self.fault("uninitialized-read", what, bad, address, "shared", size)

    # Loads and stores.

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        width, a = w >> 3, address.v
        self.doing = "load"
        places = self.places(space, a, width * count, False)
        chosen, (plane, offsets) = places[0]
        if chosen is None and self.written is None:
            return tuple([Bits(self, w, v) for v in plane.gather(offsets, width, count)])
        found = [np.zeros(a.size, f"u{width}") for _ in range(count)]
        for chosen, (plane, offsets) in places:
            if self.written is not None and plane is self.shared:
                self.check_written(chosen, offsets, width * count, a)
            gathered = plane.gather(offsets, width, count)
            if chosen is None:
                return tuple([Bits(self, w, v) for v in gathered])
            for v, loaded in zip(found, gathered, strict=True):
                v[chosen] = loaded
        return tuple([Bits(self, w, v) for v in found])

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        width, a = values[0].width >> 3, address.v
        self.doing = "store"
        for chosen, (plane, offsets) in self.places(space, a, width * len(values), True):
            if self.written is not None and plane is self.shared:
                self.written.mark(offsets, width * len(values))
            some = [b.v if chosen is None or b.v.size == 1 else b.v[chosen] for b in values]
            plane.scatter(offsets, some, width)
