"""Shared memory of a block that another block of the cluster accesses, perhaps after the block has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from openptx.sanitize.session import Session

Array = NDArray[Any]


class Lifetimes:
    """A block lives until its last thread ends: an access must happen before the end of one of its threads."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.active = session.teams.cluster_size > 1 and "race" in session.tools
        self._accesses: dict[int, tuple[Array, Array]] = {}  # by block: of each thread of the cluster, when and by what
        self._ends: dict[int, int] = {}  # by block: what its threads knew when they ended

    def access(self, threads: Array, owners: Array, statement: int) -> None:
        """Threads access the shared memory of blocks `owners`."""
        teams = self.session.teams
        size = teams.threads * teams.cluster_size
        for cta in np.unique(owners).tolist():
            if cta not in self._accesses:
                self._accesses[cta] = np.zeros(size, np.int64), np.zeros(size, np.int64)
            times, statements = self._accesses[cta]
            mine = threads[owners == cta] % size
            times[mine], statements[mine] = self.session.clocks.now, statement

    def leave(self, threads: Array) -> None:
        """Threads end."""
        clocks, ctas = self.session.clocks, self.session.teams.cta(threads)
        for cta in np.unique(ctas).tolist():
            known = clocks.released(threads[ctas == cta])
            self._ends[cta] = clocks.views.join(self._ends.get(cta, 0), known)

    def finish(self, first: int, stop: int) -> None:
        """The blocks from `first` to before `stop` have ended."""
        s = self.session
        size = s.teams.threads * s.teams.cluster_size
        for cta in [cta for cta in self._accesses if first <= cta < stop]:
            times, statements = self._accesses.pop(cta)
            here = np.flatnonzero(times)
            threads = here + cta // s.teams.cluster_size * size
            late = here[~s.clocks.views.knows(self._ends.get(cta, 0), threads, times[here])]
            if not late.size:
                continue
            op, thread = s.ops[int(statements[late[0]])], int(threads[np.flatnonzero(here == late[0])[0]])
            if not s.found.known(("lifetime", op)):
                block, _ = s.teams.place(cta * s.teams.threads)
                s.found.add(
                    ("lifetime", op),
                    s.finding(
                        "shared-memory-lifetime",
                        "race",
                        f"block {block} may have ended when its shared memory is accessed",
                        op,
                        thread,
                        notes=("why: none of its threads waits for this access before it ends",),
                        help="let all blocks of the cluster meet at its barrier after the access",
                    ),
                )
