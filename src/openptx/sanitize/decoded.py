"""Functions bound for a watched execution: each instruction tells the machine that it begins, some what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from openptx.engines.interp.decode import DecodedFunction
from openptx.isa.instructions import async_copy, mbarrier
from openptx.sanitize.registers import TrackedFunction
from openptx.sanitize.semantics import BULK, FENCES, PROXY_FENCES, WAITS, fence_of, spaces_of

if TYPE_CHECKING:
    from openptx.engines.interp import lane_sets
    from openptx.engines.interp.decode import Step
    from openptx.engines.interp.operands import Registers
    from openptx.isa.notation import Instruction
    from openptx.program import Op
    from openptx.sanitize.machine import SanitizedThreads

Named = dict[str, Any]
"""Values of operands, by the names of the form."""
Note = Callable[["SanitizedThreads", "Op", Named], None]


class WatchedFunction(DecodedFunction):
    def step(self, op: Op) -> Step:
        inner: Any = self.bound(op)
        before, after = BEFORE.get(op.form.instruction), AFTER.get(op.form.instruction)
        if before is None and after is None:

            def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
                x.begin(op)
                inner(x, regs, lanes)

            return run
        names = [t.name for t in op.form.operands if t.role not in ("write", "sink")]
        readers = self.sources(op)

        def noted(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            x.begin(op)
            values = dict(zip(names, [read(x, regs, lanes) for read in readers], strict=False))
            if before is not None:
                before(x, op, values)
            inner(x, regs, lanes)
            if after is not None:
                after(x, op, values)

        return noted

    def bound(self, op: Op) -> Step:
        """The instruction as a closure."""
        if op.form.instruction not in WAITS:
            return super().step(op)
        readers, (write,), mean = self.sources(op), self.results(op), op.form.instruction.meaning
        assert mean is not None

        def wait(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            done: Any = mean(x, op.m, *[read(x, regs, lanes) for read in readers])
            x.waited(done)
            if write is not None:
                write(x, regs, lanes, done)

        return wait


class WatchedTracked(WatchedFunction, TrackedFunction):
    """The same, with registers that know of undefined bits."""


def fence(x: SanitizedThreads, op: Op, values: Named) -> None:
    scope, releases, acquires, sequential = fence_of(op)
    s = x.session
    if s.releases.active:
        s.releases.fence(x.threads(), scope, releases=releases, acquires=acquires, sequential=sequential)


def fence_proxy(x: SanitizedThreads, op: Op, values: Named) -> None:
    if spaces := spaces_of(op):
        x.session.clocks.fence_proxy(x.threads(), spaces)


def commit(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.copies.commit(x.threads())


def wait_group(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.copies.wait(x.threads(), values.get("N"))


def arrive_when_copied(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.hand_over_copies(values["addr"])


def begin_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.name_agents(values.get("mbar"))


def commit_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.bulk_copies.commit(x.threads())


def wait_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.bulk_copies.wait(x.threads(), int(values["N"]), reads_only=bool(op.m.values.get("read")))


BEFORE: dict[Instruction, Note] = dict.fromkeys(BULK, begin_bulk)
AFTER: dict[Instruction, Note] = {
    **dict.fromkeys(FENCES, fence),
    **dict.fromkeys(PROXY_FENCES, fence_proxy),
    async_copy.cp_async_commit_group: commit,
    async_copy.cp_async_wait_group: wait_group,
    async_copy.cp_async_wait_all: wait_group,
    async_copy.cp_async_bulk_commit_group: commit_bulk,
    async_copy.cp_async_bulk_wait_group: wait_bulk,
    mbarrier.cp_async_mbarrier_arrive: arrive_when_copied,
}
