"""Copies of unwritten words, from any memory to global memory.

A copy of a structure copies its padding too, so an unwritten word alone is not a defect. It is one if its load also
returns written words, or if nothing around the word is written either. But words that lie like padding before members
of eight bytes are never defects: a copy word by word loads padding and members with the same instruction.
"""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.views import Plane
from openptx.program import Op
from openptx.sanitize.executing import Executing
from openptx.sanitize.reporter import Reporter
from openptx.sanitize.undefined_bits.masked import Masked

AROUND = 64
"""In bytes: padding is shorter than this, and next to written data."""
AROUND_LOCAL = 16
"""The length of padding in local memory, where variables are small."""


WORD, UNIT, NEAR = 4, 8, 32
"""In bytes: the padding after a member of at most four bytes, the member that requires it, and the distance within
which that member lies."""


class UnwrittenCopies:
    """Collects loads and stores of unwritten words; `finish` reports those that are defects."""

    def __init__(self, reporter: Reporter, executing: Executing, active: bool) -> None:
        self.reporter, self.executing, self.active = reporter, executing, active
        self._defined: set[Op] = set()
        self._alone: set[Op] = set()
        self._not_padding: set[Op] = set()
        """Loads of unwritten words that are not padding."""
        self.stores_wide = False
        """Whether there have been stores of eight bytes: members that require padding before them."""
        self.first: dict[Op, tuple[str, int]] = {}
        """By load, or atomic operation, the first undefined byte that it accessed: its variable or array, and the place
        in it."""
        self._stored: dict[object, tuple[Op, Op, int, tuple[str, ...], int]] = {}

    def where(self, origin: Op | None) -> tuple[str, ...]:
        """The note of where undefined bits come from; () of registers that nothing wrote."""
        name = self.variable(origin)
        return (f"never written: {name}, byte {self.first[origin][1]}",) if origin is not None and name else ()

    def variable(self, origin: Op | None) -> str:
        """The variable or array that undefined bits come from; empty of registers that nothing wrote."""
        return self.first[origin][0] if origin is not None and origin in self.first else ""

    def give_defined(self, op: Op) -> None:
        """A load returns written words."""
        self._defined.add(op)

    def give_undefined(self, op: Op, defined: Plane, offsets: Array, whole: Array, size: int, local: bool) -> None:
        """A load of `size` bytes returns unwritten words, in the lanes `whole`, at these offsets of a plane."""
        if not whole.all():
            self._defined.add(op)
        chosen = offsets[whole] if offsets.size == whole.size else offsets
        if op not in self._not_padding and not (self.stores_wide and size == WORD and is_padding(defined, chosen)):
            self._not_padding.add(op)
        if op in self._alone:
            return
        around = AROUND_LOCAL if local else AROUND
        for begin in np.unique(chosen // around * around).tolist():
            if not defined.data[begin : begin + around].any():
                self._alone.add(op)
                return

    def stored(self, op: Op, origin: Op | None, bad: Array) -> None:
        """Unwritten words are stored in global memory."""
        r, x = self.reporter, self.executing.batch.x
        if not self.active or origin is None:
            return
        key = ("unwritten", r.cause(op), r.cause(origin))
        known = self._stored.get(key)
        if known is not None:
            self._stored[key] = (*known[:4], known[4] + 1)
            return
        thread = x.first + lane_of(bad, x.executing, x.n)
        self._stored[key] = (op, origin, thread, self.executing.registers(op, thread), 1)

    def registers(self, op: Op, bad: Array, where: str) -> None:
        """Registers that nothing wrote are stored in global memory, or elsewhere where others see it."""
        self.add(op, f"a register that was never written is stored in {where}", bad)

    def copied(self, op: Op) -> None:
        """A lane copies bytes of which none is written to global memory."""
        self.add(op, "memory that was never written is copied to global memory", np.ones(1, np.bool_))

    def add(self, op: Op, what: str, bad: Array) -> None:
        r, x = self.reporter, self.executing.batch.x
        key = ("unwritten", r.cause(op))
        if not self.active or r.collector.count_if_known(key):
            return
        thread = x.first + lane_of(bad, x.executing, x.n)
        notes = self.executing.registers(op, thread)
        help = "write it before it is read, in every path that leads here"
        r.add(key, "unwritten-copy", what, op, thread, notes=notes, help=help)

    def finish(self) -> None:
        """The launch has ended, so the results of each load are known."""
        r = self.reporter
        for key, (op, origin, thread, notes, count) in self._stored.items():
            if origin not in self._not_padding or (origin not in self._defined and origin not in self._alone):
                continue
            if r.collector.count_if_known(key):
                continue
            finding = r.add(
                key, "unwritten-copy", "a word that was never written is copied to global memory", op, thread,
                other=r.site(origin, thread), other_label="it is loaded here", notes=(*notes, *self.where(origin)),
                help="write the word before it is read, or copy only what was written",
            )  # fmt: skip
            finding.count, finding.unwritten = count, self.variable(origin)


def lane_of(bad: Array, executing: lane_sets.Lanes, n: int) -> int:
    """The first lane for which `bad`, one for all executing lanes or one for each, is true."""
    if bad.size == 1:
        return lane_sets.first(executing)
    return int(lane_sets.positions(executing, n)[int(np.flatnonzero(bad)[0])])


def is_padding(defined: Plane, offsets: Array) -> bool:
    """Whether all these words are upper halves of eight bytes whose lower half is written, at least in part, and have
    eight written bytes nearby: a member that requires such padding."""
    for at in np.unique(offsets).tolist():
        if (at + defined.lead) % UNIT != WORD or not defined.data[max(at - WORD, 0) : at].any():
            return False
        first = max(at - WORD - NEAR, (at - WORD) % UNIT)
        near = defined.data[first : at + WORD + NEAR] != 0
        if not near[: near.size // UNIT * UNIT].reshape(-1, UNIT).all(axis=1).any():
            return False
    return True


def whole_word(b: Masked, origin: Op) -> Array:
    """The lanes in which all bits of the word that `origin` loaded are undefined in `b`, even if it was extended."""
    type = origin.m.values.get("type")
    width = min(getattr(type, "width", b.width), b.width)
    word = b.undefined.dtype.type((1 << width) - 1) if width > 1 else b.undefined.dtype.type(1)
    return np.asarray((b.undefined & word) == word)
