"""`.ftz`: subnormal operands and results become zeros, where the processor would keep them."""

from __future__ import annotations

from math import inf

from openptx.engines.native.analysis.lattice import ZEROS, Value, vector_type
from openptx.engines.native.emit.arith.float_bits import FloatBits
from openptx.numerics import Bits, Format


class Denormals(FloatBits):
    def flush(self, f: Format, a: Bits, ftz: bool = True) -> Bits:
        v = a.v
        if not ftz or not isinstance(v, Value) or not self.has(f):
            return super().flush(f, a, ftz)
        if v.flushed:
            return a
        if v.raw and not v.name:
            return self.float_flushed(f, v.raw, self.uniform(a), v.bound)
        d = super().flush(f, a)
        if isinstance(d.v, Value):
            d.v.flushed = True
        return d

    def float_flushed(self, f: Format, name: str, uniform: bool, bound: float = inf) -> Bits:
        """The same for a float whose NaNs are not canonical yet."""
        w = f.storage
        t, i = self.float_type(w, uniform), f"i{w}" if uniform else vector_type(w)
        code = self.bits(self.ir.emit(f"bitcast {t} {name} to {i}"), w, ZEROS if uniform else None)
        d = super().flush(f, code)
        text = self.scalar(d) if uniform else self.vector(d)
        return self.raw(self.ir.emit(f"bitcast {i} {text} to {t}"), w, uniform, bound, True)

    def flushed(self, op: str, f: Format, d: Bits, operands: tuple[Bits, ...], rnd: str) -> Bits:
        """A result with subnormal ones made zeros, which is seldom to do. PTX judges tininess before the exponent is
        bounded: where the result is the smallest normal number, which is hardly ever, the definition decides."""
        out, uniform, w = self.ir, self.uniform(d), f.storage
        t, i = self.float_type(w, uniform), f"i{w}" if uniform else vector_type(w)
        quick = self.float(d, uniform)
        code = self.bits(out.emit(f"bitcast {t} {quick} to {i}"), w, ZEROS if uniform else None)
        size = self.magnitude(f, code)
        with out.cold_block(self.any_of((size - 1) < f.hidden)) as labels:
            zeros = self.float(self.float_flushed(f, quick, uniform), uniform)
            with out.cold_block(self.any_of(size == f.hidden)) as inner:
                exact = self.float(self.outlined(op, f, *operands, rnd, True), uniform)
            slow = out.emit(f"phi {t} [{zeros}, %{inner[0]}], [{exact}, %{inner[1]}]")
        bound = d.v.bound if isinstance(d.v, Value) else inf
        return self.raw(out.emit(f"phi {t} [{quick}, %{labels[0]}], [{slow}, %{labels[1]}]"), w, uniform, bound, True)
