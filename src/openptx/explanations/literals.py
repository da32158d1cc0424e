"""Explains literals: their own type, their value, their bits, and their values in other types."""

from __future__ import annotations

from decimal import Decimal

from openptx.diagnostics.terminal import title
from openptx.numerics.python_floats import f32_bits, f32_value, f64_bits, f64_value
from openptx.syntax.literals import literal
from openptx.syntax.operands import Float, Integer


def explain_literal(word: str) -> str | None:
    """A literal of PTX, with or without sign."""
    if not word or not (word[0].isdigit() or word[0] in "+-."):
        return None
    sign = -1 if word.startswith("-") else 1
    constant = literal(word.lstrip("+-"), (0, len(word)))
    if isinstance(constant, Integer):
        return integer(word, sign * constant.value, constant.unsigned)
    if isinstance(constant, Float):
        return floating(word, sign, constant)
    return None


def integer(word: str, value: int, unsigned: bool) -> str:
    """An integer constant: `.s64`, or `.u64` if it says so or does not fit (PTX ISA, Integer Constants)."""
    lines = [title(word), f"an integer constant of type .{'u' if unsigned else 's'}64", "", f"  value   {value}"]
    for width in (8, 16, 32, 64):
        bits = value % (1 << width)
        fits = -(1 << width - 1) <= value < 1 << width
        signed = bits - (1 << width) if bits >> width - 1 else bits
        cut = "" if fits else "  (cut off)"
        lines.append(f"  .b{width:<5} 0x{bits:0{width // 4}X}  .u{width} {bits}  .s{width} {signed}{cut}")
    lines += ["", "a float type does not take it: write it with a point"]
    return "\n".join(lines)


def floating(word: str, sign: int, constant: Float) -> str:
    """A float constant: `0f...` is an `.f32`, everything else an `.f64`."""
    bits = constant.bits
    single = constant.width == 32
    number = sign * (f32_value(bits) if single else f64_value(bits))
    f64 = f64_bits(number)
    f32 = f32_bits(number)
    back = f32_value(f32)
    lines = [
        title(word),
        f"a floating-point constant of type .f{constant.width}",
        "",
        f"  value   {number!r}",
        f"  exact   {exact(number)}",
        f"  .f32    0f{f32:08X}" + ("" if back == number or number != number else f"  (rounded: {exact(back)})"),
        f"  .f64    0d{f64:016X}" + (_unconverted_note(word, bits) if single and bits else ""),
        "",
        "integer types, .f16, .bf16 and packed types do not take it",
    ]
    return "\n".join(lines)


def _unconverted_note(word: str, bits: int) -> str:
    """The value of `0f...` as a double operand: the assembler takes its bits without conversion."""
    return f"  (`{word}` in its place is {f64_value(bits)!r}: its 32 bits are not converted)"


def exact(number: float) -> str:
    """All digits of a float, or its bits if the digits would fill lines."""
    return format(Decimal(number), "f") if number == 0 or 1e-20 < abs(number) < 1e30 else number.hex()
