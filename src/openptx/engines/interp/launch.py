"""Runs a grid on the reference engine: batches of CTAs, one after another unless one waits for another."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import ClassVar

from openptx.call_graph import stack_bytes
from openptx.device.shared_layout import shared_layout
from openptx.engines.common.engine import PreparedLaunch, Running
from openptx.engines.interp.abandon import Abandonable
from openptx.engines.interp.batch import Batch, DeadlockError
from openptx.engines.interp.batch_state import STACK_OF_A_THREAD
from openptx.engines.interp.decode import NoMeaning
from openptx.engines.interp.geometry import Geometry, Shape
from openptx.engines.interp.initcheck import WrittenRegisters
from openptx.engines.interp.launch_state import LaunchState
from openptx.engines.interp.limits import Limits
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import STACK_BYTES, Violation
from openptx.engines.interp.memory.written_bytes import WrittenBytes
from openptx.engines.interp.reports import deadlock, fault
from openptx.errors import Fault, Unsupported
from openptx.float_environment import standard_floats
from openptx.locks import cancellable
from openptx.program import Function, Program
from openptx.progress import progress, silent

LANES = 1 << 15
"""Lanes per batch, if CTAs are small enough: more would exceed the cache, fewer would expose Python's overhead."""

SHARED_BYTES = 64 << 20
"""Bytes of shared memory per batch."""

SLICE = 1 << 25
"""How long (in a batch's clock) batches run before further ones start, for which they may be waiting."""

QUANTUM = 1 << 18
"""The time slice of each of several batches: some tens of iterations of a waiting loop."""


@dataclass(frozen=True, slots=True)
class Launch(LaunchState):
    """A launch that makes its batches: of which class, subclasses that observe executions say."""

    threads: ClassVar[type[Threads]] = Threads
    batches: ClassVar[Callable[..., Batch]] = Batch
    shared_bytes: ClassVar[int] = SHARED_BYTES

    def machine(self, geometry: Geometry) -> Threads:
        return self.threads(geometry, self.memory, self.image)

    def batch(self, first: int, count: int) -> Batch:
        x = self.machine(Geometry(self.shape, first, count))
        x.abandon = self.limits.abandon
        if self.initcheck:
            x.written = WrittenBytes(x.shared.size)
        batch = self.batches(self, x)
        batch.watch = WrittenRegisters(x.n) if self.initcheck else None
        return batch

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        """The CTAs of each batch, in the order in which batches start: the first, and their number."""
        return pieces(ctas, ctas_of_a_batch(self.program, self.function, self.shape, self.shared_bytes))


def launch(
    prepared: PreparedLaunch, *, initcheck: bool = False, abandon: Abandonable | None = None,
    runs: Callable[[Batch], None] | None = None, make: Callable[..., Launch] = Launch,
) -> None:  # fmt: skip
    """Runs a kernel to its end.

    `initcheck` makes reads of registers and shared memory that were never written faults. If `abandon` requests it, the
    launch ends with Abandoned; `abandon.restore` then undoes what it has written. `runs` is called before each time
    slice of a batch. `make` creates the `Launch`, of which a subclass may observe the execution.
    """
    program, function = prepared.program, prepared.function
    if function.frame_size > STACK_OF_A_THREAD:
        what = f"a thread needs {function.frame_size} bytes of local memory, and the stack has {STACK_OF_A_THREAD}"
        raise Fault("stack-overflow", what, kernel=function.name)
    layout = shared_layout(program, function.name)
    size, cluster = layout.size(prepared.shared), prepared.cluster
    own = program.own_shared(size)
    shape = Shape(
        prepared.grid, prepared.block, cluster or (1, 1, 1), cluster is not None, layout, size, prepared.shared, own
    )
    timeout, since = prepared.timeout, prepared.since
    left = timeout - (time.monotonic() - since) if timeout is not None and since is not None else timeout
    begin, end = prepared.blocks or (0, shape.ctas)
    reported = abandon is not None  # the caller that may abandon it shows the progress
    line = nullcontext(silent) if reported else progress(lambda: f"kernel `{function.name}` on the reference engine")
    with line as update:
        limits = Limits(left, prepared.max_instructions, timeout, abandon, update)
        run = make(program, function, shape, prepared.memory, prepared.image, limits, initcheck)
        with Running(abandon or limits), standard_floats():
            run_batches(run, [], run.pieces(range(begin, end)), runs)


def pieces(ctas: range, per_batch: int) -> Iterator[tuple[int, int]]:
    """Splits a range of CTAs into batches: the first CTA of each, and the number of CTAs."""
    return ((first, min(per_batch, ctas.stop - first)) for first in ctas[::per_batch])


def run_batches(
    run: Launch, active: list[Batch], rest: Iterator[tuple[int, int]], runs: Callable[[Batch], None] | None = None
) -> None:
    """Runs started batches, and the remaining ones, to their end. Those that another engine has started wait: others
    begin sooner."""
    wanted, run_for = max(2 * len(active), 1), 0  # started ones may be waiting for others that have not started
    begin_after = 2 * QUANTUM if active else SLICE
    try:
        while True:
            while len(active) < wanted and (piece := next(rest, None)) is not None:
                active.append(run.batch(*piece))
            if not active:
                return
            quantum = QUANTUM if len(active) > 1 else SLICE
            done = [batch for batch in active if proceed(run, batch, quantum, runs)]
            for batch in done:
                active.remove(batch)
                batch.close()
            run_for += quantum
            if run_for >= begin_after or not active:
                wanted, run_for = max(2 * len(active), 1), 0
    finally:
        for batch in active:
            batch.close()


def ctas_of_a_batch(program: Program, function: Function, shape: Shape, shared_bytes: int = SHARED_BYTES) -> int:
    """As many CTAs as fit, in whole clusters: limited by their lanes, their shared memory, and the possible size of
    stacks."""
    stack = max(stack_of(program, function), 1)
    lanes = min(LANES, STACK_BYTES // stack)
    fit = min(lanes // shape.threads, shared_bytes // max(shape.shared, 256))
    return max(1, fit // shape.cluster_size) * shape.cluster_size


def stack_of(program: Program, kernel: Function) -> int:
    """Bytes of local memory that a thread may need: the maximum for a recursion."""
    found = stack_bytes(program, kernel)
    return STACK_OF_A_THREAD if found is None else min(found, STACK_OF_A_THREAD)


def proceed(run: Launch, batch: Batch, quantum: int, runs: Callable[[Batch], None] | None) -> bool:
    """Runs a batch for a time slice; returns whether it has ended. A lane's violation becomes a Fault."""
    if runs is not None:
        runs(batch)
    try:
        with cancellable(run.limits.require_time):  # one step may take long
            return batch.run(batch.clock + quantum)
    except Violation as violation:
        raise fault(run, batch, violation) from None
    except DeadlockError as error:
        raise deadlock(run, batch, error.spins) from None
    except NoMeaning as gap:
        op = gap.op
        raise Unsupported(str(op.m), file=run.program.file, span=op.span) from None
    except Unsupported as gap:  # a part of the running instruction
        if batch.running is None or gap.file is not None:
            raise
        raise gap.at(batch.running.m, run.program.file, batch.running.span) from None
    finally:
        sys.stdout.flush()
