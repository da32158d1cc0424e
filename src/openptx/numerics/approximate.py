"""Functions for which PTX only gives error bounds (`.approx`), with the bits of an H100: the code that ptxas generates
around the multifunction unit.

Without `.ftz` operands and results that the unit would flush are scaled before and after; 16-bit forms truncate the
unit's result for the operand as f32; f64 forms use only the upper word. Sources: docs/numerics.md.
"""

from __future__ import annotations

from openptx.numerics.bits import Bits, S
from openptx.numerics.formats import F16, F32, F64, Format
from openptx.numerics.multifunction import FRACTION, Multifunction

FUNCTIONS = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")

LARGE = 0x7E800000  # 2^126: reciprocals of larger numbers are subnormal
PAST_F16 = 0x47800000  # 2^16, above the largest f16
INFINITY_UPPER, NAN_UPPER = 0x7FF00000, 0x7FFFFFFF


def power(n: int) -> int:
    """2^n as f32."""
    return 127 + n << 23


class Approximate(Multifunction):
    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """`op` (one of FUNCTIONS) of codes of `f`; `.ftz` flushes subnormal operands and results. Raises ValueError for
        another `op`."""
        if op not in FUNCTIONS:
            raise ValueError(f"no approximate function is called `{op}`; there are {', '.join(FUNCTIONS)}")
        if f is F64 and op == "rsqrt":
            return self.root_reciprocal(a)
        if f is not F32:
            return self.narrowed_result(f, self.mufu(op, self.convert(F32, f, a)))
        return self.mufu(op, a) if ftz or op in ("sin", "cos", "tanh") else self.scaled(op, a)

    def scaled(self, op: str, a: Bits) -> Bits:
        """Functions of f32 that keep subnormals: rcp rsqrt sqrt ex2 lg2."""
        x = self
        tiny = x.magnitude(F32, a) < F32.hidden
        if op == "rcp":
            k = x.reciprocal_scale(a)
            return x.fmul(F32, x.mufu(op, x.fmul(F32, a, k)), k)
        if op == "ex2":  # as two half exponents where the result is subnormal
            half = x.mufu(op, x.fmul(F32, a, x.const(power(-1), 32)))
            low = (a > 0xC2FC0000) & (a <= 0xFF800000)
            return x.select(low, x.fmul(F32, half, half), x.mufu(op, a))
        d = x.mufu(op, x.select(tiny, x.fmul(F32, a, x.const(power(24), 32)), a))
        if op == "lg2":
            return x.select(tiny, x.fsub(F32, d, x.const(0x41C00000, 32)), d)  # 24
        return x.select(tiny, x.fmul(F32, d, x.const(power(12 if op == "rsqrt" else -12), 32)), d)

    def reciprocal_scale(self, a: Bits) -> Bits:
        """The power of two that scales an f32 into the range of normal reciprocals."""
        x, m = self, self.magnitude(F32, a)
        return x.pick(m < F32.hidden, power(24), x.pick(m > LARGE, power(-2), x.const(power(0), 32)))

    def narrowed_result(self, f: Format, r: Bits) -> Bits:
        """The unit's result in 16 bits: truncated, but infinite beyond the largest f16."""
        d = self.convert(f, F32, r, "rz")
        return self.pick((r >= PAST_F16) & (r <= (F32.infinity or 0)), F16.infinity or 0, d) if f is F16 else d

    def approx_div(self, f: Format, a: Bits, b: Bits, ftz: bool = False, full: bool = False) -> Bits:
        """`div.approx` (or `div.full`): a * (1/b), each rounded, with operands scaled so that 1/b is not zero."""
        return self.fmul(f, *self.quotient_factors(f, a, b, ftz, full), "rn", ftz)

    def quotient_factors(self, f: Format, a: Bits, b: Bits, ftz: bool, full: bool) -> tuple[Bits, Bits]:
        """The factors of the final product of `approx_div`: the dividend and the reciprocal, both scaled.

        div.approx scales only for subnormal `b`, so that |b| above 2^126 gives zeros, as the manual says
        (floating-point-instructions-div).
        """
        x = self
        if full:
            k = x.reciprocal_scale(b)
        elif ftz:
            return a, x.mufu("rcp", b)
        else:
            k = x.pick(x.magnitude(f, b) < f.hidden, power(24), x.const(power(0), 32))
        return x.fmul(f, a, k, "rn", ftz), x.mufu("rcp", x.fmul(f, b, k, "rn", ftz))

    def approx_upper(self, op: str, a: Bits) -> Bits:
        """`rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`, from the upper 32 bits of `a` (sign, 11 bits of exponent, 20
        of fraction); the lower 32 bits of the result are zero."""
        x = self
        u = x.resize(a >> 32, 32)
        sign, e, f = u & 0x80000000, u >> 20 & 0x7FF, (u & 0xFFFFF) << 3
        nan = (e == 0x7FF) & (f != 0)
        if op == "rcp":
            r = x.reciprocal(f)
            exponent = 2045 - e + (r >> 23)
        else:
            n = e - 1023
            r = x.reciprocal_root(f | (n & 1) << 23)
            exponent = 1022 - x.shr(S, n, 1) + (r >> 23)
            nan = nan | ((sign != 0) & (e != 0))
        d = x.pick(x.less(S, exponent, x.const(1, 32)), 0, exponent << 20 | (r & FRACTION) >> 3)
        d = x.pick(e == 0, INFINITY_UPPER, x.pick(e == 0x7FF, 0, d))
        return x.resize(x.pick(nan, NAN_UPPER, sign | d), 64) << 32

    def root_reciprocal(self, a: Bits) -> Bits:
        """`rsqrt.approx.f64`: the unit's upper word, refined by one step of Halley's iteration, as in ptxas's code."""
        x = self
        half, three_eighths, one = (x.const(code, 64) for code in (0x3FE << 52, 0x3FD8 << 48, 0x3FF << 52))
        size = x.magnitude(F64, a)
        tiny = size < F64.hidden
        v = x.select(tiny, x.fmul(F64, a, x.const(1023 + 54 << 52, 64)), a)
        y = x.approx_upper("rsqrt", v)
        e = x.fma(F64, v, x.fmul(F64, y, y) ^ F64.sign, one)
        d = x.fma(F64, x.fma(F64, e, three_eighths, half), x.fmul(F64, y, e), y)
        d = x.select(tiny, x.fmul(F64, d, x.const(1023 + 27 << 52, 64)), d)
        d = x.pick(a == (F64.infinity or 0), 0, x.pick(x.negative(a), F64.nan or 0, d))
        d = x.pick(size == 0, (a & F64.sign) | (F64.infinity or 0), d)
        return x.quieted(F64, d, a)
