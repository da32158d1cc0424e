"""Columns of pixels: what a copy in one of the im2col modes moves (5.5.4, 5.5.5).

A column visits pixels along W, then H, D and N, from the given one on, in steps of each dimension's traversal stride.
Along W, H and D the positions stay in a bounding box, from the lower corner to the tensor's last position plus the
upper corner; after its end they start again at the lower corner. The pixel that is read is displaced from the position
by the instruction's offsets. In the `.w` modes only W has a bounding box: H and D keep the given coordinates, and N
follows W.

In such a tensor map, channels per pixel and pixels per column take the place of the first two sizes of the box; then
each of W, H and D has a word with the lower corner in its lower half and the upper corner in its upper half. If
channels are in slices (slices.py), W, H and D are the first dimensions of the map, and the last but one counts slices.
"""

from __future__ import annotations

from openptx.isa.semantics.boxes import MOST, TOO_LARGE, Chunks
from openptx.isa.semantics.slices import CHUNK_BITS, Slices
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.isa.semantics.overrides import Overrides
    from openptx.numerics import Bits

MODES = {"im2col": 1, "im2col_no_offs": 1, "im2col::w": 2, "im2col::w::128": 3}
"""Access modes of a tensor map by load modes."""
PIXELS = {"im2col": 1024, "im2col::w": 512, "im2col::w::128": 128}
"""The most pixels per column (CUDA's driver)."""
CORNER_BITS = {1: 16, 2: 8, 3: 5}
"""By the number of corners: the bits of each corner, sign included (5.5.4.1)."""
GROUP = 32  # pixels of `.w::128` before a halo
MOST_HALO = {2: 512, 3: 32}  # by access mode
MOST_OFFSET = 32  # of the `.w` modes
_U, _S = TYPES["u32"], TYPES["s32"]


