"""Segments: the code that a warp executes from its start, or from a barrier, up to the next barrier or its end."""

from __future__ import annotations

from openptx.control_flow import END, control
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts
from openptx.program import Function, Imm, Op

BEGIN = 0
"""The position of a warp that has not started, as its frame records it (`abi.RESUME`)."""


class Segments:
    """The positions, where warps start or resume, from which each block is reached without another barrier."""

    def __init__(self, c: FunctionContext, facts: Facts) -> None:
        self.c = c
        blocks, self.waiting = c.graph.blocks, facts.waiting
        self.origins: list[set[int]] = [set() for _ in blocks]
        """By block; positions are those after barriers, or `BEGIN`."""
        self.ends: set[int] = set()
        """The positions from which the places where warps end are reached."""
        self.barriers = {b.stop: barrier_number(b.last) for b in blocks if b.index in c.suspending and b.last}
        """The barrier at which a warp waits before it resumes at a position, if known."""
        work = [(0, BEGIN)]
        work += [(b.successors[0], b.stop) for b in blocks if b.index in c.suspending and facts.reached[b.index]]
        while work:
            index, position = work.pop()
            if index == END:
                self.ends.add(position)
            elif position not in self.origins[index]:
                self.origins[index].add(position)
                if index not in c.suspending:
                    work += [(s, position) for s in {*blocks[index].successors, *self.waiting[index]}]

    def origins_of(self, b: Block) -> list[int]:
        """Where warps that reach a block may have resumed: the last position first, where most of them are if it is in
        a loop."""
        return sorted(self.origins[b.index], reverse=True)

    def masks_after(self, position: int) -> set[int]:
        """The blocks whose masks are read in the segments that begin at a position: their own, and those where lanes
        may wait while others come to a barrier, which need not be reached without passing it."""
        blocks = [i for i, origins in enumerate(self.origins) if position in origins]
        return {*blocks, *(goal for i in blocks for goal in self.waiting[i])}


def barrier_number(op: Op) -> int | None:
    """The number of a barrier, if it is a constant."""
    names = [t.name for t in op.form.operands]
    operand = op.operands[names.index("a")]
    return operand.value if isinstance(operand, Imm) else None


def chains_warps(c: FunctionContext) -> bool:
    """Whether a suspending warp jumps to where the next one resumes. Not in watched code, whose dispatch reports each
    warp that starts or resumes, and not in baseline code, which is to be compiled quickly."""
    return c.runs_next_warp and bool(c.suspending) and not c.options.watched and not c.options.baseline


def counts(function: Function) -> bool:
    """Whether barriers count anything but threads that have not ended."""
    barriers = [op for op in function.code if control(op) == "barrier"]
    return any(t.name != "a" and o is not None for op in barriers for t, o in op.operands_by_template())
