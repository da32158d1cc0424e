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

    __slots__ = ("back", "base", "call", "children", "depth", "parent", "plan", "regs", "top")

    def __init__(
        self, plan: DecodedFunction, regs: Registers, parent: Frame | None, back: int, call: Op | None
    ) -> None:
        self.plan, self.regs, self.parent = plan, regs, parent
        self.back, self.call = back, call  # where the caller continues, and its call
        self.depth = parent.depth + 1 if parent is not None else 0
        self.base = parent.top if parent is not None else 0
        self.top = self.base + -(-plan.function.frame_size // 16) * 16
        self.children: dict[tuple[DecodedFunction, int], Frame] = {}


class Group:
    """Lanes at position `pc` of the code of `frame`. `since` is the time at which it last ran."""

    __slots__ = ("frame", "lanes", "pc", "since")

    def __init__(self, frame: Frame, pc: int, lanes: lane_sets.Lanes, since: int = 0) -> None:
        self.frame, self.pc, self.lanes, self.since = frame, pc, lanes, since

    @property
    def order(self) -> tuple[int, int]:
        """Deepest call first, then lowest position, so that lanes wait for others where they will reconverge."""
        return -self.frame.depth, self.pc

    @property
    def op(self) -> Op:
        return self.frame.plan.code[self.pc]
