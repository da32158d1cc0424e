"""Asynchronous copies in flight: until a thread waits for them, they are ordered only after their issue (8.9.1.1).

The bytes of a `cp.async` are pending in their shadow cells: unordered even with the thread that issued it. Its wait
makes them accesses of that thread, at the time of the wait. A `cp.async.mbarrier.arrive` assigns them to an agent
instead, which threads that wait for the mbarrier learn about. Bulk copies belong to an agent from the start: one for
each mbarrier, or for each thread that waits for groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from openptx.array_types import Array
from openptx.isa.address_windows import CTA_SHIFT
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.shadow import CELL, PENDING, R2, W2, R, Shadow, W
from openptx.sanitize.races.teams import AGENT

T = TypeVar("T")


@dataclass(slots=True)
class Pending:
    """Granules of copies by one instruction, each with its thread and the number of its group."""

    shadow: Shadow
    unit: int
    granules: Array
    threads: Array
    groups: Array
    time: int
    write: bool
    statement: int
    agent: int = 0

    def now(self) -> Array:
        """The current granules, because the allocation may have been split since."""
        if self.unit == self.shadow.unit:
            return self.granules
        return (self.granules[:, None] * 4 + np.arange(4)).reshape(-1)

    def per_current_granule(self, values: Array) -> Array:
        """Values of each original granule as those of each current one."""
        return values if self.unit == self.shadow.unit else np.repeat(values, 4)


@dataclass(frozen=True, slots=True)
class Left:
    """A wait that has left a copy under way, by its statement; `newer` groups were committed after that of the copy, -1
    if this was not committed itself."""

    statement: int
    newer: int


def value_of(threads: Array, of: Array, values: Array | int, default: int) -> Array:
    """For each of `threads`, its value among those `of` threads, which are of one batch; `default` for others."""
    first = int(of.min())
    table = np.full(int(of.max()) - first + 2, default)
    table[of - first] = values
    at = threads - first
    return np.asarray(table[np.where((at < 0) | (at >= table.size), -1, at)])


class Copies:
    """`cp.async` of all threads of a launch."""

    def __init__(self, clocks: Clocks, agents: Agents) -> None:
        self.clocks, self.agents = clocks, agents
        self.pending: list[Pending] = []
        self._committed: Array | None = None
        self._waits: Array | None = None  # by thread: the time and statement of its last wait

    @property
    def committed(self) -> Array:
        """The number of groups that each thread has committed."""
        if self._committed is None:
            self._committed = self.clocks.tables.zeros(np.int32)
        return self._committed

    def issue(self, shadow: Shadow, granules: Array, threads: Array, write: bool, statement: int) -> None:
        each = np.repeat(threads, granules.shape[1])
        groups = self.committed[each]
        self.pending.append(
            Pending(shadow, shadow.unit, granules.reshape(-1), each, groups, self.clocks.now, write, statement)
        )

    def commit(self, threads: Array) -> None:
        self.committed[threads] += 1

    def wait(self, threads: Array, newest: int | None, statement: int) -> None:
        """Waits until at most `newest` groups are pending; for everything, in a group or not, if that is None."""
        if not self.pending:
            return
        if self._waits is None:
            self._waits = self.clocks.tables.zeros(np.uint32, 2)
        self._waits[threads] = self.clocks.now, statement
        last = np.iinfo(np.int32).max if newest is None else self.committed[threads] - newest
        for pending in self.pending:
            done = pending.groups < value_of(pending.threads, threads, last, -1)
            if not done.any():
                continue
            if pending.agent:
                self.clocks.learn(
                    np.unique(pending.threads[done]), self.clocks.views.single(pending.agent, pending.time)
                )
            else:
                self.settle(pending, done, pending.threads)
            self.drop(pending, ~done)
        self.pending = [pending for pending in self.pending if pending.threads.size]

    def left(self, thread: int, time: int) -> Left | None:
        """The last wait of a thread since it issued a pending copy at a time; None if there was none."""
        if self._waits is None or not 0 < time <= self._waits[thread, 0]:
            return None
        groups = (p.groups[p.threads == thread] for p in self.pending if p.time == time and not p.agent)
        group = next((int(found[0]) for found in groups if found.size), None)
        if group is None:
            return None
        return Left(int(self._waits[thread, 1]), int(self.committed[thread]) - 1 - group)

    def drop(self, pending: Pending, kept: Array) -> None:
        pending.granules, pending.threads, pending.groups = (
            pending.granules[kept],
            pending.threads[kept],
            pending.groups[kept],
        )

    def settle(self, pending: Pending, done: Array, owners: Array) -> None:
        """Cells that still hold these copies become accesses of `owners`."""
        at, was, new = (
            pending.now()[pending.per_current_granule(done)],
            pending.per_current_granule(pending.threads)[pending.per_current_granule(done)],
            pending.per_current_granule(owners),
        )
        new = new[pending.per_current_granule(done)]
        for column in (W, W2) if pending.write else (R, R2):
            start = CELL * column
            cells = pending.shadow.cells[at, start : start + CELL]
            mine = (cells[:, 0] == pending.time) & (cells[:, 1] == was) & ((cells[:, 2] & PENDING) != 0)
            some = at[mine]
            pending.shadow.cells[some, start] = self.clocks.now
            pending.shadow.cells[some, start + 1] = new[mine]
            pending.shadow.cells[some, start + 2] &= ~np.uint32(PENDING)

    def arrive_when_done(self, threads: Array) -> int:
        """Assigns the pending copies of these threads to a new agent, and returns the view of its accesses."""
        agent = self.agents.fresh()
        for pending in list(self.pending):
            mine = value_of(pending.threads, threads, True, False)
            if pending.agent or not mine.any():
                continue
            self.settle(pending, mine, np.full(pending.threads.shape, agent))
            moved = Pending(
                pending.shadow, pending.unit, pending.granules[mine], pending.threads[mine], pending.groups[mine],
                self.clocks.now, pending.write, pending.statement, agent,
            )  # fmt: skip
            self.pending.append(moved)
            self.drop(pending, ~mine)
        self.pending = [pending for pending in self.pending if pending.threads.size]
        return self.clocks.views.single(agent, self.clocks.now)

    def end(self, first: int, stop: int) -> None:
        """These threads have exited."""
        self.pending = [each for each in self.pending if not first <= each.threads[0] < stop]

    def unawaited(self, first: int, stop: int) -> list[tuple[int, int]]:
        """Copies of these threads that no thread ever waited for: the statement, and a thread."""
        found: list[tuple[int, int]] = []
        for pending in self.pending:
            mine = pending.threads[(pending.threads >= first) & (pending.threads < stop)]
            if mine.size and not pending.agent and pending.write:
                found.append((pending.statement, int(mine[0])))
        return found


class Agents:
    """Numbers of agents, which perform asynchronous copies, by what they belong to."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._owners: dict[int, object] = {}
        self._count = AGENT

    def fresh(self) -> int:
        self._count += 1
        return self._count

    def mbarrier_of(self, agent: int) -> tuple[int, int] | None:
        """The mbarrier that signals the end of an agent's copies: the CTA, and the address there."""
        match self._owners.get(agent):
            case ("mbarrier", (int(cta), int(address))):
                return cta, address
            case ("multicast", int(sender), int(cta)) if (sent := self.mbarrier_of(sender)) is not None:
                return cta, sent[1] & (1 << CTA_SHIFT) - 1
            case _:
                return None

    def of(self, key: object) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = self.fresh()
            self._owners[found] = key
        return found


