"""The computation of a matrix product, as data: the formats, the depth, and the parameters of the summation model."""

from __future__ import annotations

from openptx.numerics.dot import FRACTION, Factors
from openptx.numerics.formats import FORMATS, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics.bits import Bits
    from openptx.numerics.dot import Arithmetic, Tile

WORD = 32  # bits


class MatrixProduct:
    """d = a * b + c, where a line (a row of a, a column of b) is `words` words of elements.

    `f` and `g` are the layouts of elements of a and b in words; `h` and `d` are the formats of c and d, None for 32-bit
    integers, which saturate if `satfinite`. Terms of float sums are truncated `fraction` bits below the largest
    exponent; with `halves`, elements in the lower halves of words are added first, starting from zero, then those in
    the upper halves, and finally c (`multiply_halves`). If `scale` is a format, every line has `scales` codes that
    multiply its products (`block_dots`, or for one scale `dots`).
    """

    __slots__ = ("d", "f", "fraction", "g", "h", "halves", "satfinite", "scale", "scales", "words")

    def __init__(
        self, f: Factors, g: Factors, words: int, h: Format | None = None, d: Format | None = None,
        fraction: int = FRACTION, *, halves: bool = False, satfinite: bool = False, scale: Format | None = None,
        scales: int = 0,
    ) -> None:  # fmt: skip
        self.f, self.g, self.h, self.d = f, g, h, d
        self.scale, self.scales = scale, scales
        self.words, self.fraction, self.halves, self.satfinite = words, fraction, halves, satfinite

    @property
    def elements(self) -> int:
        """The number of elements in a word."""
        return WORD // self.f.width

    @property
    def width(self) -> int:
        """The bits of an element of d."""
        return self.d.storage if self.d is not None else WORD

    @property
    def key(self) -> str:
        """All fields in one word, which `parsed` reads."""
        h, d = (k.name if k is not None else "s32" for k in (self.h, self.d))
        flags = "halves" if self.halves else "sat" if self.satfinite else "plain"
        if self.scale is not None:
            flags = f"{self.scales}x{self.scale.name}"
        return f"{factors_name(self.f)}.{factors_name(self.g)}.{h}.{d}.{self.words}.{self.fraction}.{flags}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MatrixProduct) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"MatrixProduct({self.key})"

    @property
    def blocked(self) -> bool:
        """Whether products are added in blocks before scaling."""
        return self.scale is not None and self.f.width < 8

    def definition(
        self, x: Arithmetic, rows: Tile, columns: Tile, addends: Tile, scales: tuple[Tile, Tile] = ((), ())
    ) -> Tile:  # fmt: skip
        """d for every row and column, by the definitions of a machine. `scales`: those of every row, and of every
        column."""
        f, g, h, d = self.f, self.g, self.h, self.d
        if self.scale is not None and h is not None and d is not None:
            of_rows, of_columns = scales
            if self.blocked:
                return x.block_dots(rows, columns, addends, self.scale, of_rows, of_columns)
            single = self.scale, tuple(codes[0] for codes in of_rows), tuple(codes[0] for codes in of_columns)
            return x.dots(f, g, rows, columns, addends, h, d, single)
        if h is None or d is None:
            return x.integer_dots(f, g, rows, columns, addends, self.satfinite)
        if not self.halves:
            return x.dots(f, g, rows, columns, addends, h, d, fraction=self.fraction)
        return multiply_halves(x, f, g, rows, columns, addends, d)

    def element(
        self, x: Arithmetic, row: tuple[Bits, ...], column: tuple[Bits, ...], c: Bits,
        scales: tuple[Tile, Tile] = ((), ()),
    ) -> Bits:  # fmt: skip
        """One element of d."""
        return self.definition(x, (row,), (column,), ((c,),), scales)[0][0]


def factors_name(f: Factors) -> str:
    kind = f.format.name if f.format is not None else "s" if f.negative else "u"
    return f"{kind}_{f.width}_{f.low}"


def parsed(key: str) -> MatrixProduct:
    """The product whose `key` this is."""
    left, right, h, d, words, fraction, flags = key.split(".")
    f, g = (
        Factors(int(width), FORMATS.get(kind), kind == "s", int(low))
        for kind, width, low in (factor.split("_") for factor in (left, right))
    )
    scales, _, scale = flags.partition("x")
    return MatrixProduct(
        f, g, int(words), FORMATS.get(h), FORMATS.get(d), int(fraction), halves=flags == "halves",
        satfinite=flags == "sat", scale=FORMATS.get(scale), scales=int(scales) if scale else 0,
    )  # fmt: skip


def multiply_halves(
    x: Arithmetic, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, d: Format
) -> Tile:  # fmt: skip
    """Adds the elements in the lower halves of registers, then those in the upper halves, and finally the addend
    (H100)."""
    total: Tile = tuple(tuple(x.const(0, d.storage) for _ in line) for line in addends)
    for half in (0, 2):
        left, right = (
            tuple(tuple(e for i, e in enumerate(x.elements(k, line)) if i & 2 == half) for line in tile)
            for k, tile in ((f, rows), (g, columns))
        )
        total = x.dots(f, g, left, right, total, d, d)
    return tuple(
        tuple(x.fadd(d, c, s) for c, s in zip(line, sums, strict=True))
        for line, sums in zip(addends, total, strict=True)
    )
