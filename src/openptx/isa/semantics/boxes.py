"""What copies of tensors move, in chunks: boxes of the tensors that maps describe (5.5.3)."""

from __future__ import annotations

from openptx.isa.semantics.overrides import Overrides
from openptx.isa.semantics.slices import CHUNK_BITS, Slices
from openptx.isa.semantics.tensor_map import (
    CHUNK,
    CONVERTED,
    ELEMENTS,
    FIELDS,
    LARGEST,
    MODE,
    OUT_OF_BOUNDS_NAN,
    width_of,
)
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

MOST = (227 << 10) // CHUNK  # the chunks that fit into the shared memory of a CTA
PACKED_BYTES = {14: 8, 15: 12}
"""Global memory of a chunk of sixteen elements that are padded in shared memory."""
_SHIFTS = sum((width_of(name).bit_length() - 4) << 2 * code for code, name in (ELEMENTS | CONVERTED).items())
NEVER_SLICED = "a copy of an interleaved tensor in fewer than three dimensions, of single rows or by `.im2col::w`"
FINE_ROWS = "a swizzle atomicity of 32 or 64 bytes with another swizzle mode than 128 bytes"
WRONG_BOX = "a box with {value} elements in one dimension, which is not 1 to 256"
TOO_LARGE = "a box that is larger than shared memory"
_U, _S = TYPES["u64"], TYPES["s64"]


