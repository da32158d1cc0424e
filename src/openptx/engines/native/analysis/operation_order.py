"""The order in which a block's operations are emitted: arguments of approximate functions come early.

A processor looks some two hundred instructions ahead; an exponential is a hundred, most of which wait for the one
before. Where the arguments of the next approximate functions are computed before one begins, more of them overlap:
softmax, of whose two loops one can be ordered so, takes 0.95 of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from openptx.control_flow import control, converges
from openptx.engines.native.analysis.cfg import Block, Cells
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.isa.memory_consistency import strong
from openptx.program import Op, Special

AHEAD = 2
"""The number of approximate functions that are postponed together; one and four are slower by 3 %."""


def emission_order(c: FunctionContext, facts: Facts, b: Block, stop: int) -> Sequence[int]:
    """The positions from the block's start to `stop`. Operations on registers alone, and loads, come before approximate
    functions that they do not depend on; loads keep their order, and no other operation passes another.

    By AVX2 the sixteen registers do not hold the arguments as well: softmax would take 1.04 of the time.
    """
    code, plain = c.function.code, range(b.start, stop)
    kept = c.options.watched or c.options.baseline or not c.cpu.avx512
    if kept or sum(is_approximate(code[pc]) for pc in plain) < 2:
        return plain
    order, later = list[int](), PostponedOperations(c.cells)
    for pc in plain:
        op, moves = code[pc], may_move(c, facts, pc)
        if not moves or (is_approximate(op) and later.approximate == AHEAD):
            order += later.positions
            later = PostponedOperations(c.cells)
        if moves and (is_approximate(op) or later.precedes(op)):
            later.add(pc, op)
        else:
            order.append(pc)
    return [*order, *later.positions]


class PostponedOperations:
    """Operations that come after others that follow them in the program."""

    def __init__(self, cells: Cells) -> None:
        self.cells, self.positions, self.approximate = cells, list[int](), 0
        self.read, self.written, self.loads = set[int](), set[int](), False

    def precedes(self, op: Op) -> bool:
        """Whether an operation must not pass them: it reads or writes what they write, writes what they read, or is a
        load after a load."""
        reads, writes = self.cells.reads(op), self.cells.writes(op)
        depends = not self.written.isdisjoint(reads | writes) or not self.read.isdisjoint(writes)
        return depends or (self.loads and bool(op.form.instruction.access))

    def add(self, pc: int, op: Op) -> None:
        self.positions.append(pc)
        self.read |= self.cells.reads(op)
        self.written |= self.cells.writes(op)
        self.approximate += is_approximate(op)
        self.loads = self.loads or bool(op.form.instruction.access)


def is_approximate(op: Op) -> bool:
    return bool(op.m.approx)


def may_move(c: FunctionContext, facts: Facts, pc: int) -> bool:
    """Whether an operation only reads, and the warp cannot leave there."""
    op = c.function.code[pc]
    if op.form.instruction.across_lanes or pc in facts.may_leave or any(isinstance(o, Special) for o in op.operands):
        return False
    return only_reads(c, facts, pc)


def only_reads(c: FunctionContext, facts: Facts, pc: int) -> bool:
    """Whether an operation computes registers from registers, or loads them: it neither writes memory nor waits, nor
    orders other threads' accesses."""
    op = c.function.code[pc]
    if control(op) is not None or converges(op) or not c.cells.writes(op) or pc in facts.interpreted:
        return False
    access = op.form.instruction.access
    return access == "load" and not strong(op.m) if access else pc not in facts.touches