class BulkCopies:
    """Bulk copies, which threads wait for by groups or by an mbarrier: the last time of each group."""

    def __init__(self, clocks: Clocks, agents: Agents) -> None:
        self.clocks, self.agents = clocks, agents
        self._groups: dict[int, list[int]] = {}
        self._last: dict[int, tuple[int, int, int]] = {}  # by agent: the time of its last copy, statement and thread

    def of_group(self, thread: int, statement: int) -> tuple[int, int]:
        """The agents that read and write for a thread, which starts a copy of the group that it commits next."""
        reads, writes = self._of(thread)
        self._last[reads] = self.clocks.now, statement, thread
        return reads, writes

    def of_mbarrier(self, thread: int, mbarrier: object, statement: int) -> tuple[int, int]:
        """The agent that reads and writes in a copy whose completion an mbarrier counts."""
        agent = self.agents.of(("mbarrier", mbarrier))
        self._last[agent] = self.clocks.now, statement, thread
        return agent, agent

    def of_multicast(self, agent: int, cta: int, thread: int | None = None, statement: int = 0) -> int:
        """The agent that writes into one CTA in a multicast of `agent`: only the mbarrier of that CTA signals its
        completion. With `thread`, the copy starts now."""
        writer = self.agents.of(("multicast", agent, cta))
        if thread is not None:
            self._last[writer] = self.clocks.now, statement, thread
        return writer

    def of_thread(self, thread: int, statement: int | None) -> tuple[int, int]:
        """The agent of a thread's `tcgen05` operations, of which `statement` is one; None for a commit, which makes an
        mbarrier signal their completion."""
        agent = self.agents.of(("tensor", thread))
        if statement is not None:
            self._last[agent] = self.clocks.now, statement, thread
        return agent, agent

    def _of(self, thread: int) -> tuple[int, int]:
        return self.agents.of(("reads", thread)), self.agents.of(("writes", thread))

    def commit(self, threads: Array) -> None:
        for thread in threads.tolist():
            self._groups.setdefault(thread, []).append(self.clocks.now)

    def wait(self, threads: Array, newest: int, *, reads_only: bool) -> None:
        for thread in threads.tolist():
            groups = self._groups.get(thread, [])
            if len(groups) <= newest:
                continue
            until = groups[-1 - newest]
            reads, writes = self._of(thread)
            for agent in (reads,) if reads_only else (reads, writes):
                self.clocks.learn(np.array([thread]), self.clocks.views.single(agent, until))

    def end(self, first: int, stop: int) -> None:
        """These threads have exited."""
        self._groups = without(self._groups, first, stop)
        self._last = {agent: last for agent, last in self._last.items() if not first <= last[2] < stop}

    def unawaited(self, first: int, stop: int) -> list[tuple[int, int]]:
        """Copies of these threads, which have exited, that none of them waited for: the statement, and the thread."""
        mine = {agent: last for agent, last in self._last.items() if first <= last[2] < stop}
        return unknown_to(self.clocks, first, stop, mine)


def without(by_thread: dict[int, T], first: int, stop: int) -> dict[int, T]:
    """The entries of other threads than these."""
    return {thread: value for thread, value in by_thread.items() if not first <= thread < stop}


def unknown_to(clocks: Clocks, first: int, stop: int, last: dict[int, tuple[int, int, int]]) -> list[tuple[int, int]]:
    """The statements and threads of those of `last`, by agent (time, statement, thread), that no thread from `first` to
    before `stop` knows to be complete."""
    known = clocks.views.join_all(clocks.view[first:stop])
    return [
        (statement, thread)
        for agent, (time, statement, thread) in last.items()
        if not clocks.views.knows(known, np.array([agent]), np.array([time]))[0]
    ]
