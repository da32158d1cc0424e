"""f64 NaNs keep their signs in operations that do not change numbers, which LLVM removes."""

from __future__ import annotations

from typing import Any

from lanes import differences

from openptx.numerics import Format
from openptx.numerics.formats import F64

ONE, INFINITY = 0x3FF << 52, 0x7FF << 52


def test_nans_keep_their_signs_where_an_operand_does_not_change_a_number() -> None:
    """Made changes of sign, products with minus one would turn a NaN's sign round, too."""

    def every(x: Any, a: Any) -> Any:
        found: list[Any] = []
        for sign in (0, 1 << 63):
            unit, zero = x.const(ONE | sign, 64), x.const(sign, 64)
            found += [x.fmul(F64, a, unit), x.fmul(F64, unit, a), x.fdiv(F64, a, unit), x.fma(F64, unit, a, zero)]
            found += [x.fadd(F64, zero, a), x.fsub(F64, a, zero), x.fsub(F64, zero, a), x.fma(F64, a, unit, unit)]
        return tuple(found)

    formats: list[Format | None] = [F64]
    assert differences(every, [64], formats, n=1 << 10) == 0


def test_operations_on_constants_make_the_same_nans() -> None:
    """LLVM's own results of them are other ones."""

    def every(x: Any, a: Any) -> Any:
        infinity, zero, nan = (x.const(bits, 64) for bits in (INFINITY, 0, INFINITY | F64.sign | 5))
        found = [x.fmul(F64, infinity, zero), x.fdiv(F64, zero, zero), x.fma(F64, infinity, zero, nan)]
        found += [x.fadd(F64, infinity, infinity ^ F64.sign), x.fsub(F64, infinity, infinity)]
        found += [x.fsub(F64, zero, nan), x.fsubr(F64, nan, zero), x.fadd(F64, nan, infinity), x.fsqrt(F64, nan)]
        return tuple(x.resize(r, 64) ^ a for r in found)

    formats: list[Format | None] = [None]
    assert differences(every, [64], formats, n=64) == 0
