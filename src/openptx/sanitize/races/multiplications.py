"""Warpgroup multiplications in flight (`wgmma.mma_async`, 9.7.15): what they read, and their registers.

A multiplication belongs to an agent of its warpgroup until a `wgmma.wait_group` covers it: others may then overwrite
what it has read in shared memory. Until then only further multiplications into the same accumulators may access its
accumulators, or write its registers of matrix a; and a `wgmma.fence` is required between writes of such registers and
the multiplication.
"""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import registers
from openptx.engines.interp import lane_sets
from openptx.isa.instructions import move, wgmma
from openptx.program import Function, Op
from openptx.sanitize.executing import Executing
from openptx.sanitize.numbered import NumberedThreads
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.copies import Agents, unknown_to, without
from openptx.sanitize.reporter import Reporter

MULTIPLICATIONS = frozenset((wgmma.mma_async, wgmma.mma_async_sp))
WARPGROUP = 128


class Register:
    """The state of a register by lane: the group of the multiplication that uses it (0: none), and when it was last
    written.

    `reads`: the multiplication only reads it.
    """

    __slots__ = ("group", "op", "reads", "written")

    def __init__(self, n: int) -> None:
        self.group, self.written, self.reads = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
        self.op: Op | None = None


def operands(op: Op) -> tuple[frozenset[int], frozenset[int]]:
    """The registers that an instruction reads and writes; of a multiplication, those of a and d."""
    read, written = set[int](), set[int]()
    for template, operand in op.operands_by_template():
        if op.form.instruction in MULTIPLICATIONS and template.name not in ("a", "d"):
            continue  # descriptors and predicates are read when it is issued
        into = written if template.role == "write" else read
        into.update(r.index for r in registers(operand))
    return frozenset(read), frozenset(written)


def used_by_multiplications(function: Function) -> frozenset[int]:
    """The registers of multiplications, and those that they are copied to."""
    found = {r for op in function.code if op.form.instruction in MULTIPLICATIONS for each in operands(op) for r in each}
    moves = [operands(op) for op in function.code if op.form.instruction is move.mov] if found else []
    size = -1
    while size != len(found):
        size = len(found)
        for read, written in moves:
            if read & found or written & found:
                found |= read | written
    return frozenset(found)


