"""Explains a conversion: values, codes, neighbours, and the error of the result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from openptx.errors import InputError
from openptx.numerics import codec, model
from openptx.numerics.codec import FINITE, INFINITE, NAN, Value, decode
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.formats import F32, F64, Fixed, Format
from openptx.numerics.type_names import Element, Integer, Packed

DIGITS = 60  # a decimal with more digits is shown as an integer times a power of two

_DECIMAL = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[+-]?\d{1,4})?", re.ASCII | re.IGNORECASE)


class Result:
    """One element of one conversion: its operand as written and as read, and the result."""

    __slots__ = ("code", "form", "operand", "taken", "text")

    def __init__(self, form: CvtSpec, text: str, operand: int, taken: str, code: int) -> None:
        self.form, self.text, self.operand, self.taken, self.code = form, text, operand, taken, code

    @property
    def source(self) -> Value:
        return decode(self.form.s, self.operand)

    @property
    def value(self) -> Value:
        return decode(self.form.d, self.code)

    @property
    def error(self) -> Fraction | None:
        """Result minus operand, if both are finite."""
        if self.source.kind == FINITE == self.value.kind:
            return self.value.number - self.source.number
        return None

    @property
    def ulps(self) -> Fraction | None:
        """The error in units of the last place of the result's format at the operand."""
        d, error = self.form.d, self.error
        if error is None:
            return None
        if not isinstance(d, Format):
            return error * (1 << d.fraction if isinstance(d, Fixed) else 1)
        largest = decode(d, d.largest << d.low).magnitude
        return error / codec.unit(d, min(self.source.magnitude, largest))

    def facts(self) -> dict[str, object]:
        """The facts that `lines` prints, as data for programs."""
        below, above = self.neighbours()
        return {
            "input": self.text,
            "form": str(self.form),
            "operand": {"format": self.form.s.name, "code": hexadecimal(self.form.s, self.operand)},
            "format": self.form.d.name,
            "value": number(self.value),
            "code": hexadecimal(self.form.d, self.code),
            "bits": bits(self.form.d, self.code),
            "literal": literal(self.form.d, self.code),
            "below": below,
            "above": above,
            "error": None if self.error is None else decimal(self.error),
            "ulps": None if self.ulps is None else float(self.ulps),
        }

    def neighbours(self) -> tuple[str | None, str | None]:
        """The next lower and the next higher value."""
        d = self.form.d
        if self.value.kind == NAN:
            return None, None
        if isinstance(d, Format):
            codes = codec.neighbours(d, self.code)
        else:
            n, step = self.value.number, Fraction(1, 1 << (d.fraction if isinstance(d, Fixed) else 0))
            ends = decode_range(d)
            codes = (None if n == ends[0] else n - step, None if n == ends[1] else n + step)
            below, above = (None if c is None else decimal(c) for c in codes)
            return below, above
        below, above = (None if c is None else number(decode(d, c)) for c in codes)
        return below, above

    def lines(self) -> list[str]:
        d = self.form.d
        below, above = self.neighbours()
        rows = [
            ("operand", f"{self.taken}  ({hexadecimal(self.form.s, self.operand)})" if self.taken else ""),
            ("value", number(self.value)),
            ("code", f"{hexadecimal(d, self.code)}  {bits(d, self.code)}"),
            ("literal", literal(d, self.code)),
            ("below", below or ""),
            ("above", above or ""),
            ("error", self._error()),
        ]
        return [f"  {name:<8} {text}" for name, text in rows if text]

    def _error(self) -> str:
        if self.error is None or self.ulps is None:
            return ""
        if not self.error:
            return "none: the result is exact"
        return f"{decimal(self.error, plus=True)}  ({float(self.ulps):+.4g} ulp)"


def decode_range(t: Integer | Fixed) -> tuple[Fraction, Fraction]:
    """The least and the greatest number."""
    if isinstance(t, Integer):
        return Fraction(t.least), Fraction(t.greatest)
    half = 1 << t.width - 1
    return Fraction(-half, 1 << t.fraction), Fraction(half - 1, 1 << t.fraction)


