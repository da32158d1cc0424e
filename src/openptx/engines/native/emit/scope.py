"""What is being emitted, and for which lanes."""

from __future__ import annotations

from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.lattice import N, Value, vector_type
from openptx.engines.native.emit.arith.float_ops import FloatOps
from openptx.numerics import Bits


class Scope:
    """The instruction, its block, and its mask. Emission of blocks sets it; what emits an instruction reads it."""

    here: Block
    here_mask: Bits
    """The lanes that run the block."""

    def __init__(self, x: FloatOps) -> None:
        self.x, self.ir = x, x.ir
        self.site = 0
        self.mask = x.const(1, 1)
        """The lanes that execute the instruction."""
        self.mask_may_be_empty = False
        self.guard: Bits | None = None
        self.step_lane = ""
        """The lane whose steps take the place of lanes (see `LaneLoop`), if they do."""
        self.retry = ""
        """The label of a copy of the block, to begin anew there, as long as nothing was written to memory."""
        self.kept: frozenset[int] = frozenset()
        """Registers that lanes which wait elsewhere will want."""
        self.result_is_read = True
        """Whether somebody reads what the instruction gives."""
        self.live_before: frozenset[int] = frozenset()
        self.live_after: frozenset[int] = frozenset()

    def active_mask(self) -> str:
        return self.x.vector(self.mask)

    def mask_word(self) -> str:
        """The executing lanes as an i32."""
        if isinstance(self.mask.v, int):
            return str(-1 if self.mask.v else 0)
        return self.ir.emit(f"bitcast <{N} x i1> {self.active_mask()} to i{N}")

    @property
    def full(self) -> bool:
        return self.mask.v == 1

    def first_active(self, a: Bits) -> str:
        """The scalar of the lowest executing lane."""
        if self.full:
            return self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 0")
        lane = self.ir.emit(f"call i32 @llvm.cttz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.ir.emit(f"and i32 {lane}, 31")
        return self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 {lane}")

    def last_active(self, a: Bits) -> str:
        if self.x.uniform(a):
            return self.x.scalar(a)
        if self.full:
            return self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 {N - 1}")
        zeros = self.ir.emit(f"call i32 @llvm.ctlz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.ir.emit(f"sub i32 31, {zeros}")
        lane = self.ir.emit(f"and i32 {lane}, 31")
        return self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 {lane}")

    def held(self, a: Bits) -> Bits:
        """The value with its bits made here, so that code aside may use them."""
        if isinstance(a.v, Value):
            (self.x.scalar if self.x.uniform(a) else self.x.vector)(a)
        return a

    def wide_mask(self) -> str:
        """The executing lanes as an i64."""
        return self.ir.emit(f"zext i{N} {self.mask_word()} to i64")
