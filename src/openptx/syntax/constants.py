"""Literals and constant expressions, folded as manual 4.5.5 and 4.5.6 say: 64-bit integers, or doubles.

Where these sections are silent or differ, measured on ptxas 13.5: shift counts are taken modulo 64; `& | ^` have the
type of the usual arithmetic conversions (4.5.5), not `.u64`; the result of `%` is unsigned, not `.s64` (both Table 5).
"""

from __future__ import annotations

import math
import re
import struct
import sys

from openptx.syntax.operands import Constant, Float, Integer

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import Span
    from openptx.syntax.tokens import Cursor, Mistake

_INTEGER = re.compile(r"(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|(0[0-7]*)|([1-9][0-9]*))(U?)", re.A)
_BITS = re.compile(r"0(?:[fF]([0-9a-fA-F]{8})|[dD]([0-9a-fA-F]{16}))", re.A)
_DECIMAL = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", re.A)
_FLOATING = re.compile(r"0[fFdD]|[0-9]*\.|[0-9]+[eE]", re.A)
_SIGNIFICANT = re.compile(r"[0.]*[1-9]", re.A)
_MASK = (1 << 64) - 1
_DIGITS = 4000
"""More than any integer has; Python refuses to read more than 4,300, since that takes quadratic time."""
_LONGEST = 66  # bits of an integer literal that the assembler still takes, keeping the low 64
WARP_SIZE = 32

# fmt: off
# Manual 4.5.4, Table 4: higher binds tighter.
PRECEDENCE = {
    "*": 10, "/": 10, "%": 10,
    "+": 9, "-": 9,
    "<<": 8, ">>": 8,
    "<": 7, ">": 7, "<=": 7, ">=": 7,
    "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3,
    "&&": 2, "||": 1,
}
# fmt: on


def literal(text: str, span: Span) -> Constant | None:
    """The constant that a literal denotes; None if it is written wrong."""
    if match := _INTEGER.fullmatch(text):
        if len(text) > _DIGITS:
            return None
        hexadecimal, binary, octal, decimal, suffix = match.groups()
        value = int(
            hexadecimal or binary or octal or decimal, 16 if hexadecimal else 2 if binary else 8 if octal else 10
        )
        if value >> _LONGEST:
            return None
        return Integer(value & _MASK, bool(suffix) or value >> 63 != 0, text, span, overflow=value > _MASK)
    if match := _BITS.fullmatch(text):
        single, double = match.groups()
        return Float(int(single or double, 16), 32 if single else 64, text, span)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        if value == math.inf or (value < sys.float_info.min and _SIGNIFICANT.match(text)):
            return None
        return Float(_bits(value), 64, text, span)
    return None


def constant(c: Cursor) -> Constant:
    """Read and fold a constant expression."""
    start = c.start
    value = _ternary(c)
    span = start, c.last
    if value.text and span == value.span:
        return value
    text = c.file.text[start : c.last]
    if isinstance(value, Integer):
        return Integer(value.value, value.unsigned, text, span, literal=False)
    return Float(value.bits, value.width, text, span, literal=False)


def _ternary(c: Cursor) -> Constant:
    condition = _binary(c, 1)
    if not c.take("?"):
        return condition
    c.deeper()
    if isinstance(condition, Float):
        raise _needs_integer(c, "?:", condition)
    first = _ternary(c)
    c.expect(":", "between the two results of `?:`")
    second = _ternary(c)
    c.depth -= 1
    chosen = first if condition.value else second
    span = condition.span[0], second.span[1]
    if isinstance(chosen, Integer) and isinstance(first, Integer) and isinstance(second, Integer):
        return _integer(chosen.value, first.unsigned or second.unsigned, span)
    if isinstance(chosen, Float) and isinstance(first, Float) and isinstance(second, Float):
        return Float(chosen.bits, chosen.width, "", span, literal=False)
    raise _mixed(c, "?:", first, second)


def _binary(c: Cursor, level: int) -> Constant:
    left = _unary(c)
    while (binds := PRECEDENCE.get(c.word, 0) if c.kind == "op" else 0) >= level:
        operator, place = c.word, c.span
        c.advance()
        right = _binary(c, binds + 1)
        left = _apply(c, operator, place, left, right)
    return left


