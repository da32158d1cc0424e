"""`cvt` in all its forms on lanes of raw bits (data-movement-and-conversion-instructions-cvt, -cvt-pack)."""

from __future__ import annotations

from openptx.numerics.bits import Bits, S
from openptx.numerics.dot import Arithmetic
from openptx.numerics.formats import F32, Fixed, Format
from openptx.numerics.reals import Real
from openptx.numerics.rounding import TO_INTEGER
from openptx.numerics.type_names import ELEMENTS, PACKED, SUBBYTE, Element, Integer, Packed

ONE = 127  # the scale factor 2^0 of ue8m0


class Modifiers:
    """The modifiers between `cvt` and its types; `rnd` is None if the form has no rounding."""

    __slots__ = ("ftz", "relu", "rnd", "sat", "satfinite")

    def __init__(
        self, rnd: str | None = None, *, ftz: bool = False, sat: bool = False, satfinite: bool = False,
        relu: bool = False,
    ) -> None:  # fmt: skip
        self.rnd, self.ftz, self.sat, self.satfinite, self.relu = rnd, ftz, sat, satfinite, relu


def cvt(
    x: Arithmetic, d: str, s: str, *operands: Bits, rnd: str | None = None, ftz: bool = False, sat: bool = False,
    satfinite: bool = False, relu: bool = False, scale: Bits | None = None, rbits: Bits | None = None,
) -> Bits:  # fmt: skip
    """`cvt.(modifiers).d.s` of operands in the order of the syntax.

    Operands have the width of `s`, the result has the width of `d` as the manual packs it: 8 bits for `e2m1x2` and for
    `s8`; the caller extends it to a wider register. `scale` is the packed scale factor of `s2f6x2` (16 bits), `rbits`
    the random bits of `.rs` (32 bits). Formats of 8 and fewer bits always saturate to finite numbers if their
    `.satfinite` is mandatory.
    """
    m = Modifiers(rnd, ftz=ftz, sat=sat, satfinite=satfinite, relu=relu)
    into, source = PACKED.get(d), PACKED.get(s)
    if into is None:
        random = None if rbits is None else _random(ELEMENTS[d], rbits)
        return element(x, ELEMENTS[d], ELEMENTS[s], operands[0], m, rbits=random)
    of = source.element if source else ELEMENTS[s]
    values = unpack(x, source, operands[0]) if source else list(operands)
    if len(values) != into.count:
        raise ValueError(f"`cvt.{d}.{s}` takes {into.count} values, not {len(values)}")
    scales = [None] * into.count if scale is None else x.split(scale, 8)[::-1]
    randoms = [None] * into.count if rbits is None else random_fields(x, into, rbits)
    return pack(
        x, into, [element(x, into.element, of, a, m, q, r) for a, q, r in zip(values, scales, randoms, strict=True)]
    )


def element(
    x: Arithmetic, d: Element, s: Element, a: Bits, m: Modifiers, scale: Bits | None = None, rbits: Bits | None = None
) -> Bits:
    """Converts one value."""
    match d, s:
        case Integer(), Integer():
            return _integer_to_integer(x, d, s, a, m.sat)
        case Integer(), Format():
            return x.to_int(d, s, a, m.rnd or "rzi", w=d.width, ftz=m.ftz)
        case Format(), Integer():
            v = x.from_int(d, s, a, m.rnd or "rn", satfinite=_saturates(d, m))
            return x.saturate(d, v) if m.sat else v
        case Format(), Format():
            return _scaled(x, d, s, a, scale, m) if scale is not None else _float_to_float(x, d, s, a, m, rbits)
        case Fixed(), Format():
            return _to_fixed(x, d, s, a, scale, m.relu)
        case Format(), Fixed():
            return _from_fixed(x, d, s, a, scale, m)
        case _:
            raise ValueError(f"there is no `cvt.{d.name}.{s.name}`")


def _integer_to_integer(x: Arithmetic, d: Integer, s: Integer, a: Bits, sat: bool) -> Bits:
    if not sat:
        return x.resize(a, d.storage, s.signed)
    w = max(d.storage, s.storage)
    a = x.resize(a, w, s.signed)
    if d.least > s.least or (s.signed and not d.signed):
        a = x.max(S, a, d.least)
    if d.greatest < s.greatest:
        a = x.min(s, a, d.greatest)
    return x.resize(a, d.storage)


def _float_to_float(x: Arithmetic, d: Format, s: Format, a: Bits, m: Modifiers, rbits: Bits | None) -> Bits:
    if m.rnd in TO_INTEGER:
        if d is not s:
            raise ValueError(f"`.{m.rnd}` rounds within one format: there is no `cvt.{m.rnd}.{d.name}.{s.name}`")
        v = x.integral(s, a, m.rnd, m.ftz)
        v = x.finite(s, v) if m.satfinite else v
    elif d.name == "tf32" and s is F32 and m.rnd == "rna":
        v = _nearest_away_tf32(x, a, m.satfinite)
    elif d.storage == 8 and d is not s:
        # Here `.relu` clamps the source, and a NaN stays NaN.
        if m.relu:
            a = x.pick(x.signbit(s, a) & ~x.isnan(s, a), 0, a)
        satfinite = _saturates(d, m)
        return x.convert(d, s, a, m.rnd or "rn", ftz=m.ftz, satfinite=satfinite, rbits=_random_bits(d, rbits))
    else:
        v = x.convert(d, s, a, m.rnd or "rn", ftz=m.ftz, satfinite=m.satfinite, rbits=_random_bits(d, rbits))
    if m.sat:
        return x.saturate(d, v)
    return x.relu(d, v) if m.relu else v


