"""The layout of the generic address space (6.4.1.1): one slot for each state-space window, then the allocations.

An address is `slot << shift | offset`. Slot 0 is never valid, so null pointers fault; slots 1 to 5 are the windows;
allocations of global memory follow, each at the start of a slot of its own (large ones take several). So one shift
finds the allocation that an address belongs to, and an overrun never reaches a neighbour.
"""

from __future__ import annotations

SHIFT = {64: 32, 32: 24}  # by address size
"""Number of offset bits within a slot."""

SHARED, LOCAL, CONST, PARAM, FUNCTION = range(1, 6)
"""Slots of the windows. FUNCTION holds no memory, only the addresses of functions."""

FIRST = 16
"""First slot used for allocations."""

SLOTS = {
    "shared": SHARED,
    "shared::cta": SHARED,
    "shared::cluster": SHARED,
    "local": LOCAL,
    "const": CONST,
    "param": PARAM,
}
"""The window of each state space that has one; `global` addresses are already generic."""

CTA_SHIFT = 24
"""In the shared window, `(RANK_0 + rank) << CTA_SHIFT | offset` is the shared memory of the CTA with that rank in the
cluster, and `offset` alone is the executing CTA's own. So every `.shared` address is a valid `.shared::cluster` address
(5.1.7)."""

RANK_0 = 64
"""Added to a rank, so that rank 0 differs from the executing CTA's own window.
Its low bits are 0, so the bits of the rank are where a GPU has them: programs for CTA pairs clear or invert bit 24 of
an address to reach the same offset in the even or the other CTA (CuTe's `Sm100MmaPeerBitMask`). They may do so with the
address of a shared variable, because in a CTA other than the first its value includes the rank. In the first CTA the
result is `rank << CTA_SHIFT | offset`, without RANK_0, which denotes the same CTA."""


def window(space: str, address_size: int = 64) -> int:
    """The generic address at which the window of `space` begins; 0 for `global`."""
    return SLOTS.get(space, 0) << SHIFT[address_size]
