"""Matrices in shared memory, by their descriptors (9.7.15.5.1.2): strides, major-ness, swizzling."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.products import Registers
    from openptx.isa.types import Type
    from openptx.numerics import Bits

CHUNK = 16  # bytes that stay contiguous under any swizzling
DEPTH = 32  # bytes of a line that one multiplication uses if both matrices are dense


class Descriptor:
    """A matrix of lines: rows of a, or columns of b, which are twice as deep where a is sparse.

    Atoms have eight rows of 16, 32, 64 or 128 bytes; `spread` is the logarithm of the number of chunks in a row.
    """

    def __init__(self, x: Machine, code: Bits) -> None:
        def field(low: int, width: int) -> Bits:
            return x.resize(code >> low if low else code, 32) & (1 << width) - 1

        self.x = x
        self.start, self.leading, self.stride = (field(low, 14) << 4 for low in (0, 16, 32))
        self.base = field(49, 3)
        mode = field(62, 2)
        self.plain = mode == 0
        self.spread = x.pick(self.plain, 0, 4 - mode)

    def address(self, offset: Bits) -> Bits:
        """Chunks of a row are permuted according to the row's position in the pattern, which repeats at multiples of
        its size."""
        at = self.start + offset
        row = ((at >> 7) - self.base) & ((self.x.const(1, 32) << self.spread) - 1)
        return self.x.resize(at ^ (row << 4), 64)

    def fragment(self, lines: Sequence[Bits], across: bool, depth: int = DEPTH) -> Registers:
        """The words of lines in the layout of `mma` fragments, chunk by chunk: lane 4g + t gets word t of each chunk.

        Lines that lie `across` (MN-major) are adjacent in memory, so their elements are gathered.
        """
        word = self.collected if across else self.word
        return tuple(word(i, k) for k in range(depth // CHUNK) for i in lines)

    def word(self, i: Bits, k: int) -> Bits:
        x = self.x
        row = ((i & 7) << (self.spread + 4)) + (i >> 3) * self.stride
        step = x.pick(self.plain, self.leading, CHUNK)
        at = self.address(row + step * k) + x.resize((x.lane() & 3) << 2, 64)
        return x.load("shared", at, 32)[0]

    def collected(self, i: Bits, k: int) -> Bits:
        """Two neighbours along the depth: elements of 16 bits, the only ones that may be MN-major."""
        x = self.x
        chunk = i >> 3
        inner = chunk & ((x.const(1, 32) << self.spread) - 1)
        outer = (chunk >> self.spread) * x.select(self.plain, self.stride, self.leading)
        column = ((i & 7) << 1) + (inner << 4) + outer
        step = x.select(self.plain, self.leading, self.stride)
        row = (x.lane() & 3) << 1
        places = [column + ((row + e) << (self.spread + 4)) + step * k for e in (0, 1)]
        return x.join([x.load("shared", self.address(at), 16)[0] for at in places])


def negated(a: Bits, t: Type) -> Bits:
    """The register with the signs of its elements changed."""
    return a ^ sum(1 << i + t.width - 1 for i in range(0, a.width, t.width))
