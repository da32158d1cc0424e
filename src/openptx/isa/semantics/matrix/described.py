"""The part of a product that the instruction `tcgen05.mma` itself states, and the product once its descriptors are
known."""

from __future__ import annotations

from functools import partial

from openptx.errors import Unsupported
from openptx.isa.semantics.matrix.column_mask import ColumnMask
from openptx.isa.semantics.matrix.descriptors import Keyed, Shape
from openptx.isa.semantics.matrix.tensor import Product
from openptx.isa.semantics.matrix.tensor_sparse import SparseProduct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

# What determines how a product is computed, in one word: the instruction descriptor, swizzling modes, whether d is
# added, and the thread with its rank in the CTA pair, because products of one CTA or pair are computed one after
# another. The mask of columns is a word of its own.
MODES, ENABLED, THREAD, RANK = 32, 40, 48, 58


class Described(Keyed):
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

    def shape(self, code: int) -> Shape:
        return Shape(self.kind, code & 0xFFFFFFFF, self.ctas, kept=self.kept, sparse=self.sparse)

    def product(self, x: Machine, shape: Shape, zeros: int, code: int, values: Sequence[Bits]) -> Product:
        """The product that a shape, a mask of columns and the modes in `code` describe."""
        mask = ColumnMask(zeros, shape) if zeros else None
        if mask is not None:
            x.require(x.const(not mask.wrong, 1), "undefined-behavior", f"zero-column-mask-desc {mask.wrong}")
        given, masks = dict(zip(self.names, values, strict=False)), values[len(self.names) :]
        return (SparseProduct if self.sparse else Product)(x, shape, self.modes(code), given, self.scales, masks, mask)

    def multiply(self, x: Machine, zeros: int, code: int, *values: Bits) -> None:
        """Computes the product; faults if its descriptor is invalid."""
        shape = self.shape(code)
        wrong = f"the instruction descriptor 0x{code & 0xFFFFFFFF:08x} {shape.wrong}"
        x.require(x.const(not shape.wrong, 1), "undefined-behavior", wrong)
        narrow = f"`.ashift` with {shape.rows} rows, which is not 128 in each CTA"
        x.require(x.const(not self.shifts or shape.rows == 128, 1), "undefined-behavior", narrow)
        if shape.missing:
            raise Unsupported(shape.missing)
        product = self.product(x, shape, zeros, code, values)
        product.multiply(self.divisor, adds=bool(code >> ENABLED & 1), shifts=self.shifts)

    def by_cases(self, x: Machine, zeros: Bits, code: Bits, values: Sequence[Bits]) -> None:
        """Computes the products of all executing lanes, those with equal descriptions together."""

        def masked(zeros: int, code: Bits, *values: Bits) -> None:
            x.cases(code, partial(self.multiply, x, zeros), *values)

        x.cases(zeros, masked, code, *values)
