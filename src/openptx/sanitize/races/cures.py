"""What would prevent a race: a barrier, a wait, a release and an acquire, an atomic operation, a correct lock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from openptx.isa.instructions import async_copy, atomic, load_store, tensor_memory, wgmma
from openptx.isa.instructions.barrier import bar, bar_warp_sync, barrier, barrier_cluster
from openptx.program import Op
from openptx.sanitize.consequences import ends_without
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.copies import Copies, Left
from openptx.sanitize.races.detector import Conflict
from openptx.sanitize.races.last_waits import LastWaits
from openptx.sanitize.races.locks import Held, Locks
from openptx.sanitize.races.meetings import Meetings
from openptx.sanitize.races.overlaps import overlap, shared_index
from openptx.sanitize.races.semantics import (
    ASYNCHRONOUS,
    BULK,
    INITS,
    MBARRIER,
    TENSOR,
    TRANSFERS,
    access,
    synchronizes,
)
from openptx.sanitize.races.shadow import GPU, PENDING, SCOPE, SIZE, STATEMENT, UPDATE, Shadow
from openptx.sanitize.races.teams import AGENT
from openptx.sanitize.races.updates import Dependence, dependence
from openptx.sanitize.races.weak_barriers import WeakBarriers
from openptx.sanitize.reporter import Reporter

ROLES = (
    "; if warps have different roles, a named barrier or an mbarrier at which one side arrives after its access, and"
    " the other waits before its own"
)
FLAGS = (
    "; if one thread waits for a flag that the other one sets, `__threadfence_block()` (`fence.acq_rel.cta`) before the"
    " flag is set, and after it was read"
)
"""What may stand in place of a barrier of the block."""

ARRIVAL = (
    ", before another lane of the warp of the earlier access arrives or releases: that publishes what a barrier has"
    " ordered before it"
)
"""The place of a barrier of the warp for which another one has waited."""

SCOPES = (".cta", ".cta", ".cluster", ".gpu")
"""The scope that includes two threads, by their distance."""


@dataclass(frozen=True, slots=True)
class Cure:
    """What would prevent a race: `help` has `{lines}` for its place, if it is one statement between the two accesses.

    `orders` is whether it orders the accesses. `of_one_writer` is the help if only one thread stores, for which an
    atomic operation is no remedy. `meet` is whether it is a barrier of the warp or block.
    """

    help: str
    orders: bool = True
    of_one_writer: str = ""
    meet: bool = False


class Cures:
    """The cures of a launch's races."""

    def __init__(
        self, reporter: Reporter, clocks: Clocks, locks: Locks, last_waits: LastWaits, weak_barriers: WeakBarriers,
        copies: Copies, meetings: Meetings,
    ) -> None:  # fmt: skip
        self.reporter, self.clocks, self.locks, self.last_waits = reporter, clocks, locks, last_waits
        self.weak_barriers, self.copies, self.meetings = weak_barriers, copies, meetings
        self.teams = clocks.teams

    @cached_property
    def has_roles(self) -> bool:
        """Whether the warps of a block may have different roles: there are barriers of some warps, or mbarriers."""
        for op in self.reporter.calls.functions():
            named = op.form.instruction in (bar, barrier) and op.m.mode != "red"
            if op.form.instruction in INITS or (named and op.operands[1] is not None):
                return True
        return False

    @cached_property
    def has_flags(self) -> bool:
        """Whether the kernel has strong loads and stores."""
        strong = {op.form.instruction for op in self.reporter.calls.functions() if access(op).scope}
        return strong >= {load_store.ld, load_store.st}

    @cached_property
    def synchronizes(self) -> bool:
        """Whether the kernel releases or acquires, so that its blocks may be meant to access one element in turns."""
        return any(map(synchronizes, self.reporter.calls.functions()))

    def of(self, c: Conflict, op: Op, other: Op) -> Cure:
        """What would prevent the race of the statements `op` and `other`."""
        if c.unfenced:
            return Cure("`fence.proxy.async` after the write, before the barrier: {lines}")
        if left := self.left(c):
            return Cure(self.of_wait(left))
        if c.other_facts & PENDING:
            return Cure("wait for the copy (`cp.async.wait_group`), then let the threads meet at a barrier {lines}")
        if c.other_thread >= AGENT:
            return Cure(self.wrong_wait(c, other) or self.wait_for(other) + " {lines}")
        if op.form.instruction in ASYNCHRONOUS and 0 <= self.distance(c) <= 1:
            return Cure(
                f"a barrier, or an mbarrier at which the other threads arrive after their access, before"
                f" {operation(op)} begins: {{lines}}"
            )
        if self.gives_back(c):
            return Cure(
                f"release the lock by `atom.release{self.scope(c)}.exch` or `st.release{self.scope(c)}`, or by an"
                " atomic operation after a fence (`__threadfence()`, then `atomicExch`)"
            )
        if self.would_be_ordered(c):
            return Cure(
                f"let the lock order what it guards: `.acquire{self.scope(c)}`, or a fence (`__threadfence()`), where"
                f" it is taken, and `.release{self.scope(c)}`, or a fence before it, where it is given back"
            )
        if weakness := self.weak_barriers.of(c, other):
            return Cure(weakness.help)
        if not strength(c):
            found = dependence(self.reporter.calls.functions().get(op), op, other)
            if found is not Dependence.NONE:
                return Cure(
                    self.of_shared_element(c, op, atomic_operation(op)),
                    False,
                    self.barrier(c, op) if found is Dependence.VALUE else "",
                )
        if self.differ_in_size(c):
            return Cure("give both one size: 64 bits that are written in halves, for instance, are read in halves, too")
        if self.too_narrow(c):
            return Cure(f"give both the scope `{self.scope(c)}`, which includes both threads")
        if overlaps := self.of_index(c, op, other):
            return Cure(overlaps, orders=False)
        if c.other_time == self.clocks.now and c.thread != c.other_thread:
            return Cure(self.of_shared_element(c, op, "let one thread do it, or use an atomic operation"), orders=False)
        return Cure(self.barrier(c, op), meet=0 <= self.distance(c) <= 1)

    def of_index(self, c: Conflict, op: Op, other: Op) -> str:
        """The help if blocks store to one element by the same statement; empty if that is not so, or not certain."""
        weak = c.write and c.other_write and not strength(c) and not (c.facts | c.other_facts) & UPDATE
        function = self.reporter.calls.functions().get(op)
        if not weak or op is not other or self.distance(c) < 3 or c.shadow.space != "global" or c.equal:
            return ""
        if function is None or function.name != self.reporter.kernel or self.synchronizes:
            return ""
        if any(map(self.locks.taken, (c.thread, c.other_thread))):
            return ""
        return overlap(function, op, *(self.teams.place(thread)[0] for thread in (c.thread, c.other_thread)))

    def of_shared_element(self, c: Conflict, op: Op, help: str) -> str:
        """The `help` if several threads are to store to one element, and that they do so by mistake, if they compute
        its index from their own."""
        function, places = self.reporter.calls.functions().get(op), map(self.teams.place, (c.thread, c.other_thread))
        if function is None or function.name != self.reporter.kernel:
            return help
        index = shared_index(function, op, *places)
        return f"{index}; if they are to share it, {help}" if index else help

    def gives_back(self, c: Conflict) -> bool:
        """Whether a plain store gives a lock back."""
        plain = (c.write and not scope_of(c.facts)) or (c.other_write and not scope_of(c.other_facts))
        return plain and self.of_lock(c)

    def of_lock(self, c: Conflict) -> bool:
        """Whether the race is of accesses of a lock itself."""
        place = c.shadow, c.offset + c.shadow.lead
        return any(self.locks.taken(thread) == place for thread in (c.thread, c.other_thread))

    def lock_of(self, c: Conflict) -> tuple[Shadow, int] | None:
        """The lock that is the cause of a race: its memory, and the byte in it."""
        if c.other_thread >= AGENT or not (self.of_lock(c) or self.would_be_ordered(c)):
            return None
        found = self.locks.taken(c.thread) or self.locks.taken(c.other_thread)
        return found and (found[0], found[1] - found[0].lead)

    def held(self, c: Conflict) -> tuple[Held | None, Held | None]:
        """The locks under which two blocks access a word; none where they hold the same, or no lock can order them."""
        if self.distance(c) < 2 or strength(c) or self.of_lock(c) or self.would_be_ordered(c):
            return None, None
        mine, theirs = self.locks.held(c.thread, self.clocks.now), self.locks.held(c.other_thread, c.other_time)
        same = mine and theirs and (mine.shadow, mine.place) == (theirs.shadow, theirs.place)
        return (None, None) if same else (mine, theirs)

    def would_be_ordered(self, c: Conflict) -> bool:
        """Whether a lock would order the two."""
        return self.locks.would_order(c.other_thread, c.other_time, c.thread)

    def differ_in_size(self, c: Conflict) -> bool:
        """Whether two strong accesses race because of their sizes; mbarriers are accessed as a whole."""
        ops = (self.reporter.ops[facts & STATEMENT] for facts in (c.facts, c.other_facts))
        whole = any(op.form.instruction in MBARRIER for op in ops)
        return strength(c) > 0 and sizes(c)[0] != sizes(c)[1] and not whole

    def scope(self, c: Conflict) -> str:
        return SCOPES[self.distance(c)]

    def distance(self, c: Conflict) -> int:
        """The smallest unit that contains both threads, from the warp to the grid: an index of `reports.APART`. -1 if
        one is not a thread."""
        teams, thread, other = self.teams, c.thread, c.other_thread
        if c.stale or c.unfenced or c.other_facts & PENDING or other >= AGENT:
            return -1
        if teams.cta(thread) == teams.cta(other):
            return 0 if teams.warp(thread) == teams.warp(other) else 1
        return 2 if teams.cta(thread) // teams.cluster_size == teams.cta(other) // teams.cluster_size else 3

    def too_narrow(self, c: Conflict) -> bool:
        """Whether both accesses are strong, but their scopes do not suit each other."""
        return strength(c) != 0 and bool((c.facts | c.other_facts) & UPDATE or strength(c) < GPU)

    def barrier(self, c: Conflict, op: Op) -> str:
        """The barrier that would order two threads, or what else would."""
        distance = self.distance(c)
        if distance <= 1:
            by_lane = self.is_before_arrival(c)
            ptx, cuda = f"{bar_warp_sync.name}.sync", "__syncwarp()"
            if distance == 1 and not by_lane:
                ptx, cuda = f"{bar.name}.sync 0", "__syncthreads()"
            help = f"a `{cuda}` (`{ptx}`) {{lines}}" if self.reporter.places.of(op) else f"a `{ptx}` {{lines}}"
            if by_lane:
                return f"{help}{ARRIVAL}"
            roles = ROLES if self.has_roles else FLAGS if self.has_flags else ""
            return f"{help}{roles}" if distance == 1 else help
        if through := self.through_other_threads(c):
            return through
        strongly = "{} by `ld.relaxed.gpu` (`cuda::atomic_ref`) if any value will do; "
        if distance == 2:
            return f"`{barrier_cluster.name}.arrive` and `.wait` {{lines}}"
        if c.write and not c.other_write:
            return (
                (strongly.format("read it") if c.facts & UPDATE else "")
                + "blocks run in any order: write to other memory, or let the reader signal by `st.release.gpu` that it"
                " has read, and wait for that by `ld.acquire.gpu` before the write; a reader that needs the new value"
                " must wait by `ld.acquire.gpu` for a `st.release.gpu` after the write"
            )
        return (strongly.format("read it") if not c.write and c.other_facts & UPDATE else "") + (
            "publish by `st.release.gpu` (or a fence before a strong store) after the write, and read that by"
            " `ld.acquire.gpu` (or a fence after a strong load) before this access"
        )

    def between_roles(self, thread: int, other: int, op: Op, other_op: Op) -> str:
        """The named barrier that would order two threads whose warps have roles; empty if all warps may come to one of
        the statements, or the two have not met at a barrier of some warps."""
        function = self.reporter.calls.functions().get(op)
        if function is None or function.name != self.reporter.kernel or other_op not in function.code:
            return ""
        if not all(ends_without(function, 0, function.code.index(each)) for each in (op, other_op)):
            return ""
        return self.meetings.cure(thread % self.teams.threads, other % self.teams.threads)

    def is_before_arrival(self, c: Conflict) -> bool:
        """Whether another lane of the earlier access's warp arrives at the mbarrier, or sets the flag, for which a
        thread of another warp has waited."""
        lanes = np.array(self.teams.members(int(self.teams.warp(c.other_thread))))
        times, readers = np.full(lanes.shape, c.other_time), np.full(lanes.shape, c.thread)
        return self.distance(c) == 1 and bool(self.clocks.ordered(lanes, times, readers).any())

    def through_other_threads(self, c: Conflict) -> str:
        """The barrier that lacks if another thread of the writer's block releases, or another one of this thread's
        block acquires; empty if that does not order the two."""
        theirs, mine = (self.teams.block_of(thread) for thread in (c.other_thread, c.thread))
        reader, writer = (np.full(theirs.shape, thread) for thread in (c.thread, c.other_thread))
        known, first = (self.clocks.ordered(theirs, np.full(theirs.shape, time), reader) for time in (c.other_time, 1))
        if known.any() or (first.any() and not first[c.other_thread - theirs[0]]):
            return (
                "`__syncthreads()` (`bar.sync 0`) after the write, before another thread of its block releases: a"
                " release publishes what a barrier has ordered before it"
            )
        if self.clocks.ordered(writer, np.full(mine.shape, c.other_time), mine).any():
            return (
                "`__syncthreads()` (`bar.sync 0`) after another thread of this block has acquired, before this access"
            )
        return ""

    def left(self, c: Conflict) -> Left | None:
        """The wait that has left the copy of a race under way, if its thread has waited for copies since."""
        return self.copies.left(c.other_thread, c.other_time) if c.other_facts & PENDING else None

    def wait_of(self, left: Left) -> str:
        """The position of a wait for copies."""
        return self.reporter.site(self.reporter.ops[left.statement], None).source

    def of_wait(self, left: Left) -> str:
        """What a wait for copies, or their commit, should be."""
        if left.newer < 0:
            return f"commit the copy before the wait {self.wait_of(left)}: `cp.async.commit_group`"
        after = f"{left.newer} group{'s were' if left.newer != 1 else ' was'} committed after its own"
        return f"`cp.async.wait_group {left.newer}` {self.wait_of(left)} waits for this copy, too: {after}"

    def wrong_wait(self, c: Conflict, op: Op) -> str:
        """What is wrong with the wait of the thread that ended while `op` was under way; empty if there was none."""
        statement = self.last_waits.since(c.thread, c.other_time)
        if statement is None or op.form.instruction not in BULK or by_group(op):
            return ""
        return (
            f"the wait {self.reporter.site(self.reporter.ops[statement], None).source} ended before"
            f" {operation(op)} was complete: wait for the mbarrier that it signals, with the parity of its phase (0"
            " for the first, 1 for the second), and expect the bytes of all copies of that phase"
        )

    def wait_for(self, op: Op) -> str:
        """How threads wait for what an agent does."""
        if op.form.instruction in TRANSFERS:
            kind = "st" if op.form.instruction is tensor_memory.st else "ld"
            return f"`tcgen05.wait::{kind}`, and a barrier if another warp goes on,"
        if op.form.instruction in TENSOR:
            return f"wait for an mbarrier that a `{tensor_memory.commit.name}` after {operation(op)} signals,"
        if by_group(op):
            return (
                "`cp.async.bulk.wait_group` in the thread that began the copy, and a barrier if another thread goes on,"
            )
        if op.form.instruction in BULK:
            return f"wait for the mbarrier of {operation(op)}"
        if access(op).pending:
            return f"wait for {operation(op)}, by the mbarrier that counts it or `cp.async.wait_group` and a barrier,"
        return f"wait for the group of {operation(op)} (`{wgmma.wait_group.name}`)"


