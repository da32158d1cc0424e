"""Reports from copies to mbarriers that data in global memory has a pattern (PTX ISA 9.4, 9.7.10.28.1, Table 33)."""

from __future__ import annotations

from dataclasses import dataclass

from openptx.isa.semantics import mbarrier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits


@dataclass(frozen=True, slots=True)
class Pattern:
    """The `value` of an element of `width` bits that is reported, checked in one sampled element or in all.

    The ISA does not say which element of 16 bytes is sampled; here it is the first.
    """

    width: int
    value: int
    sampled: bool = True

    def inspect(self, x: Machine, address: Bits, size: Bits, barrier: Bits) -> None:
        """Reports to an mbarrier in shared memory if an element among `size` bytes (at most 16; 32 bits wide) of global
        memory has the pattern."""

        def report(i: Bits, barrier: Bits) -> None:
            mbarrier.report(x, "shared::cluster", barrier)

        def element(i: Bits, address: Bits, barrier: Bits) -> None:
            at = address + x.resize(i, 64)
            hit = x.const(1, 1)
            for k in range(max(self.width // 8, 1)):
                (byte,) = x.load("global", at + k, 8)
                mask = (1 << min(self.width, 8)) - 1
                hit = hit & ((byte & mask) == (self.value >> 8 * k & mask))
            x.repeat(x.resize(hit, 32), report, barrier)

        x.repeat(x.resize(size != 0, 32) if self.sampled else size, element, address, barrier)


_NAME = "mbarrier::report::validity::"
PATTERNS = {
    _NAME + "per_16bytes::80000000": Pattern(32, 0x80000000),
    _NAME + "per_16bytes::8000": Pattern(16, 0x8000),
    _NAME + "per_16bytes::80": Pattern(8, 0x80),
    _NAME + "per_16bytes::8": Pattern(4, 0x8),
    _NAME + "per_element::ff": Pattern(8, 0xFF, sampled=False),
}
"""Patterns by modifier; `.mbarrier::report::disabled` has none."""