class Chunks:
    """What a copy moves, in chunks, as laid out in shared memory: rows of `columns` chunks along the first dimension.

    Subclasses set `chunks`, the number of chunks, and locate a row in the tensor.
    """

    def __init__(
        self, x: Machine, at: Bits, coordinates: tuple[Bits, ...], rank: int, mode: int, overrides: Overrides | None
    ) -> None:
        self.x, self.at, self.overrides = x, at, overrides or Overrides()
        word = self.word("rank")
        other = (
            "a copy of a tensor whose map was made for another access mode (tile, im2col, im2col::w, im2col::w::128)"
        )
        x.require(word >> MODE == mode, "undefined-behavior", other)
        needed = f"a tensor map of {rank} dimension{'s'[: rank - 1]} is needed, and this has {{value}} more than one"
        x.require((word & 0xFFFF) == rank - 1, "undefined-behavior", needed, word)
        self.code = self.word("elemtype")
        self.shift = x.resize(x.const(_SHIFTS, 64) >> x.resize(self.code << 1, 64), 32) & 3
        halves = self.code == 13
        self.chunk = x.const(CHUNK, 32)  # bytes of global memory per chunk
        for code, count in PACKED_BYTES.items():
            self.chunk = x.pick(self.code == code, count, self.chunk)
        packed = x.pick(self.code >= 14, CHUNK - 1, x.pick(halves, 1, x.const(0, 32)))
        start, size, width = coordinates[0], self.extent(0), self.word("box_dim")
        whole = ((start | size | width) & packed) == 0
        x.require(whole, "undefined-behavior", "elements of 4 or 6 bits that are not whole pairs or groups of sixteen")
        down = x.resize(halves, 32)  # pairs of 4-bit elements count as bytes
        x.require(width - 1 < LARGEST, "undefined-behavior", WRONG_BOX, width)
        self.columns = ((width >> down) << self.shift) >> 4
        part = ((width >> down) << self.shift) & CHUNK - 1
        self.start = x.resize(x.shr(_S, start, x.resize(down, 32)), 64, signed=True)
        self.size = x.resize(size >> down, 64)
        (self.tensor,) = x.load("generic", at, 64) if self.overrides.tensor is None else (self.overrides.tensor,)
        layout = self.word("interleave_layout")
        self.slices: Slices | None = None
        if rank < 3 or mode > 1:
            x.require(layout == 0, "undefined-behavior", NEVER_SLICED)
        else:
            x.require((layout == 0) | (self.code < 13), "undefined-behavior", "an interleaved tensor of 4 or 6 bits")
            part = x.pick(layout != 0, 0, part)
            self.slice_rows(layout, start, size, width)
        x.require(part == 0, "undefined-behavior", "a box whose rows are not a multiple of 16 bytes")
        self.chunks = self.columns

    def slice_rows(self, layout: Bits, start: Bits, size: Bits, width: Bits) -> None:
        """Rows of an interleaved tensor consist of pixels, whose elements are chunks: `layout` chunks per pixel."""
        x, chunks = self.x, self.x.resize(layout, 64)
        sliced = layout != 0
        step = x.pick(sliced, self.word("element_stride"), x.const(1, 32))
        x.require(step != 0, "undefined-behavior", "a tensor map with a traversal stride of 0")
        self.slices = Slices(layout, step)
        self.start = x.select(sliced, x.resize(start, 64, signed=True) * chunks, self.start)
        self.size = x.select(sliced, x.resize(size, 64) * chunks, self.size)
        self.columns = x.select(sliced, x.divide(TYPES["u32"], width + step - 1, step) * layout, self.columns)
        self.shift = x.pick(sliced, CHUNK_BITS, self.shift)

    def word(self, field: str, ordinal: int = 0) -> Bits:
        return self.x.load("generic", self.at + (FIELDS[field] + 4 * ordinal), 32)[0]

    def extent(self, d: int) -> Bits:
        """The size of the tensor in a dimension."""
        return self.overrides.sizes[d] if self.overrides.sizes else self.word("global_dim", d)

    def stride(self, d: int) -> Bits:
        """The distance in bytes between two elements along a dimension other than the first."""
        if self.overrides.strides:
            return self.overrides.strides[d - 1]
        return self.x.load("generic", self.at + (FIELDS["global_stride"] + 8 * (d - 1)), 64)[0]

    def round_rows_up(self) -> None:
        """Treats the bytes between the end of a row and the next multiple of 16 as elements of the tensor.

        Stores and reductions of an H100 change them. Rows begin at such multiples, so these bytes belong to the stride;
        but they also change after the single row of a tensor of one dimension.
        """
        most = (self.x.const(CHUNK, 64) >> self.x.resize(self.shift, 64)) - 1
        self.size = (self.size + most) & ~most

    def flat(self) -> list[Bits]:
        """The inputs of `locate`, lane by lane."""
        raise NotImplementedError

    def locate(self, row: Bits, rest: list[Bits]) -> tuple[Bits, Bits]:
        """A row's distance in bytes from the tensor's beginning, and whether it is inside. Consumes its part of
        `rest`."""
        raise NotImplementedError

    @property
    def bytes(self) -> Bits:
        """The number of bytes copied, counted in shared memory, without padding (as CUTLASS expects for 4 and 6
        bits)."""
        return self.chunks * self.chunk

    def each(self, shared: Bits, move: Callable[..., None], *more: Bits, chosen: Bits | None = None) -> None:
        """Calls `move(place, skipped, address, size, *more)` for each chunk of the box at `shared`.

        `size` bytes, from `skipped` on, are elements of the tensor; the first of them is at `address` in global memory.
        """
        x = self.x
        x.require(
            (shared & 127) == 0, "misaligned-access", "a tensor copy whose shared memory is not aligned to 128 bytes"
        )
        swizzle, distance = self.swizzle()
        times = self.chunks if chosen is None else x.pick(chosen, self.chunks, 0)

        def step(
            i: Bits, shared: Bits, swizzle: Bits, line: Bits, shift: Bits, chunk: Bits, columns: Bits, start: Bits,
            size: Bits, tensor: Bits, *others: Bits,
        ) -> None:  # fmt: skip
            row, column = x.divide(_U, i, columns), x.remainder(_U, i, columns)
            wide, rest = x.resize(shift, 64), list(others)
            if self.slices is not None:
                column = Slices(*rest[:2]).chunk(x, column)
                del rest[:2]
            element = start + (x.resize(column << 4, 64) >> wide)
            offset, inside = self.locate(row, rest)
            whole = x.resize(chunk, 64)
            distance = x.select(whole == CHUNK, element << wide, (element >> 4) * whole)
            address = tensor + offset + distance
            most = x.const(CHUNK, 64) >> wide
            before = x.min(_S, x.max(_S, -element, 0), most)
            until = x.min(_S, x.max(_S, size - element, 0), most)
            skipped = before << wide
            present = x.min(_U, x.pick(inside & x.less(_S, before, until), (until - before) << wide, 0), whole)
            place = shared + x.resize(i << 4, 64)
            place = place ^ ((place >> line) & swizzle)
            move(place, skipped, address + skipped, x.resize(present, 32), *rest)

        x.repeat(
            times, step, shared, swizzle, distance, self.shift, self.chunk, self.columns, self.start, self.size,
            self.tensor, *(self.slices or ()), *self.flat(), *more,
        )  # fmt: skip

    def swizzle(self) -> tuple[Bits, Bits]:
        """The bits of an address that are exchanged, and how far above them the number of the line of 128 bytes is.

        From bit 4 on where 16 bytes stay together, from bit 5 or 6 on where 32 or 64 do.
        """
        x, mode, atomicity = self.x, self.word("swizzle_mode"), self.word("swizzle_atomicity")
        x.require((atomicity == 0) | (mode == 3), "undefined-behavior", FINE_ROWS)
        coarser = atomicity - (atomicity >> 1)
        bits = ((x.const(1, 32) << mode) - 1) << 4
        return x.resize(bits >> (4 + coarser) << (4 + coarser), 64), x.resize(3 - coarser, 64)

    def fill(self) -> tuple[Bits, Bits]:
        """The fill value of a chunk outside the tensor, alternating: 0, or a NaN of any type."""
        x = self.x
        word = x.pick(self.word("fill_mode") != 0, OUT_OF_BOUNDS_NAN << 16 | OUT_OF_BOUNDS_NAN, x.const(0, 32))
        return word, word


