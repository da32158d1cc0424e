"""Runs a grid on machine code: tables and memory for the workers, the loop over CTAs without Python, faults in words."""

from __future__ import annotations

import ctypes
import struct
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.native import layout, settings
from openptx.engines.native.body import Options
from openptx.engines.native.kernel import Compiled, compiled, slow
from openptx.engines.native.memory import Fallback
from openptx.engines.native.reports import fault
from openptx.errors import Triple
from openptx.program import Function, Program
from openptx.isa.windows import SHARED
from openptx.runtime.image import Image
from openptx.runtime.memory import WRITE, Map

disappointing: weakref.WeakKeyDictionary[Image, set[tuple[str, Triple]]] = weakref.WeakKeyDictionary()
"""Kernels and blocks whose warps often left for the slow version: next time nothing is assumed of their branches."""

Poll = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def launch(
    program: Program,
    function: Function,
    grid: Triple,
    block: Triple,
    *,
    memory: Map,
    image: Image,
    shared: int = 0,
    cluster: Triple | None = None,
    timeout: float | None = None,
    max_instructions: int | None = None,
    workers: int = 1,
    shapes: bool = True,
) -> None:
    """Runs a kernel to its end; raises Fallback, before anything has run, where only the reference engine can."""
    if cluster is not None or max_instructions is not None:
        raise Fallback("clusters, or counted instructions")
    ctas = grid[0] * grid[1] * grid[2]
    workers = max(1, min(workers, ctas))
    speculates = (function.name, block) not in disappointing.get(image, ())
    options = Options(block, workers > 1, shapes, settings.checks(), speculates)
    code = compiled(program, function, image, options)
    Run(program, function, grid, block, memory, image, shared, timeout, code, ctas, options).go(workers)


STACK_SIZE, STACK_BUDGET = 256 << 20, 250 << 20
"""Bytes of the processor's stack for kernels that call themselves; only what is used is really taken."""

LOCAL_MOST, LOCAL_BYTES = 1 << 20, 1 << 29
"""Bytes of local memory for such kernels: of a thread, of a CTA."""


