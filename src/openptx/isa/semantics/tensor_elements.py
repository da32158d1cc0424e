"""f32 elements that copies change, or add differently (Table 33): `.tf32`, `.f32.ftz`, `.tf32.ftz`.

The document does not say how. An H200 rounds tf32 to nearest even, subnormal numbers too, and makes every NaN
0x7FFFE000; `.ftz` affects only sums; stores change nothing.
"""

from __future__ import annotations

from openptx.numerics import U
from openptx.numerics.formats import F32, TF32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

FTZ, TF32_ALONE, TF32_FTZ = 8, 11, 12
NAN = 0x7FFFE000


def changes(code: Bits) -> Bits:
    """Whether elements of this code change when copied to shared memory."""
    return (code == TF32_ALONE) | (code == TF32_FTZ)


def of_f32(code: Bits) -> Bits:
    """Whether elements of this code are f32 with special handling."""
    return changes(code) | (code == FTZ)


def flushes(code: Bits) -> Bits:
    """Whether sums of elements of this code flush subnormal numbers."""
    return (code == FTZ) | (code == TF32_FTZ)


def convert_tf32(x: Machine, a: Bits) -> Bits:
    """A tf32 element as it arrives in shared memory."""
    magnitude = x.magnitude(F32, a)
    infinity = F32.infinity or 0
    rounded = x.select(magnitude == infinity, a, x.convert(TF32, F32, a))
    return x.pick(x.less(U, x.const(infinity, 32), magnitude), NAN, rounded)