class Box(Chunks):
    """The box at given coordinates (5.5.3)."""

    def __init__(
        self, x: Machine, at: Bits, coordinates: tuple[Bits, ...], rows: int = 0, overrides: Overrides | None = None
    ) -> None:
        """With `rows`, the box consists of one row of a two-dimensional tensor at each of the coordinates after the
        first."""
        rank = 2 if rows else len(coordinates)
        super().__init__(x, at, coordinates, rank, 0, overrides)
        # For each further dimension: positions, their number, the distance between two, the size, and the stride in
        # bytes.
        self.dimensions: list[tuple[tuple[Bits, ...], Bits, Bits, Bits, Bits]] = []
        for d in range(1, rank):
            step, box = self.word("element_stride", d), self.word("box_dim", d)
            x.require(box - 1 < LARGEST, "undefined-behavior", WRONG_BOX, box)
            x.require(step != 0, "undefined-behavior", "a tensor map with a traversal stride of 0")
            count = x.const(rows, 32) if rows else x.divide(_U, box + step - 1, step)
            if self.slices is not None and d == rank - 2:
                count = x.pick(self.slices.present, 1, count)
            starts = coordinates[1:] if rows else (coordinates[d],)
            self.dimensions.append((starts, count, step, self.extent(d), self.stride(d)))
            self.chunks = self.chunks * count
            x.require(self.chunks <= MOST, "undefined-behavior", TOO_LARGE)

    def flat(self) -> list[Bits]:
        return [v for starts, *others in self.dimensions for v in (*starts, *others)]

    def locate(self, row: Bits, rest: list[Bits]) -> tuple[Bits, Bits]:
        x = self.x
        offset, inside = x.const(0, 64), x.const(1, 1)
        for starts, *_ in self.dimensions:
            own, (count, stride, limit, bytes_between) = rest[: len(starts)], rest[len(starts) : len(starts) + 4]
            del rest[: len(starts) + 4]
            index, row = x.remainder(_U, row, count), x.divide(_U, row, count)
            position = own[0] + index * stride
            for k in range(1, len(own)):
                position = x.select(index == k, own[k], position)
            inside = inside & x.less(_U, position, limit)  # negative coordinates are large unsigned numbers
            offset = offset + x.resize(position, 64, signed=True) * bytes_between
        return offset, inside
