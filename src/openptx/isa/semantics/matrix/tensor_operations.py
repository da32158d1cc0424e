"""Products and copies in tensor memory as the instructions `tcgen05.mma` and `tcgen05.cp` state them, apart from the
descriptors that their operands hold (9.7.16.9, 9.7.16.10)."""

from __future__ import annotations

from openptx.isa.semantics.tensor_memory import LANES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from openptx.numerics import Bits

    Line = TypeVar("Line", int, Bits)
    Registers = tuple[Bits, ...]

# What determines how a product is computed, in one word: the instruction descriptor, swizzling modes, whether d is
# added, and the thread with its rank in the CTA pair, because products of one CTA or pair are computed one after
# another. The mask of columns is a word of its own.
MODES, ENABLED, THREAD, RANK = 32, 40, 48, 58
MODE = 61  # first bit of the swizzling mode in a matrix descriptor


class Keyed:
    """An operation for which code is made once for each `key`."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """All fields in one line."""
        return " ".join(str(getattr(self, name)) for name in self.__slots__)


class TensorProduct(Keyed):
    """The kind, the participating CTAs, whether b is `kept` (`.ws`) and a `sparse`, the number of scales per line, the
    `divisor` of d (a power of two), whether a `shifts` afterwards. `names` are the operands' names, except for the
    `masks` of the lanes that d keeps, which come last."""

    __slots__ = ("ctas", "divisor", "kept", "kind", "masks", "names", "scales", "shifts", "sparse")

    def __init__(
        self, kind: str, names: Sequence[str], masks: int, *, ctas: int, kept: bool, sparse: bool, scales: int,
        divisor: int, shifts: bool,
    ) -> None:  # fmt: skip
        self.kind, self.names, self.masks = kind, tuple(names), masks
        self.ctas, self.kept, self.sparse, self.scales = ctas, kept, sparse, scales
        self.divisor, self.shifts = divisor, shifts

    def modes(self, code: int) -> dict[str, int]:
        """How the matrices in shared memory are swizzled."""
        shared = [name for name in ("a-desc", "b-desc") if name in self.names]
        return {name: code >> MODES + 3 * i & 7 for i, name in enumerate(shared)}


class TensorCopy(Keyed):
    """`rows` rows of `chunks` chunks each; elements of `width` bits are widened to bytes, unless it is 0. `paired`:
    both warps of a pair get a row; `apart`: each row goes to one warp."""

    __slots__ = ("apart", "chunks", "ctas", "paired", "rows", "width")

    def __init__(self, rows: int, chunks: int, width: int, ctas: int, *, paired: bool, apart: bool) -> None:
        self.rows, self.chunks, self.width, self.ctas = rows, chunks, width, ctas
        self.paired, self.apart = paired, apart

    def lanes_of(self, row: Line) -> list[Line]:
        """The lanes that a row is copied to: in every warp that the document names or, for four rows, in one warp
        each."""
        if self.apart:
            return [row << 5]
        if self.paired:
            first = (row & 31) + (row >> 5 << 6)
            return [first, first + 32]
        return [row + at for at in range(0, LANES, self.rows)]


class Tiles:
    """A plain product: the words of rows of a and of columns of b, and where rows of d begin in tensor memory."""

    __slots__ = ("column", "columns", "place", "row", "rows")

    def __init__(
        self, rows: int, columns: int, row: Callable[[Bits], Registers], column: Callable[[Bits], Registers],
        place: Callable[[Bits], Bits],
    ) -> None:  # fmt: skip
        self.rows, self.columns, self.row, self.column, self.place = rows, columns, row, column, place
