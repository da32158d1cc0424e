"""Reports undefined bits that decide something or leave the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.operands import Registers
from openptx.numerics import Bits
from openptx.program import Function, Op, Reg
from openptx.sanitize.consequences import decided_by
from openptx.sanitize.executing import Executing
from openptx.sanitize.findings import Finding
from openptx.sanitize.races.semantics import SHUFFLES
from openptx.sanitize.reporter import Reporter
from openptx.sanitize.undefined_bits.masked import Masked, Use, masked_in
from openptx.sanitize.undefined_bits.registers import masks_of
from openptx.sanitize.undefined_bits.unwritten_copies import UnwrittenCopies, lane_of, whole_word


class Values:
    """Receives the uses of values that may have undefined bits."""

    def __init__(
        self, reporter: Reporter, executing: Executing, tools: frozenset[str], unwritten: UnwrittenCopies
    ) -> None:
        self.reporter, self.executing, self.tools, self.unwritten = reporter, executing, tools, unwritten
        self.absent_shuffles: set[Op] = set()
        """Shuffles in which a lane took the value of one that did not take part."""

    def address(self, address: Bits) -> None:
        """An access at an address."""
        if isinstance(address, Masked):
            bad = address.undefined != 0
            self.report("decides an address", self.executing.batch.x.op, bad, address.origin)

    def guard(self, op: Op, guard: Reg, regs: Registers, lanes: lane_sets.Lanes) -> None:
        """A predicate decides which lanes execute an instruction, or where they continue."""
        known = masks_of(regs)[guard.index]
        if known is None:
            return
        bad = lane_sets.take(known.bits, lanes)
        if bad.any():
            what = "decides a branch" if op.form.instruction.control == "branch" else "is a predicate"
            self.report(what, op, bad, known.origin)

    def vote(self, p: Masked) -> None:
        """A predicate of the executing lanes counts in a vote."""
        x = self.executing.batch.x
        bad = np.broadcast_to(p.undefined, lane_sets.size(x.executing, x.n))
        self.report("decides a vote", x.op, bad, p.origin)

    def barrier(self, *operands: Bits | None) -> None:
        """A barrier's number, its count of threads, and the predicate that it reduces."""
        x = self.executing.batch.x
        for b in masked_in(operands):
            bad = np.broadcast_to(b.undefined != 0, lane_sets.size(x.executing, x.n))
            self.report("decides a barrier", x.op, bad, b.origin)

    def used_by_system(self, what: str, values: Sequence[Bits]) -> None:
        """Values that the system uses; what an undefined one does."""
        x = self.executing.batch.x
        for b in masked_in(values):
            self.report(what, x.op, np.broadcast_to(b.undefined != 0, lane_sets.size(x.executing, x.n)), b.origin)

    def operands(self, values: Sequence[Bits]) -> None:
        """Operands of an atomic operation that computes or compares."""
        for b in masked_in(values):
            bad = used(b)
            if bad.any():
                self.report("is an operand of an atomic operation", self.executing.batch.x.op, bad, b.origin)

    def stored(self, values: Sequence[Bits], chosen: Array | None, where: str = "global memory") -> None:
        """Values are stored in memory that others read: reports those that are entirely undefined and computed, that
        were computed from entirely undefined words, or that undefined bits selected. Copies of whole words are judged
        when the launch has ended. Registers that nothing wrote are reported if they are all that is stored: others are
        the unused parts of a vector."""
        never = [
            fully_undefined_lanes(b)
            for b in values
            if isinstance(b, Masked) and b.origin is None and b.use == Use.MOVED
        ]
        if len(never) == len(values):
            bad = within(np.logical_and.reduce(np.broadcast_arrays(*never)), chosen)
            if bad.any():
                self.unwritten.registers(self.executing.batch.x.op, bad, where)
            return
        for b in values:
            if not isinstance(b, Masked):
                continue
            shuffled = b.origin is not None and b.origin.form.instruction in SHUFFLES
            if b.use == Use.MOVED and not shuffled:
                continue
            copied = b.use == Use.COPIED and not shuffled
            bad = within(whole_word(b, b.origin) if copied and b.origin is not None else used(b), chosen)
            if not bad.any():
                continue
            if copied:
                self.unwritten.stored(self.executing.batch.x.op, b.origin, bad)
            else:
                self.report(f"is stored in {where}", self.executing.batch.x.op, bad, b.origin)

    def updated(self, bad: Array, chosen: Array | None) -> None:
        """An atomic operation on memory that has not been written."""
        x = self.executing.batch.x
        if chosen is not None:
            whole = np.zeros(lane_sets.size(x.executing, x.n), np.bool_)
            whole[chosen] = bad
            bad = whole
        self.report("is an operand of an atomic operation", x.op, bad, x.op)

    def report(self, what: str, op: Op, bad: Array, origin: Op | None) -> None:
        r, x = self.reporter, self.executing.batch.x
        shuffled = origin is not None and origin in self.absent_shuffles
        if ("sync" if shuffled else "init") not in self.tools:
            return
        key = ("init", r.cause(op), r.cause(origin) if origin is not None else None)
        if r.collector.count_if_known(key):
            return
        thread = x.first + lane_of(bad, x.executing, x.n)
        notes = *self.executing.registers(op, thread), *self.unwritten.where(origin)
        if shuffled:
            assert origin is not None
            r.add(
                key, "inactive-lane", "a lane uses the value of a lane that does not take part", origin, thread,
                other=r.site(op, thread), other_label=f"the value {what}", notes=notes,
                help="let the mask name the lanes that execute the instruction, and read from those only",
            )  # fmt: skip
        else:
            other = r.site(origin, thread) if origin is not None and origin is not op else None
            finding = r.add(
                key, "undefined-value", f"a value that was never written {what}", op, thread,
                other=other, other_label="the undefined bits come from here", notes=notes,
                help="write the register or memory before it is read, in every path that leads here",
            )  # fmt: skip
            finding.unwritten = self.unwritten.variable(origin)
            if op.form.instruction.control == "branch":
                finding.leads_to = partial(follows_branch, r.calls.functions()[op], op)


def follows_branch(function: Function, branch: Op, other: Finding) -> bool:
    """Whether a finding is of statements that a branch decides."""
    return decided_by(function, branch, other.site.span)


def fully_undefined_lanes(b: Masked) -> Array:
    """The lanes in which all bits of a value are undefined."""
    return np.asarray(b.undefined == ~np.zeros(1, b.undefined.dtype))


def used(b: Masked) -> Array:
    """The lanes in which undefined bits are a defect where the value is used: any, if they are the result of arithmetic
    on undefined words or selected it, otherwise all."""
    return b.undefined != 0 if b.use >= Use.DERIVED else fully_undefined_lanes(b)


def within(bad: Array, chosen: Array | None) -> Array:
    """Those of the lanes `bad` at the positions `chosen`; None: all."""
    if chosen is None or bad.size == 1:
        return bad
    outside = np.ones(bad.size, np.bool_)
    outside[chosen] = False
    return bad & ~outside
