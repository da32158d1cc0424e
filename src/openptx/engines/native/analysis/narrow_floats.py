"""Conversions between floats of at most 8 bits and wider ones, in a tenth of the operations of their definition."""

from __future__ import annotations

from openptx.isa.machine import Machine
from openptx.numerics import Bits, Format
from openptx.numerics.bits import U
from openptx.numerics.formats import F16, F32


def is_narrow(f: Format) -> bool:
    """Whether it is a signed format of 8, 6 or 4 bits: its numbers are f16, too."""
    return f.storage == 8 and f.signed


def widened(x: Machine, s: Format, a: Bits) -> Bits:
    """A narrow float as f16, which is exact. The magnitude's bits, moved to their place, are the number over a power of
    two, subnormal or not; a product corrects that."""
    wide = x.resize(a, 16)
    magnitude = (wide & s.magnitude) << F16.man - s.man
    d = magnitude
    if s.bias != F16.bias:
        d = x.fmul(F16, magnitude, x.const(2 * F16.bias - s.bias << F16.man, 16))
    d = d | (wide & s.sign) << 16 - s.width
    if s.nan is None:
        return d
    return x.pick(x.less(U, x.const((s.infinity or s.largest) << F16.man - s.man, 16), magnitude), F16.nan or 0, d)


def narrowed(x: Machine, d: Format, a: Bits, satfinite: bool) -> Bits:
    """An f32 rounded to the nearest even narrow float. Normal numbers are rounded by adding half a unit to the bits,
    subnormal ones by adding a number whose unit is theirs."""
    magnitude = a & F32.magnitude
    dropped = F32.man - d.man
    half = (magnitude >> dropped & 1) + ((1 << dropped - 1) - 1)
    normal = ((magnitude + half) >> dropped) - (F32.bias - d.bias << d.man)
    unit = F32.bias + d.emin + dropped << F32.man
    subnormal = x.fadd(F32, magnitude, x.const(unit, 32)) - unit
    code = x.select(x.less(U, magnitude, x.const(F32.bias + d.emin << F32.man, 32)), subnormal, normal)
    overflow = d.largest if satfinite else d.infinity or d.nan or d.largest
    huge = x.less(U, x.const(d.largest, 32), code)
    code = x.min(U, code, d.largest) if overflow == d.largest else x.pick(huge, overflow, code)
    code = code | (a >> 31) << d.width - 1
    return x.resize(x.pick(x.isnan(F32, a), d.nan or d.largest, code), 8)
