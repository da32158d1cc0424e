"""Float operations that the processor has: the same bits as the generic definitions, an order of magnitude faster.

A float stays one until somebody looks at its bits: only then are its NaNs made canonical (f32), or are payloads put in
order (f64, where at most one NaN operand gives the same bits on x86 as the definition does).
"""

from __future__ import annotations

from math import inf
from typing import Any

from openptx.engines.native.analysis import capabilities
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, vector_type
from openptx.engines.native.emit.arith.float_bits import FLOAT
from openptx.engines.native.emit.arith.mufu import MufuOps
from openptx.numerics import Bits, Format, Signedness
from openptx.numerics.rounding import TO_INTEGER

_WHOLE = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}


class FloatOps(MufuOps):
    # Sums of products, which are long

    def dot(self, *arguments: Any, **keywords: Any) -> Bits:
        return self.outlined("dot", *arguments, **keywords)

    def block_dot(self, *arguments: Any, **keywords: Any) -> Bits:
        return self.outlined("block_dot", *arguments, **keywords)

    # Arithmetic

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fadd", f, (a, b), rnd, ftz)

    def fsub(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        if f.name == "f32" and rnd == "rn" and not ftz:
            return self.rounded("fsub", f, (a, b), rnd, ftz)
        if f.name == "f64":  # the payload of a NaN `b` keeps its sign
            d = self.fadd(f, a, b ^ f.sign, rnd, ftz)
            return self.payloads(f, "fsub", d, (a, b), True)
        return self.fadd(f, a, b ^ f.sign, rnd, ftz)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fmul", f, (a, b), rnd, ftz)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fma", f, (a, b, c), rnd, ftz)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fdiv", f, (a, b), rnd, ftz)

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fsqrt", f, (a,), rnd, ftz)

    def rounded(self, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool) -> Bits:
        """The operation by the processor where it rounds as asked, else outlined from its definition."""
        how = capabilities.rounding(self.cpu, op, f, rnd, ftz)
        if how is None:
            return self.outlined(op, f, *operands, rnd, ftz)
        if how == "bf16":
            return self.bf16_op(op, operands)
        if ftz:
            operands = tuple(self.flush(f, a) for a in operands)
        if how == "half":
            d = self.half(op, operands)
        else:
            uniform = all(self.uniform(a) for a in operands)
            name = self.instruction(op, f, operands, rnd, uniform)
            d = self.raw(name, f.storage, uniform, self.bound_of(op, f, operands))
        if ftz:
            return self.flushed(op, f, d, operands, rnd)
        return self.payloads(f, op, d, operands) if f.name == "f64" else d

    def bound_of(self, op: str, f: Format, operands: tuple[Bits, ...]) -> float:
        """What the magnitude of a result is at most; infinite where it may overflow, or be a NaN."""
        if f.name != "f32" or op not in ("fadd", "fsub", "fmul", "fma"):
            return inf
        a, b, *c = (self.bound(f, a) for a in operands)
        most = a + b if op in ("fadd", "fsub") else a * b + sum(c)
        return most if most < 2**126 else inf

    def instruction(self, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, uniform: bool) -> str:
        """The name of the float result, by an instruction that the processor has."""
        w, out = f.storage, self.ir
        if rnd == "rn":
            t = self.float_type(w, uniform)
            x = [self.float(a, uniform) for a in operands]
            if op in ("fma", "fsqrt"):
                suffix = f"f{w}" if uniform else f"v{N}f{w}"
                name = "fma" if op == "fma" else "sqrt"
                return out.emit(f"call {t} @llvm.{name}.{suffix}(" + ", ".join(f"{t} {e}" for e in x) + ")")
            return out.emit(f"{op} {t} {x[0]}, {x[1]}")
        name = self.directed(op, w, [self.float(a, False) for a in operands], rnd)
        return out.emit(f"extractelement {self.float_type(w, False)} {name}, i32 0") if uniform else name

    # What the processor does otherwise

    def payloads(self, f: Format, op: str, d: Bits, operands: tuple[Bits, ...], always: bool = False) -> Bits:
        """A NaN operand is handed on. Where at most one can be NaN the processor has done so."""
        doubtful = {id(a.v): a for a in operands if not self.number_known(f, a)}
        if len(doubtful) < 2 and not always:
            return d
        uniform = self.uniform(d)
        t = self.float_type(64, uniform)
        name = self.float(d, uniform)
        nan = self.ir.emit(f"fcmp uno {t} {name}, {'0.0' if uniform else 'zeroinitializer'}")
        found = self.bits(nan, 1, ZEROS if uniform else None)
        for a in operands:  # their bits are needed aside, so they are settled here
            (self.scalar if self.uniform(a) else self.vector)(a)
        with self.ir.cold_block(self.any_of(found)) as labels:
            exact = self.bits(
                self.ir.emit(f"bitcast {t} {name} to {self.full_type(d)}"), 64, ZEROS if uniform else None
            )
            exact = self.payload(f, exact, op, *operands)
            slow = self.float(exact, uniform)
        return self.raw(self.ir.emit(f"phi {t} [{name}, %{labels[0]}], [{slow}, %{labels[1]}]"), 64, uniform)

    def number_known(self, f: Format, a: Bits) -> bool:
        v = a.v
        return isinstance(v, int) and (v & f.magnitude) <= f.largest + 1

    # Signs, and results bent into range

    def fneg(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.signed(f, "fneg", a, super().fneg(f, self.beside(a), ftz), ftz)

    def fabs(self, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.signed(f, "fabs", a, super().fabs(f, self.beside(a), ftz), ftz)

    def beside(self, a: Bits) -> Bits:
        """The same value, so that looking at its bits leaves `a` a float that nobody has looked at."""
        v = a.v
        return (
            self.raw(v.raw, a.width, v.lanes is ZEROS, v.bound, v.flushed) if isinstance(v, Value) and not v.name else a
        )

    def signed(self, f: Format, op: str, a: Bits, d: Bits, ftz: bool) -> Bits:
        """`d`, the bits, and as a float as well: one of the two will be used."""
        if isinstance(a.v, Value) and isinstance(d.v, Value) and a.v.raw and not ftz and f.name in ("f16", "f32"):
            uniform = self.uniform(a)
            t = self.float_type(f.storage, uniform)
            call = f"fneg {t} {a.v.raw}"
            if op == "fabs":
                suffix = f"f{f.storage}" if uniform else f"v{N}f{f.storage}"
                call = f"call {t} @llvm.fabs.{suffix}({t} {a.v.raw})"
            d.v.raw, d.v.bound, d.v.flushed = self.ir.emit(call), a.v.bound, a.v.flushed
        return d

    def saturate(self, f: Format, a: Bits) -> Bits:
        if not self.has(f) or f.name == "f64" or not isinstance(a.v, Value):
            return super().saturate(f, a)
        uniform = self.uniform(a)
        t, p = self.float_type(f.storage, uniform), "i1" if uniform else f"<{N} x i1>"
        one = f"{FLOAT[f.storage]} 1.0"
        x = self.float(a, uniform)
        for condition, limit in (("ogt", "zeroinitializer"), ("olt", "1.0" if uniform else f"splat ({one})")):
            inside = self.ir.emit(f"fcmp {condition} {t} {x}, {limit}")
            x = self.ir.emit(f"select {p} {inside}, {t} {x}, {t} {limit}")
        return self.raw(x, f.storage, uniform, 1.0, a.v.flushed)

    def extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool, xorsign: bool) -> Bits:
        known = not any(isinstance(a.v, Value) for a in operands)
        if xorsign or known or not self.has(f) or f.name == "f64":
            return super().extreme(f, operands, largest, nan, xorsign)
        uniform = all(self.uniform(a) for a in operands)
        t = self.float_type(f.storage, uniform)
        name = ("maximum" if largest else "minimum") + ("" if nan else "num")
        suffix = f"f{f.storage}" if uniform else f"v{N}f{f.storage}"
        d = self.float(operands[0], uniform)
        for b in operands[1:]:
            d = self.ir.emit(f"call {t} @llvm.{name}.{suffix}({t} {d}, {t} {self.float(b, uniform)})")
        flushed = all(isinstance(a.v, Value) and a.v.flushed for a in operands)
        return self.raw(d, f.storage, uniform, inf, flushed)

    # Comparisons

    def fless(self, f: Format, a: Bits, b: Bits) -> Bits:
        d = self.ordered("olt", f, a, b)
        return super().fless(f, a, b) if d is None else d

    def fequal(self, f: Format, a: Bits, b: Bits) -> Bits:
        d = self.ordered("oeq", f, a, b)
        return super().fequal(f, a, b) if d is None else d

    def isnan(self, f: Format, a: Bits) -> Bits:
        d = self.ordered("uno", f, a, a)
        return super().isnan(f, a) if d is None else d

    def unordered(self, f: Format, a: Bits, b: Bits) -> Bits:
        d = self.ordered("uno", f, a, b)
        return super().unordered(f, a, b) if d is None else d

    def ordered(self, condition: str, f: Format, a: Bits, b: Bits) -> Bits | None:
        if not self.has(f) or not (isinstance(a.v, Value) or isinstance(b.v, Value)):
            return None
        uniform = self.uniform(a) and self.uniform(b)
        t = self.float_type(f.storage, uniform)
        name = self.ir.emit(f"fcmp {condition} {t} {self.float(a, uniform)}, {self.float(b, uniform)}")
        return self.bits(name, 1, ZEROS if uniform else None)

    # Conversion

    def convert(self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, **more: object) -> Bits:
        plain = not ftz and not any(more.values()) and isinstance(a.v, Value)
        if plain and d is not s:
            uniform = self.uniform(a)
            pair = (s.name, d.name)
            if pair == ("f16", "f32") and self.cpu.f16c:
                return self.raw(self.half_float(a, uniform), 32, uniform, inf, True)  # f32 has normal ones for all f16
            if pair == ("f32", "f16") and rnd == "rn" and self.cpu.f16c:
                return self.to_half(self.float(a, uniform), uniform)
            if pair == ("f32", "f64") or (
                pair == ("f64", "f32") and rnd == "rn"
            ):  # payloads move as the definition says
                op = "fpext" if d.name == "f64" else "fptrunc"
                source = self.float(self.settle_bits(a), uniform)
                name = self.ir.emit(
                    f"{op} {self.float_type(s.storage, uniform)} {source} to {self.float_type(d.storage, uniform)}"
                )
                t = f"i{d.storage}" if uniform else vector_type(d.storage)
                code = self.ir.emit(f"bitcast {self.float_type(d.storage, uniform)} {name} to {t}")
                return self.bits(code, d.storage, ZEROS if uniform else None)
            if (s.name, d.name) == ("bf16", "f32"):
                return self.bf16_to_float(a)
            if (s.name, d.name) == ("f32", "bf16") and rnd == "rn":
                return self.float_to_bf16(a)
        if d is s and not (ftz and s.name == "f32"):
            return a
        return self.outlined("convert", d, s, a, rnd, ftz=ftz, **more)

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        if isinstance(a.v, Value) and capabilities.has_from_int(f, a.width, rnd):
            uniform = self.uniform(a)
            source = f"i{a.width} {self.scalar(a)}" if uniform else f"{vector_type(a.width)} {self.vector(a)}"
            op = "sitofp" if t.signed else "uitofp"
            name = self.ir.emit(f"{op} {source} to {self.float_type(f.storage, uniform)}")
            return self.raw(name, f.storage, uniform)
        return self.outlined("from_int", f, t, a, rnd, ftz=ftz, satfinite=satfinite)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        if f.name not in capabilities.WHOLE_TYPES or not isinstance(a.v, Value) or w == 1:
            return self.outlined("to_int", t, f, a, rnd, w=w, ftz=ftz)
        uniform = self.uniform(a)
        if ftz and f.name == "f32":
            a = self.flush(f, a)
        rnd = TO_INTEGER.get(rnd, rnd)
        x = self.float(a, uniform)
        ft, it = self.float_type(f.storage, uniform), f"i{w}" if uniform else vector_type(w)
        suffix = (f"f{f.storage}", f"i{w}") if uniform else (f"v{N}f{f.storage}", f"v{N}i{w}")
        if rnd != "rz":
            x = self.ir.emit(f"call {ft} @llvm.{_WHOLE[rnd]}.{suffix[0]}({ft} {x})")
        name = f"llvm.fpto{'s' if t.signed else 'u'}i.sat.{suffix[1]}.{suffix[0]}"
        d = self.bits(self.ir.emit(f"call {it} @{name}({ft} {x})"), w, ZEROS if uniform else None)
        if w == 64 or f.name == "f64":
            return self.pick(self.isnan(f, a), 1 << w - 1, d)
        return d

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        if f.name != "f32" or not isinstance(a.v, Value):
            return self.outlined("integral", f, a, rnd, ftz)
        uniform = self.uniform(a)
        if ftz:
            a = self.flush(f, a)
        t = self.float_type(32, uniform)
        name = _WHOLE[TO_INTEGER.get(rnd, rnd)]
        suffix = "f32" if uniform else f"v{N}f32"
        return self.raw(self.ir.emit(f"call {t} @llvm.{name}.{suffix}({t} {self.float(a, uniform)})"), 32, uniform)
