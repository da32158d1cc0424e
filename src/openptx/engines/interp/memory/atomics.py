"""Atomics on lanes: operations on one word happen in lane order, those on different words all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.atomic_updates import Queue, updated
from openptx.engines.interp.memory.spaces import Spaces
from openptx.engines.interp.memory.views import Plane, View
from openptx.isa.semantics import atomic_ops
from openptx.locks import check_cancelled
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word

Group = NDArray[np.intp]


class Atomics(Spaces):
    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        pair = w == 128
        flat = [part.v for o in operands for part in (o if isinstance(o, tuple) else (o,))]
        k = lane_sets.size(self.executing, self.n)
        a, *values = [v if v.size == k else v.repeat(k) for v in (address.v, *flat)]
        self.doing = "atomic"
        places = self.places(space, a, w >> 3, True)
        found = [np.zeros(k, f"u{min(w, 64) >> 3}") for _ in range(1 + pair)] if len(places) > 1 else []
        for chosen, (plane, offsets) in places:
            self.watch_update(plane, chosen, offsets, update, a, w >> 3)
            view = plane.view(w >> 3, 1) if not pair else plane.view(8, 2)
            if chosen is None:
                one_word = address.v.size == 1 and bool(plane.base)  # each CTA has shared memory of its own
                found = self.exchange(view, offsets, update, values, one_word)
                continue
            old = self.exchange(view, offsets, update, [v[chosen] for v in values])
            for whole, some in zip(found, old, strict=True):
                whole[chosen] = some
        parts = [Bits(self, min(w, 64), v) for v in found]
        return (parts[0], parts[1]) if pair else parts[0]

    def watch_update(
        self, plane: Plane, chosen: Group | None, offsets: NDArray[np.int64], update: Update, address: Array, size: int
    ) -> None:
        """An update reads the old value; but an exchange is often what initialises memory."""
        if self.written is None or plane is not self.shared:
            return
        if update is not atomic_ops.exchange:
            self.check_written(chosen, offsets, size, address)
        self.written.mark(offsets, size)

    def exchange(
        self, view: View, offsets: NDArray[np.int64], update: Update, values: list[Array], one_word: bool = False
    ) -> list[Array]:
        """Updates words of a view at byte offsets, and returns the old words, one per lane."""
        words, skip, shift = view
        queue = Queue(np.right_shift(offsets - skip if skip else offsets, shift), one_word)
        if queue.order is not None:
            values = [v[queue.order] for v in values]
        found = updated(queue, words, update, values) if words.ndim == 1 else None
        return queue.unsorted(self.rounds(queue, words, update, values) if found is None else [found])

    def rounds(self, queue: Queue, words: Array, update: Update, values: list[Array]) -> list[Array]:
        """Processes every word's first lane, then every word's second, and so on."""
        pair = words.ndim == 2
        found = [np.empty(queue.index.size, words.dtype) for _ in range(1 + pair)]
        w = 8 * words.itemsize
        for rank in range(queue.longest):
            check_cancelled()
            now = slice(None) if queue.longest == 1 else np.flatnonzero(queue.rank == rank)
            index = queue.index[now]
            old = [words[index, i] for i in range(2)] if pair else [words[index]]
            for whole, part in zip(found, old, strict=True):
                whole[now] = part
            bits = [Bits(self, w, v) for v in old]
            operands = [Bits(self, w, v[now]) for v in values]
            if pair:
                pairs = [(operands[i], operands[i + 1]) for i in range(0, len(operands), 2)]
                new = update(self, (bits[0], bits[1]), *pairs)
                assert isinstance(new, tuple)
                words[index, 0], words[index, 1] = new[0].v, new[1].v
            else:
                new = update(self, bits[0], *operands)
                assert isinstance(new, Bits)
                words[index] = new.v
        return found
