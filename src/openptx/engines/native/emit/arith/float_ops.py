"""Float operations on the processor: the same bits as the generic definitions, an order of magnitude faster.

A float stays one until its bits are needed: only then are its NaNs made canonical (f32), or its payloads corrected
(f64, where at most one NaN operand gives the same bits on x86 as the definition does).
"""

from __future__ import annotations

from math import inf

from openptx.engines.native.analysis.capabilities import Conversion, Rounding
from openptx.engines.native.analysis.lattice import N, Value, is_finite
from openptx.engines.native.emit.arith.float_to_int import saturated_int
from openptx.engines.native.emit.arith.mufu import MufuOps
from openptx.engines.native.emit.ir_builder import FLOAT, LaneType
from openptx.numerics import Bits, Format, Signedness
from openptx.numerics.bits import S
from openptx.numerics.formats import F32
from openptx.numerics.rounding import TO_INTEGER

_SMALLEST, _LARGEST = 4, 5  # of two, with its own sign, in the encoding of `vrangeps`
_QUIET = 0x11111121  # `fixed_up`: signalling NaNs, the second kind, become quiet ones
_NANS_TAKEN = 0x22  # `fixed_up`: NaNs become quiet ones, a's elements stay in place of all else
_INTEGERS = 0x4B000000  # 2^23 in f32, from which on all numbers are integers
_WHOLE = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}


