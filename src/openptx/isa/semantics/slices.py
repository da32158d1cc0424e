"""Interleaved layouts (5.5.6): channels in slices of 16 or 32 bytes, as in NC/8HWC8 and NC/16HWC16 of f16.

The document names the layouts but not how a tensor map describes them. On an H200 the dimensions are, from the
innermost, as many of W, H and D as exist, then slices, then N: dimension 0 counts contiguous pixels, each with a whole
slice of channels, and the last but one counts slices. A copy moves a single slice, whatever the box's size in that
dimension or a column's number of channels. In shared memory its pixels are contiguous.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

CHUNK_BITS = 4  # the logarithm of a chunk's bytes


class Slices(NamedTuple):
    """`layout` is 0, 1 (slices of 16 bytes) or 2 (32 bytes): the number of chunks per pixel. `step` is the distance
    between two pixels of the box."""

    layout: Bits
    step: Bits

    @property
    def present(self) -> Bits:
        """Whether there are slices."""
        return self.layout != 0

    def chunk(self, x: Machine, column: Bits) -> Bits:
        """The chunk of the tensor's row that corresponds to a chunk of the box's row, counted from its first one."""
        half = x.resize(self.layout >> 1, 32)
        return (((column >> half) * self.step) << half) | (column & half)

    def distance(self, x: Machine) -> Bits:
        """The distance in bytes between two pixels along W."""
        return x.resize(self.layout << CHUNK_BITS, 64)