def _scaled(x: Arithmetic, d: Format, s: Format, a: Bits, scale: Bits, m: Modifiers) -> Bits:
    """The value times `scale`, rounded once."""
    r = x.unpack(s, a, 32)
    product = Real(r.sign, r.exp + (x.resize(scale, 32) - ONE), r.sig, r.inf, r.nan | (scale == 0xFF))
    v = x.round(d, product, m.rnd or "rn", satfinite=m.satfinite)
    return x.relu(d, v) if m.relu else v


def _saturates(d: Format, m: Modifiers) -> bool:
    return m.satfinite or d.always_saturates


def _nearest_away_tf32(x: Arithmetic, a: Bits, satfinite: bool) -> Bits:
    """A rule on bits, not on values: NaN is truncated, numbers are rounded (H100)."""
    up = x.pick(x.isnan(F32, a), 0, x.const(0x1000, 32))
    magnitude = ((a & 0x7FFFFFFF) + up & 0xFFFFE000) | (a & 0x80000000)
    # One unit less if the exponent is all ones: infinity becomes finite.
    return x.pick((magnitude & 0x7F800000) == 0x7F800000, magnitude - 0x2000, magnitude) if satfinite else magnitude


def _to_fixed(x: Arithmetic, d: Fixed, s: Format, a: Bits, scale: Bits | None, relu: bool) -> Bits:
    """`a / scale` to the nearest multiple of 2^-fraction, clamped; NaN gives the largest number."""
    r = x.unpack(s, a, 32 if s.man <= 28 else 64)
    exp, nan = r.exp + d.fraction, r.nan
    if scale is not None:
        exp, nan = exp - (x.resize(scale, 32) - ONE), nan | (scale == 0xFF)
    v = x.round_to_integer(S, d.width, Real(r.sign, exp, r.sig, r.inf, nan), "rn", (1 << d.width - 1) - 1)
    return x.pick(x.negative(v), 0, v) if relu else v


def _from_fixed(x: Arithmetic, d: Format, s: Fixed, a: Bits, scale: Bits | None, m: Modifiers) -> Bits:
    """The exact value times `scale`, rounded once."""
    w = 32 if d.man <= 28 else 64
    magnitude = x.resize(x.abs(a), w)
    lost = x.clz(magnitude)
    exp, nan = w - 1 - s.fraction - lost, x.const(0, 1)
    if scale is not None:
        exp, nan = exp + (x.resize(scale, 32) - ONE), scale == 0xFF
    r = Real(x.negative(a), exp, magnitude << lost, x.const(0, 1), nan)
    v = x.round(d, r, m.rnd or "rn", satfinite=_saturates(d, m))
    if m.sat:
        return x.saturate(d, v)
    return x.relu(d, v) if m.relu else v


# Register fields


def unpack(x: Arithmetic, p: Packed, a: Bits) -> list[Bits]:
    """The elements, highest field first, each in its storage width."""
    mask = (1 << p.element.width) - 1
    w = p.element.storage
    fields = [x.resize(a >> i * p.field, w) for i in reversed(range(p.count))]
    return fields if p.element.width == w else [v & mask for v in fields]


def pack(x: Arithmetic, p: Packed, values: list[Bits]) -> Bits:
    """Packs values: the inverse of `unpack`."""
    if p.field == 4:
        values = [(values[i] << 4) | values[i + 1] for i in range(0, p.count, 2)]
    return x.join(values[::-1])


def random_fields(x: Arithmetic, p: Packed, rbits: Bits) -> list[Bits]:
    """The random bits of each element, at the bottom of 32 bits.

    In the x4 forms the two values of a half share sixteen bits, and the first of them reads these in reverse order, as
    recorded results of a B200 show; the manual's figures do not say so.
    """
    high, low = rbits >> 16, rbits & 0xFFFF
    if p.count == 2:
        return [_random(p.element, high), _random(p.element, low)]
    if p.field == 4:
        high, low = (high & 0xFF00) | (low >> 8), ((high & 0xFF) << 8) | (low & 0xFF)
    return [r for half in (high, low) for r in (x.reverse(half) >> 16, half)]


def _random(d: Element, r: Bits) -> Bits:
    return r & (1 << RANDOM.get(d.name, 16)) - 1


RANDOM = {"f16": 13}  # as many as are truncated; sixteen in all other formats


def _random_bits(d: Format, rbits: Bits | None) -> tuple[Bits, int] | None:
    return None if rbits is None else (rbits, RANDOM.get(d.name, 16))


def cvt_pack(x: Arithmetic, to: str, a: Bits, b: Bits, c: Bits | None = None) -> Bits:
    """`cvt.pack.sat.to.s32{.b32}`: `a` above `b`, both saturated, and above them the low bits of `c`."""
    t = SUBBYTE.get(to) or ELEMENTS[to]
    assert isinstance(t, Integer)
    high, low = (x.clamp(S, v, t.least, t.greatest) & (1 << t.width) - 1 for v in (a, b))
    d = (high << t.width) | low
    return d if c is None else d | (c << 2 * t.width)
