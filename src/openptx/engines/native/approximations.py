"""Approximate functions of f32, an order of magnitude faster than their definitions, with the same bits.

A short polynomial in f64 has an error of a few units of 2^-38. Where its value is so near the middle of two f32 that
the error might count, which is about one lane in 2^13, the definition decides. All 2^32 operands were compared with the
definitions once (`bench/approximate.py`); the tests compare the edges, and a sample.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from openptx.engines.native.emitter import vector_type
from openptx.engines.native.halves import Halves
from openptx.engines.native.values import N, Value
from openptx.numerics import Bits, Format
from openptx.numerics.formats import F32

_F, _D, _I, _L = f"<{N} x float>", f"<{N} x double>", vector_type(32), vector_type(64)
_MIDDLE = 1 << 28  # of the bits of an f64 that f32 has no room for
_DOUBT = 1 << 15  # units of f64 around the middle: twice the polynomials' errors, at least

# Lowest power first, found by Remez' algorithm; the relative error is 2^-38.5.
_EXP2 = (0.9999999999999551, 0.6931471801626149, 0.24022650728043224, 0.05550573625176025, 0.009617941081571692)
_EXP2_LONGER = (1.0000000000000044, 0.6931471805599324, 0.2402265068764761, 0.055504108711187806, 0.009618354739899231,
                0.0013333334709266008)  # fmt: skip
_LOG2 = (1.4426950408898698, -0.7213475202848885, 0.4808983350207494, -0.3606743035465238, 0.2885673630717679,
         -0.24023008797552697, 0.18748536247778622)  # fmt: skip
_SIN = (0.9999999999999954, -0.16666666666614866, 0.00833333332364299, -0.00019841263191784522, 2.7555252150322235e-06,
        -2.47552783015958e-08)  # fmt: skip
_COS = (0.9999999999999343, -0.4999999999927088, 0.04166666653363658, -0.0013888879931533977, 2.4798843673172907e-05,
        -2.7167939957447145e-07)  # fmt: skip
_TANH_UP, _TANH_DOWN = (945.0, 105.0, 1.0), (945.0, 420.0, 15.0)  # Lambert's fraction, for operands up to 5/16
_HALF_PI = (1.5707963267948966, 6.123233995736766e-17)  # their sum has 106 bits

_SIXTEENTHS = 786432.0  # 1.5 * 2^19: adding it rounds to multiples of 1/16
_WIDE_SIXTEENTHS = 1.5 * 2**48  # the same in f64
_WHOLE = 1.5 * 2**52  # rounds to integers

# Of log2(m), m in [1, 2): 1/m where sixteenths have their middle; 1 and 1/2 at the ends, where log2 is zero.
_INVERSE = (1.0, *(1 / (1 + (j + 0.5) / 16) for j in range(1, 15)), 0.5)
_LOGS = tuple(-math.log2(c) for c in _INVERSE)


class Approximations(Halves):
    payload_free = False

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """A NaN result is canonical in the end, so payloads do not matter on the way."""
        if op in ("rcp", "sqrt"):
            return super().approx(op, f, a, ftz)
        if f.name == "f32" and self.cpu.avx512 and isinstance(a.v, Value) and not self.uniform(a):
            d = self.quick(op, a, ftz)
            assert isinstance(d.v, Value)
            d.v.flushed = ftz
            return d
        return self.defined(op, f, a, ftz)

    def quick(self, op: str, a: Bits, ftz: bool) -> Bits:
        if op in ("sin", "cos"):
            return self.quick_circular(op, a, ftz)
        quick = {"ex2": self.quick_ex2, "lg2": self.quick_lg2, "rsqrt": self.quick_rsqrt, "tanh": self.quick_tanh}
        return quick[op](a, ftz)

    def defined(self, op: str, f: Format, a: Bits, ftz: bool) -> Bits:
        outer, self.payload_free = self.payload_free, True
        d = self.outlined("approx", op, f, a, ftz)
        self.payload_free = outer
        return d

    def quick_ex2(self, a: Bits, ftz: bool) -> Bits:
        """2^a: 2^(n + j/16 + r), for |a| <= 126."""
        out = self.out
        x = self.float(a, False)
        shifted = out.emit(f"fadd {_F} {x}, {splat32(_SIXTEENTHS)}")
        r = out.emit(f"fsub {_F} {x}, {out.emit(f'fsub {_F} {shifted}, {splat32(_SIXTEENTHS)}')}")
        k = self.bits(out.emit(f"bitcast {_F} {shifted} to {_I}"), 32)
        p = self.polynomial(_EXP2, out.emit(f"fpext {_F} {r} to {_D}"))
        v = out.emit(f"fmul {_D} {self.looked_up([2 ** (j / 16) for j in range(16)], k)}, {p}")
        d, doubt = self.rounded_once(v)
        d = d + ((k << 19) & 0xFF800000)
        size = out.emit(f"call {_F} @llvm.fabs.v{N}f32({_F} {x})")
        far = self.bits(out.emit(f"fcmp ugt {_F} {size}, {splat32(126.0)}"), 1)

        def edges() -> tuple[Bits, Bits]:
            nan = self.isnan(F32, a)
            none = self.negative(a) & (self.magnitude(F32, a) > bits32(126.0 if ftz else 149.0 + 1.0))
            all = ~self.negative(a) & (self.magnitude(F32, a) >= bits32(128.0))
            found = self.pick(nan, 0x7FFFFFFF, self.pick(all, 0x7F800000, self.pick(none, 0, d)))
            return found, (doubt & ~far) | (far & ~(nan | none | all))

        return self.unless(doubt | far, d, edges, "ex2", a, ftz)

    def quick_lg2(self, a: Bits, ftz: bool) -> Bits:
        """log2 of normal numbers 2^n * m, by log2(m) = log2(1 + z) - log2(c), z = m * c - 1."""
        out = self.out
        k = a >> 19
        n = out.emit(f"sitofp {_I} {self.vector((a >> 23) - 127)} to {_D}")
        m = self.float((a & 0x007FFFFF) | bits32(1.0), False)
        z = self.fused(out.emit(f"fpext {_F} {m} to {_D}"), self.looked_up(_INVERSE, k), splat64(-1.0))
        whole = out.emit(f"fadd {_D} {n}, {self.looked_up(_LOGS, k)}")
        d, doubt = self.rounded_once(self.fused(z, self.polynomial(_LOG2, z), whole))
        other = a - F32.hidden >= 0x7F800000 - F32.hidden

        def edges() -> tuple[Bits, Bits]:
            none = self.magnitude(F32, a) < (F32.hidden if ftz else 1)
            return self.pick(none, 0xFF800000, d), (doubt & ~other) | (other & ~none)

        return self.unless(doubt | other, d, edges, "lg2", a, ftz)

    def quick_rsqrt(self, a: Bits, ftz: bool) -> Bits:
        """1/sqrt of normal numbers: the processor's 14 bits, then the series of (1 - e)^(-1/2)."""
        out = self.out
        x, t = self.float(a, False), "<16 x float>"
        name = "@llvm.x86.avx512.rsqrt14.ps.512"
        guesses = [out.emit(f"call {t} {name}({t} {e}, {t} zeroinitializer, i16 -1)") for e in self.chunks(x, 32)]
        y = out.emit(f"fpext {_F} {self.gathered(guesses, 32)} to {_D}")
        wide = out.emit(f"fneg {_D} {out.emit(f'fpext {_F} {x} to {_D}')}")
        e = self.fused(wide, out.emit(f"fmul {_D} {y}, {y}"), splat64(1.0))
        d, doubt = self.rounded_once(self.fused(out.emit(f"fmul {_D} {y}, {e}"), self.polynomial((0.5, 0.375), e), y))
        other = a - F32.hidden >= 0x7F800000 - F32.hidden
        return self.unless(doubt | other, d, lambda: (d, doubt | other), "rsqrt", a, ftz)

    def quick_circular(self, op: str, a: Bits, ftz: bool) -> Bits:
        """sin and cos up to 2^16: the angle's distance from the nearest axis, through two parts of pi/2."""
        out = self.out
        x = self.float(a, False)
        size = out.emit(f"call {_F} @llvm.fabs.v{N}f32({_F} {x})")
        wide = out.emit(f"fpext {_F} {x} to {_D}")
        shifted = self.fused(wide, splat64(2 / math.pi), splat64(_WHOLE))
        back = out.emit(f"fsub {_D} {splat64(_WHOLE)}, {shifted}")
        r = self.fused(back, splat64(_HALF_PI[1]), self.fused(back, splat64(_HALF_PI[0]), wide))
        square = out.emit(f"fmul {_D} {r}, {r}")
        sine = out.emit(f"fmul {_D} {r}, {self.polynomial(_SIN, square)}")
        turned = self.bits(out.emit(f"bitcast {_D} {shifted} to {_L}"), 64) + (op == "cos")
        odd = self.vector((turned & 1) != 0)
        v = out.emit(f"select <{N} x i1> {odd}, {_D} {self.polynomial(_COS, square)}, {_D} {sine}")
        d, doubt = self.rounded_once(v)
        d = d ^ ((self.resize(turned, 32) << 30) & 0x80000000)
        far = self.bits(out.emit(f"fcmp ugt {_F} {size}, {splat32(65536.0)}"), 1)
        tiny = (
            self.bits(out.emit(f"fcmp olt {_F} {size}, {splat32(2.0**-126)}"), 1) if op == "sin" else self.const(0, 1)
        )

        def edges() -> tuple[Bits, Bits]:
            return self.select(tiny, self.flush(F32, a, ftz), d), (doubt & ~tiny) | far

        return self.unless(doubt | far | tiny, d, edges, op, a, ftz)

    def quick_tanh(self, a: Bits, ftz: bool) -> Bits:
        """A fraction near zero, (e^2a - 1) / (e^2a + 1) elsewhere, up to 10, where the result is 1 long since."""
        out = self.out
        x = self.float(a, False)
        size = out.emit(f"call {_F} @llvm.fabs.v{N}f32({_F} {x})")
        other = self.bits(out.emit(f"fcmp ult {_F} {size}, {splat32(2.0**-126)}"), 1)
        near = out.emit(f"fcmp olt {_F} {size}, {splat32(0.3125)}")
        most = out.emit(f"fcmp olt {_F} {size}, {splat32(10.0)}")
        m = out.emit(f"select <{N} x i1> {most}, {_F} {size}, {_F} {splat32(10.0)}")
        m = out.emit(f"fpext {_F} {m} to {_D}")
        square = out.emit(f"fmul {_D} {m}, {m}")
        y = out.emit(f"fmul {_D} {m}, {splat64(2 / math.log(2))}")
        shifted = out.emit(f"fadd {_D} {y}, {splat64(_WIDE_SIXTEENTHS)}")
        r = out.emit(f"fsub {_D} {y}, {out.emit(f'fsub {_D} {shifted}, {splat64(_WIDE_SIXTEENTHS)}')}")
        k = self.bits(out.emit(f"bitcast {_D} {shifted} to {_L}"), 64)
        table = self.looked_up([2 ** (j / 16) for j in range(16)], k)
        e = out.emit(f"fmul {_D} {table}, {self.polynomial(_EXP2_LONGER, r)}")
        e = self.float(self.bits(out.emit(f"bitcast {_D} {e} to {_L}"), 64) + ((k << 48) & (0xFFF << 52)), False)
        up = [
            out.emit(f"fmul {_D} {m}, {self.polynomial(_TANH_UP, square)}"),
            out.emit(f"fadd {_D} {e}, {splat64(-1.0)}"),
        ]
        down = [self.polynomial(_TANH_DOWN, square), out.emit(f"fadd {_D} {e}, {splat64(1.0)}")]
        parts = [out.emit(f"select <{N} x i1> {near}, {_D} {p}, {_D} {q}") for p, q in (up, down)]
        d, doubt = self.rounded_once(out.emit(f"fdiv {_D} {parts[0]}, {parts[1]}"))
        d = d | (a & F32.sign)

        def edges() -> tuple[Bits, Bits]:
            nan = self.isnan(F32, a)
            return self.pick(nan, 0x7FFFFFFF, self.select(other, self.flush(F32, a, ftz), d)), doubt & ~other

        return self.unless(doubt | other, d, edges, "tanh", a, ftz)

    # Parts

    def unless(self, rare: Bits, d: Bits, edges: Callable[[], tuple[Bits, Bits]], op: str, a: Bits, ftz: bool) -> Bits:
        """`d`; where a lane is `rare`, what `edges` makes of it, and where that is in doubt still, the definition."""
        out, quick = self.out, self.vector(d)
        with out.seldom(self.any_of(rare)) as labels:
            better, doubt = edges()
            name = self.vector(better)
            with out.seldom(self.any_of(doubt)) as inner:
                exact = self.vector(self.defined(op, F32, a, ftz))
            found = out.emit(f"phi {_I} [{name}, %{inner[0]}], [{exact}, %{inner[1]}]")
        return self.bits(out.emit(f"phi {_I} [{quick}, %{labels[0]}], [{found}, %{labels[1]}]"), 32)

    def polynomial(self, coefficients: Sequence[float], r: str) -> str:
        d = splat64(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            d = self.fused(d, r, splat64(c))
        return d

    def fused(self, a: str, b: str, c: str) -> str:
        return self.out.emit(f"call {_D} @llvm.fma.v{N}f64({_D} {a}, {_D} {b}, {_D} {c})")

    def looked_up(self, table: Sequence[float], k: Bits) -> str:
        """Of 16 numbers, those that the low four bits of `k` choose."""
        out, t, i = self.out, "<8 x double>", "<8 x i64>"
        low, high = (f"<{', '.join(f'double {literal(e)}' for e in table[s : s + 8])}>" for s in (0, 8))
        wide = self.vector(self.resize(k, 64))
        parts = [
            out.emit(f"bitcast {t} {part} to {i}") for part in self.chunks(out.emit(f"bitcast {_L} {wide} to {_D}"), 64)
        ]
        name = "@llvm.x86.avx512.vpermi2var.pd.512"
        return self.gathered([out.emit(f"call {t} {name}({t} {low}, {i} {e}, {t} {high})") for e in parts], 64)

    def rounded_once(self, v: str) -> tuple[Bits, Bits]:
        """An f64 as f32, and whether it is so near to the middle of two that its error may count."""
        words = f"<{2 * N} x i32>"
        code = self.out.emit(f"bitcast {_D} {v} to {words}")
        order = ", ".join(f"i32 {i}" for i in range(0, 2 * N, 2))
        low = self.bits(self.out.emit(f"shufflevector {words} {code}, {words} poison, {_I} <{order}>"), 32)
        near = ((low + (_MIDDLE + _DOUBT)) & (2 * _MIDDLE - 2 * _DOUBT)) == 0
        single = self.out.emit(f"fptrunc {_D} {v} to {_F}")
        return self.bits(self.out.emit(f"bitcast {_F} {single} to {_I}"), 32), near


def literal(value: float) -> str:
    return f"0x{struct.pack('>d', value).hex()}"


def splat32(value: float) -> str:
    return f"splat (float {literal(value)})"


def splat64(value: float) -> str:
    return f"splat (double {literal(value)})"


def bits32(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")