class Multiplications:
    """The multiplications of a launch: what their agents read, and the registers that they use."""

    def __init__(self, reporter: Reporter, executing: Executing, clocks: Clocks, agents: Agents, active: bool) -> None:
        self.reporter, self.executing, self.clocks, self.agents = reporter, executing, clocks, agents
        self.active = active
        self._committed, self._done, self._fenced = (clocks.tables.zeros(np.int64) for _ in range(3))
        self._groups: dict[int, list[int]] = {}  # by warpgroup: when each group was committed
        self._last: dict[int, tuple[int, int, int]] = {}  # by warpgroup, of the last one: time, statement, first thread
        self._executed: dict[Op, Array] = {}
        """By multiplication, how often each thread has executed it."""
        self._registers: dict[tuple[NumberedThreads, object, int], Register] = {}

    def warpgroups(self, threads: Array) -> Array:
        """The first thread of each thread's warpgroup."""
        return threads - threads % self.clocks.teams.threads % WARPGROUP

    def agent(self, warpgroup: int) -> int:
        return self.agents.of(("multiplications", warpgroup))

    # Shared memory.

    def begin(self, x: NumberedThreads, op: Op) -> None:
        """Executing threads multiply: their warpgroup's agent reads shared memory."""
        threads = x.threads()
        if op not in self._executed:
            self._executed[op] = self.clocks.tables.zeros(np.int64)
        self._executed[op][threads] += 1
        firsts = self.warpgroups(threads)
        agents = {first: self.agent(first) for first in np.unique(firsts).tolist()}
        x.agents = {t: (agents[f], agents[f]) for t, f in zip(threads.tolist(), firsts.tolist(), strict=True)}
        for first in agents:
            self._last[first] = self.clocks.now, x.statement, first
        self.check_fences(x, op, threads)

    def commit(self, threads: Array) -> None:
        firsts, numbers = self.warpgroups(threads), self._committed[threads]
        pairs: set[tuple[int, int]] = set(zip(firsts.tolist(), numbers.tolist(), strict=True))
        for first, number in pairs:
            times = self._groups.setdefault(first, [])
            times[number:] = [self.clocks.now, *times[number + 1 :]]
        self._committed[threads] += 1

    def wait(self, threads: Array, newest: int) -> None:
        """Waits until at most `newest` groups are pending."""
        clocks = self.clocks
        done = self._committed[threads] - newest
        self._done[threads] = np.maximum(self._done[threads], done)
        firsts = self.warpgroups(threads)
        pairs: set[tuple[int, int]] = set(zip(firsts.tolist(), done.tolist(), strict=True))
        for first, number in pairs:
            if number > 0:
                mine, time = threads[(firsts == first) & (done == number)], self._groups[first][number - 1]
                clocks.learn(mine, clocks.views.single(self.agent(first), time))

    def unawaited(self, first: int, stop: int) -> list[tuple[int, int]]:
        """Multiplications of these threads, which have exited, that none of them waited for: statement and thread."""
        mine = {self.agent(group): last for group, last in self._last.items() if first <= group < stop}
        return unknown_to(self.clocks, first, stop, mine)

    def end(self, x: NumberedThreads) -> None:
        """The threads of a batch have exited."""
        first, stop = x.first, x.first + x.n
        self._groups, self._last = without(self._groups, first, stop), without(self._last, first, stop)
        self._registers = {key: state for key, state in self._registers.items() if key[0] is not x}

    def compare_warpgroups(self, first: int, stop: int) -> None:
        """Reports multiplications that not all threads of a warpgroup, of these threads, executed equally often."""
        groups = self.warpgroups(np.arange(first, stop))
        for op, executed in self._executed.items():
            counts, starts = executed[first:stop], np.flatnonzero(np.diff(groups, prepend=-1))
            most = np.maximum.reduceat(counts, starts)
            uneven = np.flatnonzero(np.minimum.reduceat(counts, starts) != most)
            if uneven.size and self.active:
                lane = int(starts[uneven[0]]) + int(np.argmax(counts[starts[uneven[0]] :] == most[uneven[0]]))
                message = "a multiplication that not all threads of its warpgroup execute"
                help = "let all 128 threads of the warpgroup execute it"
                self.reporter.report(("warpgroup", op), "multiplication-order", message, op, first + lane, help=help)

    # Registers.

    def register(self, x: NumberedThreads, index: int) -> Register:
        key = (x, self.executing.frame.plan, index)
        if key not in self._registers:
            self._registers[key] = Register(x.n)
        return self._registers[key]

    def fence(self, threads: Array) -> None:
        self._fenced[threads] = self.clocks.now

    def check_fences(self, x: NumberedThreads, op: Op, threads: Array) -> None:
        """A fence must come before the first multiplication, and after each write of its registers."""
        lanes, fenced = lane_sets.positions(x.executing, x.n), self._fenced[threads]
        late = fenced == 0
        read, written = operands(op)
        for index in read | written:
            late = late | (self.register(x, index).written[lanes] > fenced)
        if late.any():
            message = "a multiplication whose registers were written with no `wgmma.fence` in between"
            if (fenced == 0).any():
                message = "a multiplication without a `wgmma.fence` before it"
            self.report(
                x, op, int(lanes[np.flatnonzero(late)[0]]), message, None, "`wgmma.fence.sync.aligned` before it"
            )

    def issue(self, x: NumberedThreads, op: Op) -> None:
        """A multiplication has been issued: its registers belong to its group."""
        read, written = operands(op)
        lanes = lane_sets.positions(x.executing, x.n)
        for index in read | written:
            state = self.register(x, index)
            state.op, state.group[lanes] = op, self._committed[x.numbers[lanes]] + 1
            state.reads[lanes] = index not in written

    def use(self, x: NumberedThreads, op: Op, read: frozenset[int], written: frozenset[int]) -> None:
        """Another instruction accesses registers of multiplications. The compiler inserts moves between them."""
        lanes = lane_sets.positions(x.executing, x.n)
        done, moves = self._done[x.numbers[lanes]], op.form.instruction is move.mov
        for index in () if moves else read | written:
            state = self.register(x, index)
            bad = state.group[lanes] > done
            if index not in written:
                bad &= ~state.reads[lanes]
            if bad.any():
                message = "a register of a multiplication that may still be under way is accessed"
                help = "commit it (`wgmma.commit_group`), and wait for its group (`wgmma.wait_group`) before the access"
                self.report(x, op, int(lanes[np.flatnonzero(bad)[0]]), message, state.op, help)
        sources = [self.register(x, index) for index in read] if moves else []
        for index in written:
            state = self.register(x, index)
            state.group[lanes] = sources[0].group[lanes] if len(sources) == 1 else 0
            if len(sources) == 1:
                state.op, state.reads[lanes] = sources[0].op, sources[0].reads[lanes]
            if not moves:
                state.written[lanes] = self.clocks.now

    def report(self, x: NumberedThreads, op: Op, lane: int, message: str, other: Op | None, help: str) -> None:
        if not self.active:
            return
        thread = x.first + lane
        self.reporter.report(
            ("multiplication", op, other), "multiplication-order", message, op, thread,
            other=other, other_thread=thread, other_label="the multiplication", help=help,
        )  # fmt: skip
