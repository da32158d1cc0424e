"""Special registers as lane values: thread indices are a base and offsets, depending on the shape of CTAs."""

from __future__ import annotations

from collections.abc import Callable

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, N, Value
from openptx.engines.native.analysis.transfer import CoreOperations
from openptx.isa.special_registers import MULTIPROCESSORS, RESERVED_SHARED, WARPS, allocation_unit
from openptx.numerics import Bits

LANE_MASKS: dict[str, Callable[[int], int]] = {
    "lanemask_eq": lambda bit: bit,
    "lanemask_lt": lambda bit: bit - 1,
    "lanemask_le": lambda bit: bit | bit - 1,
    "lanemask_gt": lambda bit: ~(bit | bit - 1),
    "lanemask_ge": lambda bit: ~(bit - 1),
}
CONSTANT = {"nwarpid": WARPS, "nsmid": MULTIPROCESSORS}
STATE = {
    "dynamic_smem_size": (abi.DYNAMIC, "i64"),
    "envreg1": (abi.WORKSPACE + 4, "i32"),
    "envreg2": (abi.WORKSPACE, "i32"),
}

FromState = Callable[[int, str], Bits]
"""The value at an offset in the worker's state, as an LLVM type: the same for all lanes."""


class SpecialRegisters:
    def __init__(self, x: CoreOperations, context: FunctionContext, from_state: FromState) -> None:
        self.x, self.c, self.from_state = x, context, from_state

    def read(self, name: str) -> Bits:
        """A register that does not change while a CTA runs, with its component."""
        x = self.x
        base, _, component = name.partition(".")
        if component == "w":  # unused, always zero (10.1 and others)
            return x.const(0, 32)
        axis = "xyz".find(component) if component else -1
        if base in ("clusterid", "nclusterid"):  # without clusters each CTA is its own cluster
            base = base.replace("cluster", "cta")
        if base == "tid":
            return self.thread_index(axis)
        if base == "ntid":
            return x.const(self.c.block[axis], 32)
        if base in ("ctaid", "nctaid"):
            return self.from_state((abi.CTAID if base == "ctaid" else abi.NCTAID) + 4 * axis, "i32")
        if base in LANE_MASKS:
            return Bits(x, 32, tuple(LANE_MASKS[base](1 << i) & 0xFFFFFFFF for i in range(N)))
        if base in CONSTANT:
            return x.const(CONSTANT[base], 32)
        if base in STATE:
            return self.from_state(*STATE[base])
        if base == "laneid":
            return x.lane()
        if base == "warpid":
            return x.bits("%index", 32, ZEROS, 0, self.c.warps - 1)
        if base in ("total_smem_size", "aggr_smem_size"):
            return self.shared_size(base == "aggr_smem_size")
        return x.const(int(name.startswith("cluster_ncta")), 64)

    def shared_size(self, with_reserved: bool) -> Bits:
        unit = allocation_unit(self.c.program.target)
        up = self.from_state(abi.SHARED_SIZE, "i64") + (unit - 1 - self.c.program.reserved_shared)
        return (up & -unit) + (RESERVED_SHARED if with_reserved else 0)

    def thread_index(self, axis: int) -> Bits:
        """tid in one direction, by the block's shape: the warp's first thread, and the lanes' distances from it."""
        x, block = self.x, self.c.block
        if block[axis] == 1:
            return x.const(0, 32)
        warps = self.c.warps
        first = x.bits("%first32", 32, ZEROS, 5, (warps - 1) * N) if warps > 1 else x.const(0, 32)
        linear = first + Bits(x, 32, tuple(range(N)))
        below = (1, block[0], block[0] * block[1])[axis]  # threads from one position to the next in this direction
        q = linear if below == 1 else x.binary("udiv", linear, x.const(below, 32))
        return q if self.c.threads == below * block[axis] else self.remaining(q, block[axis])

    def remaining(self, q: Bits, extent: int) -> Bits:
        """q modulo a block's extent; if warps begin at multiples of it, only the base matters."""
        x, v = self.x, q.v
        if isinstance(v, Value) and v.lanes is not None and v.tz >= 5 and extent % N == 0 and extent & extent - 1:
            base = x.binary("urem", x.bits(v.name, 32, ZEROS, v.tz, v.high), x.const(extent, 32))
            assert isinstance(base.v, Value)
            return Bits(x, 32, Value(base.v.name, v.lanes, 5, extent - N))
        return x.binary("urem", q, x.const(extent, 32))