def results(form: CvtSpec, texts: Sequence[str], rbits: int = 0) -> list[Result]:
    """The conversion of one group of operands, element by element; `rbits` are the random bits of `.rs`."""
    parsed = [parse(text, form.source) for text in texts]
    if not isinstance(form.into, Packed):
        (code, taken), text = parsed[0], texts[0]
        return [Result(form, text, code, taken, model.convert(form, [code], rbits))]
    register = model.convert(form, [code for code, _ in parsed], rbits)
    codes = model.fields(form.into, register)
    if isinstance(form.source, Packed):
        operands = [(code, number(decode(form.s, code))) for code in model.fields(form.source, parsed[0][0])]
        texts = [f"{texts[0]}[{i}]" for i in reversed(range(form.into.count))]
    else:
        operands = parsed
    return [Result(form, t, o, taken, d) for t, (o, taken), d in zip(texts, operands, codes, strict=True)]


def register(form: CvtSpec, parts: Sequence[Result]) -> int:
    """The codes of a register's elements."""
    d = 0
    for part in parts:
        d = d << form.into.field | part.code if isinstance(form.into, Packed) else part.code
    return d


def roundings(form: CvtSpec, operand: int) -> list[Result]:
    """The conversion of the same operand by each rounding modifier that this pair of types allows."""
    names = ("rni", "rzi", "rmi", "rpi") if isinstance(form.d, Integer) else ("rn", "rz", "rm", "rp")
    if (isinstance(form.s, Integer) and isinstance(form.d, Integer)) or isinstance(form.d, Fixed) or form.d is form.s:
        return []
    if form.d.name == "ue8m0":
        names = ("rz", "rp")
    found: list[Result] = []
    for rnd in names:
        flags = {name: getattr(form, name) for name in ("sat", "satfinite", "relu", "ftz")}
        other = CvtSpec(form.d.name, form.s.name, rnd, **flags)
        found.append(Result(other, rnd, operand, "", model.convert(other, [operand])))
    return found


# Parsing


def parse(text: str, source: Element | Packed) -> tuple[int, str]:
    """The code that `text` denotes in `source`, and its value if that differs from what was written.

    Accepts decimal numbers, inf and nan; 0x and 0b for codes (values, in integer types); PTX's 0f and 0d.
    """
    text = text.strip()
    try:
        return _code(text, source)
    except InputError:
        raise
    except (ValueError, OverflowError):
        raise InputError(
            f"`{text}` is not a value of {source.name}: write a decimal, inf, nan, a code like 0x7E, or 0f3F800000"
        ) from None


def _code(text: str, source: Element | Packed) -> tuple[int, str]:
    lower = text.lower().replace("_", "")
    if lower[:2] in ("0x", "0b") and "." not in lower and "p" not in lower:
        code = int(lower, 0)
        width = source.storage if isinstance(source, Packed) else source.width + getattr(source, "low", 0)
        if code >> width:
            raise InputError(f"`{text}` has more than the {width} bits of {source.name}")
        return code, "" if isinstance(source, Packed) else number(decode(source, code))
    if isinstance(source, Packed):
        raise InputError(f"`{text}`: {source.name} is written as a code, 0x...")
    v = _value(lower)
    if isinstance(source, Integer | Fixed):
        return _code_of_multiple(text, v, source), ""
    return _nearest_code(lower, v, source)


def _code_of_multiple(text: str, v: Value, source: Integer | Fixed) -> int:
    """The code of a number that is a multiple of the source's step and within its range."""
    step = Fraction(1, 1 << (source.fraction if isinstance(source, Fixed) else 0))
    least, greatest = decode_range(source)
    if v.kind != FINITE or v.number % step or not least <= v.number <= greatest:
        raise InputError(f"`{text}` is not a value of {source.name}, which goes from {least} to {greatest}")
    return int(v.number / step) & (1 << source.width) - 1


