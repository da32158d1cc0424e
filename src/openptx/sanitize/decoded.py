"""Functions decoded for a watched execution: each instruction reports its start to the machine, some report
operands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from openptx.control_flow import read_registers, written_registers
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import DecodedFunction, Step
from openptx.engines.interp.operands import Registers
from openptx.isa.instructions import async_copy, cache_control, mbarrier, tensor_memory, wgmma
from openptx.isa.notation import Instruction
from openptx.program import Function, Op
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.races.multiplications import MULTIPLICATIONS, operands, used_by_multiplications
from openptx.sanitize.races.semantics import (
    BULK,
    COMMITS,
    FENCES,
    PROXY_FENCES,
    TENSOR,
    TRANSFERS,
    WAITS,
    fence_of,
    spaces_of,
)
from openptx.sanitize.races.tensor_memory import WatchedTensorMemory
from openptx.sanitize.undefined_bits.registers import TrackedFunction


def ignored_waits(function: Function) -> frozenset[Op]:
    """The waits of a function whose result affects no guard, memory access or control instruction."""
    waits = [op for op in function.code if op.form.instruction in WAITS]
    return frozenset(op for op in waits if not decides(function, op))


def decides(function: Function, wait: Op) -> bool:
    """Whether a guard, a memory access or a control instruction may depend on the result of an instruction."""
    tainted = {*written_registers(wait)}
    changed = True
    while changed:
        changed = False
        for op in function.code:
            if op.guard is not None and op.guard.index in tainted:
                return True
            if op is wait or tainted.isdisjoint(read_registers(op)):
                continue
            if op.form.instruction.access or op.form.instruction.control:
                return True
            results = {*written_registers(op)}
            changed |= not results <= tainted
            tainted |= results
    return False


Named = dict[str, Any]
"""Values of operands, by their names in the form."""
Note = Callable[["SanitizedThreads", "Op", Named], None]


class WatchedFunction(DecodedFunction):
    """A function whose instructions report to a `SanitizedThreads`."""

    debug = False

    @cached_property
    def multiplied(self) -> frozenset[int]:
        """The registers to check. Code for debugging stores results of a multiplication right after it, so the
        assembler inserts the waits there."""
        return frozenset() if self.debug else used_by_multiplications(self.function)

    @cached_property
    def ignored(self) -> frozenset[Op]:
        """The waits whose result decides nothing: they order no accesses."""
        return ignored_waits(self.function)

    def step(self, op: Op) -> Step:
        inner: Any = self.with_registers(op, self.bound(op)) if self.multiplied else self.bound(op)
        before, after = BEFORE.get(op.form.instruction), AFTER.get(op.form.instruction)
        if before is None and after is None:

            def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
                x.begin(op)
                inner(x, regs, lanes)

            return run
        names = [t.name for t in op.form.operands if t.role not in ("write", "sink")]
        readers = self.sources(op)

        def run_between_notes(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            x.begin(op)
            values = dict(zip(names, [read(x, regs, lanes) for read in readers], strict=False))
            if before is not None:
                before(x, op, values)
            inner(x, regs, lanes)
            if after is not None:
                after(x, op, values)

        return run_between_notes

    def with_registers(self, op: Op, inner: Any) -> Step:
        """The step, preceded by a check of the registers of warpgroup multiplications."""
        read, written = (each & self.multiplied for each in operands(op))
        if op.form.instruction in MULTIPLICATIONS or not read | written:
            return inner

        def run(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            x.session.multiplications.use(x, op, read, written)
            inner(x, regs, lanes)

        return run

    def bound(self, op: Op) -> Step:
        """The instruction as a closure."""
        if op.form.instruction not in WAITS:
            return super().step(op)
        readers, writers, mean = self.sources(op), self.results(op), op.form.instruction.meaning
        assert mean is not None
        ignored = op in self.ignored

        def wait(x: Any, regs: Registers, lanes: lane_sets.Lanes) -> None:
            found: Any = mean(x, op.m, *[read(x, regs, lanes) for read in readers])
            if len(writers) == 1:
                found = (found,)
            x.note_wait(found[0], ignored=ignored)
            for write, answer in zip(writers, found, strict=True):
                if write is not None:
                    write(x, regs, lanes, answer)

        return wait


class WatchedTracked(WatchedFunction, TrackedFunction):
    """A watched function whose registers track undefined bits."""


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
    x.session.copies.wait(x.threads(), values.get("N"), x.session.reporter.statement(op))


def arrive_when_copied(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.hand_over_copies(values["addr"])


def begin_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.name_agents(values.get("mbar"))


def commit_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.bulk_copies.commit(x.threads())


def wait_bulk(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.bulk_copies.wait(x.threads(), int(values["N"]), reads_only=bool(op.m.values.get("read")))


def begin_tensor(x: SanitizedThreads, op: Op, values: Named) -> None:
    statement = None if op.form.instruction in COMMITS else x.statement
    x.agents = {thread: x.session.tensor_operations.of_thread(thread, statement) for thread in x.threads().tolist()}


def report_tensor_accesses(x: SanitizedThreads, op: Op, values: Named) -> None:
    memory = x.tensor_memory
    assert isinstance(memory, WatchedTensorMemory)
    memory.report(op)


def wait_transfers(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.register_transfers.wait(x.threads(), write=op.m.values["operation"] == "wait::st")


def begin_multiplication(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.multiplications.begin(x, op)


def issue_multiplication(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.multiplications.issue(x, op)


def fence_multiplications(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.multiplications.fence(x.threads())


def commit_multiplications(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.multiplications.commit(x.threads())


def wait_multiplications(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.session.multiplications.wait(x.threads(), int(values["N"]))


def discard(x: SanitizedThreads, op: Op, values: Named) -> None:
    x.discard(op.m.space, values["a"].v, int(values["size"]))


BEFORE: dict[Instruction, Note] = {
    **dict.fromkeys(BULK, begin_bulk),
    **dict.fromkeys(TENSOR, begin_tensor),
    **dict.fromkeys(MULTIPLICATIONS, begin_multiplication),
    cache_control.discard: discard,
}
AFTER: dict[Instruction, Note] = {
    **dict.fromkeys(FENCES, fence),
    **dict.fromkeys(PROXY_FENCES, fence_proxy),
    async_copy.cp_async_commit_group: commit,
    async_copy.cp_async_wait_group: wait_group,
    async_copy.cp_async_wait_all: wait_group,
    async_copy.cp_async_bulk_commit_group: commit_bulk,
    async_copy.cp_async_bulk_wait_group: wait_bulk,
    mbarrier.cp_async_mbarrier_arrive: arrive_when_copied,
    **dict.fromkeys(MULTIPLICATIONS, issue_multiplication),
    wgmma.fence: fence_multiplications,
    wgmma.commit_group: commit_multiplications,
    wgmma.wait_group: wait_multiplications,
    **dict.fromkeys((TENSOR | TRANSFERS) - COMMITS, report_tensor_accesses),
    tensor_memory.wait: wait_transfers,
}
