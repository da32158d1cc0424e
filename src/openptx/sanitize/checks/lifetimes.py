"""Shared memory of a block that another block of the cluster accesses, perhaps after the block has exited."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.reporter import Reporter


class Lifetimes:
    """A block lives from its first instruction until its last thread exits: accesses by others must lie in between."""

    def __init__(self, reporter: Reporter, clocks: Clocks, wanted: bool) -> None:
        self.reporter, self.clocks, self.teams = reporter, clocks, clocks.teams
        self.active = wanted and self.teams.cluster_size > 1
        self._accesses: dict[
            int, tuple[Array, Array]
        ] = {}  # by block, for each thread of the cluster: the time and the statement of its last access
        self._asynchronous: dict[int, dict[int, tuple[int, int, int]]] = {}
        """By block and agent, when it last accessed the block's memory, by which statement, and for which thread."""
        self._ends = clocks.views.table(self.teams.ctas)  # by block: what its threads knew when they exited
        self._met = np.zeros(self.teams.ctas, np.bool_)  # blocks that have waited at the cluster's barrier

    def access(self, threads: Array, owners: Array, statement: int, agents: Array | None) -> None:
        """Threads, or agents in their name, access the shared memory of blocks `owners`."""
        size = self.teams.threads * self.teams.cluster_size
        self.check_begun(threads, owners, statement)
        if agents is not None:
            for cta, agent, thread in zip(owners.tolist(), agents.tolist(), threads.tolist(), strict=True):
                self._asynchronous.setdefault(cta, {})[agent] = self.clocks.now, statement, thread
            return
        for cta in np.unique(owners).tolist():
            if cta not in self._accesses:
                self._accesses[cta] = np.zeros(size, np.int64), np.zeros(size, np.int64)
            times, statements = self._accesses[cta]
            mine = threads[owners == cta] % size
            times[mine], statements[mine] = self.clocks.now, statement

    def meet(self, threads: Array) -> None:
        """Threads have waited at the cluster's barrier: all of its blocks run."""
        self._met[self.teams.cta(threads)] = True

    def check_begun(self, threads: Array, owners: Array, statement: int) -> None:
        """Blocks of a cluster start in any order: a thread that accesses another block's memory must know of one of its
        actions."""
        new = np.flatnonzero(~self._met[self.teams.cta(threads)])
        for thread, cta in zip(threads[new].tolist(), owners[new].tolist(), strict=True):
            if not self.clocks.views.knows_of(int(self.clocks.view[thread]), cta):
                self.report(
                    statement,
                    thread,
                    cta,
                    "block {} may not have begun when its shared memory is accessed",
                    "nothing that it does comes before this access",
                    "let all blocks of the cluster meet at its barrier before the access",
                )
                return

    def report(self, statement: int, thread: int, cta: int, message: str, why: str, help: str) -> None:
        op, (block, _) = self.reporter.ops[statement], self.teams.place(cta * self.teams.threads)
        self.reporter.report(
            ("lifetime", message, op), "shared-memory-lifetime", message.format(block), op, thread,
            notes=(f"why: {why}",), help=help,
        )  # fmt: skip

    def leave(self, threads: Array) -> None:
        """Threads end."""
        clocks, ctas = self.clocks, self.teams.cta(threads)
        for cta in np.unique(ctas).tolist():
            known = clocks.released(threads[ctas == cta])
            self._ends[cta] = clocks.views.join(int(self._ends[cta]), known)

    def finish(self, first: int, stop: int) -> None:
        """The blocks from `first` to before `stop` have exited."""
        size = self.teams.threads * self.teams.cluster_size
        for cta in [cta for cta in self._accesses if first <= cta < stop]:
            times, statements = self._accesses.pop(cta)
            accessors = np.flatnonzero(times)
            threads = accessors + cta // self.teams.cluster_size * size
            late = accessors[~self.clocks.views.knows(int(self._ends[cta]), threads, times[accessors])]
            if not late.size:
                continue
            self.outlives(int(statements[late[0]]), int(threads[np.flatnonzero(accessors == late[0])[0]]), cta)
        for cta in [cta for cta in self._asynchronous if first <= cta < stop]:
            known = int(self._ends[cta])
            for agent, (time, statement, thread) in self._asynchronous.pop(cta).items():
                if not self.clocks.views.knows(known, np.array([agent]), np.array([time]))[0]:
                    self.outlives(statement, thread, cta)

    def outlives(self, statement: int, thread: int, cta: int) -> None:
        """Reports an access that may come after the end of the block."""
        self.report(
            statement,
            thread,
            cta,
            "block {} may have ended when its shared memory is accessed",
            "none of its threads waits for this access before it ends",
            "let all blocks of the cluster meet at its barrier after the access",
        )
