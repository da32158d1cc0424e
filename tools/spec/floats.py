"""Floating point: 9.7.3 to 9.7.7, on fractions."""

from __future__ import annotations

from fractions import Fraction

from spec.exact import SHAPES, Shape, flush, is_infinite, is_nan, is_subnormal, nan_of, root, round_to, value
from spec.integers import combine, of, signed

NAN = "nan"
"""A result that is no number; `nan_of` has its bits."""
OUT_OF_BOUNDS = 0x7FF7
"""The NaN that `.oob` is about, of either sign, as recorded on an H100; the manual does not give it."""


def packed(model):
    """The model of one element on packed types."""

    def apply(m, *operands):
        t = m.type.element
        f, w = SHAPES[t.format], t.width
        results = [model(m, f, *(v >> i * w & (1 << w) - 1 for v in operands)) for i in range(m.type.count)]
        return sum(code << i * w for i, code in enumerate(results))

    return apply


def finish(m, f: Shape, d, *operands: int) -> int:
    """Saturation, .relu and NaN, of which the operands come as `nan_of` wants them."""
    if m.sat:
        if d == NAN or d & f.sign:
            return 0
        return min(d, f.bias << f.mantissa)
    if m.relu and d != NAN and d & f.sign:
        return 0
    return nan_of(f, *operands) if d == NAN else d


def sum_of(f: Shape, a: int, b: int, rnd: str, ftz: bool):
    a, b = flush(f, a, ftz), flush(f, b, ftz)
    if is_nan(f, a) or is_nan(f, b) or (is_infinite(f, a) and is_infinite(f, b) and a != b):
        return NAN
    if is_infinite(f, a) or is_infinite(f, b):
        return a if is_infinite(f, a) else b
    both = value(f, a) + value(f, b)
    negative = a & b & f.sign != 0 if value(f, a) == 0 == value(f, b) else rnd == "rm"
    negative = negative or (value(f, a) == 0 == value(f, b) and (a | b) & f.sign != 0 and rnd == "rm")
    return round_to(f, both, rnd, negative, ftz)


@packed
def add(m, f, a, b):
    return finish(m, f, sum_of(f, a, b, m.rnd, m.ftz), b, a)


@packed
def sub(m, f, a, b):
    return finish(m, f, NAN if is_nan(f, b) else sum_of(f, a, b ^ f.sign, m.rnd, m.ftz), b, a)


@packed
def mul(m, f, a, b):
    return finish(m, f, product(f, a, b, m.rnd, m.ftz), b, a)


def product(f: Shape, a: int, b: int, rnd: str, ftz: bool):
    a, b = flush(f, a, ftz), flush(f, b, ftz)
    sign = (a ^ b) & f.sign
    zero = not a & ~f.sign or not b & ~f.sign
    infinite = is_infinite(f, a) or is_infinite(f, b)
    if is_nan(f, a) or is_nan(f, b) or (zero and infinite):
        return NAN
    if infinite:
        return f.infinity | sign
    return round_to(f, value(f, a) * value(f, b), rnd, sign != 0, ftz)


@packed
def fma(m, f, a, b, c):
    if m.oob and OUT_OF_BOUNDS in (a & ~f.sign, b & ~f.sign):
        return 0
    return finish(m, f, fused(f, a, b, c, m.rnd, m.ftz), b, c, a)


def fused(f: Shape, a: int, b: int, c: int, rnd: str, ftz: bool):
    a, b, c = (flush(f, q, ftz) for q in (a, b, c))
    sign = (a ^ b) & f.sign
    zero = not a & ~f.sign or not b & ~f.sign
    infinite = is_infinite(f, a) or is_infinite(f, b)
    if any(is_nan(f, q) for q in (a, b, c)) or (zero and infinite):
        return NAN
    if infinite:
        return NAN if is_infinite(f, c) and c & f.sign != sign else f.infinity | sign
    if is_infinite(f, c):
        return c
    p, r = value(f, a) * value(f, b), value(f, c)
    if p == 0 == r:
        negative = (sign != 0 and c & f.sign != 0) or (rnd == "rm" and (sign != 0) != (c & f.sign != 0))
    else:
        negative = rnd == "rm"
    return round_to(f, p + r, rnd, negative, ftz)


def div(m, a, b):
    f = SHAPES[m.type.format]
    if not m.rnd:
        return None  # bounded, not exact
    ftz = bool(m.ftz) and f.width == 32  # of f64, `.ftz` does nothing (H100)
    a, b = flush(f, a, ftz), flush(f, b, ftz)
    sign = (a ^ b) & f.sign
    zero_a, zero_b = not a & ~f.sign, not b & ~f.sign
    if is_nan(f, a) or is_nan(f, b) or (zero_a and zero_b) or (is_infinite(f, a) and is_infinite(f, b)):
        return finish(m, f, NAN, a, b)
    if is_infinite(f, a) or zero_b:
        return f.infinity | sign
    if is_infinite(f, b):
        return sign
    return round_to(f, value(f, a) / value(f, b), m.rnd, sign != 0, ftz)


def rcp(m, a):
    f = SHAPES[m.type.format]
    return div(m, f.bias << f.mantissa, a)