def _nearest_code(lower: str, v: Value, source: Format) -> tuple[int, str]:
    """The code nearest to a value, and the value of that code if it differs."""
    if lower.lstrip("+-")[:2] == "0f" and source is F32 and v.kind == NAN:
        return int(lower[2:], 16), "nan"
    if v.kind != FINITE and source.infinity is None and (v.kind == INFINITE or source.nan is None):
        raise InputError(f"{source.name} has no {'infinity' if v.kind == INFINITE else 'NaN'}")
    if v.sign and not source.signed:
        raise InputError(f"{source.name} has no negative numbers")
    code = codec.encode(source, v)
    taken = decode(source, code)
    return code, number(taken) if taken.kind != v.kind or (v.kind == FINITE and taken.number != v.number) else ""


def _value(lower: str) -> Value:
    """A literal's number, exactly."""
    sign, digits = lower.startswith("-"), lower.lstrip("+-")
    if digits in ("inf", "infinity"):
        return Value(INFINITE, sign)
    if digits == "nan":
        return Value(NAN, sign)
    for prefix, f in (("0f", F32), ("0d", F64)):
        if digits.startswith(prefix) and len(digits) == 2 + f.width // 4:
            v = decode(f, int(digits[2:], 16))
            return Value(v.kind, v.sign ^ sign, v.magnitude, v.payload)
    if digits.startswith("0x"):
        m = Fraction(float.fromhex(digits))
    elif _DECIMAL.fullmatch(digits):
        m = Fraction(digits)
    else:
        raise ValueError(lower)
    return Value(FINITE, sign, m)


# Formatting


def number(v: Value) -> str:
    """A value in full: all its decimals, or an integer times a power of two if there would be many."""
    if v.kind == NAN:
        return "nan"
    if v.kind == INFINITE:
        return "-inf" if v.sign else "inf"
    text = decimal(v.magnitude)
    return f"-{text}" if v.sign else text


def decimal(n: Fraction, plus: bool = False) -> str:
    """A dyadic fraction, exactly."""
    sign = "-" if n < 0 else "+" if plus else ""
    n = abs(n)
    places = n.denominator.bit_length() - 1  # the denominator is a power of two, so this many decimals are enough
    digits = str(n.numerator * 5**places)
    if len(digits) > DIGITS or places > 2 * DIGITS:
        lowest_bit = n.numerator & -n.numerator
        power = lowest_bit.bit_length() - 1 - places
        return f"{sign}{n.numerator // lowest_bit} * 2^{power} ({float(n):.17g})"
    if not places:
        return sign + digits
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def hexadecimal(t: Element | Packed, code: int) -> str:
    """A code as it appears in a register."""
    return f"0x{code:0{t.storage // 4 if not isinstance(t, Format) or t.width != 4 else 1}X}"


def bits(t: Element, code: int) -> str:
    """Sign, exponent and mantissa separated; integers in groups of eight bits."""
    if isinstance(t, Format):
        text = f"{code >> t.low:0{t.width}b}"
        cuts = (0, *([1] if t.signed else []), t.width - t.man, t.width)
        parts = [text[a:b] for a, b in pairwise(cuts)]
        return " ".join(part for part in [*parts, "0" * t.low] if part)
    if isinstance(t, Fixed):
        text = f"{code:0{t.width}b}"
        return f"{text[: -t.fraction]} {text[-t.fraction :]}"
    text = f"{code:0{t.width}b}"
    return " ".join(text[i : i + 8] for i in range(0, len(text), 8))


def literal(t: Element, code: int) -> str:
    """The code in PTX syntax: 0f and 0d for f32 and f64, the value of a bit register for formats without literals."""
    if t is F32 or t.name == "tf32":
        return f"0f{code:08X}"
    if t is F64:
        return f"0d{code:016X}"
    if isinstance(t, Integer):
        return str(int(decode(t, code).number)) + ("" if t.signed or code < 1 << 63 else "U")
    return f"0x{code:0{max(2, t.storage // 4)}X}"
