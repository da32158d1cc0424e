"""Hooks of emission: the code that an observer of executions adds to a kernel's own.

The hooks of this class do nothing, so unobserved code is unchanged.
"""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.numerics import Bits
from openptx.program import Op


class Hooks:
    """The hooks that emission calls; these do nothing."""

    once = False
    """Whether no instruction may be executed twice, as it is in blocks that restart."""

    def enter(self) -> None:
        """A warp starts, or continues after a barrier."""

    def begins(self, b: Block) -> None:
        """A block begins, and its lanes need not wait for others any more."""

    def leaves(self) -> None:
        """The warp exits to the generic version, which executes the instruction at this site again."""

    # Instructions

    def before(self, op: Op, binder: OperandBinder) -> None:
        """An instruction that does not end its block is about to be executed by the lanes of its guard."""

    def after(self, op: Op) -> None:
        """Called after an instruction has been emitted."""

    def converges(self, op: Op, members: Callable[[Op], Bits]) -> None:
        """An instruction of a warp, for the lanes of a mask."""

    def interpreted(self, op: Op) -> None:
        """An instruction that the reference engine executes."""

    # Ends of blocks

    def branches(self, op: Op, guard: Bits) -> None:
        """A branch, a return, an exit or a trap is about to be executed."""

    def chooses(self, op: Op, index: Bits) -> None:
        """An indirect branch is about to be executed."""

    def arrives(self, op: Op, number: Bits, generation: str, lanes: str) -> None:
        """A warp arrives at a barrier of its CTA."""

    def resumes(self) -> None:
        """A warp continues after the barrier that its frame names."""

    # Calls

    def begins_frame(self, base: Bits, size: int) -> None:
        """The executing lanes start an activation: its frame has `size` bytes of their local memory from `base` on."""

    def accesses_parameter(self, place: Bits, w: int, count: int, *, writes: bool) -> None:
        """A parameter variable, `count` elements of `w` bits of local memory, has been read or written by a call."""

    def copies_parameter(self, to: Bits, origin: Bits, size: int) -> None:
        """A call has copied `size` bytes of local memory from one parameter variable to another."""
