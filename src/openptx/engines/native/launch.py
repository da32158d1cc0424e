"""Runs a grid on machine code: memory for the workers, the loop over CTAs without Python, faults in words."""

from __future__ import annotations

import os
import struct
import threading
import time
import weakref
from array import array
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial

from openptx.engines.interp.batch import STACK_OF_A_THREAD
from openptx.engines.native import layout, settings
from openptx.engines.native.body import Options
from openptx.engines.native.kernel import Compiled, compiled, slow
from openptx.engines.native.memory import Fallback
from openptx.engines.native.reports import fault
from openptx.engines.native.workers import Worker
from openptx.errors import Triple
from openptx.program import Function, Program
from openptx.runtime.image import Image
from openptx.runtime.memory import Map

disappointing: weakref.WeakKeyDictionary[Image, set[tuple[str, Triple]]] = weakref.WeakKeyDictionary()
"""Kernels and blocks whose warps often left for the slow version: next time nothing is assumed of their branches."""


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
    workers: int | None = None,
    blocks: tuple[int, int] | None = None,
) -> None:
    """Runs a kernel, or its `blocks` alone; raises Fallback, before anything has run, where only interp can."""
    if cluster is not None or max_instructions is not None:
        raise Fallback("clusters, or counted instructions")
    first, stop = blocks or (0, grid[0] * grid[1] * grid[2])
    ctas = stop - first
    speculates = (function.name, block) not in disappointing.get(image, ())
    options = Options(block, False, settings.lane_shapes(), settings.checks(), speculates)
    code = compiled(program, function, image, options)
    if workers is None:  # where CTAs meet in atomics, results depend on their order, so they keep the grid's
        large = ctas * block[0] * block[1] * block[2] >= WORTHWHILE
        workers = processors() if large and code.free_order else 1
    workers = max(1, min(workers, ctas))
    if workers > 1 and not code.free_order:
        options = Options(block, True, settings.lane_shapes(), settings.checks(), speculates)
        code = compiled(program, function, image, options)
    if code.stack.size > STACK_OF_A_THREAD:
        raise Fallback("more local memory than threads have")
    Run(program, function, grid, block, memory, image, shared, timeout, code, (first, stop), options).go(workers)


WORTHWHILE = 1 << 15
"""Threads from which on waking another worker, some 60 microseconds, pays."""

STACK_SIZE, STACK_BUDGET = 256 << 20, 250 << 20
"""Bytes of the processor's stack for kernels that call themselves; only what is used is really taken."""

LOCAL_MOST, LOCAL_BYTES = 1 << 20, 1 << 29
"""Bytes of local memory for such kernels: of a thread, of a CTA."""


class Run:
    """One launch."""

    def __init__(
        self, program: Program, function: Function, grid: Triple, block: Triple, memory: Map, image: Image,
        shared: int, timeout: float | None, code: Compiled, blocks: tuple[int, int],
        options: Options,
    ) -> None:  # fmt: skip
        self.options = options
        self.program, self.function, self.grid, self.block = program, function, grid, block
        self.memory, self.image, self.code = memory, image, code
        self.blocks, self.ctas = blocks, blocks[1] - blocks[0]
        self.timeout = timeout
        self.deadline = time.monotonic() + timeout if timeout is not None else None
        start = -(-program.shared_size // 16) * 16 if shared else program.shared_size
        self.dynamic, self.shared = shared, start + shared
        self.threads = block[0] * block[1] * block[2]
        stack = code.stack
        self.stride, self.budget = stack.size, 1 << 20
        if stack.recursive:
            self.stride = max(stack.size, min(LOCAL_MOST, LOCAL_BYTES // self.threads)) // 64 * 64
            self.budget = STACK_BUDGET
        self.interrupt: BaseException | None = None

    def go(self, workers: int) -> None:
        chunk = max(1, min(64, self.ctas // (workers * 8)))
        launch = array("q", (*self.blocks, 0, chunk, 0, 0, 0, 0))
        addresses = array("Q", [self.image.addresses[name] for name in self.code.globals] or (0,))
        places = launch.buffer_info()[0], addresses.buffer_info()[0]
        team = [self.worker() for _ in range(workers)]
        for worker in team:
            worker.prepare(self, *places)
        try:
            codes = self.execute([worker.state.address for worker in team])
            if self.interrupt is not None:
                raise self.interrupt
            if sum(worker.departures() for worker in team) * 16 > self.ctas * -(-self.threads // 32):
                disappointing.setdefault(self.image, set()).add((self.function.name, self.block))
            for code, worker in zip(codes, team, strict=True):
                if code:
                    raise fault(self, worker)
        finally:
            for worker in team:
                worker.run = None
            self.code.idle.setdefault(self.sizes(), []).extend(team)

    def sizes(self) -> tuple[int, int, int]:
        """Of shared and local memory, and of the frames."""
        warps = -(-self.threads // 32)
        return self.shared, self.stride * warps * 32, self.code.frame_size * warps

    def worker(self) -> Worker:
        """One that an earlier launch has left, or a new one."""
        sizes = self.sizes()
        idle = self.code.idle.get(sizes)
        try:
            return idle.pop() if idle else Worker(*sizes)
        except IndexError:  # another thread was faster
            return Worker(*sizes)

    def execute(self, states: list[int]) -> list[int]:
        """Runs the code on as many threads as there are states; what each gives."""
        run = self.code.run
        if len(states) == 1 and not self.code.stack.recursive:
            return [run(states[0])]
        if self.code.stack.recursive:
            return self.waited_for([thread_for(partial(run, at)) for at in states], [])
        others = [pool().submit(run, at) for at in states[1:]]
        return self.waited_for(others, [run(states[0])])

    def waited_for(self, others: list[Future[int]], codes: list[int]) -> list[int]:
        for other in others:
            while True:
                try:
                    codes.append(other.result())
                    break
                except BaseException as stop:  # Ctrl-C while we wait: the others are told, and waited for
                    if other.done():
                        raise
                    self.interrupt = stop
        return codes

    def poll(self) -> int:
        """Asked by the code once in a while: whether to stop."""
        late = self.deadline is not None and time.monotonic() > self.deadline
        return int(late or self.interrupt is not None)

    def need(self, worker: Worker) -> int:
        """Asked by the code where offsets of lanes wrapped: the version that knows nothing of them."""
        try:
            address = slow(self.program, self.function, self.image, self.options, self.code)
        except BaseException as stop:
            self.interrupt = stop
            return 1
        struct.pack_into("<q", worker.memory, layout.SLOW, address)
        return 0


@cache
def processors() -> int:
    """How many workers may run at once: OPENPTX_WORKERS, or one a processor."""
    try:
        return max(1, int(os.environ["OPENPTX_WORKERS"]))
    except (KeyError, ValueError):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_for(run: Callable[[], int]) -> Future[int]:
    """What `run` gives, on a thread with a large stack."""
    future: Future[int] = Future()

    def work() -> None:
        try:
            future.set_result(run())
        except BaseException as error:
            future.set_exception(error)

    before = threading.stack_size(STACK_SIZE)
    try:
        threading.Thread(target=work, name="openptx").start()
    finally:
        threading.stack_size(before)
    return future


@cache
def pool() -> ThreadPoolExecutor:
    """Threads that wait for CTAs to run."""
    return ThreadPoolExecutor(64, "openptx")
