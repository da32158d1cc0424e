"""Float operations that the processor has: the same bits as the generic definitions, an order of magnitude faster.

A float stays one until somebody looks at its bits: only then are its NaNs made canonical (f32), or are payloads put in
order (f64, where at most one NaN operand gives the same bits on x86 as the definition does).
"""

from __future__ import annotations

from typing import Any

from openptx.engines.native.cpu import CPU
from openptx.engines.native.emitter import vector_type
from openptx.engines.native.outline import Outliner
from openptx.engines.native.values import ZEROS, N, Value
from openptx.numerics import Bits, Format, Signedness
from openptx.numerics.floats import QUIET64
from openptx.numerics.formats import F32
from openptx.numerics.rounding import TO_INTEGER

_TYPE = {"f32": "float", "f64": "double"}
_NAN32 = 0x7FFFFFFF
_DIRECTION = {"rn": 8, "rm": 9, "rp": 10, "rz": 11}  # _MM_FROUND_..., with exceptions suppressed
_WHOLE = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}
_X86 = {"fadd": "add", "fmul": "mul", "fdiv": "div"}


class Floats(Outliner):
    cpu: CPU

    # A float and its bits

    def float_type(self, w: int, uniform: bool) -> str:
        t = "float" if w == 32 else "double"
        return t if uniform else f"<{N} x {t}>"

    def float(self, a: Bits, uniform: bool) -> str:
        """The value as a float, scalar or vector; NaNs may be any."""
        v, w = a.v, a.width
        t = self.float_type(w, uniform)
        if isinstance(v, Value) and v.raw:
            if uniform == (v.lanes is ZEROS):
                return v.raw
            return self.splat(v.raw, self.float_type(w, True))
        text = f"i{w} {self.scalar(a)}" if uniform else f"{vector_type(w)} {self.vector(a)}"
        name = self.out.emit(f"bitcast {text} to {t}")
        if isinstance(v, Value) and not self.out.aside and uniform == (v.lanes is ZEROS):
            v.raw = name
        return name

    def raw(self, name: str, w: int, uniform: bool) -> Bits:
        """A float result of the processor's, as bits that are settled when looked at."""
        return Bits(self, w, Value("", ZEROS if uniform else None, raw=name))

    def settled(self, a: Bits) -> Value:
        v, w = a.v, a.width
        assert isinstance(v, Value)
        uniform = v.lanes is ZEROS
        t, p = self.float_type(w, uniform), "i1" if uniform else f"<{N} x i1>"
        i = f"i{w}" if uniform else vector_type(w)
        name = self.out.emit(f"bitcast {t} {v.raw} to {i}")
        if w == 32:
            nan = self.out.emit(f"fcmp uno {t} {v.raw}, {'0.0' if uniform else 'zeroinitializer'}")
            text = self.number(_NAN32, 32) if uniform else self.literal_vector(_NAN32, 32)
            name = self.out.emit(f"select {p} {nan}, {i} {text}, {i} {name}")
        if self.out.aside:
            return Value(name, v.lanes)
        v.name = name
        v.vector = "" if uniform else name
        return v

    def float_select(self, p: str, a: Bits, b: Bits) -> Bits:
        va, vb, w = a.v, b.v, a.width
        both = self.uniform(a) and self.uniform(b) and p.startswith("i1")
        if isinstance(va, Value) and isinstance(vb, Value) and not va.name and not vb.name and va.raw and vb.raw:
            t = self.float_type(w, both)
            name = self.out.emit(f"select {p}, {t} {self.float(a, both)}, {t} {self.float(b, both)}")
            return self.raw(name, w, both)
        if both:
            name = self.out.emit(f"select {p}, i{w} {self.scalar(a)}, i{w} {self.scalar(b)}")
            return self.bits(name, w, ZEROS)
        return super().float_select(p, a, b)

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
        if f.name == "f64" and not self.payload_free:  # the payload of a NaN `b` keeps its sign
            d = self.fadd(f, a, b ^ f.sign, rnd, ftz)
            return self.payloads(f, d, (a, b), True)
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
        if f.name in _TYPE and not (ftz and f.name == "f64"):
            uniform = all(self.uniform(a) for a in operands)
            if ftz:
                operands = tuple(self.flush(f, a) for a in operands)
            name = self.instruction(op, f, operands, rnd, uniform)
            if name:
                d = self.raw(name, f.storage, uniform)
                if ftz:
                    return self.flushed(op, f, d, operands, rnd)
                return d if f.name == "f32" else self.payloads(f, d, operands)
        if f.name == "f16" and rnd == "rn" and not ftz and self.cpu.f16c and op != "fsqrt":
            return self.half(op, f, operands)
        if f.name == "bf16" and rnd == "rn" and not ftz and op in ("fadd", "fmul", "fma"):
            return self.brains(op, f, operands)
        return self.outlined(op, f, *operands, rnd, ftz)

    def instruction(self, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, uniform: bool) -> str:
        """The name of the float result; "" where the processor has no such instruction."""
        w, out = f.storage, self.out
        if rnd == "rn":
            if op == "fma" and not self.cpu.fma:
                return ""
            t = self.float_type(w, uniform)
            x = [self.float(a, uniform) for a in operands]
            if op in ("fma", "fsqrt"):
                suffix = f"f{w}" if uniform else f"v{N}f{w}"
                name = "fma" if op == "fma" else "sqrt"
                return out.emit(f"call {t} @llvm.{name}.{suffix}(" + ", ".join(f"{t} {e}" for e in x) + ")")
            return out.emit(f"{op} {t} {x[0]}, {x[1]}")
        if not self.cpu.avx512:
            return ""
        parts = [self.chunks(self.float(a, False), w) for a in operands]
        done = [self.directed(op, w, chunk, _DIRECTION[rnd]) for chunk in zip(*parts, strict=True)]
        name = self.gathered(done, w)
        return out.emit(f"extractelement {self.float_type(w, False)} {name}, i32 0") if uniform else name

    def directed(self, op: str, w: int, operands: tuple[str, ...], mode: int) -> str:
        kind, t = ("ps", "<16 x float>") if w == 32 else ("pd", "<8 x double>")
        x = ", ".join(f"{t} {e}" for e in operands)
        name = {"fma": "vfmadd", "fsqrt": "sqrt"}.get(op) or _X86[op]
        return self.out.emit(f"call {t} @llvm.x86.avx512.{name}.{kind}.512({x}, i32 {mode})")

    def chunks(self, name: str, w: int) -> list[str]:
        """A vector of all lanes as registers of the processor."""
        t, n = self.float_type(w, False), 512 // w
        return [
            self.out.emit(
                f"shufflevector {t} {name}, {t} poison, <{n} x i32> <{', '.join(f'i32 {i + k}' for k in range(n))}>"
            )
            for i in range(0, N, n)
        ]

    def gathered(self, parts: list[str], w: int) -> str:
        """The inverse of `chunks`."""
        t, n = "float" if w == 32 else "double", 512 // w
        while len(parts) > 1:
            order = ", ".join(f"i32 {i}" for i in range(2 * n))
            parts = [
                self.out.emit(f"shufflevector <{n} x {t}> {p}, <{n} x {t}> {q}, <{2 * n} x i32> <{order}>")
                for p, q in zip(parts[::2], parts[1::2], strict=True)
            ]
            n *= 2
        return parts[0]

    # What the processor does otherwise

    def flushed(self, op: str, f: Format, d: Bits, operands: tuple[Bits, ...], rnd: str) -> Bits:
        """Subnormal results become zeros. PTX judges tininess before the exponent is bounded: where the result is the
        smallest normal number, which is rare, the definition decides."""
        edge = self.magnitude(f, d) == f.hidden
        result = self.flush(f, d)
        i = self.full_type(result)
        uniform = self.uniform(result)
        before = self.scalar(result) if uniform else self.vector(result)
        with self.out.seldom(self.any_of(edge)) as labels:
            if op == "fsub":
                raise AssertionError("flushed subtraction is an addition")
            exact = self.outlined(op, f, *operands, rnd, True)
            slow = self.scalar(exact) if uniform else self.vector(exact)
        name = self.out.emit(f"phi {i} [{before}, %{labels[0]}], [{slow}, %{labels[1]}]")
        return self.bits(name, d.width, ZEROS if uniform else None)

    def full_type(self, a: Bits) -> str:
        return f"i{a.width}" if self.uniform(a) else vector_type(a.width)

    def any_of(self, p: Bits) -> str:
        """An i1: whether `p` holds in some lane, active or not."""
        if self.uniform(p):
            return self.scalar(p)
        whole = self.out.emit(f"bitcast <{N} x i1> {self.vector(p)} to i{N}")
        return self.out.emit(f"icmp ne i{N} {whole}, 0")

    def payloads(self, f: Format, d: Bits, operands: tuple[Bits, ...], always: bool = False) -> Bits:
        """The first NaN operand is handed on. Where at most one can be NaN the processor has done so."""
        doubtful = {id(a.v): a for a in operands if not self.number_known(f, a)}
        if self.payload_free or (len(doubtful) < 2 and not always):
            return d
        uniform = self.uniform(d)
        t = self.float_type(64, uniform)
        name = self.float(d, uniform)
        nan = self.out.emit(f"fcmp uno {t} {name}, {'0.0' if uniform else 'zeroinitializer'}")
        found = self.bits(nan, 1, ZEROS if uniform else None)
        for a in operands:  # their bits are needed aside, so they are settled here
            (self.scalar if self.uniform(a) else self.vector)(a)
        with self.out.seldom(self.any_of(found)) as labels:
            exact = self.bits(
                self.out.emit(f"bitcast {t} {name} to {self.full_type(d)}"), 64, ZEROS if uniform else None
            )
            for a in reversed(operands):
                exact = self.select(self.isnan(f, a), a | QUIET64, exact)
            slow = self.float(exact, uniform)
        return self.raw(self.out.emit(f"phi {t} [{name}, %{labels[0]}], [{slow}, %{labels[1]}]"), 64, uniform)

    def number_known(self, f: Format, a: Bits) -> bool:
        v = a.v
        return isinstance(v, int) and (v & f.magnitude) <= f.largest + 1

    def half(self, op: str, f: Format, operands: tuple[Bits, ...]) -> Bits:
        """f16 by f32: 24 bits are enough for one operation of 11-bit operands to be rounded twice without harm. Not for
        a fused one: where its f32 is in the middle of two f16, or below the normal ones, it is rounded to odd."""
        out, t = self.out, f"<{N} x float>"
        x = [self.half_float(a) for a in operands]
        if op != "fma":
            return self.to_half(out.emit(f"{op} {t} {x[0]}, {x[1]}"))
        if not self.cpu.fma:
            return self.to_half(self.odd_sum(out.emit(f"fmul {t} {x[0]}, {x[1]}"), x[2]))
        quick = out.emit(f"call {t} @llvm.fma.v{N}f32({', '.join(f'{t} {e}' for e in x)})")
        code = self.bits(out.emit(f"bitcast {t} {quick} to {vector_type(32)}"), 32)
        middle = (code & 0x1FFF) == 0x1000
        small = ((code & 0x7FFFFFFF) - 1) < 0x387FFFFF  # below 2^-14, but not 0
        with out.seldom(self.any_of(middle | small)) as labels:
            exact = self.odd_sum(out.emit(f"fmul {t} {x[0]}, {x[1]}"), x[2])
        return self.to_half(out.emit(f"phi {t} [{quick}, %{labels[0]}], [{exact}, %{labels[1]}]"))

    def odd_sum(self, p: str, c: str) -> str:
        """p + c in f32, rounded to odd: the last bit is set where something was cut off."""
        out, t, i = self.out, f"<{N} x float>", vector_type(32)
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
        step = out.emit(f"or {i} {sign}, splat (i32 1)")  # towards the error: -1 where signs differ
        even = out.emit(f"and {i} {code}, splat (i32 1)")
        even = out.emit(f"icmp eq {i} {even}, zeroinitializer")
        inexact = out.emit(f"and <{N} x i1> {wrong}, {even}")
        step = out.emit(f"select <{N} x i1> {inexact}, {i} {step}, {i} zeroinitializer")
        odd = out.emit(f"add {i} {code}, {step}")
        return out.emit(f"bitcast {i} {odd} to {t}")

    def brains(self, op: str, f: Format, operands: tuple[Bits, ...]) -> Bits:
        """bf16 by f32: sums are rounded twice without harm, products are exact. Where a product may be too small or too
        large for that, the definition decides."""
        out, t = self.out, f"<{N} x float>"
        operands = tuple(self.held_vector(a) for a in operands)
        wide = [self.resize(a, 32) << 16 for a in operands]
        x = [self.float(a, False) for a in wide]
        if op == "fadd":
            return self.brain(F32, self.raw(out.emit(f"fadd {t} {x[0]}, {x[1]}"), 32, False))
        p = out.emit(f"fmul {t} {x[0]}, {x[1]}")
        size = self.bits(out.emit(f"bitcast {t} {p} to {vector_type(32)}"), 32) & 0x7FFFFFFF
        zero = ((wide[0] & 0x7FFFFFFF) == 0) | ((wide[1] & 0x7FFFFFFF) == 0)
        doubtful = ((size < 0x0B000000) & ~zero) | (size == 0x7F800000)
        quick = self.brain(F32, self.raw(p if op == "fmul" else self.odd_sum(p, x[2]), 32, False))
        fast = self.vector(quick)
        with out.seldom(self.any_of(doubtful)) as labels:
            exact = self.vector(self.outlined(op, f, *operands, "rn", False))
        return self.bits(out.emit(f"phi {vector_type(16)} [{fast}, %{labels[0]}], [{exact}, %{labels[1]}]"), 16)

    def held_vector(self, a: Bits) -> Bits:
        return self.bits(self.vector(a), a.width)

    def half_float(self, a: Bits) -> str:
        code = self.out.emit(f"bitcast {vector_type(16)} {self.vector(a)} to <{N} x half>")
        return self.out.emit(f"fpext <{N} x half> {code} to <{N} x float>")

    def to_half(self, name: str) -> Bits:
        """An f32 vector rounded to f16, with the canonical NaN."""
        out = self.out
        nan = out.emit(f"fcmp uno <{N} x float> {name}, zeroinitializer")
        short = out.emit(f"fptrunc <{N} x float> {name} to <{N} x half>")
        code = out.emit(f"bitcast <{N} x half> {short} to {vector_type(16)}")
        return self.bits(
            out.emit(f"select <{N} x i1> {nan}, {vector_type(16)} splat (i16 32767), {vector_type(16)} {code}"), 16
        )

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
        if f.name not in _TYPE or not (isinstance(a.v, Value) or isinstance(b.v, Value)):
            return None
        uniform = self.uniform(a) and self.uniform(b)
        t = self.float_type(f.storage, uniform)
        name = self.out.emit(f"fcmp {condition} {t} {self.float(a, uniform)}, {self.float(b, uniform)}")
        return self.bits(name, 1, ZEROS if uniform else None)

    # Conversion

    def convert(self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, **more: object) -> Bits:
        plain = not ftz and not any(more.values()) and isinstance(a.v, Value)
        if plain and not self.uniform(a):
            pair = (s.name, d.name)
            if pair == ("f16", "f32") and self.cpu.f16c:
                return self.raw(self.half_float(a), 32, False)
            if pair == ("f32", "f16") and rnd == "rn" and self.cpu.f16c:
                return self.to_half(self.float(a, False))
        if plain and d is not s:
            uniform = self.uniform(a)
            pair = (s.name, d.name)
            if pair == ("f32", "f64") or (
                pair == ("f64", "f32") and rnd == "rn"
            ):  # payloads move as the definition says
                op = "fpext" if d.name == "f64" else "fptrunc"
                source = self.float(self.settle_bits(a), uniform)
                name = self.out.emit(
                    f"{op} {self.float_type(s.storage, uniform)} {source} to {self.float_type(d.storage, uniform)}"
                )
                t = f"i{d.storage}" if uniform else vector_type(d.storage)
                code = self.out.emit(f"bitcast {self.float_type(d.storage, uniform)} {name} to {t}")
                return self.bits(code, d.storage, ZEROS if uniform else None)
            if (s.name, d.name) == ("bf16", "f32"):
                wide = self.resize(a, 32) << 16
                return self.raw(self.float(wide, uniform), 32, uniform)
            if (s.name, d.name) == ("f32", "bf16") and rnd == "rn":
                return self.brain(s, a)
        if d is s and not (ftz and s.name == "f32"):
            return a
        return self.outlined("convert", d, s, a, rnd, ftz=ftz, **more)

    def settle_bits(self, a: Bits) -> Bits:
        """The value with canonical NaNs, for an instruction that hands payloads on."""
        if isinstance(a.v, Value) and not a.v.name:
            v = self.settled(a)
            return self.bits(v.name, a.width, v.lanes)
        return a

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        """Outlined; a NaN result is canonical in the end, so payloads do not matter on the way."""
        outer, self.payload_free = self.payload_free, True
        d = self.outlined("approx", op, f, a, ftz)
        self.payload_free = outer
        return d

    payload_free = False

    def brain(self, s: Format, a: Bits) -> Bits:
        """f32 to bf16, to nearest even: the upper half, after half a unit and the tie's bit were added."""
        up = self.resize(self.resize(a >> 16, 1), 32) + 0x7FFF
        return self.resize(self.pick(self.isnan(s, a), _NAN32, a + up) >> 16, 16)

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        exact = f.name == "f64" and a.width <= 32
        if f.name in _TYPE and (rnd == "rn" or exact) and isinstance(a.v, Value):
            uniform = self.uniform(a)
            source = f"i{a.width} {self.scalar(a)}" if uniform else f"{vector_type(a.width)} {self.vector(a)}"
            op = "sitofp" if t.signed else "uitofp"
            name = self.out.emit(f"{op} {source} to {self.float_type(f.storage, uniform)}")
            return self.raw(name, f.storage, uniform)
        return self.outlined("from_int", f, t, a, rnd, ftz=ftz, satfinite=satfinite)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        if f.name not in _TYPE or not isinstance(a.v, Value) or w == 1:
            return self.outlined("to_int", t, f, a, rnd, w=w, ftz=ftz)
        uniform = self.uniform(a)
        if ftz and f.name == "f32":
            a = self.flush(f, a)
        rnd = TO_INTEGER.get(rnd, rnd)
        x = self.float(a, uniform)
        ft, it = self.float_type(f.storage, uniform), f"i{w}" if uniform else vector_type(w)
        suffix = (f"f{f.storage}", f"i{w}") if uniform else (f"v{N}f{f.storage}", f"v{N}i{w}")
        if rnd != "rz":
            x = self.out.emit(f"call {ft} @llvm.{_WHOLE[rnd]}.{suffix[0]}({ft} {x})")
        name = f"llvm.fpto{'s' if t.signed else 'u'}i.sat.{suffix[1]}.{suffix[0]}"
        d = self.bits(self.out.emit(f"call {it} @{name}({ft} {x})"), w, ZEROS if uniform else None)
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
        return self.raw(self.out.emit(f"call {t} @llvm.{name}.{suffix}({t} {self.float(a, uniform)})"), 32, uniform)
