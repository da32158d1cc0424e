"""Explains types and number formats: width, register types, range, special values."""

from __future__ import annotations

from openptx.diagnostics.terminal import title
from openptx.isa.types import TYPES, Type
from openptx.numerics.formats import FORMATS, S2F6, Format

KINDS = {
    "pred": "a predicate",
    "b": "untyped bits",
    "u": "an unsigned integer",
    "s": "a signed integer",
    "f": "a float",
}


def explain_type(word: str) -> str | None:
    """A type, and the format of its numbers."""
    type = TYPES.get(word.lstrip("."))
    if type is None:
        return None
    lines = [title(f".{type.name}"), sentence(type), "", *holders(type)]
    if type.kind in ("s", "u") and type.count == 1:
        least, greatest = (
            (-(1 << type.width - 1), (1 << type.width - 1) - 1) if type.signed else (0, (1 << type.width) - 1)
        )
        lines.append(f"  range      {least} to {greatest}")
    if type.element.format:
        lines += format_lines(type.element.format)
    return "\n".join(lines)


def sentence(type: Type) -> str:
    """`16 bits, a float`."""
    if type.count > 1:
        return f"{type.width} bits, {type.count} times .{type.element.name}, the first in the highest bits of a `cvt`"
    return f"{type.width} bit{'s' if type.width > 1 else ''}, {KINDS.get(type.kind, type.kind)}"


def holders(type: Type) -> list[str]:
    """The registers that hold it."""
    if type.fundamental:
        return [f"  registers  .reg .{type.name}"]
    return [f"  registers  {' '.join(f'.reg .{name}' for name in type.registers)} (an instruction type only)"]


def format_lines(name: str) -> list[str]:
    """The encoding and the values of a number format."""
    if name == S2F6.name:
        return ["  encoding   two's complement in units of 2^-6: -2 to 127/64, no infinity, no NaN"]
    f = FORMATS[name]
    sign = "1 sign bit, " if f.signed else ""
    lines = [
        f"  encoding   {sign}{f.exp} exponent bits (bias {f.bias}), {f.man} mantissa bits",
        f"  largest    {value(f, f.largest)}  ({hexadecimal(f, f.largest)})",
    ]
    if f.gradual:
        lines += [
            f"  normal     from {value(f, f.hidden)} ({hexadecimal(f, f.hidden)})",
            f"  subnormal  from {value(f, 1)} ({hexadecimal(f, 1)})",
        ]
    else:
        lines.append(f"  smallest   {value(f, 0)}  ({hexadecimal(f, 0)}); no zero")
    lines.append(f"  infinity   {hexadecimal(f, f.infinity) if f.infinity is not None else 'none'}")
    lines.append(f"  NaN        {nans(f)}")
    return lines


def value(f: Format, code: int) -> str:
    """The value of a positive code, exactly, or as a power of two if that is shorter."""
    exponent = code >> f.man
    mantissa = code & (f.hidden - 1)
    significand = mantissa + f.hidden if exponent or not f.gradual else mantissa
    scale = max(exponent, 1 if f.gradual else 0) - f.bias - f.man
    if significand & (significand - 1) == 0:
        power = significand.bit_length() - 1 + scale
        return f"2^{power}" if not -10 < power < 10 else f"{2.0**power!r}".removesuffix(".0")
    if scale >= 0 or (significand * 2.0**scale).is_integer():
        whole = significand << scale if scale >= 0 else significand >> -scale
        return f"{whole}" if whole < 10**12 else f"{float(whole)!r}"
    return f"{significand * 2.0**scale!r}"


def hexadecimal(f: Format, code: int | None) -> str:
    """A code as it appears in a register."""
    return "none" if code is None else f"0x{code << f.low:0{(f.storage + 3) // 4}X}"


def nans(f: Format) -> str:
    """Which codes are NaN."""
    if f.nan is None:
        return "none"
    if f.nans == "all ones":
        return f"only {hexadecimal(f, f.magnitude)}{' and ' + hexadecimal(f, f.magnitude | f.sign) if f.signed else ''}"
    return f"all codes above infinity; operations give {hexadecimal(f, f.nan)}"