def _unary(c: Cursor) -> Constant:
    start = c.start
    if c.kind == "op" and c.word in ("+", "-", "!", "~"):
        operator = c.word
        c.advance()
        c.deeper()
        operand = _unary(c)
        c.depth -= 1
        span = start, operand.span[1]
        if isinstance(operand, Float):
            if operator in ("!", "~"):
                raise _needs_integer(c, operator, operand)
            if operand.width == 32:
                raise _single(c, operator, operand, span)
            return Float(operand.bits ^ (1 << 63 if operator == "-" else 0), 64, "", span, literal=False)
        if operator == "!":
            return _integer(not operand.value, False, span)
        if operator == "~":
            return _integer(~operand.value, True, span)
        return _integer(-operand.value if operator == "-" else operand.value, operand.unsigned, span)
    return primary(c)


def primary(c: Cursor) -> Constant:
    """Read a literal, a cast, or an expression in parentheses."""
    span = c.start, c.end
    if c.kind == "number":
        value = literal(c.word, span)
        if value is None:
            raise _malformed(c)
        c.advance()
        return value
    if c.word == "WARP_SZ" and c.kind == "word":
        c.advance()
        return Integer(WARP_SIZE, False, "WARP_SZ", span)
    if c.take("("):
        c.deeper()
        if c.kind == "dot" and c.word in (".s64", ".u64"):
            unsigned = c.word == ".u64"
            c.advance()
            c.expect(")", "after the type of a cast")
            operand = _unary(c)
            c.depth -= 1
            if isinstance(operand, Float):
                raise _needs_integer(c, "(.u64)" if unsigned else "(.s64)", operand)
            return _integer(operand.value, unsigned, (span[0], operand.span[1]))
        value = _ternary(c)
        c.expect(")", "to close the parenthesis")
        c.depth -= 1
        span = span[0], c.last
        if isinstance(value, Integer):
            return Integer(value.value, value.unsigned, "", span, literal=False)
        return Float(value.bits, value.width, "", span, literal=False)
    raise c.expected("a constant", about="invalid-expression" if c.about == "syntax" else c.about)


def _apply(c: Cursor, operator: str, place: Span, left: Constant, right: Constant) -> Constant:
    span = left.span[0], right.span[1]
    if isinstance(left, Integer) and isinstance(right, Integer):
        if operator in ("/", "%") and right.value == 0:
            message = f"the {'divisor' if operator == '/' else 'modulus'} of this constant expression is zero"
            raise c.mistake("invalid-expression", message, right.span, "this is 0")
        return _integers(operator, left, right, span)
    if isinstance(left, Integer) or isinstance(right, Integer):
        if operator in ("<<", ">>", "%", "&", "|", "^", "&&", "||"):
            raise _needs_integer(c, operator, left if isinstance(left, Float) else right)
        raise _mixed(c, operator, left, right)
    for operand in (left, right):
        if operand.width == 32:
            raise _single(c, operator, operand, span)
    return _floats(c, operator, place, left, right, span)


def _integers(operator: str, left: Integer, right: Integer, span: Span) -> Integer:
    # "The usual arithmetic conversions": both are unsigned if either is.
    unsigned = left.unsigned or right.unsigned
    a, b = (left.value & _MASK, right.value & _MASK) if unsigned else (left.value, right.value)
    match operator:
        case "+":
            return _integer(a + b, unsigned, span)
        case "-":
            return _integer(a - b, unsigned, span)
        case "*":
            return _integer(a * b, unsigned, span)
        case "/":
            quotient = abs(a) // abs(b)
            return _integer(quotient if (a < 0) == (b < 0) else -quotient, unsigned, span)
        case "%":
            return _integer((a & _MASK) % (b & _MASK), True, span)
        case "<<":
            return _integer(left.value << (right.value & 63), left.unsigned, span)
        case ">>":
            return _integer(left.value >> (right.value & 63), left.unsigned, span)
        case "&":
            return _integer(a & b, unsigned, span)
        case "|":
            return _integer(a | b, unsigned, span)
        case "^":
            return _integer(a ^ b, unsigned, span)
        case "&&":
            return _integer(a != 0 and b != 0, False, span)
        case "||":
            return _integer(a != 0 or b != 0, False, span)
        case _:
            return _integer(_compare(operator, a, b), False, span)


