"""Workers: the memory that one thread needs to run CTAs of a kernel, kept for the next launch."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.device.allocation import Allocation, Bytes
from openptx.device.memory_view import MemorySnapshot, MemoryView, pointer_of
from openptx.engines.native import abi
from openptx.engines.native.runtime.plan import Plan
from openptx.isa.address_windows import CONST, PARAM, SHARED

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.engines.interp.memory.spaces import Violation
    from openptx.errors import Triple, Unsupported

LINE = 128
"""The alignment of memory in bytes: two cache lines."""

_LAUNCH = struct.Struct("<4q")
_TABLE = struct.Struct("<2q")
_WORD = struct.Struct("<q")
_CHAIN = struct.Struct("<i")
_TAKEN = struct.Struct("<3Q")
_WINDOW = struct.Struct("<4Q")
_CLEAN = bytes(abi.BUDGET - abi.KIND)
_NOWHERE = bytes(abi.NCTAID - abi.CTAID)
_HEAD = struct.Struct("<6q3I3Iq4q")
assert abi.SHARED + _HEAD.size == abi.GRID + 8


class Buffer:
    """Aligned, uninitialised memory."""

    __slots__ = ("_data", "address", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._data = np.empty(size + LINE, np.uint8)
        self.address = -(-self._data.ctypes.data // LINE) * LINE

    def view(self) -> NDArray[np.uint8]:
        start = self.address - self._data.ctypes.data
        return self._data[start : start + self.size]


class Worker:
    """State, shared, local and tensor memory, and frames, for launches with the same sizes."""

    def __init__(self, shared: int, local: int, frames: int, tensor: int = 0) -> None:
        self.state = Buffer(abi.STATE)
        self.shared_size = shared
        self.shared, self.local, self.frames = (Buffer(max(size, 64)) for size in (shared, local, frames))
        self.tensor = Buffer(tensor) if tensor else None
        self.bytes = self.state.view()
        self.bytes[:] = 0
        self.memory = memoryview(self.bytes.data)
        self.launch = Buffer(abi.LAUNCH)  # for all workers, if this one is the first
        self.launch_memory = memoryview(self.launch.view().data)
        self.plan: Plan | None = None  # of the last launch
        self.heap: Allocation | None = None
        self.snapshot: MemorySnapshot | None = None
        self.table = Buffer(0)
        self.table_memory = memoryview(b"")
        self.cta: tuple[Triple, Threads] | None = None  # its position in the grid, and as upcalls see it
        self.violation: Violation | Unsupported | None = None

    def keep(self, site: int, code: int) -> None:
        """Remembers the compiled code of the products at a site."""
        struct.pack_into("<2q", self.memory, abi.TILES + site % abi.KNOWN * 16, site + 1, code)

    def begun(self) -> int:
        """The number of CTAs that have been taken of the launch that this worker started."""
        first = self.plan.blocks[0] if self.plan is not None else 0
        return struct.unpack_from("<q", self.launch_memory, abi.NEXT)[0] - first

    def begin(self, plan: Plan) -> int:
        """Starts a launch; returns the address at which workers find the remaining CTAs."""
        _LAUNCH.pack_into(self.launch_memory, 0, *plan.blocks, 0, plan.chunk)
        return self.launch.address

    def stop(self) -> None:
        """All workers of the launch that this one started take no further CTAs."""
        struct.pack_into("<i", self.launch_memory, abi.STOP, 1)

    def prepare(self, plan: Plan, memory: MemoryView, launch: int) -> None:
        """Prepares for a launch, whose state is at the address `launch`. State in common with the previous launch is
        kept."""
        if self.snapshot is not memory.snapshot:
            self.fill(memory)
        if self.plan is not plan:
            self.adopt(plan)
        state, heap = self.memory, memory.heap
        place = heap.allocation if heap is not None else None
        _WORD.pack_into(state, abi.GRID, launch)
        state[abi.CTAID : abi.NCTAID] = _NOWHERE
        state[abi.KIND : abi.BUDGET] = _CLEAN
        _CHAIN.pack_into(state, abi.CHAIN, 0)
        if place is not self.heap:
            words = (0, 0, 0) if heap is None else (pointer_of(heap.left), heap.allocation.base, heap.allocation.size)
            struct.pack_into("<3Q", state, abi.HEAP, *words)
            self.heap = place
        _TAKEN.pack_into(state, abi.FROM, 0, 0, memory.workspace)
        self.window(memory, PARAM, memory.param)

    def watch(self, address: int) -> None:
        """The address at which watched code finds its observer's data."""
        struct.pack_into("<Q", self.memory, abi.WATCH, address)

    def window(self, memory: MemoryView, slot: int, data: Bytes | None) -> None:
        """Fills in the row of memory that only this kernel or module has; `data` None: it has none."""
        base = slot << memory.shift
        row = (base, data.size, 0, pointer_of(data) - base & (1 << 64) - 1) if data is not None else (0, 0, 0, 0)
        _WINDOW.pack_into(self.table_memory, slot * abi.ROW, *row)

    def adopt(self, plan: Plan) -> None:
        """Sets up the parts that depend only on the plan."""
        code = plan.code
        _HEAD.pack_into(
            self.memory, abi.SHARED,
            self.shared.address, plan.shared, self.local.address, plan.stride,
            self.frames.address, code.metadata.frame_size,
            0, 0, 0, *plan.grid, 0, plan.dynamic, plan.warps, plan.threads, 0,
        )  # fmt: skip
        struct.pack_into("<q", self.memory, abi.GLOBALS, plan.addresses.buffer_info()[0])
        begin, shared = plan.program.reserved_shared, plan.layout
        end = plan.shared if shared.names_dynamic else shared.static
        struct.pack_into("<2q", self.memory, abi.CLEAR_FROM, begin, end - begin)
        struct.pack_into("<q", self.memory, abi.BUDGET, plan.budget)
        struct.pack_into("<Q", self.memory, abi.TENSOR, self.tensor.address if self.tensor is not None else 0)
        struct.pack_into("<q", self.memory, abi.KERNEL, code.kernel)
        self.memory[abi.TILES : abi.STATE] = bytes(abi.STATE - abi.TILES)
        struct.pack_into("<2q", self.memory, abi.CLEAR_LOCAL, code.metadata.stack.size, plan.band)
        self.plan = plan

    def fill(self, memory: MemoryView) -> None:
        """Fills in the table of slots, with shared memory and the module's constants; parameters come with each
        launch."""
        table = memory.snapshot.table
        if len(table) != self.table.size:
            self.table = Buffer(len(table))
            self.table_memory = memoryview(self.table.view().data)
        self.table_memory[:] = table
        _TABLE.pack_into(self.memory, abi.TABLE, self.table.address, len(memory.snapshot.rows))
        window = SHARED << memory.shift
        size = self.shared_size
        _WINDOW.pack_into(
            self.table_memory, SHARED * abi.ROW, window, size, size, self.shared.address - window & (1 << 64) - 1
        )
        self.window(memory, CONST, memory.const)
        self.snapshot = memory.snapshot

    def side_exits(self) -> int:
        return _WORD.unpack_from(self.memory, abi.SIDE_EXITS)[0]
