"""Tensor memory with shadow cells: what asynchronous operations read and write there (9.7.16.6).

Products, copies and shifts belong to an agent of the thread that issues them; threads learn of their completion by the
mbarrier of a `tcgen05.commit`. They execute in the order in which they are issued, also by different threads. Loads and
stores belong to an agent of their warp, whose lanes learn of their completion by `tcgen05.wait::ld` and `::st`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.tensor_memory import TensorMemory
from openptx.isa.semantics.tensor_memory import COLUMNS, LANES, UNIT
from openptx.numerics import Bits
from openptx.sanitize.races.register_transfers import CTA_BYTES, WORD
from openptx.sanitize.races.semantics import TENSOR, sized

if TYPE_CHECKING:
    from openptx.program import Op
    from openptx.sanitize.machine import SanitizedThreads


class Span(NamedTuple):
    """An access by threads: the first byte of each, and the number of neighbouring words."""

    threads: Array
    offsets: Array
    words: int
    write: bool


class WatchedTensorMemory(TensorMemory):
    """Accesses of an instruction are noted, and reported to the race detector together when it has executed."""

    def __init__(self, x: SanitizedThreads) -> None:
        super().__init__(x)
        self.watched = x
        self._noted: list[Span] = []
        self._issuers: dict[int, int] = {}
        """By agent of products, copies and shifts, the thread that issues them."""
        shadows = x.session.shadows
        self.shadow = (
            shadows.fresh("tensor memory", x.geometry.count * CTA_BYTES, 0, 0, "tensor")
            if "race" in x.session.tools
            else None
        )

    def place(self, address: Bits, count: int, rank: Bits | None) -> tuple[Array, Array, Array]:
        self.accessed = super().place(address, count, rank)
        return self.accessed

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        found = super().read(address, count, rank)
        self.note(count, write=False)
        return found

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        super().write(address, values, rank)
        self.note(len(values), write=True)

    def note(self, count: int, *, write: bool) -> None:
        """Notes the last access by the executing threads, of `count` words each."""
        cta, lane, column = self.accessed
        offsets = ((cta * LANES + lane) * COLUMNS + column) * WORD
        self._noted.append(Span(self.watched.threads(), offsets, count, write))

    def report(self, op: Op) -> None:
        """Reports the accesses of an instruction, first what it reads."""
        noted, self._noted = self._noted, []
        if self.shadow is None:
            return
        x = self.watched
        facts = sized(x.access.facts, WORD) | x.statement
        issues = op.form.instruction in TENSOR
        for write, words in sorted({(span.write, span.words) for span in noted}):
            spans = [span for span in noted if (span.write, span.words) == (write, words)]
            threads = np.concatenate([span.threads for span in spans])
            offsets = np.concatenate([span.offsets for span in spans])
            owners = self.agents(threads) if issues else x.session.register_transfers.of(threads, write)
            x.session.races.access(
                self.shadow, threads, offsets, WORD * words, facts, write=write, owners=owners,
                issuers=self.issuers if issues else None,
            )  # fmt: skip

    def agents(self, threads: Array) -> Array:
        """The agents of products, copies and shifts that threads issue."""
        each = {thread: self.watched.agents[thread][0] for thread in np.unique(threads).tolist()}
        self._issuers.update({agent: thread for thread, agent in each.items()})
        return np.array([each[thread] for thread in threads.tolist()])

    def issuers(self, others: Array) -> Array:
        """The threads that issued what belongs to agents; other agents and threads as they are."""
        found, index = np.unique(others, return_inverse=True)
        return np.array([self._issuers.get(other, other) for other in found.tolist()])[index.reshape(-1)]

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        """What happened to these columns before has been checked when they were freed."""
        found = super().allocate(count, exclusively=exclusively)
        for cta, columns, _ in self.columns(found, count):
            self.forget(cta, columns)
        return found

    def forget(self, cta: int, columns: slice) -> None:
        """Columns of a CTA have been allocated."""
        if self.shadow is not None:
            self.shadow.cells.reshape(-1, LANES, COLUMNS, self.shadow.cells.shape[1])[cta, :, columns] = 0

    def free(self, address: Bits, count: Bits) -> None:
        """Counts as a write: all accesses must have happened before it."""
        super().free(address, count)
        x = self.watched
        if self.shadow is None:
            return
        for cta, columns, thread in self.columns(address, count):
            offsets = ((cta * LANES + np.arange(LANES)) * COLUMNS + columns.start) * WORD
            facts, words = sized(x.access.facts, WORD) | x.statement, columns.stop - columns.start
            threads = np.full(LANES, thread)
            x.session.races.access(self.shadow, threads, offsets, WORD * words, facts, write=True)

    def columns(self, address: Bits, count: Bits) -> list[tuple[int, slice, int]]:
        """The CTA, the columns and the first thread of each executing warp."""
        x, found = self.watched, list[tuple[int, slice, int]]()
        lanes = lane_sets.positions(x.executing, x.n)
        first, counts = (np.broadcast_to(b.v, lanes.size).astype(np.int64) for b in (address, count))
        _, leaders = np.unique(x.geometry.warp[lanes], return_index=True)
        for i in leaders.tolist():
            columns = slice(int(first[i]), int(first[i] + -(-counts[i] // UNIT) * UNIT))
            found.append((int(x.geometry.cta[lanes[i]]), columns, int(x.numbers[lanes[i]])))
        return found