def atomic_operation(op: Op) -> str:
    """The advice to make one operation of a load and a store."""
    space = op.m.values.get("space", "generic")
    name = f"`{atomic.atom.name}`" if space == "generic" else f"`{atomic.atom.name}.{space}`"
    return f"read, change and write it by one atomic operation ({name}, `atomicAdd` and its like)"


def by_group(op: Op) -> bool:
    """Whether the thread of a bulk copy waits for its completion, and no mbarrier signals it."""
    return op.m.values.get("completion_mechanism") == "bulk_group"


def operation(op: Op) -> str:
    """A description of what an agent does."""
    copies = op.form.instruction in BULK | {async_copy.cp_async, tensor_memory.cp}
    return "the asynchronous copy" if copies else f"`{op.form.instruction.name}`"


def scope_of(facts: int) -> int:
    """The scope of an access, an index of `reports.SCOPE_NAMES`."""
    return (facts >> SCOPE) & 3


def strength(c: Conflict) -> int:
    """The narrower of the two accesses' scopes."""
    return min(scope_of(c.facts), scope_of(c.other_facts))


def sizes(c: Conflict) -> tuple[int, int]:
    """The bytes of an element of both accesses; 16 count as 8."""
    return 1 << ((c.facts >> SIZE) & 3), 1 << ((c.other_facts >> SIZE) & 3)
