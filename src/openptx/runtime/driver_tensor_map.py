"""The 128-byte encoding of a tensor map by CUDA's driver, and by `tensormap.replace` on a GPU: undocumented.

The layout was derived from 2,512 maps of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`, each bit of each
argument by itself, as driver 580 (CUDA 13.0) encoded them on an H200 on 2026-11-26, and from those of Triton's kernels
there: `tests/hardware/sm_90-13.0-2026-11-26/driver_maps.json` has some. The driver refused elements of 4 and 6 bits,
and the wide modes of im2col need other GPUs: the encoding of such maps is unknown.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from openptx.errors import ArgumentError, Unsupported
from openptx.isa.semantics.im2col import CORNER_BITS
from openptx.isa.semantics.tensor_map import CHUNK, CONVERTED, ELEMENTS, INTERLEAVES, SWIZZLES, width_of

SIZE = 128
LEAST_ALIGNMENT = 64
"""The alignment of a map in bytes."""
PROMOTIONS = "none", "64B", "128B", "256B"
"""The size to which 32-byte loads into the L2 cache are enlarged; no result depends on it."""


class Field(NamedTuple):
    """`bits` bits from bit `first` of the 1,024 on; the field of the next dimension begins `bits` (or `apart`) bits
    later."""

    first: int
    bits: int
    apart: int = 0

    def place(self, ordinal: int) -> int:
        return self.first + ordinal * (self.apart or self.bits)

    def read(self, content: int, ordinal: int = 0) -> int:
        return content >> self.place(ordinal) & (1 << self.bits) - 1

    def write(self, value: int, ordinal: int = 0) -> int:
        """The value in its position; bits beyond the field are dropped."""
        return (value & (1 << self.bits) - 1) << self.place(ordinal)


LAYOUT = {
    "address": Field(0, 57),
    "columns": Field(64, 1),  # whether copies are of columns of pixels
    "last axis": Field(68, 3),
    "element": Field(71, 4),  # Table 33; 7 and 8 for tf32, too
    "interleave": Field(75, 2),
    "swizzle": Field(77, 2),
    "nan": Field(79, 1),
    "tf32": Field(80, 1),
    "promotion": Field(81, 2),
    "stride": Field(96, 32),  # in 16 bytes
    "stride, high": Field(224, 4),
    "size - 1": Field(256, 32),
    "step - 1": Field(416, 3),
    "box - 1": Field(440, 8),  # the first one is that of channels, if copies are of columns
    "pixels - 1": Field(480, 10),
    "bytes of a box": Field(512, 32),
    "bytes of a pattern": Field(576, 32),  # of the swizzle
}
"""Bits that belong to no field are zero. Fields of dimensions start with the innermost one, and are zero beyond the
last."""
LOWER, UPPER = 448, 464
"""First bit of the corners of columns, W first; each has CORNER_BITS."""
STRIDE_BITS = 32
PATTERNS = {0: 16, 1: 256, 2: 512, 3: 1024}
_TF32, _F32, _F32_FTZ = "tf32", 7, 8


class Columns(NamedTuple):
    """Corners are in the order of an array's axes, W last."""

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    pixels: int
    channels: int


