"""A value as a float of the processor and as bits: only where bits are looked at are its NaNs made canonical."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import inf

from openptx.engines.native.analysis import capabilities
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, as_lanes, is_finite, vector_type
from openptx.engines.native.emit.arith.outlined import OutlinedOps
from openptx.llvm.host import CPU
from openptx.numerics import Bits, Format
from openptx.numerics.formats import F16, F32, F64

FLOAT = {16: "half", 32: "float", 64: "double"}
"""LLVM's names, by width."""

_DIRECTION = {"rn": 8, "rm": 9, "rp": 10, "rz": 11}  # _MM_FROUND_..., with exceptions suppressed
_X86 = {"fadd": "add", "fmul": "mul", "fdiv": "div", "fma": "vfmadd", "fsqrt": "sqrt"}
_FORMAT = {f.storage: f for f in (F16, F32, F64)}
_NAN = {16: 0x7FFF, 32: 0x7FFFFFFF}  # of f64, payloads are handed on


class FloatBits(OutlinedOps):
    cpu: CPU

    def has(self, f: Format) -> bool:
        """Whether the processor has arithmetic of the format."""
        return capabilities.has(self.cpu, f)

    def float_type(self, w: int, uniform: bool) -> str:
        t = FLOAT[w]
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
        name = self.ir.emit(f"bitcast {text} to {t}")
        if isinstance(v, Value) and not self.ir.cold and uniform == (v.lanes is ZEROS):
            v.raw = name
        return name

    def raw(self, name: str, w: int, uniform: bool, bound: float = inf, flushed: bool = False) -> Bits:
        """A float result of the processor's, as bits that are settled when looked at."""
        v = Value("", ZEROS if uniform else None, raw=name)
        v.bound, v.flushed = bound, flushed
        return Bits(self, w, v)

    def bound(self, f: Format, a: Bits) -> float:
        """What the magnitude is known to be at most."""
        if isinstance(a.v, Value):
            return a.v.bound
        codes = [e & f.magnitude for e in as_lanes(a.v)]
        return inf if max(codes) > f.largest else as_float(f, max(codes))

    def settled(self, a: Bits) -> Value:
        v, w = a.v, a.width
        assert isinstance(v, Value)
        uniform = v.lanes is ZEROS
        t, p = self.float_type(w, uniform), "i1" if uniform else f"<{N} x i1>"
        i = f"i{w}" if uniform else vector_type(w)
        name = self.ir.emit(f"bitcast {t} {v.raw} to {i}")
        if w in _NAN and v.bound == inf:
            nan = self.ir.emit(f"fcmp uno {t} {v.raw}, zeroinitializer")
            text = self.number(_NAN[w], w) if uniform else self.literal_vector(_NAN[w], w)
            name = self.ir.emit(f"select {p} {nan}, {i} {text}, {i} {name}")
        if self.ir.cold:
            return Value(name, v.lanes)
        v.name = name
        v.vector = "" if uniform else name
        return v

    def select_by(self, p: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        both = self.uniform(a) and self.uniform(b) and p.startswith("i1")
        raw = [isinstance(e.v, Value) and bool(e.v.raw) and not e.v.name for e in (a, b)]
        if any(raw) and all(r or is_finite(e.v, w) for r, e in zip(raw, (a, b), strict=True)):
            t = self.float_type(w, both)
            name = self.ir.emit(f"select {p}, {t} {self.float(a, both)}, {t} {self.float(b, both)}")
            flushed = all(isinstance(e.v, Value) and e.v.flushed for e in (a, b))
            return self.raw(name, w, both, max(self.bound(_FORMAT[w], e) for e in (a, b)), flushed)
        if both:
            name = self.ir.emit(f"select {p}, i{w} {self.scalar(a)}, i{w} {self.scalar(b)}")
            return self.bits(name, w, ZEROS)
        return super().select_by(p, a, b)

    def settle_bits(self, a: Bits) -> Bits:
        """The value with canonical NaNs, for an instruction that hands payloads on."""
        v = a.v
        if isinstance(v, Value) and v.raw:
            if not v.name:
                v = self.settled(a)
            return self.bits(v.name, a.width, v.lanes)
        return a

    # Shapes

    def full_type(self, a: Bits) -> str:
        return f"i{a.width}" if self.uniform(a) else vector_type(a.width)

    def any_of(self, p: Bits) -> str:
        """An i1: whether `p` holds in some lane, active or not."""
        if self.uniform(p):
            return self.scalar(p)
        whole = self.ir.emit(f"bitcast <{N} x i1> {self.vector(p)} to i{N}")
        return self.ir.emit(f"icmp ne i{N} {whole}, 0")

    def chunks(self, name: str, w: int) -> list[str]:
        """A vector of all lanes as registers of the processor."""
        t, n = self.float_type(w, False), 512 // w
        return [
            self.ir.emit(
                f"shufflevector {t} {name}, {t} poison, <{n} x i32> <{', '.join(f'i32 {i + k}' for k in range(n))}>"
            )
            for i in range(0, N, n)
        ]

    def directed(self, op: str, w: int, operands: Sequence[str], rnd: str) -> str:
        """An operation that AVX-512 rounds as asked."""
        kind, t = ("ps", "<16 x float>") if w == 32 else ("pd", "<8 x double>")
        done: list[str] = []
        for parts in zip(*(self.chunks(e, w) for e in operands), strict=True):
            x = ", ".join(f"{t} {e}" for e in parts)
            done.append(self.ir.emit(f"call {t} @llvm.x86.avx512.{_X86[op]}.{kind}.512({x}, i32 {_DIRECTION[rnd]})"))
        return self.gathered(done, w)

    def gathered(self, parts: list[str], w: int) -> str:
        """The inverse of `chunks`."""
        t, n = FLOAT[w], 512 // w
        while len(parts) > 1:
            order = ", ".join(f"i32 {i}" for i in range(2 * n))
            parts = [
                self.ir.emit(f"shufflevector <{n} x {t}> {p}, <{n} x {t}> {q}, <{2 * n} x i32> <{order}>")
                for p, q in zip(parts[::2], parts[1::2], strict=True)
            ]
            n *= 2
        return parts[0]


def as_float(f: Format, code: int) -> float:
    """The number that a code of f16, f32 or f64 stands for."""
    size = f.storage // 8
    return struct.unpack({2: "<e", 4: "<f", 8: "<d"}[size], code.to_bytes(size, "little"))[0]
