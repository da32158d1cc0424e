"""The basic blocks within which ptxas contracts, and the registers that are live at their ends."""

from __future__ import annotations

from openptx.control_flow import ENDS, block_bounds, control, successors
from openptx.dataflow import bits_of, effect, live_after
from openptx.program import Function, Op, Register
from openptx.rewrite.algebra import splits_block
from openptx.rewrite.operands import definitely_written, read

_SPLITS = ENDS | {"call", "breakpoint"}
_TOGETHER = frozenset(("barrier", "cluster-barrier"))
"""Control instructions after which machine code continues in the same block."""


class Block:
    """Instructions `start` to `stop`. `live_in` and `live_out` have a bit for each live register: some path reads it
    before it writes it."""

    __slots__ = ("live_in", "live_out", "start", "stop", "successors")

    def __init__(self, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self.successors: tuple[int, ...] = ()  # starts of blocks
        self.live_in = self.live_out = 0


def ends_block(op: Op) -> bool:
    """Whether machine code begins a new block after the instruction."""
    kind = control(op)
    if kind in _TOGETHER:
        return op.guard is not None
    if kind in _SPLITS or splits_block(op):
        return True
    return op.guard is not None and bool(op.form.instruction.access)


def find_blocks(function: Function) -> list[Block]:
    """The blocks of a function in text order, with liveness at their ends: a function's results are read there."""
    code = function.code
    bounds = block_bounds(function, (pc + 1 for pc, op in enumerate(code) if ends_block(op)))
    blocks = [Block(start, stop) for start, stop in bounds]
    numbers = {b.start: i for i, b in enumerate(blocks)}
    for b in blocks:
        b.successors = tuple(pc for pc in successors(code[b.stop - 1], b.stop) if pc in numbers)
    effects = [effect((read(op), definitely_written(op)) for op in code[b.start : b.stop]) for b in blocks]
    results = bits_of(r.index for r in function.returns if isinstance(r, Register))
    following = [[numbers[start] for start in b.successors] for b in blocks]
    for b, own, after in zip(blocks, effects, live_after(effects, following, [results] * len(blocks)), strict=True):
        b.live_in, b.live_out = own.before(after), after
    return blocks
