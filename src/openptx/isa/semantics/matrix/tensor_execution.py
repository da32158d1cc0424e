"""How products and copies in tensor memory are performed once their descriptors are known (9.7.16.9, 9.7.16.10)."""

from __future__ import annotations

from functools import partial

from openptx.errors import Unsupported
from openptx.isa.semantics.matrix.column_mask import ColumnMask
from openptx.isa.semantics.matrix.descriptors import Shape, SharedMatrix
from openptx.isa.semantics.matrix.shared import CHUNK
from openptx.isa.semantics.matrix.tensor import Product, ranks, unpack_elements
from openptx.isa.semantics.matrix.tensor_operations import ENABLED, MODE
from openptx.isa.semantics.matrix.tensor_sparse import SparseProduct
from openptx.isa.semantics.tensor_memory import LANE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.isa.machine import Machine
    from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct
    from openptx.numerics import Bits


def shape_of(p: TensorProduct, code: int) -> Shape:
    """The shape that an instruction descriptor, the lower half of `code`, states."""
    return Shape(p.kind, code & 0xFFFFFFFF, p.ctas, kept=p.kept, sparse=p.sparse)


def product_of(x: Machine, p: TensorProduct, shape: Shape, zeros: int, code: int, values: Sequence[Bits]) -> Product:
    """The product that a shape, a mask of columns and the modes in `code` describe."""
    mask = ColumnMask(zeros, shape) if zeros else None
    if mask is not None:
        x.require(x.const(not mask.wrong, 1), "undefined-behavior", f"zero-column-mask-desc {mask.wrong}")
    given, masks = dict(zip(p.names, values, strict=False)), values[len(p.names) :]
    return (SparseProduct if p.sparse else Product)(x, shape, p.modes(code), given, p.scales, masks, mask)


def multiply_equal(x: Machine, p: TensorProduct, zeros: int, code: int, *values: Bits) -> None:
    """Computes the product of lanes with equal descriptors; faults if these are invalid."""
    shape = shape_of(p, code)
    wrong = f"the instruction descriptor 0x{code & 0xFFFFFFFF:08x} {shape.wrong}"
    x.require(x.const(not shape.wrong, 1), "undefined-behavior", wrong)
    narrow = f"`.ashift` with {shape.rows} rows, which is not 128 in each CTA"
    x.require(x.const(not p.shifts or shape.rows == 128, 1), "undefined-behavior", narrow)
    if shape.missing:
        raise Unsupported(shape.missing)
    product = product_of(x, p, shape, zeros, code, values)
    product.multiply(p.divisor, adds=bool(code >> ENABLED & 1), shifts=p.shifts)


def multiply(x: Machine, p: TensorProduct, zeros: Bits, code: Bits, *values: Bits) -> None:
    """Computes the products of all executing lanes, those with equal descriptors together."""

    def masked(zeros: int, code: Bits, *values: Bits) -> None:
        x.cases(code, partial(multiply_equal, x, p, zeros), *values)

    x.cases(zeros, masked, code, *values)


def row_words(x: Machine, p: TensorCopy, matrix: SharedMatrix, row: int | Bits) -> tuple[Bits, ...]:
    """The words that a row becomes."""
    found: list[Bits] = []
    for k in range(p.chunks):
        words = matrix.along(row, k)
        if p.width:
            bytes = unpack_elements(x, words, p.width, 2 if p.width == 4 else 0)
            words = tuple(x.join(bytes[i : i + 4]) for i in range(0, CHUNK, 4))
        found += words
    return tuple(found)


def copy_equal(x: Machine, p: TensorCopy, mode: int, address: Bits, code: Bits) -> None:
    """Copies one chunk after another; every CTA of a pair gets the data of its own shared memory."""
    for rank in ranks(x, p.ctas):
        matrix = SharedMatrix(x, code, mode, rank)
        for row in range(p.rows):
            words = row_words(x, p, matrix, row)
            for lane in p.lanes_of(row):
                x.tensor_memory.write(address + (lane << LANE), words, rank)


def copy(x: Machine, p: TensorCopy, address: Bits, code: Bits) -> None:
    """Performs the copies of all executing lanes, those with equal swizzling modes together."""
    x.cases(x.resize(code >> MODE, 32), partial(copy_equal, x, p), x.resize(address, 32), code)
