"""Workers: the memory that one thread needs to run CTAs of a kernel, kept for the next launch; and their number, if the
launch does not specify it: an estimate at first, then the number that was fastest."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Generator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.control_flow import branches, control, control_instructions
from openptx.device.allocation import Allocation, Bytes
from openptx.device.memory_view import MemorySnapshot, MemoryView, pointer_of
from openptx.engines.native import abi
from openptx.engines.native.runtime import upcalls
from openptx.isa.address_windows import CONST, PARAM, SHARED
from openptx.program import Function

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.engines.interp.memory.spaces import Violation
    from openptx.engines.native.runtime.launch import Run
    from openptx.engines.native.runtime.plan import Plan
    from openptx.errors import Triple, Unsupported


WORK = 1 << 22
"""The number of instructions from which waking further workers pays: a warp's 32 take a nanosecond, waking a worker
20,000."""

ITERATIONS = 32
"""An assumed number of loop iterations."""

ALONE = 100e-6
"""The duration in seconds below which one worker is not even compared with several."""

TRIAL = 5e-3
"""The seconds that one launch may take longer in order to learn whether one worker would be faster."""

SHARE = 10
"""If that could take longer, it is tried when launches have taken this many times as long."""


class WorkerCount:
    """The number of workers for launches of one kernel on one grid. If results depend on the order of CTAs, it stays at
    one worker, which keeps the order."""

    __slots__ = ("best", "many", "seconds", "workers")

    def __init__(self, plan: Plan) -> None:
        self.many = min(processors(), plan.ctas) if plan.code.metadata.free_order else 1
        iterations = ITERATIONS if loops(plan.function) else 1
        self.workers = self.many if plan.ctas * plan.threads * len(plan.function.code) * iterations >= WORK else 1
        self.best: dict[int, float] = {}
        self.seconds = 0.0
        """The durations of launches."""

    def learn(self, seconds: float) -> None:
        """Records the duration of the last launch, by `workers`."""
        if self.many == 1:
            return
        self.seconds += seconds
        self.best[self.workers] = min(seconds, self.best.get(self.workers, seconds))
        one, many = self.best.get(1), self.best.get(self.many)
        if one is None:
            assert many is not None
            may_try = many < TRIAL or many * self.many * SHARE < self.seconds
            self.workers = 1 if may_try else self.many
        elif many is None:
            self.workers = 1 if one < ALONE else self.many
        else:
            self.workers = 1 if one <= many else self.many


def loops(function: Function, calls: bool = True) -> bool:
    """Whether control may jump back, or call another function if `calls` count."""
    if any(target <= pc for pc, target in branches(function)):
        return True
    kinds = ("branch-table", "call") if calls else ("branch-table",)
    return any(control(op) in kinds for _, op in control_instructions(function))


@cache
def processors() -> int:
    """The maximum number of workers: OPENPTX_WORKERS, or one per processor."""
    try:
        return max(1, int(os.environ["OPENPTX_WORKERS"]))
    except (KeyError, ValueError):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


Callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
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
_HEAD = struct.Struct("<8q3I3Iq4qqqq")
assert _HEAD.size == abi.GLOBALS + 8


def address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


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
        self.run: Run | None = None
        self.launch = Buffer(abi.LAUNCH)  # for all workers, if this one is the first
        self.launch_memory = memoryview(self.launch.view().data)
        self.plan: Plan | None = None  # of the last launch
        self.heap: Allocation | None = None
        self.snapshot: MemorySnapshot | None = None
        self.table = Buffer(0)
        self.table_memory = memoryview(b"")
        self.cta: tuple[Triple, Threads] | None = None  # its position in the grid, and as upcalls see it
        self.violation: Violation | Unsupported | None = None
        calls = (
            self._answers(lambda run, worker: run.poll()),
            self._answers(lambda run, worker: run.need(worker)),
            self._answers(upcalls.answer),
        )
        for each in calls:
            next(each)
        self._callbacks = [Callback(each.send) for each in calls]  # keeps alive what the state refers to
        self.poll, need, ask = map(address_of, self._callbacks)
        struct.pack_into("<q", self.memory, abi.NEED, need)
        struct.pack_into("<q", self.memory, abi.UPCALL, ask)

    def _answers(self, find: Callable[[Run, Worker], int]) -> Generator[int, int, None]:
        """A callback of the code, as a generator: yields the result of `find` at each call, or 1 if the launch is to
        stop.

        Signal handlers, such as that of Ctrl-C, run where Python code starts, loops iterate or functions are called,
        and may raise. In a generator that happens inside the `try`; in a function it would happen before it, and the
        exception would be lost on return to the code. The inner `except` calls nothing, and its loop is inside of the
        outer one.
        """
        answer = 0
        while True:
            try:
                while True:
                    try:
                        while True:
                            yield answer
                            answer = find(self.run, self) if self.run is not None else 1
                    except GeneratorExit:
                        raise
                    except BaseException as stop:
                        answer = 1
                        if self.run is not None:
                            self.run.interrupt = stop
            except GeneratorExit:
                raise
            except BaseException as stop:
                answer = 1
                if self.run is not None:
                    self.run.interrupt = stop

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

    def prepare(self, run: Run, launch: int) -> None:
        """Prepares for a launch. State in common with the previous launch is kept."""
        self.run = run
        plan, memory = run.plan, run.memory
        if self.snapshot is not memory.snapshot:
            self.fill(memory)
        if self.plan is not plan:
            self.adopt(plan)
        state, heap = self.memory, memory.heap
        place = heap.allocation if heap is not None else None
        _TABLE.pack_into(state, abi.TABLE, self.table.address, len(memory.snapshot.rows))
        _WORD.pack_into(state, abi.GRID, launch)
        state[abi.CTAID : abi.NCTAID] = _NOWHERE
        state[abi.KIND : abi.BUDGET] = _CLEAN
        _CHAIN.pack_into(state, abi.CHAIN, 0)
        if place is not self.heap:
            words = (0, 0, 0) if heap is None else (pointer_of(heap.left), heap.allocation.base, heap.allocation.size)
            struct.pack_into("<3Q", state, abi.HEAP, *words)
            self.heap = place
        _TAKEN.pack_into(state, abi.FROM, 0, 0, memory.workspace)
        if run.watch is not None:
            struct.pack_into("<Q", state, abi.WATCH, run.watch.attach(self, run, launch + abi.STOP))
        self.window(memory, PARAM, memory.param)

    def window(self, memory: MemoryView, slot: int, data: Bytes | None) -> None:
        """Fills in the row of memory that only this kernel or module has; `data` None: it has none."""
        base = slot << memory.shift
        row = (base, data.size, 0, pointer_of(data) - base & (1 << 64) - 1) if data is not None else (0, 0, 0, 0)
        _WINDOW.pack_into(self.table_memory, slot * abi.ROW, *row)

    def adopt(self, plan: Plan) -> None:
        """Sets up the parts that depend only on the plan."""
        code = plan.code
        _HEAD.pack_into(
            self.memory, 0,
            0, 0, self.shared.address, plan.shared, self.local.address, plan.stride,
            self.frames.address, code.metadata.frame_size,
            0, 0, 0, *plan.grid, 0, plan.dynamic, plan.warps, plan.threads, 0, 0, self.poll,
            plan.addresses.buffer_info()[0],
        )  # fmt: skip
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
        window = SHARED << memory.shift
        size = self.shared_size
        _WINDOW.pack_into(
            self.table_memory, SHARED * abi.ROW, window, size, size, self.shared.address - window & (1 << 64) - 1
        )
        self.window(memory, CONST, memory.const)
        self.snapshot = memory.snapshot

    def side_exits(self) -> int:
        return _WORD.unpack_from(self.memory, abi.SIDE_EXITS)[0]
