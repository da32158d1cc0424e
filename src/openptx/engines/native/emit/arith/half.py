"""f16 and bf16 by f32: fast where double rounding is harmless, exact where it is not."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.arith.float_bits import FloatBits
from openptx.engines.native.emit.ir_builder import LaneType
from openptx.numerics import Bits
from openptx.numerics.formats import BF16, F16, F32

VECTOR = LaneType(32, False)  # of f32
CHOICE = 0xD8  # bits of the second where the third has ones, else of the first, in the encoding of `vpternlogd`
WORDS = f"<{N // 2} x i32>"  # two lanes of 16 bits each


class HalfOps(FloatBits):
    # f16 by f32

    def half(self, op: str, operands: tuple[Bits, ...]) -> Bits:
        """f16 by f32: with 24 bits, double rounding of one operation on 11-bit operands is harmless. A fused operation
        is rounded to odd first: by AVX-512 and AVX2 always, else only if its f32 is midway between two f16 or below the
        normal ones."""
        out, t = self.ir, VECTOR.float
        x = [self.half_float(a) for a in operands]
        if op != "fma":
            return self.to_half(out.emit(f"{op} {t} {x[0]}, {x[1]}"))
        if self.cpu.avx512:
            return self.to_half(self.odd(op, x))
        if self.cpu.avx2 and self.cpu.fma:
            return self.to_half(self.odd_fma(x))
        if not self.cpu.fma:
            return self.to_half(self.odd_sum(out.emit(f"fmul {t} {x[0]}, {x[1]}"), x[2]))
        quick = out.emit(f"call {t} @llvm.fma.v{N}f32({', '.join(f'{t} {e}' for e in x)})")
        code = self.bits_of_float(VECTOR, quick)
        middle = (code & 0x1FFF) == 0x1000
        small = ((code & 0x7FFFFFFF) - 1) < 0x387FFFFF  # below 2^-14, but not 0
        with out.cold_block(self.any_of(middle | small)) as labels:
            exact = self.odd_sum(out.emit(f"fmul {t} {x[0]}, {x[1]}"), x[2])
        return self.to_half(out.phi(t, labels, quick, exact))

    def odd(self, op: str, x: Sequence[str]) -> str:
        """An operation in f32, rounded to odd: an inexact result becomes the neighbour whose last bit is set. Rounding
        this again, to at least two bits fewer, is the same as rounding once (Boldo and Melquiond, 2008). A sum that
        cancels gives -0 and 0, of which the second is right."""
        out, t, i = self.ir, VECTOR.float, VECTOR.int
        down, up = (self.directed(op, 32, x, rnd) for rnd in ("rm", "rp"))
        last = out.emit(f"and {i} {out.emit(f'bitcast {t} {down} to {i}')}, splat (i32 1)")
        odd = out.emit(f"icmp ne {i} {last}, zeroinitializer")
        return out.emit(f"select <{N} x i1> {odd}, {t} {down}, {t} {up}")

    def odd_fma(self, x: Sequence[str]) -> str:
        """A fused operation in f32 on operands of f16, rounded to odd by AVX2.

        Directed rounding (`directed`) would take fewer instructions, but 40 cycles for each of four mode changes on a
        Zen 5, depending on where the code lies. The product is exact, so the error of the sum is, too (Knuth's sum of
        two numbers, with the product fused). An even result becomes its neighbour in the direction of the error. The
        sign of error times result tells whether that is the next higher code: 0 is +0, by the sum with 0, and NaN is
        negative, so that infinite results stay infinite or become the largest f32.
        """
        out, t = self.ir, VECTOR.float
        a, b, c = x
        s = self.fused(a, b, c)
        product = out.emit(f"fsub {t} {s}, {c}")  # nearly
        addend = out.emit(f"fsub {t} {s}, {product}")
        error = self.fused(a, b, out.emit(f"fneg {t} {product}"))
        error = out.emit(f"fadd {t} {error}, {out.emit(f'fsub {t} {c}, {addend}')}")
        code = self.bits_of_float(VECTOR, s)
        step = self.signed(~code & 1, self.fused(error, s, "zeroinitializer"))
        return self.float(code + step, False)

    def fused(self, a: str, b: str, c: str) -> str:
        t = VECTOR.float
        return self.ir.emit(f"call {t} @llvm.fma.v{N}f32({t} {a}, {t} {b}, {t} {c})")

    def signed(self, a: Bits, x: str) -> Bits:
        """Integers of lanes with the signs of floats; 0 if the float is +0."""
        out, n = self.ir, 8
        t = f"<{n} x i32>"
        names = self.vector(a), out.emit(f"bitcast {VECTOR.float} {x} to {VECTOR.int}")
        parts = [[out.shuffle(VECTOR.int, e, "poison", range(i, i + n)) for e in names] for i in range(0, N, n)]
        done = [out.emit(f"call {t} @llvm.x86.avx2.psign.d({t} {d}, {t} {by})") for d, by in parts]
        return self.bits(out.concatenate("i32", n, done), 32)

    def odd_sum(self, p: str, c: str) -> str:
        """p + c in f32, rounded to odd: the last bit is set if the result is inexact."""
        out, t, i = self.ir, VECTOR.float, VECTOR.int
        s = out.emit(f"fadd {t} {p}, {c}")
        back = out.emit(f"fsub {t} {s}, {p}")
        rest = out.emit(f"fsub {t} {s}, {back}")
        e1 = out.emit(f"fsub {t} {p}, {rest}")
        e2 = out.emit(f"fsub {t} {c}, {back}")
        e = out.emit(f"fadd {t} {e1}, {e2}")
        wrong = out.emit(f"fcmp one {t} {e}, zeroinitializer")
        code = out.emit(f"bitcast {t} {s} to {i}")
        error = out.emit(f"bitcast {t} {e} to {i}")
        apart = out.emit(f"xor {i} {code}, {error}")
        sign = out.emit(f"ashr {i} {apart}, splat (i32 31)")
        step = out.emit(f"or {i} {sign}, splat (i32 1)")  # towards the error: -1 if signs differ
        even = out.emit(f"and {i} {code}, splat (i32 1)")
        even = out.emit(f"icmp eq {i} {even}, zeroinitializer")
        inexact = out.emit(f"and <{N} x i1> {wrong}, {even}")
        step = out.emit(f"select <{N} x i1> {inexact}, {i} {step}, {i} zeroinitializer")
        odd = out.emit(f"add {i} {code}, {step}")
        return out.emit(f"bitcast {i} {odd} to {t}")

    def half_float(self, a: Bits, uniform: bool = False) -> str:
        if not uniform and (once := self.of_launch(a)) is not None:
            with self.ir.at_entry():
                return self.splat(self.half_float(once, True), "float")
        half, single = LaneType(16, uniform), LaneType(32, uniform)
        return self.ir.emit(f"fpext {half.float} {self.float(a, uniform)} to {single.float}")

    def to_half(self, name: str, uniform: bool = False) -> Bits:
        """An f32 rounded to f16, with the canonical NaN."""
        half, single = LaneType(16, uniform), LaneType(32, uniform)
        if self.cpu.avx512 and not self.cpu.fp16 and not uniform:
            name = self.with_nan(name, 0x7FFFFFFF)
            return self.bits_of_float(half, self.ir.emit(f"fptrunc {single.float} {name} to {half.float}"))
        short = self.ir.emit(f"fptrunc {single.float} {name} to {half.float}")
        if self.cpu.fp16:
            return self.raw(short, 16, uniform)
        d = self.bits_of_float(half, short)
        return self.pick(super().isnan(F16, d), 0x7FFF, d)

    # bf16 by f32

    def bf16_op(self, op: str, operands: tuple[Bits, ...]) -> Bits:
        """Double rounding of sums is harmless. A product, fused or not, is rounded to odd first: by AVX-512 and AVX2
        always, else only if its f32 is midway between two bf16. Otherwise half a unit is added, and the rest
        truncated."""
        out, t = self.ir, VECTOR.float
        if self.cpu.avx512 or (self.cpu.avx2 and self.cpu.fma):
            return self.bf16_by_words(op, operands)
        operands = tuple(self.bits(self.vector(a), 16) for a in operands)
        x = [self.float(self.bf16_to_float(a), False) for a in operands]
        if op == "fadd":
            return self.float_to_bf16(self.raw(out.emit(f"fadd {t} {x[0]}, {x[1]}"), 32, False))
        if op == "fma":
            single = out.emit(f"call {t} @llvm.fma.v{N}f32({', '.join(f'{t} {e}' for e in x)})")
        else:
            single = out.emit(f"fmul {t} {x[0]}, {x[1]}")
        up = self.bits_of_float(VECTOR, single) + 0x8000
        quick = self.vector(self.canonical_bf16(self.resize(up >> 16, 16)))
        with out.cold_block(self.any_of((up & 0xFFFF) == 0)) as labels:
            exact = self.vector(self.exact_bf16(op, operands, x))
        return self.bits(out.phi(vector_type(16), labels, quick, exact), 16)

    def bf16_by_words(self, op: str, operands: tuple[Bits, ...]) -> Bits:
        """Words of two lanes become f32 by a shift and a mask, even lanes first and then odd ones: half the cost of
        widening them in order, and the order does not matter, because all lanes do the same."""
        out, t = self.ir, VECTOR.float
        x = [self.even_and_odd(a) for a in operands]
        if not self.cpu.avx512:
            return self.bf16_by_avx2(op, operands, x)
        d = out.emit(f"fadd {t} {x[0]}, {x[1]}") if op == "fadd" else self.odd(op, x)
        up = self.bits_of_float(VECTOR, d) + 0x8000
        return self.upper_by_words(self.pick((up & 0xFFFF) == 0, up & ~0x10000, up))  # midway: to the even one

    def bf16_by_avx2(self, op: str, operands: tuple[Bits, ...], x: list[str]) -> Bits:
        """A product of two bf16 is exact in f32. A fused result matters if it is midway between two bf16: then the
        product of the factors minus it is an exact f32 (16 bits and 9 bits, and the product is at least 2^-8 of it, or
        it would be c), and that plus c has the error's sign. Neither holds below 2^-125, where the definition decides,
        unless the result is 0. Infinity may become a NaN of f32, which is not visible in bf16."""
        out, t = self.ir, VECTOR.float
        d = self.fused(*x) if op == "fma" else out.emit(f"{op} {t} {x[0]}, {x[1]}")
        code = self.bits_of_float(VECTOR, d)
        if op == "fma":
            error = self.fused(x[0], x[1], out.emit(f"fneg {t} {d}"))
            error = out.emit(f"fadd {t} {error}, {x[2]}")
            rounded = self.tied(code) + self.signed(self.signed(~code & 1, d), error)
        else:
            rounded = self.tied(code)
        quick = self.upper_by_words(rounded)
        if op == "fadd":
            return quick
        quick = self.vector(quick)
        with out.cold_block(self.some_below((code & 0x7FFFFFFF) - 1, (2 << 23) - 1)) as labels:
            exact = self.vector(self.outlined(op, BF16, *operands, "rn", False))
        return self.bits(out.phi(vector_type(16), labels, quick, exact), 16)

    def upper_by_words(self, rounded: Bits) -> Bits:
        """The upper halves of 32-bit numbers, in the order of the lanes; the numbers of even lanes come first, then
        those of odd lanes."""
        out = self.ir
        name = self.vector(rounded)
        even, odd = (out.shuffle(VECTOR.int, name, "poison", range(k, k + N // 2)) for k in (0, N // 2))
        low = out.emit(f"lshr {WORDS} {even}, splat (i32 16)")
        if self.cpu.avx512:
            # Written as LLVM operations it would be a permutation, which takes twice as long.
            call = f"call {WORDS} @llvm.x86.avx512.pternlog.d.512"
            both = out.emit(f"{call}({WORDS} {low}, {WORDS} {odd}, {WORDS} splat (i32 -65536), i32 {CHOICE})")
        else:
            both = out.emit(f"or {WORDS} {low}, {out.emit(f'and {WORDS} {odd}, splat (i32 -65536)')}")
        return self.canonical_bf16(self.bits(out.emit(f"bitcast {WORDS} {both} to {vector_type(16)}"), 16))

    def even_and_odd(self, a: Bits) -> str:
        """The f32 of even lanes, then those of odd lanes."""
        if (once := self.of_launch(a)) is not None:
            with self.ir.at_entry():
                return self.float(self.bf16_to_float(once), False)
        if self.uniform(a):
            return self.float(self.bf16_to_float(a), False)
        words = self.ir.emit(f"bitcast {vector_type(16)} {self.vector(a)} to {WORDS}")
        even = self.ir.emit(f"shl {WORDS} {words}, splat (i32 16)")
        odd = self.ir.emit(f"and {WORDS} {words}, splat (i32 -65536)")
        both = self.ir.shuffle(WORDS, even, odd, range(N))
        return self.ir.emit(f"bitcast {VECTOR.int} {both} to {VECTOR.float}")

    def exact_bf16(self, op: str, operands: tuple[Bits, ...], x: list[str]) -> Bits:
        """Products of bf16 are exact in f32. If one may be too small or too large for f32, the definition decides."""
        out, t = self.ir, VECTOR.float
        p = out.emit(f"fmul {t} {x[0]}, {x[1]}")
        size = self.bits_of_float(VECTOR, p) & 0x7FFFFFFF
        zero = (self.magnitude(BF16, operands[0]) == 0) | (self.magnitude(BF16, operands[1]) == 0)
        inexact = ((size < 0x0B000000) & ~zero) | (size == 0x7F800000)
        quick = self.vector(self.float_to_bf16(self.raw(p if op == "fmul" else self.odd_sum(p, x[2]), 32, False)))
        with out.cold_block(self.any_of(inexact)) as labels:
            exact = self.vector(self.outlined(op, BF16, *operands, "rn", False))
        return self.bits(out.phi(vector_type(16), labels, quick, exact), 16)

    def bf16_to_float(self, a: Bits) -> Bits:
        return self.resize(a, 32) << 16

    def float_to_bf16(self, a: Bits) -> Bits:
        """f32 to bf16, to nearest even: the upper half, after adding half a unit and the tie's bit."""
        t = self.type_of(a)
        up = self.tied(self.bits_of_float(t, self.float(a, t.uniform)))
        return self.pick(self.isnan(F32, a), 0x7FFF, self.resize(up >> 16, 16))

    def tied(self, code: Bits) -> Bits:
        """Adds half a unit of the upper half, or one bit less if that is already even."""
        return code + (((code >> 16) & 1) + 0x7FFF)

    def canonical_bf16(self, d: Bits) -> Bits:
        """A NaN from bf16 arithmetic in f32 has no lower bits, so truncation keeps it a NaN."""
        return self.pick(self.isnan(BF16, d), BF16.nan or 0, d)
