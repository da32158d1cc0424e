"""The products of `tcgen05.mma`: what its descriptors say, and where matrices lie (9.7.16.2 to 9.7.16.4, 9.7.16.10)."""

from __future__ import annotations

from openptx.isa.tensor_memory import LANE
from openptx.isa.windows import CTA_SHIFT
from openptx.numerics import FORMATS, Bits
from openptx.numerics.dot import E2M1X8, Factors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Format
    from openptx.numerics.dot import Tile

    Registers = tuple[Bits, ...]

DEPTH = 32  # bytes of a line that one multiplication takes
CHUNK = 16  # bytes that stay together, however a matrix is swizzled
CHUNKS = {0: 1, 1: 8, 2: 8, 4: 4, 6: 2}
"""By the mode of swizzling (Table 40): how many chunks of a line lie beside each other. Mode 1 moves pairs of them."""

_HALVES = {0: "f16", 1: "bf16"}
_SMALL = {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"}
_FACTORS: dict[str, dict[int, str]] = {
    "kind::f16": _HALVES,
    "kind::tf32": {2: "tf32"},
    "kind::f8f6f4": _SMALL,
    "kind::mxf8f6f4": _SMALL,
    "kind::mxf4": {1: "e2m1"},
    "kind::mxf4nvf4": {1: "e2m1"},
    "kind::i8": {0: "u8", 1: "s8"},
}
_RESULTS = {"kind::f16": (0, 1), "kind::f8f6f4": (0, 1), "kind::tf32": (1,), "kind::i8": (2,)}
"""Types of d that a kind has: f16, f32, s32."""


class Shape:
    """What an instruction descriptor says (Tables 42 to 44); `wrong` tells why it can't be, or is empty."""

    def __init__(self, kind: str, code: int, ctas: int = 1) -> None:
        def field(low: int, width: int) -> int:
            return code >> low & (1 << width) - 1

        self.kind, self.ctas, self.wrong = kind, ctas, ""
        self.blocked = kind in ("kind::mxf4", "kind::mxf4nvf4")
        self.scaled = self.blocked or kind == "kind::mxf8f6f4"
        self.a, self.b = (
            _FACTORS[kind].get(field(low, width)) for low, width in ((7, 3), (10, 2 + (not self.blocked)))
        )
        self.negated = bool(field(13, 1) ^ field(14, 1))
        self.across_a, self.across_b = bool(field(15, 1)), bool(field(16, 1))
        self.columns = field(17, 6) << 3
        if self.scaled:
            self.rows, self.result = field(27, 2) << 7, 1
            self.scale_a, self.scale_b = field(29, 2), field(4, 2)
            self.scale = FORMATS["ue8m0" if field(23, 1) else "ue4m3"]
        else:
            self.rows, self.result = field(24, 5) << 4, field(4, 2)
            self.saturates = bool(field(3, 1))
        self._judge(sparse=field(2, 1), long=self.blocked and field(31, 1))
        self.rows //= ctas  # of one CTA
        self.halved = self.rows == 64 and ctas == 2  # columns of d lie in two halves, one below the other (layout B)

    def _judge(self, *, sparse: int, long: int) -> None:
        if self.a is None or self.b is None:
            self.wrong = f"names a type of a or b that `.{self.kind}` does not have"
        elif self.result not in _RESULTS.get(self.kind, (1,)):
            self.wrong = f"names a type of d that `.{self.kind}` does not have"
        elif (
            self.rows not in ((128 * self.ctas,) if self.scaled else (64 * self.ctas, 128 * self.ctas))
            or not 8 * self.ctas <= self.columns <= 256
            or self.columns % (8 * self.ctas)
        ):
            self.wrong = f"asks for {self.rows} rows and {self.columns} columns"
        elif sparse:
            self.wrong = "says that a is sparse"
        elif long:
            self.wrong = "asks for a depth of 96, which only sm_103a has"
        elif (self.across_a and self._narrow(self.a)) or (self.across_b and self._narrow(self.b)):
            self.wrong = "transposes elements of fewer than eight bits"

    def _narrow(self, name: str) -> bool:
        return self.kind != "kind::i8" and FORMATS[name].width < 8

    def factors(self, name: str) -> Factors:
        """How elements lie in what `lines` gives."""
        if self.kind == "kind::i8":
            return Factors(8, None, name == "s8")
        if self.blocked:
            return E2M1X8
        f = FORMATS[name]
        return Factors(f.storage, f, low=2 if name == "e2m1" else 0)

    @property
    def format(self) -> Format:
        """That of d."""
        return FORMATS["f32" if self.result else "f16"]

    def lane(self, row: int) -> int:
        """Where in tensor memory a row of a or d lies: 64 rows take half of each warp's lanes (layouts A, B, D, F)."""
        return row if self.rows == 128 or self.halved else (row >> 4 << 5) + (row & 15)

    def pieces(self, row: int) -> list[tuple[int, range]]:
        """The lanes that a row of d lies in, and which of its columns each has, from column 0 of tensor memory on."""
        if not self.halved:
            return [(self.lane(row), range(self.columns))]
        half = self.columns // 2
        return [(row, range(half)), (row + 64, range(half, self.columns))]


class Shared:
    """A matrix in shared memory, by its descriptor and the swizzling mode in it. Lines are rows of a, columns of b."""

    def __init__(self, x: Machine, code: Bits, mode: int, rank: Bits | None = None) -> None:
        def field(low: int, width: int) -> Bits:
            return x.resize(code >> low if low else code, 32) & (1 << width) - 1

        self.x, self.mode, self.chunks = x, mode, CHUNKS[mode]
        self.of = None if rank is None else x.resize(rank + 1, 64) << CTA_SHIFT  # another CTA of the cluster
        self.start, self.leading, self.stride = (field(low, 14) << 4 for low in (0, 16, 32))
        self.base = field(49, 3)

    def chunk(self, offset: Bits | int) -> Registers:
        """Four words. Chunks of a row are exchanged by the row's place in the pattern."""
        at = self.start + offset
        if self.mode == 1:
            at = at ^ (((at >> 7) - self.base & 3) << 5)
        elif self.mode:
            at = at ^ (((at >> 7) - self.base & (self.chunks - 1)) << 4)
        place = self.x.resize(at, 64)
        return (
            self.x.load("shared", place, 32, 4)
            if self.of is None
            else self.x.load("shared::cluster", place | self.of, 32, 4)
        )

    def along(self, line: int, k: int) -> Registers:
        """Chunk `k` of a line, where lines are contiguous (K-major)."""
        row = line % 8 * CHUNK * self.chunks
        step = k * CHUNK if self.mode else self.leading * k
        return self.chunk(self.stride * (line // 8) + row + step)

    def across(self, line: int, k: int) -> Registers:
        """The chunk of neighbours number `line` at depth `k`, where lines lie side by side (MN-major)."""
        tall = 4 if self.mode == 1 else 8
        near = line % self.chunks * CHUNK + k % tall * CHUNK * self.chunks
        beside, below = (self.leading, self.stride) if self.mode else (self.stride, self.leading)
        return self.chunk(beside * (line // self.chunks) + below * (k // tall) + near)


def lines(x: Machine, matrix: Shared, count: int, f: Factors, *, across: bool) -> Tile:
    """The registers of every line of a matrix in shared memory."""
    if across:
        per, depth = 8 * CHUNK // f.width, 8 * DEPTH // f.width
        found: list[list[Bits]] = [[] for _ in range(count)]
        for first in range(0, count, per):
            for k in range(depth):
                words = matrix.across(first // per, k)
                elements = words if f.width == 32 else [e for word in words for e in x.split(word, f.width)]
                for line, element in zip(found[first:], elements, strict=False):
                    line.append(element)
        return tuple(map(tuple, found))
    width = f.format.width if f.format is not None else f.width
    return tuple(
        tuple(
            register
            for k in range(DEPTH // CHUNK)
            for register in (
                spread(x, matrix.along(line, k), width, f.low) if width < f.width == 8 else matrix.along(line, k)
            )
        )
        for line in range(count)
    )


def spread(x: Machine, words: Registers, width: int, low: int) -> Registers:
    """Sixteen elements of 4 or 6 bits, which stand together at the beginning of a chunk, in a byte each."""
    wide = [x.resize(words[i], 64) | x.resize(words[i + 1], 64) << 32 for i in (0, 1)]
    found: list[Bits] = []
    for at in range(0, 16 * width, width):
        element = wide[0] >> at if at + width <= 64 else wide[1] >> at - 32
        found.append((x.resize(element, 8) & (1 << width) - 1) << low)
    return tuple(found)


def stored(x: Machine, shape: Shape, a: Bits, rank: Bits | None) -> Tile:
    """The registers of every row of a in tensor memory."""
    return tuple(x.tensor_memory.read(a + (shape.lane(row) << LANE), DEPTH // 4, rank) for row in range(shape.rows))


def negated(tile: Tile, f: Factors) -> Tile:
    """With the signs of all elements changed."""
    assert f.format is not None
    sign = f.low + f.format.low + f.format.width - 1

    def of(a: Bits) -> Bits:
        return a ^ sum(1 << at + sign for at in range(0, a.width, f.width))

    return tuple(tuple(map(of, line)) for line in tile)


def scales_of(x: Machine, base: Bits, count: int, per: int, first: int, rank: Bits | None, *, own: bool) -> Tile:
    """The codes of each line's scales: bytes of one word, from number `first` on.

    Line 32 i + j has its word in column i, in lane j of each warp; rows take it from their `own` warp's lanes.
    """
    words = (
        x.tensor_memory.read(base + ((line if own else line % 32) << LANE) + line // 32, 1, rank)[0]
        for line in range(count)
    )
    return tuple(
        tuple(x.resize(word >> 8 * (first + i) if first + i else word, 8) for i in range(per)) for word in words
    )


def ranks(x: Machine, ctas: int) -> list[Bits | None]:
    """The CTAs that take part: the executing thread's, or the pair that it is in, the even one first."""
    if ctas == 1:
        return [None]
    own = x.special("cluster_ctarank", 32)
    return [own & 0xFFFFFFFE, own | 1]


class Result:
    """Matrix d of one CTA in tensor memory. `kept`, if any, are the masks of the lanes that it does not change."""

    def __init__(self, x: Machine, shape: Shape, at: Bits, rank: Bits | None, kept: list[Bits]) -> None:
        self.x, self.shape, self.at, self.rank, self.kept = x, shape, at, rank, kept

    def line(self, row: int) -> Registers:
        """The words of a row."""
        return tuple(
            word
            for lane, columns in self.shape.pieces(row)
            for word in self.x.tensor_memory.read(self.at + (lane << LANE), len(columns), self.rank)
        )

    def read(self, divisor: int, *, adds: bool) -> Tile:
        """The addends, divided by two to the power of `divisor`; zeros where d does not count."""
        x, shape, f = self.x, self.shape, self.shape.format
        if not adds:
            return ((x.const(0, 32 if shape.result else 16),) * shape.columns,) * shape.rows
        tile = tuple(self.line(row) for row in range(shape.rows))
        if not shape.result:
            tile = tuple(tuple(x.resize(word, 16) for word in line) for line in tile)
        if not divisor:
            return tile
        power, nothing = x.const(f.bias - divisor << f.man, f.storage), x.const(1 << f.storage - 1, f.storage)
        return tuple(tuple(x.fma(f, c, power, nothing) for c in line) for line in tile)

    def write(self, tile: Tile) -> None:
        """The new rows."""
        x = self.x
        for row, line in enumerate(tile):
            for lane, columns in self.shape.pieces(row):
                at, words = self.at + (lane << LANE), [x.resize(v, 32) for v in line[columns.start : columns.stop]]
                if self.kept:
                    same = x.resize(self.kept[lane // 32] >> (self.at >> LANE) + lane % 32 & 31, 1)
                    old = x.tensor_memory.read(at, len(words), self.rank)
                    words = [x.select(same, o, v) for o, v in zip(old, words, strict=True)]
                x.tensor_memory.write(at, words, self.rank)


def product(
    x: Machine, shape: Shape, rows: Tile, columns: Tile, addends: Tile, scales: tuple[Tile, Tile] | None
) -> Tile:
    """d of every row and column."""
    f, g = shape.factors(shape.a or ""), shape.factors(shape.b or "")
    if shape.kind == "kind::i8":
        return x.integer_dots(f, g, rows, columns, addends, shape.saturates)
    if shape.negated:
        rows = negated(rows, f)
    if scales is None:
        return x.dots(f, g, rows, columns, addends, shape.format, shape.format)
    of_rows, of_columns = scales
    if shape.blocked:
        return x.block_dots(rows, columns, addends, shape.scale, of_rows, of_columns)
    single = shape.scale, tuple(codes[0] for codes in of_rows), tuple(codes[0] for codes in of_columns)
    return x.dots(f, g, rows, columns, addends, shape.format, shape.format, single)
