"""Runs a grid on machine code: memory for the workers, the loop over CTAs without Python, faults in words."""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial

from openptx.engines.native import layout
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.handover import go_on_with
from openptx.engines.native.kernel import slow
from openptx.engines.native.plan import Plan, plans
from openptx.engines.native.reports import fault
from openptx.engines.native.workers import Worker
from openptx.errors import Triple
from openptx.program import Function, Program
from openptx.runtime.image import Image
from openptx.runtime.memory import Map

STACK_SIZE = 256 << 20
"""Bytes of the processor's stack for kernels that call themselves or were compiled in a hurry; only what is used is
really taken."""


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
    find = partial(plans(image).find, program, function, image, grid, block, shared)
    plan = find(workers or 1, blocks)
    if workers is not None:
        Run(plan, memory, image, timeout).go()
        return
    team = plan.team
    if team.workers > 1:
        plan = find(team.workers, blocks)
    start = time.perf_counter()
    Run(plan, memory, image, timeout).go()
    team.learn(time.perf_counter() - start)


class Run:
    """One launch."""

    __slots__ = ("asked", "deadline", "image", "interrupt", "memory", "plan", "timeout")

    def __init__(self, plan: Plan, memory: Map, image: Image, timeout: float | None) -> None:
        self.plan, self.memory, self.image, self.timeout = plan, memory, image, timeout
        self.deadline = time.monotonic() + timeout if timeout is not None else None
        self.interrupt: BaseException | None = None
        self.asked = False  # for something of the system, output perhaps

    def go(self) -> None:
        plan = self.plan
        team = [self.worker() for _ in range(plan.workers)]
        launch = team[0].begin(plan)
        for worker in team:
            worker.prepare(self, launch)
        try:
            codes = self.execute([worker.state.address for worker in team])
            if self.interrupt is not None:
                raise self.interrupt
            if sum([worker.departures() for worker in team]) * 16 > plan.ctas * plan.warps:
                plans(self.image).disappoints(plan)
            for code, worker in zip(codes, team, strict=True):
                if code not in (0, layout.HANDED):
                    raise fault(self, worker)
            if layout.HANDED in codes:
                go_on_with(self, codes, team)
        finally:
            if self.asked:
                sys.stdout.flush()
            for worker in team:
                worker.run = worker.cta = None
            plan.code.idle.setdefault(plan.sizes, []).extend(team)

    def worker(self) -> Worker:
        """One that an earlier launch has left, or a new one."""
        sizes = self.plan.sizes
        idle = self.plan.code.idle.get(sizes)
        try:
            return idle.pop() if idle else Worker(*sizes)
        except IndexError:  # another thread was faster
            return Worker(*sizes)

    def execute(self, states: list[int]) -> list[int]:
        """Runs the code on as many threads as there are states; what each gives."""
        code = self.plan.code
        run = code.run
        deep = code.stack.recursive or code.hurried
        if len(states) == 1 and not deep:
            return [run(states[0])]
        if deep:
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
        plan = self.plan
        address = slow(plan.program, plan.function, self.image, plan.options, plan.code)
        struct.pack_into("<q", worker.memory, layout.SLOW, address)
        return 0


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


if hasattr(os, "register_at_fork"):  # a child has none of the threads
    os.register_at_fork(after_in_child=pool.cache_clear)