class Column(Chunks):
    """A column of pixels at given coordinates, with the instruction's offsets, or halo and offset."""

    def __init__(
        self, x: Machine, at: Bits, coordinates: tuple[Bits, ...], mode: str, info: Sequence[Bits],
        overrides: Overrides | None = None,
    ) -> None:  # fmt: skip
        self.mode, rank = MODES[mode], len(coordinates)
        super().__init__(x, at, coordinates, rank, self.mode, overrides)
        pixels = x.const(128, 32) if self.mode == 3 else self.word("box_dim", 1)
        x.require(pixels - 1 < PIXELS["im2col"], "undefined-behavior", "a column of {value} pixels", pixels)
        halo, offsets = x.const(0, 32), [x.resize(each, 32) for each in info] or [x.const(0, 32)] * (rank - 2)
        if self.mode != 1:
            halo, by_w = offsets
            wide = "a halo of {value} pixels, which `." + mode + "` does not have"
            x.require(halo < MOST_HALO[self.mode], "undefined-behavior", wide, halo)
            x.require(
                by_w < MOST_OFFSET, "undefined-behavior", "an offset of {value} along W, which is not 0 to 31", by_w
            )
            offsets = [by_w, *[x.const(0, 32)] * (rank - 3)]
        self.group, self.halo = x.const(GROUP, 32) if self.mode == 3 else pixels, halo
        self.pixels = pixels + (halo << 2 if self.mode == 3 else halo)
        self.chunks = self.chunks * self.pixels
        x.require(self.chunks <= MOST, "undefined-behavior", TOO_LARGE)
        if self.slices is not None:
            self.choose_slice(self.slices.present, rank - 2, coordinates[-2])
        self.dimensions = [self.spatial(d, coordinates, offsets[d - 1]) for d in range(1, rank - 1)]
        self.last = coordinates[-1], self.word("global_dim", rank - 1), self.stride(rank - 1)

    def slice_rows(self, layout: Bits, start: Bits, size: Bits, width: Bits) -> None:
        """A row is a pixel of one slice."""
        x, chunks = self.x, self.x.resize(layout, 64)
        self.slices, sliced = Slices(layout, x.const(1, 32)), layout != 0
        self.start = x.pick(sliced, 0, self.start)
        self.size = x.select(sliced, chunks, self.size)
        self.columns = x.select(sliced, layout, self.columns)
        self.shift = x.pick(sliced, CHUNK_BITS, self.shift)

    def choose_slice(self, sliced: Bits, d: int, number: Bits) -> None:
        """The slice that contains all pixels; outside the tensor it does not exist."""
        x = self.x
        beside = x.resize(number, 64, signed=True) * self.stride(d)
        self.tensor = self.tensor + x.pick(sliced, beside, x.const(0, 64))
        self.size = x.pick(sliced & ~x.less(_U, number, self.word("global_dim", d)), 0, self.size)

    def spatial(self, d: int, coordinates: tuple[Bits, ...], offset: Bits) -> tuple[Bits, ...]:
        """W, H or D, which is dimension `d` if there are no slices: the first position, the number of positions from it
        to the end of the box, the lower corner, the number of positions from it, the traversal stride, the offset, the
        size of the tensor and its stride in bytes."""
        x, start, stride = self.x, coordinates[d], self.stride(d)
        size, step = self.word("global_dim", d), self.word("element_stride", d)
        if self.slices is not None:
            sliced = self.slices.present
            before = self.stride(d - 1) if d > 1 else self.slices.distance(x)
            start, stride = x.select(sliced, coordinates[d - 1], start), x.select(sliced, before, stride)
            size = x.select(sliced, self.word("global_dim", d - 1), size)
            step = x.select(sliced, self.word("element_stride", d - 1), step)
        x.require(step != 0, "undefined-behavior", "a tensor map with a traversal stride of 0")
        corners = self.word("box_dim", 1 + d)
        lower = x.shr(_S, corners << 16, 16)
        end = size - 1 + x.shr(_S, corners, 16)
        if self.wraps(d):
            empty = "a bounding box whose upper corner lies before the lower one"
            x.require(~x.less(_S, end, lower), "undefined-behavior", empty)
            inside = ~x.less(_S, end, start)
            if self.mode == 1:
                inside = inside & ~x.less(_S, start, lower)
            outside = f"a first pixel that lies outside of the bounding box in dimension {d}"
            x.require(inside, "undefined-behavior", outside)
        first, count = (x.divide(_U, end - low, step) + 1 for low in (start, lower))
        return start, first, lower, count, step, offset, size, stride

    def wraps(self, d: int) -> bool:
        return self.mode == 1 or d == 1

    def flat(self) -> list[Bits]:
        return [self.group, self.halo, *(v for each in self.dimensions for v in each), *self.last]

    def locate(self, row: Bits, rest: list[Bits]) -> tuple[Bits, Bits]:
        x = self.x
        group, halo = rest[:2]
        del rest[:2]
        # A halo holds the next pixels of the traversal; the group after it starts again with them.
        before, within = x.divide(_U, row, group + halo), x.remainder(_U, row, group + halo)
        left = within + (before * group if self.mode == 3 else 0)
        offset, inside = x.const(0, 64), x.const(1, 1)
        for d in range(1, 1 + len(self.dimensions)):
            start, first, lower, count, step, beside, size, stride = rest[:8]
            del rest[:8]
            position = start
            if self.wraps(d):
                beyond = left - first
                in_first = x.less(_U, left, first)
                wrapped = lower + x.remainder(_U, beyond, count) * step
                position = x.select(in_first, start + left * step, wrapped)
                left = x.select(in_first, x.const(0, 32), x.divide(_U, beyond, count) + 1)
            position = position + beside
            inside = inside & x.less(_U, position, size)
            offset = offset + x.resize(position, 64, signed=True) * stride
        start, size, stride = rest[:3]
        del rest[:3]
        position = start + left
        inside = inside & x.less(_U, position, size)
        return offset + x.resize(position, 64, signed=True) * stride, inside