class FloatOps(MufuOps):
    # Arithmetic

    def fsub(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        if f.name == "f32" and rnd == "rn" and not ftz:
            return self.rounded("fsub", f, (a, b), rnd, ftz)
        d = super().fsub(f, a, b, rnd, ftz)
        if f.name == "f64" and isinstance(d.v, Value):  # the payload of a NaN `b` keeps its sign
            return self.payloads(f, "fsub", d, (a, b), True)
        return d

    def fsubr(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        d = super().fsubr(f, a, b, rnd, ftz)
        return self.payloads(f, "fsubr", d, (a, b), True) if f.name == "f64" and isinstance(d.v, Value) else d

    def float_operation(
        self, how: Rounding, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool
    ) -> Bits:
        if how == "bf16":
            return self.bf16_op(op, operands)
        if ftz:
            operands = tuple(self.flush(f, a) for a in operands)
        if how == "half":
            d = self.half(op, operands)
        else:
            t = self.common_type(f.storage, operands)
            name = self.instruction(op, t, operands, rnd)
            if 0 < self.foldable(f, operands) >= len(operands) - 1:
                name = self.quiet(t, name, operands)
            d = self.raw(name, t.width, t.uniform, self.bound_of(op, f, operands))
        if ftz:
            d = self.flushed(op, f, d, operands, rnd)
        if isinstance(d.v, Value):
            d.v.reduced = seems_reduced(op, f, operands, rnd)
        if ftz:
            return d
        return self.payloads(f, op, d, operands, rnd == "rn" and self.may_fold(f, operands)) if f.name == "f64" else d

    def bound_of(self, op: str, f: Format, operands: tuple[Bits, ...]) -> float:
        """An upper bound of a result's magnitude; infinite if it may overflow, or be a NaN."""
        if f.name != "f32" or op not in ("fadd", "fsub", "fmul", "fma"):
            return inf
        a, b, *c = (self.bound(f, a) for a in operands)
        most = a + b if op in ("fadd", "fsub") else a * b + sum(c)
        return most if most < 2**126 else inf

    def instruction(self, op: str, t: LaneType, operands: tuple[Bits, ...], rnd: str) -> str:
        """The name of the float result of a processor instruction."""
        if rnd == "rm" and self.sums_are_integers(op, t, operands):
            return self.floor_of_product(operands)
        if rnd != "rn":
            directed = self.directed_scalar if t.uniform else self.directed
            return directed(op, t.width, [self.float(a, t.uniform) for a in operands], rnd)
        x = [self.float(a, t.uniform) for a in operands]
        if op in ("fma", "fsqrt"):
            return self.float_call("fma" if op == "fma" else "sqrt", t, *x)
        return self.ir.emit(f"{op} {t.float} {x[0]}, {x[1]}")

    def sums_are_integers(self, op: str, t: LaneType, operands: tuple[Bits, ...]) -> bool:
        """Whether a fused operation by AVX2 adds a product to a constant so large that sums are integers, one apart, as
        CUDA's `expf` does to round the product."""
        if op != "fma" or t.width != 32 or t.uniform or self.cpu.avx512 or not self.cpu.rounds:
            return False
        a, b, c = operands
        if not isinstance(c.v, int) or not _INTEGERS <= c.v < _INTEGERS + F32.hidden:
            return False
        room = min(c.v - _INTEGERS - 1, _INTEGERS + F32.hidden - c.v)
        return self.bound(F32, a) * self.bound(F32, b) < room

    def floor_of_product(self, operands: tuple[Bits, ...]) -> str:
        """Such a sum, rounded down without changing the processor's mode: one less where the nearest is too high. The
        product minus that integer is fused, so its sign is right; that of zero is +, since the integer's zero is."""
        t, (a, b, c) = LaneType(32, False), [self.float(e, False) for e in operands]
        nearest = self.fused(a, b, c)
        rest = self.fused(a, b, self.ir.emit(f"fsub {t.float} {c}, {nearest}"))
        d = self.bits_of_float(t, nearest) + self.shr(S, self.bits_of_float(t, rest), 31)
        return self.float(d, False)

    def float_call(self, name: str, t: LaneType, *x: str) -> str:
        """An LLVM intrinsic on floats."""
        return self.ir.emit(f"call {t.float} @llvm.{name}.{t.float_suffix}({', '.join(f'{t.float} {e}' for e in x)})")

    # Where the processor differs

    def payloads(self, f: Format, op: str, d: Bits, operands: tuple[Bits, ...], always: bool) -> Bits:
        """A NaN operand is propagated. If at most one operand can be NaN, the processor has done so."""
        may_be_nan = {id(a.v): a for a in operands if not self.is_number(f, a)}
        if len(may_be_nan) < 2 and not always:
            return d
        t = self.type_of(d)
        name = self.float(d, t.uniform)
        for a in operands:  # the cold block needs their bits, so they are computed before it
            self.name_of(a, self.uniform(a))
        with self.ir.cold_block(self.some_nan(t, name)) as labels:
            exact = self.payload(f, self.bits_of_float(t, name), op, *operands)
            slow = self.float(exact, t.uniform)
        return self.raw(self.ir.phi(t.float, labels, name, slow), 64, t.uniform)

    def may_fold(self, f: Format, operands: tuple[Bits, ...]) -> bool:
        """Whether LLVM may remove the operation or make it a change of sign, as it does with sums with zero, products
        with one and quotients by one: it treats a NaN's sign and quiet bit as undefined (LLVM's LangRef)."""
        return self.foldable(f, operands) > 0

    def foldable(self, f: Format, operands: tuple[Bits, ...]) -> int:
        """The number of operands that are the constants zero or one, of either sign."""
        one = f.bias << f.man
        return sum(isinstance(a.v, int) and a.v & f.magnitude in (0, one) for a in operands)

    def is_number(self, f: Format, a: Bits) -> bool:
        """Whether it is known not to be NaN."""
        return isinstance(a.v, int) and (a.v & f.magnitude) <= f.largest + 1

    # Signs and saturation

    def fneg(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.with_sign(f, "fneg", a, super().fneg(f, self.copied(a), ftz), ftz)

    def fabs(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.with_sign(f, "fabs", a, super().fabs(f, self.copied(a), ftz), ftz)

    def copied(self, a: Bits) -> Bits:
        """A copy of the value: computing the copy's bits leaves `a` a float without bits."""
        v = a.v
        if not isinstance(v, Value) or v.name:
            return a
        return self.raw(v.raw, a.width, self.uniform(a), v.bound, v.flushed)

    def with_sign(self, f: Format, op: str, a: Bits, d: Bits, ftz: bool) -> Bits:
        """`d` as bits and as a float: one of the two will be used."""
        if isinstance(a.v, Value) and isinstance(d.v, Value) and a.v.raw and not ftz and f.name in ("f16", "f32"):
            t = self.type_of(a)
            name = self.float_call(op, t, a.v.raw) if op == "fabs" else self.ir.emit(f"fneg {t.float} {a.v.raw}")
            d.v.raw, d.v.bound, d.v.flushed = name, a.v.bound, a.v.flushed
        if isinstance(a.v, Value) and isinstance(d.v, Value):
            d.v.reduced = a.v.reduced
        return d

    def saturated(self, f: Format, a: Bits, v: Value) -> Bits:
        t = self.type_of(a)
        if t.width == 32 and not t.uniform and self.cpu.avx2 and not self.cpu.avx512:
            return self.raw(self.saturated_by_extremes(self.float(a, False)), 32, False, 1.0, v.flushed)
        x, one = self.float(a, t.uniform), "1.0" if t.uniform else f"splat ({FLOAT[t.width]} 1.0)"
        for condition, limit in (("ogt", "zeroinitializer"), ("olt", one)):
            inside = self.ir.emit(f"fcmp {condition} {t.float} {x}, {limit}")
            x = self.ir.emit(f"select {t.predicate} {inside}, {t.float} {x}, {t.float} {limit}")
        return self.raw(x, t.width, t.uniform, 1.0, v.flushed)

    def saturated_by_extremes(self, x: str) -> str:
        """By AVX2's extremes, whose result is the second operand if one is NaN, or both are zeros."""
        ir, t, done = self.ir, "<8 x float>", list[str]()
        for first in range(0, N, 8):
            part = ir.shuffle(f"<{N} x float>", x, "poison", range(first, first + 8))
            for name, limit in (("max", "zeroinitializer"), ("min", "splat (float 1.0)")):
                part = ir.emit(f"call {t} @llvm.x86.avx.{name}.ps.256({t} {part}, {t} {limit})")
            done.append(part)
        return ir.concatenate("float", 8, done)

    def float_extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool) -> Bits:
        t = self.common_type(f.storage, operands)
        name = ("maximum" if largest else "minimum") + ("" if nan else "num")
        if self.cpu.avx512 and t.width == 32 and not t.uniform:
            return self.extreme_by_range(operands, largest, nan)
        d = self.float(operands[0], t.uniform)
        for b in operands[1:]:
            d = self.float_call(name, t, d, self.float(b, t.uniform))
        d = self.quiet(t, d, operands)
        flushed = all(isinstance(a.v, Value) and a.v.flushed for a in operands)
        return self.raw(d, t.width, t.uniform, inf, flushed)

    def extreme_by_range(self, operands: tuple[Bits, ...], largest: bool, nan: bool) -> Bits:
        """By `vrangeps`, which agrees with PTX for zeros and one quiet NaN; it would propagate a signalling NaN. With
        `nan`, a NaN is returned where there is one."""
        n = 16
        d: list[str] = []
        for a in operands:
            x = self.float(a, False)
            parts = [self.ir.shuffle(f"<{N} x float>", x, "poison", range(k, k + n)) for k in (0, n)]
            if not nan and not self.is_quiet(a):
                parts = [self.fixed_up(part, part, _QUIET) for part in parts]
            if d:
                found = [self.range_of_two(x, y, largest) for x, y in zip(d, parts, strict=True)]
                if nan:
                    known = is_finite(a.v, 32)
                    found = [self.with_nans(*each, known) for each in zip(found, d, parts, strict=True)]
                d = found
            else:
                d = parts
        flushed = all(isinstance(a.v, Value) and a.v.flushed for a in operands)
        return self.raw(self.ir.concatenate("float", n, d), 32, False, inf, flushed)

    def range_of_two(self, x: str, y: str, largest: bool) -> str:
        """Sixteen maxima or minima by `vrangeps`."""
        t = "<16 x float>"
        rest = f"i32 {_LARGEST if largest else _SMALLEST}, {t} zeroinitializer, i16 -1, i32 4"
        return self.ir.emit(f"call {t} @llvm.x86.avx512.mask.range.ps.512({t} {x}, {t} {y}, {rest})")

    def with_nans(self, d: str, x: str, y: str, is_number: bool) -> str:
        """`d`, but quiet NaNs where `x` or `y` is one; `y` is none if `is_number`."""
        if is_number:
            return self.fixed_up(d, x, _NANS_TAKEN)
        t = "<16 x float>"
        either = self.ir.emit(f"fcmp uno {t} {x}, {y}")
        return self.ir.emit(f"select <16 x i1> {either}, {t} splat (float 0x7FF8000000000000), {t} {d}")

    def quiet(self, t: LaneType, name: str, operands: tuple[Bits, ...]) -> str:
        """A result of which LLVM may make an operand as it is, without the signalling NaNs that `extreme_by_range` does
        not expect of results."""
        if not self.cpu.avx512 or t.width != 32 or all(map(self.is_quiet, operands)):
            return name
        if t.uniform:
            nan = self.ir.emit(f"fcmp uno {t.float} {name}, 0.0")
            return self.ir.emit(f"select i1 {nan}, {t.float} 0x7FF8000000000000, {t.float} {name}")
        parts = [self.ir.shuffle(f"<{N} x float>", name, "poison", range(k, k + 16)) for k in (0, 16)]
        return self.ir.concatenate("float", 16, [self.fixed_up(part, part, _QUIET) for part in parts])

    def is_quiet(self, a: Bits) -> bool:
        """Whether every lane is known not to be a signalling NaN: results of the processor's operations never are."""
        return is_finite(a.v, a.width) or (isinstance(a.v, Value) and bool(a.v.raw) and not a.v.name)

    def float_comparison(self, condition: str, f: Format, a: Bits, b: Bits) -> Bits:
        t = self.common_type(f.storage, (a, b))
        x, y = self.float(a, t.uniform), self.float(b, t.uniform)
        return self.bits(self.ir.emit(f"fcmp {condition} {t.float} {x}, {y}"), 1, t.lanes)

    # Conversion

    def converted(self, how: Conversion, d: Format, s: Format, a: Bits) -> Bits:
        if (once := self.of_launch(a)) is not None:
            with self.ir.at_entry():
                return self.converted(how, d, s, once)
        source, target = self.type_of(a), LaneType(d.storage, self.uniform(a))
        if s.name == "f16":  # all f16 are normal numbers in f32
            return self.raw(self.half_float(a, source.uniform), 32, source.uniform, inf, True)
        if d.name == "f16":
            return self.to_half(self.float(a, source.uniform), source.uniform)
        if s.name == "bf16":
            return self.bf16_to_float(a)
        if d.name == "bf16":
            return self.float_to_bf16(a)
        op = "fpext" if d.name == "f64" else "fptrunc"  # payloads move as in the definition
        fenced = d.name == "f64" and not self.is_quiet(a)
        x = self.float(self.settle_bits(a), source.uniform)
        x = self.ir.emit(f"{op} {source.float} {x} to {target.float}")
        if fenced:  # LLVM would remove a conversion back, which makes a signalling NaN quiet
            x = self.float_call("arithmetic.fence", target, x)
        return self.bits_of_float(target, x)

    def int_to_float(self, f: Format, t: Signedness, a: Bits) -> Bits:
        target = LaneType(f.storage, self.uniform(a))

        def converted(a: Bits) -> str:
            source, op = self.type_of(a), "sitofp" if t.signed else "uitofp"
            return self.ir.emit(f"{op} {source.int} {self.name_of(a, source.uniform)} to {target.float}")

        def converted_bits(a: Bits) -> Bits:
            return self.bits_of_float(target, converted(a))

        if not self.converts_lanes(a, a.width):
            return self.raw(converted(a), target.width, target.uniform)
        d = self.in_function(("from_int", f, t.signed, a.width), (a,), converted_bits)
        return self.raw(self.float(d, False), target.width, False)

    def float_to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, w: int, ftz: bool) -> Bits:
        source, target = self.type_of(a), LaneType(w, self.uniform(a))
        rnd = TO_INTEGER.get(rnd, rnd)
        vectors = not source.uniform and self.cpu.x86 and (w <= 32 or self.cpu.avx512)
        if ftz and f.name == "f32":
            a = self.flush(f, a)

        def converted(a: Bits) -> Bits:
            x = self.float(a, source.uniform)
            if rnd != "rz":
                x = self.float_call(_WHOLE[rnd], source, x)
            if vectors:
                d = self.bits(saturated_int(self.ir, source.width, x, w, t.signed), w)
            else:
                name = f"llvm.fpto{'s' if t.signed else 'u'}i.sat.{target.int_suffix}.{source.float_suffix}"
                d = self.typed(target, self.ir.emit(f"call {target.int} @{name}({source.float} {x})"))
            unlike = (w == 64 or f.name == "f64") and not (vectors and t.signed)
            return self.pick(self.isnan(f, a), 1 << w - 1, d) if unlike else d

        if self.converts_lanes(a, max(w, f.storage)):
            return self.in_function(("to_int", f, rnd, t.signed, w), (a,), converted)
        return converted(a)

    def converts_lanes(self, a: Bits, width: int) -> bool:
        """Whether to call the conversion of a vector between floats and integers, the wider of this width, because LLVM
        converts lane by lane and the code is to be short. In a loop of one the call takes 1.06 of the time."""
        return self.is_short and width == 64 and not self.cpu.avx512 and not self.uniform(a)

    def float_integral(self, f: Format, a: Bits, rnd: str, ftz: bool) -> Bits:
        t = self.type_of(a)
        if ftz and f is F32:
            a = self.flush(F32, a)
        name = self.float_call(_WHOLE[TO_INTEGER.get(rnd, rnd)], t, self.float(a, t.uniform))
        return self.raw(name, t.width, t.uniform)


def seems_reduced(op: str, f: Format, operands: tuple[Bits, ...], rnd: str) -> bool:
    """Whether an operation is part of a range reduction, as CUDA's `expf` has it: a product is rounded down to an
    integer by the addition of a large number, the number is subtracted again, and then the integer from a product."""
    if f is not F32 or op not in ("fadd", "fsub", "fma"):
        return False
    if op == "fma" and rnd == "rm":
        v = operands[2].v
        return isinstance(v, int) and v & f.magnitude >= _INTEGERS
    return any(isinstance(a.v, Value) and a.v.reduced for a in (operands[2:] or operands))
