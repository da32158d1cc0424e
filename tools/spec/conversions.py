"""`cvt` between integers, f16, bf16, f32 and f64 (9.7.9.21), on fractions."""

from __future__ import annotations

from fractions import Fraction

from spec.exact import SHAPES, Shape, flush, is_infinite, is_nan, round_to, value, whole
from spec.integers import clamp, of

TO_INTEGER = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def cvt(m, a, *more):
    d, s = m.dtype, m.atype
    if more or "tf32" in (d.name, s.name) or not {d.format, s.format} <= {None, *SHAPES} or d.count > 1 or s.count > 1:
        return None
    if s.format is None:
        return from_integer(m, d, of(s, a))
    f = SHAPES[s.format]
    a = flush(f, a, bool(m.ftz) and s.name == "f32")
    if d.format is None:
        return to_integer(d, s, f, a, TO_INTEGER.get(m.rnd, "rz"))
    return between(m, d, SHAPES[d.format], s, f, a)


def from_integer(m, d, v: int):
    if d.format is None:
        return clamp(v, d) if m.sat else v
    if m.rnd not in ("rn", "rz", "rm", "rp"):
        return None
    f = SHAPES[d.format]
    if m.sat:
        v = min(max(v, 0), 1)
    return round_to(f, Fraction(v), m.rnd)


def to_integer(d, s, f: Shape, a: int, rnd: str) -> int:
    """NaN gives zero, or with 64 bits on either side the highest bit alone; what is too large the nearest end."""
    if is_nan(f, a):
        return 1 << d.width - 1 if s.width == 64 or d.width == 64 else 0
    if is_infinite(f, a):
        v = -(1 << 70) if a & f.sign else 1 << 70
    else:
        exact = value(f, a)
        v = whole(abs(exact), rnd, exact < 0) * (-1 if exact < 0 else 1)
    return clamp(v, d)


def between(m, d, to: Shape, s, f: Shape, a: int):
    negative = a & f.sign != 0
    if is_nan(f, a):
        return 0 if m.sat else to.nan if m.relu else nan_between(m, d, to, s, f, a)
    if is_infinite(f, a):
        code = to.infinity | (to.sign if negative else 0)
    else:
        exact = value(f, a)
        if m.rnd in TO_INTEGER:
            exact = whole(abs(exact), TO_INTEGER[m.rnd], negative) * Fraction(-1 if negative else 1)
        code = round_to(to, exact, m.rnd if m.rnd in ("rn", "rz", "rm", "rp") else "rn", negative)
    if m.satfinite and is_infinite(to, code):
        code -= 1
    if m.ftz and d.name == "f32":
        code = flush(to, code)
    if m.sat:
        return 0 if code & to.sign else min(code, to.bias << to.mantissa)
    return 0 if m.relu and code & to.sign else code


def nan_between(m, d, to: Shape, s, f: Shape, a: int) -> int:
    """As an H100 has it: NaN is canonical but keeps what it can, quieted, to and from f64, and is shifted from bf16."""
    if d.name == s.name and m.rnd not in TO_INTEGER and not m.ftz:
        return a  # nothing is done
    if (d.name, s.name) == ("f32", "bf16") and not m.ftz:
        return a << 16
    if "f64" not in (d.name, s.name):
        return to.nan
    if m.ftz and s.name == "f32":
        a = f.nan
    payload = (a & (1 << f.mantissa) - 1) << 52 - f.mantissa >> 52 - to.mantissa
    return (to.sign if a & f.sign else 0) | to.infinity | to.quiet | payload