def _floats(c: Cursor, operator: str, place: Span, left: Float, right: Float, span: Span) -> Constant:
    a, b = left.value, right.value
    match operator:
        case "+":
            value = a + b
        case "-":
            value = a - b
        case "*":
            value = a * b
        case "/":
            if b == 0:
                raise c.mistake("invalid-expression", "the divisor of this constant expression is zero", right.span)
            value = a / b
        case "<" | ">" | "<=" | ">=" | "==" | "!=":
            return _integer(_compare(operator, a, b), False, span)
        case _:
            raise _needs_integer(c, operator, left, place)
    return Float(_bits(value), 64, "", span, literal=False)


def _compare(operator: str, a: float, b: float) -> bool:
    match operator:
        case "<":
            return a < b
        case ">":
            return a > b
        case "<=":
            return a <= b
        case ">=":
            return a >= b
        case "==":
            return a == b
        case _:
            return a != b


def _integer(value: int, unsigned: bool, span: Span) -> Integer:
    """Wrap to 64 bits."""
    value &= _MASK
    if not unsigned and value >> 63:
        value -= 1 << 64
    return Integer(value, unsigned, "", span, literal=False)


def _bits(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def _malformed(c: Cursor) -> Mistake:
    text = c.word
    about = "invalid-float" if _FLOATING.match(text) else "invalid-integer"
    return c.mistake(about, f"`{text}` is not a number", c.span, help=_advice(text))


def _advice(text: str) -> str | None:
    lower = text.lower()
    if re.fullmatch(r"[0-9]+u|0x[0-9a-f]+u|0b[01]+u", text):
        return f"the suffix of an unsigned integer is a capital letter: `{text[:-1]}U`"
    if _INTEGER.fullmatch(text):
        return "an integer constant has at most 64 bits"
    if _DECIMAL.fullmatch(text):
        return "its magnitude is no normal double; write the bits instead, as `0d` and 16 hexadecimal digits"
    if re.fullmatch(r"0[0-9]+U?", text):
        return f"an integer that starts with 0 is octal, of the digits 0 to 7; in decimal it is `{text.lstrip('0')}`"
    if lower.startswith("0f"):
        return f"`0f` is followed by exactly 8 hexadecimal digits, the bits of an `.f32`; these are {len(text) - 2}"
    if lower.startswith("0d"):
        return f"`0d` is followed by exactly 16 hexadecimal digits, the bits of an `.f64`; these are {len(text) - 2}"
    if lower.startswith("0b"):
        return "`0b` is followed by the digits 0 and 1"
    if lower.startswith("0x"):
        return "`0x` is followed by hexadecimal digits"
    if re.fullmatch(r"[0-9.]+(?:e[-+]?[0-9]+)?[fl]", lower):
        return f"a floating-point literal has no suffix: `{text[:-1]}`"
    return None


def _single(c: Cursor, operator: str, operand: Float, span: Span) -> Mistake:
    help = "write it as a decimal or a `0d` literal"
    if operator == "-":
        help = f"flip the sign bit instead: `0f{operand.bits ^ 1 << 31:08X}`"
    return c.mistake(
        "invalid-expression",
        f"`{operand.text}` can't be an operand of `{operator}`",
        span,
        rule="PTX ISA 4.5.2: 32-bit literals keep their exact value and may not be used in constant expressions",
        help=help,
    )


def _needs_integer(c: Cursor, operator: str, operand: Constant, place: Span | None = None) -> Mistake:
    return c.mistake(
        "invalid-expression",
        f"`{operator}` takes integers, and this is a floating-point constant",
        place or operand.span,
        rule="PTX ISA 4.5.6, Table 5",
    )


def _mixed(c: Cursor, operator: str, left: Constant, right: Constant) -> Mistake:
    return c.mistake(
        "invalid-expression",
        f"the operands of `{operator}` are an integer and a floating-point constant",
        (left.span[0], right.span[1]),
        rule="PTX ISA 4.5.4: constant expressions do not support casts between integer and floating-point",
        help="write both as integers, or both with a decimal point",
    )
