"""Workers: the memory that one thread needs to run CTAs of a kernel, kept for the next launch."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.native import layout
from openptx.isa.windows import CONST, PARAM, SHARED
from openptx.runtime.memory import WRITE, Allocation

if TYPE_CHECKING:
    from openptx.engines.native.launch import Run

Poll = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
LINE = 128
"""Bytes that memory is aligned to: two cache lines."""

BAND = 8
"""Columns of CTAs in a band: with tiles of 16 by 16 and rows of 512 numbers a band's data fits a level-2 cache."""

_HEAD = struct.Struct("<8q3I3Iq4qqqq")
assert _HEAD.size == layout.GLOBALS + 8


def address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class Buffer:
    """Aligned memory that is not initialised."""

    __slots__ = ("_data", "address", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._data = np.empty(size + LINE, np.uint8)
        self.address = -(-self._data.ctypes.data // LINE) * LINE

    def view(self) -> NDArray[np.uint8]:
        start = self.address - self._data.ctypes.data
        return self._data[start : start + self.size]


class Worker:
    """State, shared and local memory, and frames, for launches with the same sizes."""

    def __init__(self, shared: int, local: int, frames: int) -> None:
        self.state = Buffer(layout.STATE)
        self.shared, self.local, self.frames = (Buffer(max(size, 64)) for size in (shared, local, frames))
        self.bytes = self.state.view()
        self.bytes[:] = 0
        self.memory = memoryview(self.bytes.data)
        self.run: Run | None = None
        self.rows: tuple[Allocation | None, ...] = ()
        self.table = np.zeros((0, 4), np.uint64)
        self.table_memory = memoryview(b"")
        self.table_address = 0
        self._asking = self._answers()
        next(self._asking)
        self._polls = Poll(self._asking.send), Poll(self._need)  # alive as long as the state that names them
        self.poll = address_of(self._polls[0])
        struct.pack_into("<q", self.memory, layout.NEED, address_of(self._polls[1]))

    def _answers(self) -> Generator[int, int, None]:
        """Whether to stop, each time the code asks.

        Ctrl-C comes to pass when Python code begins to run: in a generator that is inside the `try`, in a function it
        would be before it, and lost on the way back to the code.
        """
        answer = 0
        while True:
            try:
                while True:
                    yield answer
                    answer = self.run.poll() if self.run is not None else 1
            except GeneratorExit:
                raise
            except BaseException as stop:
                answer = 1
                if self.run is not None:
                    self.run.interrupt = stop

    def _need(self, _: int) -> int:
        return self.run.need(self) if self.run is not None else 1

    def prepare(self, run: Run, launch: int, addresses: int) -> None:
        """Makes ready for a launch."""
        self.run = run
        self.fill(run)
        code, threads = run.code, run.threads
        _HEAD.pack_into(
            self.memory, 0,
            self.table_address, len(self.rows), self.shared.address, run.shared, self.local.address, run.stride,
            self.frames.address, code.frame_size,
            0, 0, 0, *run.grid, 0, run.dynamic, -(-threads // 32), threads, launch, 0, self.poll, addresses,
        )  # fmt: skip
        begin, end = code.shared_range
        size = (run.shared if end < 0 else end) - begin
        self.bytes[layout.KIND : layout.LIMIT + 8] = 0
        struct.pack_into("<2q", self.memory, layout.CLEAR_FROM, begin, size)
        struct.pack_into("<2q", self.memory, layout.DEPARTURES, 0, 0)
        struct.pack_into("<q", self.memory, layout.BUDGET, run.budget)
        struct.pack_into("<i", self.memory, layout.CHAIN, 0)
        struct.pack_into("<2q", self.memory, layout.CLEAR_LOCAL, code.stack.size, band_of(run))

    def fill(self, run: Run) -> None:
        """The table of slots. From one launch to the next often only constants and parameters move."""
        rows = run.memory.rows
        if rows[PARAM + 1 :] != self.rows[PARAM + 1 :] or len(rows) != len(self.rows):
            self.table = table_of(run)
            self.table_memory = memoryview(self.table.reshape(-1).view(np.uint8).data)
            self.table_address = self.table.ctypes.data
            window = SHARED << run.memory.shift
            self.table[SHARED] = window, run.shared, run.shared, self.shared.address - window & (1 << 64) - 1
        self.rows = rows
        for slot in (CONST, PARAM):
            row = rows[slot]
            values = (
                (row.base, row.size, 0, row.pointer - row.base & (1 << 64) - 1) if row is not None else (0, 0, 0, 0)
            )
            struct.pack_into("<4Q", self.table_memory, slot * layout.ROW, *values)

    def departures(self) -> int:
        return struct.unpack_from("<q", self.memory, layout.DEPARTURES)[0]


def table_of(run: Run) -> NDArray[np.uint64]:
    """The table of slots as the code reads it."""
    memory = run.memory
    table = np.zeros((len(memory.base), layout.ROW // 8), np.uint64)
    table[:, 0] = memory.base
    table[:, 1] = memory.size
    table[:, 2] = np.where(memory.flags & WRITE, memory.size, 0)
    table[:, 3] = memory.pointer - memory.base
    return table


def band_of(run: Run) -> int:
    """Columns of a two-dimensional grid that run side by side, so that what rows of CTAs read stays in the caches.

    Atomics of CTAs happen in the grid's order, as on the reference engine, so with those nothing is moved.
    """
    x, y, z = run.grid
    return BAND if run.code.free_order and z == 1 and y > 1 and x > BAND and x % BAND == 0 else 0