class DriverMap(NamedTuple):
    """The contents of such a map. Axes are in the order of an array's shape; strides are in bytes, of all axes but the
    innermost.

    `box` is () if copies are of `columns`. `element` is a PTX type, `tf32` among them. `by_kernel`: it lacks the fields
    that the driver computes from the others, like maps that a kernel builds from zeros.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    element: str
    box: tuple[int, ...] = ()
    columns: Columns | None = None
    swizzle: str = "none"
    interleave: str = "none"
    fill: str = "zero"
    promotion: str = "none"
    by_kernel: bool = False


def content_of(data: Any) -> bytes:
    """128 bytes. Raises ArgumentError for other sizes, and for objects without a buffer."""
    try:
        content = memoryview(data).tobytes()
    except (TypeError, ValueError, BufferError):
        raise ArgumentError(f"a tensor map is made of {SIZE} bytes, not of {type(data).__name__}") from None
    if len(content) != SIZE:
        raise ArgumentError(f"a tensor map has {SIZE} bytes, not {len(content)}")
    return content


def decode(data: Any) -> DriverMap:
    """The contents of a map's 128 bytes.

    Raises ArgumentError if they are not a map: bits are set that belong to no field, or a derived field is
    inconsistent. Raises Unsupported for elements that were not measured.
    """
    content = content_of(data)
    number = int.from_bytes(content, "little")

    def axes(field: str, count: int) -> list[int]:
        return [LAYOUT[field].read(number, i) for i in range(count)]

    rank = LAYOUT["last axis"].read(number) + 1
    if rank > 5:
        raise wrong(f"a tensor has at most 5 axes, and they say {rank}")
    high = axes("stride, high", rank - 1)
    strides = [CHUNK * (n | more << STRIDE_BITS) for n, more in zip(axes("stride", rank - 1), high, strict=True)]
    box, columns = [n + 1 for n in axes("box - 1", rank)], None
    if LAYOUT["columns"].read(number):
        columns, box = columns_of(number, rank), []
    if LAYOUT["interleave"].read(number) not in INTERLEAVES:
        raise wrong("they say interleave layout 3, which does not exist")
    found = DriverMap(
        LAYOUT["address"].read(number),
        tuple(n + 1 for n in axes("size - 1", rank))[::-1],
        tuple(strides)[::-1],
        tuple(n + 1 for n in axes("step - 1", rank))[::-1],
        element_of(number),
        tuple(box)[::-1],
        columns,
        SWIZZLES[LAYOUT["swizzle"].read(number)],
        INTERLEAVES[LAYOUT["interleave"].read(number)],
        "nan" if LAYOUT["nan"].read(number) else "zero",
        PROMOTIONS[LAYOUT["promotion"].read(number)],
        not any(LAYOUT[field].read(number) for field in ("bytes of a box", "bytes of a pattern")),
    )
    require_same(content, encode(found))
    row = columns.channels if columns is not None else found.box[-1]
    if row * width_of(found.element) // 8 % CHUNK:
        raise wrong(f"a row of the box would take {row} elements of .{found.element}, no multiple of {CHUNK} bytes")
    return found


def columns_of(number: int, rank: int) -> Columns:
    """The corners and sizes of columns of pixels. Raises ArgumentError for a tensor of fewer than 3 axes."""
    if rank < 3:
        raise wrong(f"a tensor whose columns are copied has at least 3 axes, and they say {rank}")
    count = rank - 2
    bits = CORNER_BITS[count]

    def corner(first: int) -> tuple[int, ...]:
        raw = [Field(first, bits).read(number, i) for i in range(count)]
        return tuple(n - (n >> bits - 1 << bits) for n in raw[::-1])

    pixels, channels = (LAYOUT[field].read(number) + 1 for field in ("pixels - 1", "box - 1"))
    return Columns(corner(LOWER), corner(UPPER), pixels, channels)


def element_of(number: int) -> str:
    """The PTX type. Raises Unsupported for types with which no map was seen."""
    code = LAYOUT["element"].read(number)
    if LAYOUT["tf32"].read(number):
        names = {_F32: _TF32, _F32_FTZ: f"{_TF32}.ftz"}
    else:
        names = {n: name for n, name in (ELEMENTS | CONVERTED).items() if not name.startswith(_TF32)}
    if code not in names:
        raise Unsupported(f"tensor maps of the driver's with elements of code {code}: their layout was not measured")
    return names[code]


def encode(contents: DriverMap) -> bytes:
    """The driver's 128-byte encoding of a map with these contents."""
    codes = {name: code for code, name in (ELEMENTS | CONVERTED).items()} | {"tf32": _F32, "tf32.ftz": _F32_FTZ}
    tf32 = contents.element.startswith(_TF32)
    swizzle = {name: code for code, name in SWIZZLES.items()}[contents.swizzle]
    layout = {name: code for code, name in INTERLEAVES.items()}[contents.interleave]
    values: dict[str, list[int]] = {
        "address": [contents.address],
        "columns": [int(contents.columns is not None)],
        "last axis": [len(contents.shape) - 1],
        "element": [codes[contents.element]],
        "interleave": [layout],
        "swizzle": [swizzle],
        "nan": [int(contents.fill == "nan")],
        "tf32": [int(tf32)],
        "promotion": [PROMOTIONS.index(contents.promotion)],
        "stride": [n // CHUNK for n in contents.strides[::-1]],
        "stride, high": [n // CHUNK >> STRIDE_BITS for n in contents.strides[::-1]],
        "size - 1": [n - 1 for n in contents.shape[::-1]],
        "step - 1": [n - 1 for n in contents.steps[::-1]],
        "box - 1": [n - 1 for n in contents.box[::-1]],
    }
    count, corners = prod(n // step for n, step in zip(contents.box, contents.steps, strict=False)), 0
    if contents.columns is not None:
        lower, upper, pixels, channels = contents.columns
        values |= {"box - 1": [channels - 1], "pixels - 1": [pixels - 1]}
        count = pixels * channels
        for first, corner in ((LOWER, lower), (UPPER, upper)):
            field = Field(first, CORNER_BITS[len(corner)])
            corners |= sum(field.write(n, i) for i, n in enumerate(corner[::-1]))
    if not contents.by_kernel:
        values |= {
            "bytes of a box": [count * width_of(contents.element) // 8],
            "bytes of a pattern": [PATTERNS[swizzle]],
        }
    fields = sum(LAYOUT[name].write(n, i) for name, numbers in values.items() for i, n in enumerate(numbers))
    return (fields | corners).to_bytes(SIZE, "little")


def require_same(content: bytes, again: bytes) -> None:
    """Raises ArgumentError if a map with the same contents has other bytes."""
    if content != again:
        at = next(i for i in range(SIZE) if content[i] != again[i])
        raise wrong(f"byte {at} is 0x{content[at]:02x}, where such a map has 0x{again[at]:02x}")


def wrong(why: str) -> ArgumentError:
    return ArgumentError(f"these bytes are not a tensor map of CUDA's driver: {why}")
