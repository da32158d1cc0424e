"""Elements of f32 that change when a copy brings them to shared memory: `.f32.ftz`, `.tf32`, `.tf32.ftz` (Table 33)."""

from __future__ import annotations

from openptx.numerics.formats import F32, TF32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

SOURCE = (
    "Triton's interpreter and its test on sm_120: loads round to nearest even, infinities and NaN stay; that `.ftz` "
    "makes subnormal numbers zero on loads, and that stores change nothing, is a guess"
)
FTZ, TF32_ALONE, TF32_FTZ = 8, 11, 12


def changes(code: Bits) -> Bits:
    """Whether elements of this code change."""
    return (code == FTZ) | (code == TF32_ALONE) | (code == TF32_FTZ)


def changed(x: Machine, code: Bits, a: Bits) -> Bits:
    """One of them as it comes to shared memory."""
    flushed = x.pick(code == TF32_ALONE, a, x.flush(F32, a))
    endless = x.magnitude(F32, a) >= (F32.infinity or 0)
    return x.select((code == FTZ) | endless, flushed, x.convert(TF32, F32, flushed))
