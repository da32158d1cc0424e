"""`cvt` on single codes, by exact values: the reference model for the lane implementation, and the source of
explanations."""

from __future__ import annotations

from openptx.numerics.codec import FINITE, INFINITE, NAN, Value, decode, encode, finite, integral, two
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.formats import BF16, F32, F64, Fixed, Format
from openptx.numerics.rounding import TO_INTEGER
from openptx.numerics.type_names import Element, Integer, Packed

QUIET64 = 1 << 51
KEPT = ("f32", "f16", "bf16")  # formats whose NaNs convert to and from f64 with sign and payload
RANDOM = {"f16": 13}  # random bits per element; sixteen in all other formats


def convert(form: CvtSpec, codes: list[int], rbits: int = 0, scale: int | None = None) -> int:
    """The result register of one `cvt`: one code, or the codes of all operands that the form takes."""
    into, source = form.into, form.source
    if not isinstance(into, Packed):
        return element(form, codes[0], rbits)
    values = fields(source, codes[0]) if isinstance(source, Packed) else codes
    random = shares(into, rbits) if form.stochastic else [0] * into.count
    scales = [None] * into.count if scale is None else [scale >> 8, scale & 0xFF]
    d = 0
    for code, r, q in zip(values, random, scales, strict=True):
        d = d << into.field | element(form, code, r, q)
    return d


def fields(p: Packed, register: int) -> list[int]:
    """The elements of a register, highest first."""
    mask = (1 << p.element.width) - 1
    return [register >> i * p.field & mask for i in reversed(range(p.count))]


def shares(p: Packed, rbits: int) -> list[int]:
    """Each element's random bits: of two elements that share them, the first reads them reversed (see
    docs/numerics.md)."""
    high, low = rbits >> 16, rbits & 0xFFFF
    if p.count == 2:
        return [high, low]
    if p.field == 4:
        high, low = high & 0xFF00 | low >> 8, (high & 0xFF) << 8 | low & 0xFF
    return [r for half in (high, low) for r in (int(f"{half:016b}"[::-1], 2), half)]


def element(form: CvtSpec, code: int, r: int = 0, scale: int | None = None) -> int:
    """One code converted; `scale` is a code of ue8m0."""
    d, s = form.d, form.s
    v = flushed(s, decode(s, code), form.ftz)
    if isinstance(d, Integer):
        return to_integer(d, s, v, form)
    if isinstance(d, Fixed):
        return to_fixed(d, v, form, scale)
    v = source_value(form, v, scale)
    d_code = rounded(form, code, v, r)
    if form.sat:
        result = decode(d, d_code)
        d_code = 0 if result.kind == NAN or result.sign else encode(d, min_one(result))
    if form.relu and decode(d, d_code).sign and d.storage > 8:
        d_code = nan(form, code, v) if decode(d, d_code).kind == NAN else 0
    return d_code


def source_value(form: CvtSpec, v: Value, scale: int | None) -> Value:
    """The source as modified by `cvt` before rounding to the result's format."""
    if isinstance(form.s, Fixed) and scale is not None:
        v = Value(NAN, False) if scale == 0xFF else Value(FINITE, v.sign, v.magnitude * two(scale - 127))
    if form.rnd in TO_INTEGER and v.kind == FINITE:
        whole = integral(v, TO_INTEGER[form.rnd])
        v = Value(FINITE, v.sign, finite(whole).magnitude)
    if form.relu and form.d.storage == 8:  # clamps the source; for other formats, the result
        v = clamped(v)
    return v


def rounded(form: CvtSpec, code: int, v: Value, r: int) -> int:
    """The code of a value in the result's format; `r` holds the random bits of `.rs`."""
    d, s = form.d, form.s
    assert isinstance(d, Format)
    if v.kind == NAN:
        return nan(form, code, v)
    if d.name == "tf32" and s is F32 and form.rnd == "rna":
        return nearest_away_tf32(code, form.satfinite)
    count = RANDOM.get(d.name, 16)
    rnd = "rn" if form.rnd is None or form.rnd in TO_INTEGER else form.rnd
    satfinite = form.satfinite or (d.always_saturates and d is not s)
    return encode(d, v, rnd, satfinite=satfinite, ftz=form.ftz and d is F32, random=(count, r & (1 << count) - 1))


def flushed(s: Element, v: Value, ftz: bool) -> Value:
    if ftz and s is F32 and v.kind == FINITE and v.magnitude < two(F32.emin):
        return Value(FINITE, v.sign)
    return v


def clamped(v: Value) -> Value:
    return Value(FINITE, False) if v.sign and v.kind != NAN else v


def min_one(v: Value) -> Value:
    return finite(1) if v.kind == INFINITE or v.magnitude > 1 else v


def to_integer(d: Integer, s: Element, v: Value, form: CvtSpec) -> int:
    if isinstance(s, Integer):
        n = int(v.number)
        n = max(d.least, min(d.greatest, n)) if form.sat else n
    elif v.kind == NAN:
        n = 1 << d.width - 1 if d.width == 64 or s is F64 else 0
    elif v.kind == INFINITE:
        n = d.least if v.sign else d.greatest
    else:
        n = max(d.least, min(d.greatest, integral(v, TO_INTEGER[form.rnd or "rzi"])))
    return n & (1 << d.width) - 1


def to_fixed(d: Fixed, v: Value, form: CvtSpec, scale: int | None) -> int:
    least, greatest = -(1 << d.width - 1), (1 << d.width - 1) - 1
    if v.kind == NAN or scale == 0xFF:
        n = greatest
    elif v.kind == INFINITE:
        n = least if v.sign else greatest
    else:
        by = d.fraction if scale is None else d.fraction - (scale - 127)
        n = max(least, min(greatest, integral(Value(FINITE, v.sign, v.magnitude * two(by)), "rn")))
    return max(n, 0) if form.relu else n & (1 << d.width) - 1


def nan(form: CvtSpec, code: int, v: Value) -> int:
    """NaN results other than the format's canonical NaN."""
    d, s = form.d, form.s
    assert isinstance(d, Format)
    if d is s and form.rnd not in TO_INTEGER and not (form.relu or (form.ftz and d is F32)):
        return code & -(1 << d.low)
    if d is F64:
        return nan_of_f64(form, code, v)
    if s is F64 and d.name in KEPT and d.infinity is not None and not form.relu:
        return v.sign << d.storage - 1 | d.infinity | v.payload >> 52 - d.man | d.hidden >> 1
    if d is F32 and s is BF16 and not form.ftz:
        return code << 16
    if d.name == "tf32" and s is F32 and form.rnd == "rna":
        return nearest_away_tf32(code, form.satfinite)
    return (d.largest if d.nan is None else d.nan) << d.low


def nan_of_f64(form: CvtSpec, code: int, v: Value) -> int:
    """NaN as f64: with sign and payload if the source has them."""
    s = form.s
    if s is F64 and not form.sat:
        return code | QUIET64
    if isinstance(s, Format) and s.name in KEPT and not (s is F32 and form.ftz):
        return v.sign << 63 | 0x7FF << 52 | v.payload << 52 - s.man | QUIET64
    return 0x7FFFFFFFE0000000


def nearest_away_tf32(code: int, satfinite: bool) -> int:
    """A rule on bits, recorded from hardware: NaN is truncated."""
    number = code & 0x7FFFFFFF
    magnitude = number + (0x1000 if number <= 0x7F800000 else 0) & ~0x1FFF
    if satfinite and magnitude >> 23 == 0xFF:
        magnitude -= 0x2000
    return code & 0x80000000 | magnitude
