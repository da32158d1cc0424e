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


def register_field(x: Machine, code: Bits, low: int, width: int) -> Bits:
    """Bits of a descriptor in a 64-bit register, as a 32-bit number."""
    return x.resize(code >> low if low else code, 32) & (1 << width) - 1


def placement(x: Machine, code: Bits) -> tuple[Bits, ...]:
    """The start, leading and stride offsets of a matrix descriptor, in bytes, and its base offset."""
    return *(register_field(x, code, low, 14) << 4 for low in (0, 16, 32)), register_field(x, code, 49, 3)


class Descriptor:
    """A matrix of lines: rows of a, or columns of b, which are twice as deep where a is sparse. Eight are a group.

    Atoms have eight rows of 16, 32, 64 or 128 bytes; `spread` is the logarithm of the number of chunks in a row.
    """

    def __init__(self, x: Machine, code: Bits, across: bool, depth: int = DEPTH) -> None:
        self.x, self.across, self.depth = x, across, depth
        start, self.leading, self.stride, self.base = placement(x, code)
        mode = register_field(x, code, 62, 2)
        self.plain = mode == 0
        self.spread = x.pick(self.plain, 0, 4 - mode)
        self.chunks = (x.const(1, 32) << self.spread) - 1
        pitch, line, word = self.spread + 4, x.lane() >> 2, x.lane() & 3
        if across:
            self.step = x.pick(self.plain, self.leading, self.stride)
            self.places = [start + ((line << 1) + (((word << 1) + e) << pitch)) for e in (0, 1)]
        else:
            self.step = x.pick(self.plain, self.leading, CHUNK)
            self.places = [start + (line << pitch)]

    def fragment(self, groups: Sequence[Bits]) -> Registers:
        """The words of lines in the layout of `mma` fragments, chunk by chunk: lane 4g + t gets word t of each chunk of
        line g of each group.

        Lines that lie `across` (MN-major) are adjacent in memory, so their elements are gathered.
        """
        word, begins = self.load_pair if self.across else self.word, [self.begin(i) for i in groups]
        return tuple(word(i + self.step * k) for k in range(self.depth // CHUNK) for i in begins)

    def begin(self, group: Bits) -> Bits:
        """Where a group of lines begins."""
        if not self.across:
            return group * self.stride
        outer = (group >> self.spread) * self.x.pick(self.plain, self.stride, self.leading)
        return ((group & self.chunks) << 4) + outer

    def address(self, at: Bits) -> Bits:
        """Chunks of a row are permuted according to the row's position in the pattern, which repeats at multiples of
        its size."""
        row = ((at >> 7) - self.base) & self.chunks
        return at ^ (row << 4)

    def word(self, offset: Bits) -> Bits:
        x = self.x
        at = self.address(self.places[0] + offset) + ((x.lane() & 3) << 2)
        return x.load("shared", x.resize(at, 64), 32)[0]

    def load_pair(self, offset: Bits) -> Bits:
        """Two neighbours along the depth: elements of 16 bits, the only ones that may be MN-major."""
        x = self.x
        return x.join([x.load("shared", x.resize(self.address(place + offset), 64), 16)[0] for place in self.places])


def negated(a: Bits, t: Type) -> Bits:
    """The register with the signs of its elements changed."""
    return a ^ sum(1 << i + t.width - 1 for i in range(0, a.width, t.width))
