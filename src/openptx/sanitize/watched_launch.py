"""One launch, watched: screened as machine code, or run on the reference engine with all that its threads launch."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.device.nested_launches import NestedLaunch, NestedLaunches
from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.launch import Launch, launch, pieces
from openptx.errors import Fault
from openptx.sanitize.batch import SanitizedBatch
from openptx.sanitize.checks.endless_waits import HangError
from openptx.sanitize.collector import Collector
from openptx.sanitize.decoded import WatchedFunction, WatchedTracked
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.options import Options
from openptx.sanitize.races.views import LIMIT, Views
from openptx.sanitize.schedule import MOST_BATCHES
from openptx.sanitize.session import Session
from openptx.sanitize.undefined_bits.defined_memory import DefinedMemory
from openptx.sanitize.undefined_bits.marks import Marks, marks
from openptx.sanitize.unwatched import unwatched_races

if TYPE_CHECKING:
    from openptx.engines.common.engine import PreparedLaunch
    from openptx.program import Function
    from openptx.runtime import Kernel
    from openptx.sanitize.screening import CleanBlocks

SHARED_BYTES = 4 << 20
"""Bytes of shared memory per batch. Each has 12 bytes of shadow cells, or 48 if single bytes are accessed."""

LOG = logging.getLogger("openptx")


@dataclass(frozen=True, slots=True)
class SanitizedLaunch(Launch):
    """A launch whose lanes and batches report to a session, in the order that it prescribes."""

    session: Session
    clean: CleanBlocks | None = None
    """The blocks that machine code runs, as they are certainly clean."""
    functions: dict[Function, WatchedFunction] = field(default_factory=dict["Function", WatchedFunction])

    batches = SanitizedBatch
    shared_bytes = SHARED_BYTES

    def decoded(self, function: Function) -> WatchedFunction:
        found = self.functions.get(function)
        if found is None:
            found = self.functions[function] = (WatchedTracked if self.session.tracks else WatchedFunction)(function)
            found.debug = self.program.debug
        return found

    def machine(self, geometry: Geometry) -> SanitizedThreads:
        machine = DefinedMemory if self.session.tracks else SanitizedThreads
        return machine(geometry, self.memory, self.image, self.session)

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        if self.clean is None:
            yield from self.pieces_of(ctas)
            return
        done = ctas.start
        self.session.waits.skip(len(ctas) - sum(map(len, self.clean.doubtful)))
        for doubtful in self.clean.doubtful:
            self.clean.run(done, doubtful.start)
            yield from self.pieces_of(doubtful)
            done = doubtful.stop
        self.clean.run(done, ctas.stop)

    def pieces_of(self, ctas: range) -> Iterator[tuple[int, int]]:
        order, size = self.session.order, self.shape.cluster_size
        if order is None or len(ctas) // size > MOST_BATCHES:
            return Launch.pieces(self, ctas)
        return iter(order.permutation(list(pieces(ctas, size))).tolist())


@dataclass(frozen=True, slots=True)
class WatchedLaunch:
    """A launch with its arguments as the caller gave them, which may be undefined in part, and where findings go."""

    kernel: Kernel
    prepared: PreparedLaunch
    args: list[object]
    options: Options
    collector: Collector

    def screen(self) -> tuple[str, CleanBlocks | None]:
        """Runs it as machine code. Returns why the reference engine must run it, "" if it is clean, and which blocks
        need not run there."""
        from openptx.sanitize.screening import pays, screen

        if self.options.engine == "auto" and not pays(self.prepared):
            return "it ends before machine code would be compiled", None

        screening = screen(self.prepared, self.options, self.marks())
        self.collector.limits += screening.limits
        if screening.reason:
            LOG.info("kernel `%s` is watched on the reference engine: %s", self.kernel.name, screening.reason)
        return screening.reason, screening.clean

    def run_with_children(self, order: np.random.Generator | None, clean: CleanBlocks | None = None) -> bool:
        """Runs it on the reference engine, but for the `clean` blocks, and the launches that its threads make, each
        watched for itself: a fault ends them. Returns False if the user stopped it."""
        watched, since, waiting = self, time.monotonic(), list[NestedLaunch]()
        while True:
            watched.prepared.memory.nested = NestedLaunches(waiting)
            if not watched.run(order, clean):
                return False
            waiting = watched.prepared.memory.nested.next_last()
            if not waiting:
                return True
            clean = None
            kernel, prepared = watched.kernel.prepare_child(waiting.pop())
            options = watched.options
            if options.timeout is not None:
                now = time.monotonic()
                options, since = replace(options, timeout=max(options.timeout - (now - since), 0)), now
            watched = WatchedLaunch(kernel, prepared, self.args, options, self.collector)
            watched.note_limits()

    def note_limits(self) -> None:
        """Adds what is not watched in a kernel that a thread launched."""
        known = self.collector.limits
        limits = unwatched_races(self.kernel.module.program, self.kernel.function, self.options.tools)
        known += [limit for limit in limits if limit not in known]

    def run(self, order: np.random.Generator | None, clean: CleanBlocks | None) -> bool:
        """Runs it on the reference engine. Returns False if the user stopped it. A launch that does not end is the
        last."""
        options, memory = self.options, self.prepared.memory
        sessions: list[Session] = []

        def make(*parts: Any) -> SanitizedLaunch:
            program, function, shape = parts[:3]
            session = Session(program, function, shape, options.tools, self.marks(), self.collector, order)
            sessions.append(session)
            return SanitizedLaunch(*parts, session=session, clean=clean)

        try:
            launch(self.prepared.within(options.timeout, options.max_instructions), make=make)
            sessions[0].finish(memory, options.ends)
        except HangError:  # the finding has been added already
            memory.nested = NestedLaunches()
        except KeyboardInterrupt:
            return False
        except Fault as fault:
            if not sessions:
                raise
            sessions[0].fault(fault)
            memory.nested = NestedLaunches()
        finally:
            for session in sessions:
                self.say_if_dropped(session.clocks.views)
                session.close()
        return True

    def say_if_dropped(self, views: Views) -> None:
        """That it had more happens-before relations than memory for them."""
        if views.dropped:
            limit = f"races were not watched to the end: the order of its accesses takes more than {LIMIT >> 20} MiB"
            self.collector.limits.append(limit)
            LOG.warning("kernel `%s`: %s", self.kernel.name, limit)

    def marks(self) -> Marks:
        """The undefined bits of the arguments, and which of them are outputs."""
        return marks(self.kernel, self.args, self.options.outputs)
