"""Interleaved layouts (5.5.6): channels in slices of 16 or 32 bytes, as in NC/8HWC8 and NC/16HWC16 of f16.

The document names the layouts and leaves open how a tensor map describes them. As an H200 copies, dimensions are W,
H, D, slices, N from the innermost on, as many of W, H and D as there are: dimension 0 counts pixels, which have a whole
slice of channels each and follow one another, and the last but one counts slices. A copy moves a single slice, whatever
size the box has there, or however many channels a column has. In shared memory its pixels follow one another.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

CHUNK_BITS = 4  # the logarithm of a chunk's bytes


class Slices(NamedTuple):
    """`layout` is 0, 1 (slices of 16 bytes) or 2 (32 bytes): how many chunks a pixel has. `step` is the distance of two
    pixels of the box."""

    layout: Bits
    step: Bits

    @property
    def present(self) -> Bits:
        """Whether there are slices."""
        return self.layout != 0

    def chunk(self, x: Machine, column: Bits) -> Bits:
        """The chunk of the tensor's row that a chunk of the box's row is, from its first one on."""
        half = x.resize(self.layout >> 1, 32)
        return (((column >> half) * self.step) << half) | (column & half)

    def distance(self, x: Machine) -> Bits:
        """Of two pixels along W, in bytes."""
        return x.resize(self.layout << CHUNK_BITS, 64)
