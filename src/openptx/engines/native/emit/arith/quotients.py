"""Unsigned quotients by a number, or by the same divisor in all lanes: products, as compilers make of them.

LLVM would do it itself, but for vectors of 64 bits, whose elements it divides one by one, and not without the
combinations in its selection of instructions, which take a sixth of its time (docs/decisions/compile-time.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.engines.native.emit.arith.int_ops import IntOps
    from openptx.engines.native.emit.ir_builder import IRBuilder


class Reciprocal(NamedTuple):
    """`a // divisor` is `(a + increment) * factor >> w + shift` for all `a` of `w` bits."""

    factor: int
    """Of `w` bits."""
    shift: int
    increment: int


def reciprocal(divisor: int, w: int) -> Reciprocal:
    """For a divisor of `w` bits that is no power of two. 2^(w + shift) / divisor rounded up does (Granlund and
    Montgomery, 1994) if it is at most 2^shift / divisor too large; else it is as little too small, and rounded down it
    does for the next dividend (Robison, 2005)."""
    shift = divisor.bit_length() - 1
    factor, rest = divmod(1 << w + shift, divisor)
    return Reciprocal(factor + 1, shift, 0) if divisor - rest <= 1 << shift else Reciprocal(factor, shift, 1)


def quotient(x: IntOps, a: Bits, divisor: int) -> Bits:
    w, (factor, shift, increment) = a.width, reciprocal(divisor, a.width)
    if w == 64:
        return high_word(x, a, factor, factor * increment) >> shift
    product = x.resize(a, 2 * w) * factor
    return x.resize((product + factor * increment) >> w + shift, w)


def high_word(x: IntOps, a: Bits, factor: int, term: int) -> Bits:
    """The upper 64 bits of `a * factor + term`; `term` is 0 or `factor`."""
    if not x.uniform(a):
        low, high = x.multiply(a, x.literal(factor, 64))
        return high + x.resize(low + term < term, 64) if term else high
    wide = x.ir.emit(f"zext i64 {x.scalar(a)} to i128")
    product = x.ir.emit(f"add i128 {x.ir.emit(f'mul i128 {wide}, {factor}')}, {term}")
    return x.bits(x.ir.emit(f"trunc i128 {x.ir.emit(f'lshr i128 {product}, 64')} to i64"), 64, ZEROS)


def float_reciprocal(ir: IRBuilder, w: int, divisor: str, t: str) -> str:
    """A float slightly above 1 / `divisor`, a scalar of `w` bits: a truncated product with it is the quotient.

    The product exceeds a / b, by a factor between 1 + e/2 and 1 + 2e, also after three roundings. So it is not below a
    whole quotient; and it does not reach the next, which is 1 / b away or more, since a < 2^w < 1 / 2e.
    """
    e = 2.0**-21 if t == "float" else 2.0**-50
    one = ir.emit(f"fdiv {t} 1.0, {ir.emit(f'uitofp i{w} {divisor} to {t}')}")
    return ir.emit(f"fmul {t} {one}, {1 + e!r}")
