"""Interleaved layouts (5.5.6): channels in slices of 16 or 32 bytes, as in NC/8HWC8 and NC/16HWC16 of f16.

The document names the layouts and leaves open how a tensor map describes them. Here dimensions are those of the tensor
without slices (C, W, H, D, N), counted in elements. Pixels of a slice follow each other along W, so that dimension 1
needs no stride, and the first stride is the distance from one slice to the next. In shared memory the slices of a
box lie one after the other, each with all its pixels, and images follow as the last dimension: as in global memory.
"""

from __future__ import annotations

from typing import NamedTuple

from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

SOURCE = (
    "a guess: dimension 0 in elements, of whole slices; the first stride is the distance of slices, and pixels of a "
    "slice follow each other along W; slices lie in shared memory as in global memory"
)


class Slices(NamedTuple):
    """`layout` is 0, 1 (slices of 16 bytes) or 2 (32 bytes). `each` of them make a row of the box; 1 without slices.

    `between` is the distance of two slices in bytes.
    """

    layout: Bits
    each: Bits
    between: Bits

    def pixel(self, x: Machine, stride: Bits) -> Bits:
        """The distance of two pixels along W, which is `stride` without slices."""
        return x.select(self.layout == 0, stride, x.resize(self.layout << 4, 64))

    def bytes(self, x: Machine, number: Bits) -> Bits:
        """The bytes of one pixel in so many slices."""
        return x.resize((number * self.layout) << 4, 64)

    def distance(self, x: Machine, bytes: Bits) -> Bits:
        """How far the byte of a pixel's channels lies from its first one."""
        size, bits = x.resize(self.layout << 4, 64), x.resize(self.layout, 32) + 3
        far = x.shr(TYPES["s64"], bytes, bits) * self.between
        return (bytes & (size - 1)) + x.select(self.layout == 0, x.const(0, 64), far)


def slices_of(x: Machine, layout: Bits, start: Bits, columns: Bits, between: Bits) -> Slices:
    """Those of a box whose rows begin at byte `start` and have `columns` chunks. Faults where they are not whole."""
    odd = x.pick(layout == 0, 0, start & 15) | x.pick(layout == 2, 16, x.const(0, 32)) & (start | columns << 4)
    x.require(odd == 0, "undefined-behavior", "a box of an interleaved tensor that is not of whole slices")
    return Slices(layout, x.divide(TYPES["u32"], columns, x.pick(layout == 0, columns, layout)), between)
