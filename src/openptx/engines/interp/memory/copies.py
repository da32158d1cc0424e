"""Copies of bytes from one memory to another, lane by lane or all at once."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.engines.common import fault_text
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.spaces import Spaces, Violation
from openptx.engines.interp.memory.views import Plane
from openptx.isa.address_windows import FIRST
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.numerics.reductions import distinct

Begin = tuple[Plane, int]
"""Memory, and the position of its first byte."""

HEAP_STEP = 16
"""The alignment in bytes of the blocks that `malloc` returns, and of their sizes."""


class Copies(Spaces):
    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        k = lane_sets.size(self.executing, self.n)
        targets, origins, counts = (np.broadcast_to(b.v, k) for b in (target, origin, size))
        active = self.executing
        try:
            for count in distinct(counts).tolist():
                chosen = counts == count
                self.executing = lane_sets.where(active, chosen, self.n)
                if is_short(count):
                    self.copy_short(to, targets[chosen], source, origins[chosen], count)
                else:
                    self.copy_long(to, targets[chosen], source, origins[chosen], count)
        except Violation:
            for i, lane in enumerate(lane_sets.positions(active, self.n).tolist()):
                check_cancelled()
                self.executing = slice(lane, lane + 1)  # of several invalid lanes the first is reported
                if counts[i]:
                    self.begins(to, targets[i : i + 1], source, origins[i : i + 1], int(counts[i]))
            raise
        finally:
            self.executing, self.copy_size = active, 0

    def copy_short(self, target_space: str, target: Array, source_space: str, source: Array, count: int) -> None:
        """Copies 0 to 16 bytes, the same number for all lanes at once, in units as wide as the addresses' alignment."""
        w = widest(target, source, count)
        for at in range(0, count, w):
            step = np.uint64(at)
            self.store(
                target_space,
                Bits(self, 64, target + step),
                self.load(source_space, Bits(self, 64, source + step), 8 * w),
            )

    def copy_long(self, target_space: str, target: Array, source_space: str, source: Array, count: int) -> None:
        """Copies many bytes, lane by lane."""
        for i, lane in enumerate(lane_sets.positions(self.executing, self.n).tolist()):
            check_cancelled()
            self.executing = slice(lane, lane + 1)
            (read, a), (written, b) = self.begins(
                target_space, target[i : i + 1], source_space, source[i : i + 1], count
            )
            written.data[b : b + count] = read.data[a : a + count]

    def begins(
        self, target_space: str, target: Array, source_space: str, source: Array, count: int
    ) -> tuple[Begin, Begin]:
        """Where one lane's bytes are read, and where they are written.

        The first and the last byte must be in one allocation; all bytes of the heap must be allocated.
        """
        w = widest(target, source, count) if is_short(count) else 1
        sides = (source_space, source, False), (target_space, target, True)

        def places(at: int) -> tuple[Begin, Begin]:
            try:
                read, written = (self.one(space, a + np.uint64(at), w, write) for space, a, write in sides)
            except Violation as violation:
                if violation.address is not None:
                    violation.address -= at
                raise
            return read, written

        self.copy_size = count
        first = last = places(0)
        for at in range(w, count, w) if is_short(count) else (count - 1,):
            last = places(at)
        for (space, a, _), begin, end in zip(sides, first, last, strict=True):
            if end[0] is not begin[0] or end[1] != begin[1] + count - w:
                raise self.fault(
                    "out-of-bounds", fault_text.TORN, np.ones(1, np.bool_), a, self.space_name(space, a), 1
                )
        if not is_short(count) and any(plane is self.heap_plane for plane, _ in first):
            for at in range(0, count, HEAP_STEP):
                places(at)
        return first

    def one(self, space: str, a: Array, size: int, write: bool) -> Begin:
        """The place of one lane's access."""
        self.doing = "copy"
        place = self.place(space, a, size, write)
        assert place is not None
        return place[0], int(place[1][0])

    def space_name(self, space: str, a: Array) -> str:
        """The name of the space in fault texts."""
        in_global = space == "generic" and int(a[0]) >> self.shift >= FIRST
        return "global" if in_global else space.replace("::cta", "")


def is_short(count: int) -> bool:
    """Whether bytes are copied as words."""
    return count <= 16 and not count & (count - 1)


def widest(target: Array, source: Array, count: int) -> int:
    """The width in bytes of the widest word that divides all addresses and the number of bytes."""
    return next(w for w in (8, 4, 2, 1) if not int(np.bitwise_or.reduce(target | source) | count) & (w - 1))
