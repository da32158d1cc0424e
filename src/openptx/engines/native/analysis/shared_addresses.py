"""Addresses in shared memory, which are usually 32-bit registers."""

from __future__ import annotations

from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, Value
from openptx.engines.native.analysis.operand_binder import Environment, OperandBinder
from openptx.engines.native.analysis.transfer import CoreOperations
from openptx.numerics import Bits

HIGHEST = (1 << 32) - 1


class AffineBinder(OperandBinder):
    """For machines whose values may be a base plus offsets.

    If base plus offset wraps in some lane, the base is so large that the access fails its bounds check. So the address
    needs no side exit before the access: it is a vector whose `near` says that the lanes are base plus offset modulo
    2^32, and the slow path computes them that way.
    """

    def __init__(self, x: CoreOperations, environment: Environment, c: FunctionContext) -> None:
        super().__init__(x, environment, c)
        self.operations, self.watched = x, bool(c.options.watched)

    def widened(self, a: Bits, space: str | None) -> Bits:
        v = a.v
        if self.watched or space not in ("shared", "shared::cta") or not isinstance(v, Value):
            return super().widened(a, space)
        if v.lanes is None or v.lanes is ZEROS or 0 <= v.high <= HIGHEST - max(v.lanes):
            return super().widened(a, space)
        found = self.operations.plain_cast("zext", a, 64)
        found.v.near = Value(self.operations.cast_base("zext", v.name, 32, 64), v.lanes, v.tz, HIGHEST)
        return found