class Run:
    """One launch."""

    def __init__(
        self, program: Program, function: Function, grid: Triple, block: Triple, memory: Map, image: Image,
        shared: int, timeout: float | None, code: Compiled, ctas: int, options: Options,
    ) -> None:  # fmt: skip
        self.options = options
        self.program, self.function, self.grid, self.block = program, function, grid, block
        self.memory, self.image, self.code, self.ctas = memory, image, code, ctas
        self.timeout = timeout
        self.deadline = time.monotonic() + timeout if timeout is not None else None
        start = -(-program.shared_size // 16) * 16 if shared else program.shared_size
        self.dynamic, self.shared = shared, start + shared
        self.threads = block[0] * block[1] * block[2]
        self.interrupt: BaseException | None = None

    def go(self, workers: int) -> None:
        table = rows(self.memory)
        chunk = max(1, min(64, self.ctas // (workers * 8)))
        launch = np.zeros(layout.LAUNCH // 8, np.int64)
        launch[layout.NEXT // 8], launch[layout.CTAS // 8], launch[layout.CHUNK // 8] = 0, self.ctas, chunk
        addresses = np.array([self.image.addresses[name] for name in self.code.globals] or [0], np.uint64)
        poll = Poll(self.poll), Poll(self.need)
        main = threading.main_thread() is threading.current_thread()
        states = [self.state(table, launch, addresses, poll) for _ in range(workers)]
        if self.code.stack.recursive:
            codes = deep(lambda: [self.code.run(at) for at, _ in states])
        elif workers == 1:
            codes = [self.code.run(states[0][0])]
        else:
            others = [pool().submit(self.code.run, at) for at, _ in states[1:]]
            codes = [self.code.run(states[0][0]), *[o.result() for o in others]]
        del main
        if self.interrupt is not None:
            raise self.interrupt
        left = sum(int.from_bytes(kept[0][layout.DEPARTURES : layout.DEPARTURES + 8], "little") for _, kept in states)
        if left * 16 > self.ctas * -(-self.threads // 32):
            disappointing.setdefault(self.image, set()).add((self.function.name, self.block))
        for code, (_, kept) in zip(codes, states, strict=True):
            if code:
                raise fault(self, kept[0])

    def stride(self) -> int:
        """Local memory of one thread."""
        stack = self.code.stack
        if not stack.recursive:
            return stack.size
        return max(stack.size, min(LOCAL_MOST, LOCAL_BYTES // self.threads)) // 64 * 64

    def poll(self, state: int) -> int:
        """Asked by the code once in a while; Python's own signals come to pass here."""
        try:
            if self.deadline is not None and time.monotonic() > self.deadline:
                return 1
        except BaseException as stop:  # Ctrl-C: it must not be lost in the callback
            self.interrupt = stop
            return 1
        return int(self.interrupt is not None)

    def need(self, state: int) -> int:
        """Asked by the code where offsets of lanes wrapped: the version that knows nothing of them."""
        try:
            address = slow(self.program, self.function, self.image, self.options, self.code)
        except BaseException as stop:
            self.interrupt = stop
            return 1
        ctypes.c_uint64.from_address(state + layout.SLOW).value = address
        return 0

    def state(
        self, table: NDArray[np.uint64], launch: NDArray[np.int64], addresses: NDArray[np.uint64], polls: Any
    ) -> tuple[int, tuple[Any, ...]]:
        """A worker's state, and what must live as long."""
        threads, warps = self.threads, -(-self.threads // 32)
        poll, need = polls
        code, scratch = self.code, []
        stride = self.stride()
        sizes = (layout.STATE, max(self.shared, 64), max(stride * warps * 32, 64), code.frame_size * warps)
        places: list[int] = []
        for size in sizes:
            data = np.empty(size + 256, np.uint8)
            scratch.append(data)
            places.append(-(-data.ctypes.data // 128) * 128)
        at, shared, local, frames = places
        table = table.copy()
        window = SHARED << self.memory.shift
        table[SHARED] = window, self.shared, self.shared, shared - window & (1 << 64) - 1
        lead = at - scratch[0].ctypes.data
        state = scratch[0][lead : lead + layout.STATE]
        state[: layout.SCRATCH] = 0
        buffer = memoryview(state)
        pack = struct.pack_into
        pack("<8q", buffer, layout.TABLE, table.ctypes.data, len(table), shared, self.shared, local, stride, frames, code.frame_size)
        pack("<3I", buffer, layout.NCTAID, *self.grid)
        pack("<4q", buffer, layout.DYNAMIC, self.dynamic, warps, threads, launch.ctypes.data)
        pack("<3q", buffer, layout.CLOCK, 0, ctypes.cast(poll, ctypes.c_void_p).value or 0, addresses.ctypes.data)
        begin, end = code.shared_range
        pack("<q", buffer, layout.BUDGET, STACK_BUDGET if code.stack.recursive else 1 << 20)
        pack("<q", buffer, layout.CLEAR_LOCAL, code.stack.size)
        pack("<2q", buffer, layout.CLEAR_FROM, begin, (self.shared if end < 0 else end) - begin)
        pack("<q", buffer, layout.NEED, ctypes.cast(need, ctypes.c_void_p).value or 0)
        return at, (state, scratch, table, launch, addresses, polls)


def deep(run: Callable[[], list[int]]) -> list[int]:
    """What `run` gives, on a thread with a large stack. Waits in steps, so that Ctrl-C is heard."""
    found: list[int] = []
    before = threading.stack_size(STACK_SIZE)
    try:
        thread = threading.Thread(target=lambda: found.extend(run()), name="openptx")
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found


def rows(memory: Map) -> NDArray[np.uint64]:
    """The table of slots as the code reads it."""
    table = np.zeros((len(memory.base), layout.ROW // 8), np.uint64)
    table[:, 0] = memory.base
    table[:, 1] = memory.size
    table[:, 2] = np.where(memory.flags & WRITE, memory.size, 0)
    table[:, 3] = memory.pointer - memory.base
    return table


@cache
def pool() -> ThreadPoolExecutor:
    """Threads that wait for CTAs to run."""
    return ThreadPoolExecutor(64, "openptx")
