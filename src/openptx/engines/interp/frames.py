"""The positions of lanes: activations of functions, and groups of lanes at one position in one of them."""

from __future__ import annotations

from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import DecodedFunction
from openptx.engines.interp.operands import Registers
from openptx.program import Op


class Frame:
    """An activation, shared by all lanes that arrived by the same chain of calls.

    `regs` is shared by all frames of one function at one depth: a lane is in only one of them.
    """

    __slots__ = ("back", "base", "call", "children", "depth", "parent", "plan", "precedence", "regs", "top")

    def __init__(
        self, plan: DecodedFunction, regs: Registers, parent: Frame | None, back: int, call: Op | None
    ) -> None:
        self.plan, self.regs, self.parent = plan, regs, parent
        self.back, self.call = back, call  # where the caller continues, and its call
        self.depth = parent.depth + 1 if parent is not None else 0
        self.precedence = self.depth << 32
        """Subtracted from positions to order groups: the deepest call first, then the lowest position, so that lanes
        wait for others where they will reconverge."""
        self.base = parent.top if parent is not None else 0
        self.top = self.base + -(-plan.function.frame_size // 16) * 16
        self.children: dict[tuple[DecodedFunction, int], Frame] = {}


class Group:
    """Lanes at position `pc` of the code of `frame`. `since` is the time at which it last ran, `order` its place among
    the ready groups while it is one of them."""

    __slots__ = ("frame", "lanes", "order", "pc", "since")

    def __init__(self, frame: Frame, pc: int, lanes: lane_sets.Lanes, since: int = 0) -> None:
        self.frame, self.pc, self.lanes, self.since = frame, pc, lanes, since
        self.order = pc - frame.precedence

    @property
    def op(self) -> Op:
        return self.frame.plan.code[self.pc]
