"""Allocating and deallocating tensor memory (9.7.16.7)."""

from __future__ import annotations

from openptx.isa.fidelity import modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.semantics.matrix import products

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.notation.forms import Modifiers
    from openptx.numerics import Bits

_ANCHOR = "tcgen05-instructions-tcgen05-"
_GROUP = """
        .cta_group = { .cta_group::1, .cta_group::2 };
"""
_COLUMNS = "nCols   32 or 64 or 128 or 256 or 512"
_WHOLE_COLUMNS = "nCols   a multiple of 32, not 0"

alloc = instruction(
    "tcgen05.alloc",
    anchor=_ANCHOR + "alloc",
    summary="Allocates nCols columns of tensor memory and writes their address to shared memory at dst.",
    syntax="""
        tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32   [dst], nCols;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
    types={"nCols": "u32"},
    ranges=_COLUMNS,
    defaults={"space": "generic"},
    operands="dst   32 bits",
)


@meaning(alloc)
def _(x: Machine, m: Modifiers, dst: Bits, count: Bits) -> None:
    products.whole_warp(x, "tcgen05.alloc")
    x.store(m.space, dst, (x.tensor_memory.allocate(count),))


dealloc = instruction(
    "tcgen05.dealloc",
    anchor=_ANCHOR + "dealloc",
    summary="Frees the nCols columns of tensor memory that start at taddr.",
    syntax="""
        tcgen05.dealloc.cta_group.sync.aligned.b32   taddr, nCols;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
    types={"taddr": "b32", "nCols": "u32"},
    ranges=_COLUMNS,
)


@meaning(dealloc)
def _(x: Machine, m: Modifiers, address: Bits, count: Bits) -> None:
    products.whole_warp(x, "tcgen05.dealloc")
    x.tensor_memory.free(address, count)


relinquish_alloc_permit = instruction(
    "tcgen05.relinquish_alloc_permit",
    anchor=_ANCHOR + "relinquish-alloc-permit",
    summary="Gives up this CTA's right to allocate tensor memory.",
    syntax="""
        tcgen05.relinquish_alloc_permit.cta_group.sync.aligned;   // PTX 8.6, sm_100f sm_110f
    """
    + _GROUP,
)


@meaning(relinquish_alloc_permit)
def _(x: Machine, m: Modifiers) -> None:
    """Machines give every CTA its own tensor memory, so no CTA ever waits for a permit."""


alloc_exclusive = instruction(
    "tcgen05.alloc",
    anchor=_ANCHOR + "alloc",
    summary="Allocates nCols columns, a multiple of 32, of tensor memory for exclusive use.",
    syntax="""
        tcgen05.alloc.exclusive.cta_group.sync.aligned{.space}.b32   [dst], nCols;   // PTX 9.4, sm_100f sm_110f (ptxas)
        .space     = { .shared::cta };
    """
    + _GROUP,
    types={"nCols": "u32"},
    ranges=_WHOLE_COLUMNS,
    defaults={"space": "generic"},
    operands="dst   32 bits",
)

EXCLUSIVE = modelled("PTX ISA 9.4, tcgen05.alloc; 512 columns on all targets, not 576 as on sm_107f")


@meaning(alloc_exclusive, fidelity=EXCLUSIVE)
def _(x: Machine, m: Modifiers, dst: Bits, count: Bits) -> None:
    products.whole_warp(x, "tcgen05.alloc.exclusive")
    x.store(m.space, dst, (x.tensor_memory.allocate(count, exclusively=True),))


dealloc_exclusive = instruction(
    "tcgen05.dealloc",
    anchor=_ANCHOR + "dealloc",
    summary="Frees the columns of tensor memory that were allocated exclusively.",
    syntax="""
        tcgen05.dealloc.exclusive.cta_group.sync.aligned.b32   taddr, nCols;   // PTX 9.4, sm_100f sm_110f (ptxas)
    """
    + _GROUP,
    types={"taddr": "b32", "nCols": "u32"},
    ranges=_WHOLE_COLUMNS,
)


@meaning(dealloc_exclusive)
def _(x: Machine, m: Modifiers, address: Bits, count: Bits) -> None:
    products.whole_warp(x, "tcgen05.dealloc.exclusive")
    x.tensor_memory.free(address, count)


ALLOCATIONS = alloc, alloc_exclusive
