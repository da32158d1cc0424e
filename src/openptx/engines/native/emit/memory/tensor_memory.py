"""Tensor memory in compiled code: reads and writes of the CTA's own, checked against its allocations.

Allocation, and accesses to tensor memory of other CTAs, are left to the reference engine, which uses the same bytes
(engines/common/tensor_block.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.common import tensor_block
from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.emit.faults import FaultExits
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.scope import Scope
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.tensor_memory import COLUMNS, LANE, LANES, UNIT, probes
from openptx.numerics import Bits

WORD = 4  # bytes


class TensorMemory(tensor_memory.TensorMemory):
    def __init__(self, scope: Scope, faults: FaultExits) -> None:
        self.x, self.ir, self.scope, self.faults = scope.x, scope.ir, scope, faults
        self.lanes = GatherScatter(scope)

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        places = self.places(address, count)
        return tuple(word for i in range(count) for word in self.lanes.gather(self.at_column(places, i), 8 * WORD, 1))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        self.scope.retry = ""
        places = self.places(address, len(values))
        for i, value in enumerate(values):
            self.lanes.scatter(self.at_column(places, i), (value,), 8 * WORD)

    def at_column(self, places: str, columns: int) -> str:
        return self.lanes.advanced(places, WORD * columns)

    def places(self, address: Bits, count: int) -> str:
        """The host address of each lane's columns; the warp ends if one of them is not allocated."""
        x, ir = self.x, self.ir
        address = self.scope.materialized(x.resize(address, 32))
        lane, column = address >> LANE, address & (1 << LANE) - 1
        block = self.scope.entry.state(abi.TENSOR, "ptr")
        owned = x.bits(ir.load("i32", ir.field(block, tensor_block.OWNED), 4, STATE), 32, ZEROS)
        good = lane < LANES
        for i in probes(count):
            good = good & x.resize(owned >> ((column + i) >> UNIT.bit_length() - 1), 1)
        wrong = self.scope.within_mask(ir.emit(f"xor <{N} x i1> {x.vector(good)}, splat (i1 true)"))
        word = ir.mask_bits(wrong)
        with ir.exit_block(ir.is_some(word)):
            self.faults.report(abi.UNALLOCATED, word)
            first = ir.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {word}, i1 true)")
            address64 = self.scope.element(x.resize(address, 64), first)
            ir.store("i64", address64, self.scope.entry.field(abi.ADDRESS), 8)
            self.faults.leave()
        offset = x.vector(x.resize(lane * (WORD * COLUMNS) + column * WORD, 64))
        cells = ir.field(block, tensor_block.CELLS)
        return ir.emit(f"getelementptr i8, ptr {cells}, {vector_type(64)} {offset}")
