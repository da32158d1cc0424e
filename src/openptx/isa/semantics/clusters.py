"""The shared memory of the CTAs of a cluster: an address of one CTA in another, and what is done in each of several."""

from __future__ import annotations

from openptx.isa.address_windows import CTA_SHIFT, RANK_0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

MOST_CTAS = 16
"""The maximum number of CTAs in a cluster."""


def ranks_of_mask(m: Modifiers) -> range:
    """The ranks that the mask of a multicast can name."""
    return range(32 if m.multicast == "multicast::cluster::32b" else MOST_CTAS)


def in_cta(x: Machine, address: Bits, rank: int | Bits) -> Bits:
    """The corresponding address in the shared memory of another CTA of the cluster."""
    number = rank + RANK_0
    if not isinstance(number, int):
        number = x.resize(number, address.width)
    return (address & ((1 << CTA_SHIFT) - 1)) | (number << CTA_SHIFT)


def in_pair(x: Machine, address: Bits, rank: int) -> Bits:
    """The corresponding address in the CTA pair that contains `rank`: in its even or odd CTA, whichever the address is
    in."""
    named = x.resize(address >> CTA_SHIFT, 32)
    odd = x.select(named == 0, x.special("cluster_ctarank", 32), named) & 1
    return in_cta(x, address, rank & ~1) + (x.resize(odd, 64) << CTA_SHIFT)


def in_each_cta(x: Machine, mask: Bits, do: Callable[..., object], address: Bits, *operands: Bits) -> None:
    """Calls `do(address, *operands)` for the corresponding address in each CTA that the mask names."""

    def one(i: Bits, address: Bits, *operands: Bits) -> None:
        do(address, *operands)

    for rank in range(mask.width):
        x.repeat(x.resize(mask >> rank & 1, 32), one, in_cta(x, address, rank), *operands)
