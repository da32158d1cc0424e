"""Where state spaces lie in the generic address space (6.4.1.1): one slot of it for each window, then the allocations.

An address is `slot << shift | offset`. Slot 0 is never valid, so null pointers fault; slots 1 to 5 are the windows;
allocations of global memory follow, each at the start of a slot of its own (large ones take several). So the allocation
that an address belongs to is found by one shift, and an overrun never lands in a neighbour.
"""

from __future__ import annotations

SHIFT = {64: 32, 32: 24}  # by address size
"""Bits of an offset within a slot."""

SHARED, LOCAL, CONST, PARAM, FUNCTION = range(1, 6)
"""Slots of the windows. FUNCTION is no memory: the addresses of functions."""

FIRST = 16
"""The first slot of an allocation."""

SLOTS = {
    "shared": SHARED,
    "shared::cta": SHARED,
    "shared::cluster": SHARED,
    "local": LOCAL,
    "const": CONST,
    "param": PARAM,
}
"""The window of each state space that has one; `global` addresses are generic ones already."""

CTA_SHIFT = 24
"""In the shared window, `(RANK_0 + rank) << CTA_SHIFT | offset` is the shared memory of that CTA of the cluster, and
`offset` alone the executing CTA's own: so an address of `.shared` is one of `.shared::cluster` as it stands (5.1.7)."""

RANK_0 = 64
"""Its low bits are 0, so those of the rank are where a GPU has them: programs for pairs of CTAs clear or invert bit 24
of an address for the same place in the even or the other CTA (CuTe's `Sm100MmaPeerBitMask`). They may do so with the
address of a shared variable, which as a value has the rank of a CTA that is not the first; and from that first one's,
`rank << CTA_SHIFT | offset` comes, which means the same."""


def window(space: str, address_size: int = 64) -> int:
    """The generic address at which the window of `space` begins; 0 for `global`."""
    return SLOTS.get(space, 0) << SHIFT[address_size]
