"""The basic blocks within which ptxas contracts, and the registers that are live at their ends."""

from __future__ import annotations

from openptx.control_flow import ENDS, branch_targets, control, targets
from openptx.program import Function, Op, Register
from openptx.rewrite.algebra import splits_block
from openptx.rewrite.operands import read, written

_LEAVES = frozenset(("return", "exit", "trap"))
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
    """The blocks of a function in text order, with liveness at their ends."""
    code = function.code
    if not code:  # all of it had no effect
        return []
    starts = {0, *branch_targets(function), *(pc + 1 for pc, op in enumerate(code) if ends_block(op))}
    places = sorted(pc for pc in starts if pc < len(code))
    blocks = [Block(start, stop) for start, stop in zip(places, [*places[1:], len(code)], strict=True)]
    for b in blocks:
        b.successors = tuple(pc for pc in successors(code[b.stop - 1], b.stop) if pc < len(code))
    find_liveness(function, blocks)
    return blocks


def successors(last: Op, following: int) -> tuple[int, ...]:
    """Where control continues after a block's last instruction."""
    kind, onward = control(last), (following,)
    if kind in ("branch", "branch-table", *_LEAVES):
        return (*targets(last), *(onward if last.guard is not None else ()))
    return onward


def find_liveness(function: Function, blocks: list[Block]) -> None:
    """Backwards, to a fixpoint. A function's results are live where it ends."""
    at_end = sum(1 << r.index for r in function.returns if isinstance(r, Register))
    effects = {b.start: effect(function, b) for b in blocks}
    at = {b.start: b for b in blocks}
    changed = True
    while changed:
        changed = False
        for b in reversed(blocks):
            used, defined = effects[b.start]
            out = at_end
            for start in b.successors:
                out |= at[start].live_in
            live = used | (out & ~defined)
            if live != b.live_in or out != b.live_out:
                b.live_in, b.live_out, changed = live, out, True


def effect(function: Function, b: Block) -> tuple[int, int]:
    """The registers that a block reads before it writes them, and those that it definitely writes."""
    used = defined = 0
    for op in function.code[b.start : b.stop]:
        for index in read(op):
            used |= 1 << index & ~defined
        if op.guard is None:
            for index in written(op):
                defined |= 1 << index
    return used, defined
