"""The current place of emission: the instruction, its lanes, and where their frames lie in local memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from openptx.engines.native.analysis.activations import frame_top
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, vector_type
from openptx.engines.native.analysis.segments import chains_warps
from openptx.engines.native.emit.arith.float_ops import FloatOps
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.ir_builder import IRBuilder
from openptx.numerics import Bits
from openptx.program import Function


@dataclass(slots=True)
class ModuleTables:
    """Tables shared by the functions of one LLVM module: rows are added when code refers to them."""

    symbols: dict[str, str]
    """The LLVM names of the device functions that the kernel calls."""
    globals: list[str]
    """Variables whose addresses the code looks up, by number."""
    messages: list[tuple[str, str]]
    """Codes and words of faults that the code names by number."""
    kernel: Function
    functions: dict[object, OutlinedFunction] = field(default_factory=dict[object, OutlinedFunction])
    """Outlined functions, by their parameters."""
    products: list[str] = field(default_factory=list[str])
    """Keys of the matrix products whose routines the code calls."""


class Scope:
    """The function, and the current instruction with its block and mask. Emission of blocks sets the latter; emission
    of instructions reads them."""

    block: Block
    block_mask: Bits
    """The lanes that run the block."""

    def __init__(self, x: FloatOps, c: FunctionContext, tables: ModuleTables) -> None:
        self.x, self.c, self.tables = x, c, tables
        self.ir: IRBuilder = x.ir
        self.entry = EntryValues(x, chains_warps(c), tables.globals)
        self.site = 0
        self.mask = x.const(1, 1)
        """The lanes that execute the instruction."""
        self.mask_may_be_empty = False
        self.guard: Bits | None = None
        self.step_lane = ""
        """The lane whose steps take the place of lanes (see `LaneLoop`), if any."""
        self.retry = ""
        """The label of a copy of the block, to restart there as long as nothing was written to memory."""
        self.head_of_full = ""
        """The label of the copy of a loop that only full warps run, while that is emitted."""
        self.kept: frozenset[int] = frozenset()
        """Registers that lanes waiting elsewhere will read."""
        self.result_is_read = True
        self.live_results: frozenset[int] = frozenset()

    def set_guard(self, guard: Bits | None, mask: Bits) -> None:
        """The instruction's guard, and the lanes for which it holds."""
        self.guard, self.mask, self.mask_may_be_empty = guard, mask, guard is not None

    def active_mask(self) -> str:
        return self.x.vector(self.mask)

    def mask_word(self) -> str:
        """The executing lanes as an i32."""
        if isinstance(self.mask.v, int):
            return str(-1 if self.mask.v else 0)
        return self.ir.mask_bits(self.active_mask())

    def wide_mask(self) -> str:
        """The executing lanes as an i64."""
        return self.ir.emit(f"zext i{N} {self.mask_word()} to i64")

    @property
    def full(self) -> bool:
        return self.mask.v == 1

    def within_mask(self, p: str) -> str:
        """A vector of i1, cleared in lanes that do not execute."""
        return p if self.full else self.ir.emit(f"and <{N} x i1> {p}, {self.active_mask()}")

    def element(self, a: Bits, lane: str | int) -> str:
        return self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 {lane}")

    def first_active(self, a: Bits) -> str:
        """The scalar of the lowest executing lane."""
        if self.x.uniform(a):
            return self.x.scalar(a)
        if self.full:
            return self.element(a, 0)
        lane = self.ir.emit(f"call i32 @llvm.cttz.i32(i32 {self.mask_word()}, i1 false)")
        return self.element(a, self.ir.emit(f"and i32 {lane}, 31"))

    def last_active(self, a: Bits) -> str:
        if self.x.uniform(a):
            return self.x.scalar(a)
        if self.full:
            return self.element(a, N - 1)
        zeros = self.ir.emit(f"call i32 @llvm.ctlz.i32(i32 {self.mask_word()}, i1 false)")
        lane = self.ir.emit(f"sub i32 31, {zeros}")
        return self.element(a, self.ir.emit(f"and i32 {lane}, 31"))

    def materialized(self, a: Bits) -> Bits:
        """The value with its bits computed at this point, so that code which does not dominate the rest may use
        them."""
        if isinstance(a.v, Value):
            self.x.name_of(a, self.x.uniform(a))
        return a


class LocalFrame:
    """The activation's frame in each thread's local memory."""

    def __init__(self, scope: Scope) -> None:
        self.x, self.c, self.scope = scope.x, scope.c, scope
        self.base: Bits | None = None
        """The frame's offset; None: 0."""
        self._limit: Bits | None = None

    def begin_block(self) -> None:
        if self.c.is_function:
            self.base = self.x.bits("%base", 64, ZEROS, 4)

    def top(self) -> Bits:
        """The offset at which frames of callees begin."""
        size = self.x.const(frame_top(self.c.function, self.scope.site), 64)
        return size if self.base is None else self.base + size

    def limit(self) -> str:
        """The end of the local memory that may be accessed at this point."""
        return self.x.scalar(self._limit if self._limit is not None else self.top())

    @contextmanager
    def within(self, limit: Bits) -> Generator[None]:
        """Accesses to frames of callees, which lie above our own."""
        outer, self._limit = self._limit, limit
        yield
        self._limit = outer