def sqrt(m, a):
    f = SHAPES[m.type.format]
    if not m.rnd:
        return None
    a = flush(f, a, m.ftz)
    if is_nan(f, a) or (a & f.sign and a != f.sign):
        return finish(m, f, NAN, a)
    if not a & ~f.sign or is_infinite(f, a):
        return a
    return root(f, value(f, a), m.rnd)


@packed
def neg(m, f, a):
    return nan_of(f, a) if is_nan(f, a) else flush(f, a, m.ftz) ^ f.sign


@packed
def abs_(m, f, a):
    return nan_of(f, a) if is_nan(f, a) else flush(f, a, m.ftz) & ~f.sign


def extreme(m, f: Shape, operands, largest: bool):
    operands = [flush(f, q, m.ftz) for q in operands]
    sign = 0
    for q in operands:
        sign ^= q & f.sign
    if m.abs:
        operands = [q & ~f.sign for q in operands]
    numbers = [q for q in operands if not is_nan(f, q)]
    if not numbers or (m.NaN and len(numbers) < len(operands)):
        return nan_of(f, *reversed(operands))

    def key(q):
        if is_infinite(f, q):
            v = Fraction(2) ** 5000
            v = -v if q & f.sign else v
        else:
            v = value(f, q)
        return v, not q & f.sign  # -0 is below +0

    d = max(numbers, key=key) if largest else min(numbers, key=key)
    return d & ~f.sign | sign if m.xorsign else d


@packed
def min_(m, f, *operands):
    return extreme(m, f, operands, False)


@packed
def max_(m, f, *operands):
    return extreme(m, f, operands, True)


def testp(m, a):
    f = SHAPES[m.type.format]
    magnitude = a & ~f.sign
    return {
        "finite": magnitude < f.infinity,
        "infinite": magnitude == f.infinity,
        "number": magnitude <= f.infinity,
        "notanumber": magnitude > f.infinity,
        "normal": magnitude == 0 or 1 << f.mantissa <= magnitude < f.infinity,  # zeros are normal
        "subnormal": is_subnormal(f, a),
    }[m.op]


def copysign(m, a, b):
    f = SHAPES[m.type.format]
    return a & f.sign | b & ~f.sign


def widened(t, a):
    f = SHAPES[t.format]
    if is_nan(f, a):
        return SHAPES["f32"].nan
    if is_infinite(f, a):
        return SHAPES["f32"].infinity | (a & f.sign) << 16
    return round_to(SHAPES["f32"], value(f, a), "rn", a & f.sign != 0)


def mixed_add(m, a, c):
    return finish(m, SHAPES["f32"], sum_of(SHAPES["f32"], widened(m.atype, a), c, m.rnd, False))


def mixed_sub(m, a, c):
    f = SHAPES["f32"]
    d = NAN if is_nan(f, c) else sum_of(f, widened(m.atype, a), c ^ f.sign, m.rnd, False)
    return finish(m, f, d)


def mixed_fma(m, a, b, c):
    t = m.values["abtype"]
    return finish(m, SHAPES["f32"], fused(SHAPES["f32"], widened(t, a), widened(t, b), c, m.rnd, False))


# Comparison.


def holds(op: str, t, a: int, b: int, ftz: bool) -> bool:
    """Whether a comparison holds, of integers or floats."""
    if t.format is None:
        op = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(op, op)
        x, y = of(t, a), of(t, b)
    else:
        f = SHAPES[t.format]
        a, b = flush(f, a, ftz), flush(f, b, ftz)
        unordered = is_nan(f, a) or is_nan(f, b)
        if op in ("num", "nan"):
            return unordered == (op == "nan")
        if unordered:
            return op.endswith("u")
        op = op.removesuffix("u")
        x, y = (signed_infinity(f, q) if is_infinite(f, q) else value(f, q) for q in (a, b))
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op]


def signed_infinity(f: Shape, q: int) -> Fraction:
    return -(Fraction(2) ** 5000) if q & f.sign else Fraction(2) ** 5000


def setp(m, a, b, c=0):
    t = m.type
    if t.count == 2:
        halves = [holds(m.CmpOp, t.element, a >> i & 0xFFFF, b >> i & 0xFFFF, m.ftz) for i in (0, 16)]
        return tuple(int(combine(m.BoolOp, int(h), c)) for h in halves)
    p = int(holds(m.CmpOp, t, a, b, m.ftz))
    if t.format in ("f16", "bf16"):
        return combine(m.BoolOp, p, c)
    return combine(m.BoolOp, p, c), combine(m.BoolOp, 1 - p, c)


def set_(m, a, b, c=0):
    d, t = m.dtype, m.atype
    if t.count == 1:
        return chosen(d, combine(m.BoolOp, int(holds(m.CmpOp, t, a, b, m.ftz)), c), d.width)
    halves = [
        combine(m.BoolOp, int(holds(m.CmpOp, t.element, a >> i & 0xFFFF, b >> i & 0xFFFF, m.ftz)), c) for i in (0, 16)
    ]
    return chosen(d, halves[0], 16) | chosen(d, halves[1], 16) << 16


def chosen(d, true: int, w: int) -> int:
    one = SHAPES[d.format] if d.format else None
    return 0 if not true else (one.bias << one.mantissa if one else (1 << w) - 1)


def slct(m, a, b, c):
    if m.atype.kind == "s":
        return b if signed(c, 32) < 0 else a
    f = SHAPES["f32"]
    return a if holds("ge", m.atype, c, 0, m.ftz) and not is_nan(f, c) else b
