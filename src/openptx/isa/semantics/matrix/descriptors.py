"""The descriptors of `tcgen05`: of a product, and of a matrix in shared memory (9.7.16.3, 9.7.16.4)."""

from __future__ import annotations

from openptx.isa.address_windows import CTA_SHIFT, RANK_0
from openptx.isa.semantics.matrix.shared import CHUNK, DEPTH, placement
from openptx.numerics import FORMATS, Bits
from openptx.numerics.dot import E2M1X8, Factors
from openptx.numerics.matrix_product import MatrixProduct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from openptx.isa.machine import Machine
    from openptx.numerics import Format

    Registers = tuple[Bits, ...]
    Row = TypeVar("Row", int, Bits)

CHUNKS = {0: 1, 1: 8, 2: 8, 4: 4, 6: 2}
"""By swizzling mode (Table 40): how many chunks of a line lie side by side. Mode 1 moves pairs of chunks."""

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
_WITHOUT_SELECTOR = ("kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4")
"""Kinds whose descriptor has no sparsity selector: it is taken as 0 (9.7.16.10.8.4.5)."""
_RESULTS = {"kind::f16": (0, 1), "kind::f8f6f4": (0, 1), "kind::tf32": (1,), "kind::i8": (2,)}
"""The types of d in each kind: f16, f32, s32."""


class Shape:
    """The contents of an instruction descriptor (Tables 42 to 44), for one or two CTAs, with b `kept` (`.ws`), a
    `sparse`.

    `wrong` says why it is invalid, `missing` which part of it is unsupported; both are empty for a usable descriptor.
    """

    def __init__(self, kind: str, code: int, ctas: int = 1, *, kept: bool = False, sparse: bool = False) -> None:
        def field(low: int, width: int) -> int:
            return code >> low & (1 << width) - 1

        self.kind, self.ctas, self.kept, self.sparse = kind, ctas, kept, sparse
        self.deep = 2 * DEPTH if sparse else DEPTH  # bytes of a line of b
        self.selector = 0 if kind in _WITHOUT_SELECTOR else field(0, 2)
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
        self.wrong, self.missing = self._wrong(bool(field(2, 1))), ""
        if self.blocked and field(31, 1):
            self.missing = "K = 96"
        self.rows //= ctas  # of one CTA
        # How often rows repeat below each other, each time with other columns (layouts B, E, G).
        self.parts = 128 // self.rows if not self.wrong and (kept or (ctas == 2 and not sparse)) else 1

    def _wrong(self, sparse: bool) -> str:
        if sparse != self.sparse:
            return "says that a is {}, and the instruction takes a {} a".format(
                *(("sparse", "dense") if sparse else ("dense", "sparse"))
            )
        if self.a is None or self.b is None:
            return f"names a type of a or b that `.{self.kind}` does not have"
        if self.result not in _RESULTS.get(self.kind, (1,)):
            return f"names a type of d that `.{self.kind}` does not have"
        of_scaled = 128 * self.ctas if self.sparse else 128
        least = 32 if self.kept else of_scaled if self.scaled else 64 * self.ctas
        columns = (64, 128, 256)[: 3 - self.sparse] if self.kept else range(8 * self.ctas, 257, 8 * self.ctas)
        if (
            self.rows not in (32, 64, 128, 256)
            or not least <= self.rows <= 128 * self.ctas
            or self.columns not in columns
        ):
            return f"asks for {self.rows} rows and {self.columns} columns"
        if (self.across_a and self._narrow(self.a)) or (self.across_b and self._narrow(self.b)):
            return "transposes elements of fewer than eight bits"
        return ""

    def _narrow(self, name: str) -> bool:
        return self.kind != "kind::i8" and FORMATS[name].width < 8

    def factors(self, name: str) -> Factors:
        """How elements are laid out in the lines of an operand."""
        if self.kind == "kind::i8":
            return Factors(8, None, name == "s8")
        if self.blocked:
            return E2M1X8
        f = FORMATS[name]
        return Factors(f.storage, f, low=2 if name == "e2m1" else 0)

    def matrix_product(self, words: int, scales: int = 0) -> MatrixProduct:
        """The computation on lines of this many words, with that many scales if the kind has any."""
        f, g = self.factors(self.a or ""), self.factors(self.b or "")
        if f.format is None:
            return MatrixProduct(f, g, words, satfinite=self.saturates)
        scale = self.scale if self.scaled else None
        return MatrixProduct(f, g, words, self.format, self.format, scale=scale, scales=scales if scale else 0)

    @property
    def format(self) -> Format:
        """The format of d."""
        return FORMATS["f32" if self.result else "f16"]

    def lane(self, row: Row) -> Row:
        """The tensor memory lane of a row. With 64 rows per CTA, each sixteen of them begin at a warp's first lane
        (layout F)."""
        return (row >> 4 << 5) + (row & 15) if self.rows == 64 and self.parts == 1 else row

    def pieces(self, row: int) -> list[tuple[int, range]]:
        """The lanes that hold a row of d, and which of its columns each of them holds, from column 0 of tensor memory
        on."""
        per = self.columns // self.parts
        return [(self.lane(row) + self.rows * i, range(per * i, per * (i + 1))) for i in range(self.parts)]


class SharedMatrix:
    """A matrix in shared memory, from its descriptor and the swizzling mode in it. Lines are rows of a, columns of
    b."""

    def __init__(self, x: Machine, code: Bits, mode: int, rank: Bits | None = None) -> None:
        x.require(x.const(mode in CHUNKS, 1), "undefined-behavior", f"a matrix descriptor has swizzling mode {mode}")
        self.x, self.mode, self.chunks = x, mode, CHUNKS[mode]
        self.of = None if rank is None else x.resize(rank + RANK_0, 64) << CTA_SHIFT  # another CTA of the cluster
        self.start, self.leading, self.stride, self.base = placement(x, code)

    def chunk(self, offset: Bits | int) -> Registers:
        """Reads four words. Chunks of a row are permuted according to the row's position in the pattern."""
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

    def along(self, line: Bits | int, k: int) -> Registers:
        """Chunk `k` of a line, if lines are contiguous (K-major)."""
        row = (line & 7) * (CHUNK * self.chunks)
        step = k * CHUNK if self.mode else self.leading * k
        return self.chunk(self.stride * (line >> 3) + row + step)

    def across(self, number: Row, k: Row) -> Registers:
        """The elements at depth `k` of a group of neighbouring lines, which share chunk `number` of each depth, if
        lines lie side by side (MN-major)."""
        wide, tall = self.chunks.bit_length() - 1, 2 if self.mode == 1 else 3  # powers of two
        near = (number & self.chunks - 1) * CHUNK + (k & (1 << tall) - 1) * (CHUNK * self.chunks)
        beside, below = (self.leading, self.stride) if self.mode else (self.stride, self.leading)
        return self.chunk(beside * (number >> wide) + below * (k >> tall) + near)
