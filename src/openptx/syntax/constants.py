"""Constant expressions, folded by the rules of manual 4.5.5 and 4.5.6: 64-bit integers, or doubles.

Where these sections are silent or contradict themselves, as measured on ptxas 13.5: shift counts are taken modulo 64;
`& | ^` have the type of the usual arithmetic conversions (4.5.5), not `.u64`; the result of `%` is unsigned, not `.s64`
(both Table 5).
"""

from __future__ import annotations

from collections.abc import Callable

from openptx.diagnostics.kinds import CONSTANT
from openptx.source import Span
from openptx.syntax.literals import double_bits, literal, malformed
from openptx.syntax.operands import Constant, Float, Integer
from openptx.syntax.tokens import Cursor, Mistake

_MASK = (1 << 64) - 1
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
_UNARY, _CONDITIONAL, _CONDITION, _PARENTHESIS = 11, 0, -1, -2

SYMBOLS = 9970
"""The maximum number of pending symbols in one expression. The stack of ptxas 13.5 has 10,000, of which the surrounding
code uses up to 26: it parses 9,978 parentheses, 4,989 signs and 2,494 casts."""


def constant(c: Cursor) -> Constant:
    """Parses and folds a constant expression."""
    start = c.start
    first = primary(c) if c.kind == "number" else None
    if first is not None and c.word not in PRECEDENCE and c.word != "?":
        return first
    value = _Expression(c).read(first)
    span = start, c.last
    return value if value.text and span == value.span else _spanning(value, span, c.file.text[start : c.last])


class _Expression:
    """An operator-precedence parser: the stack of operators that wait for their last operand, in text order.

    Each entry has a precedence, its number of symbols on the assembler's stack, and a function of the operand. `(` and
    conditions have a lower precedence than any operator.
    """

    __slots__ = ("c", "symbols", "waiting")

    def __init__(self, c: Cursor) -> None:
        self.c, self.symbols = c, 0
        self.waiting: list[tuple[int, int, Callable[[Constant], Constant]]] = []

    def read(self, first: Constant | None) -> Constant:
        """The value of the longest text that is one expression. `first` is its first constant, if already parsed."""
        c = self.c
        while True:
            while first is None and self._prefix():
                pass
            value, first = first or primary(c), None
            while c.word == ")" and self.waiting:
                value = self._reduce(value, _CONDITIONAL)
                if not self.waiting or self.waiting[-1][0] != _PARENTHESIS:
                    break
                c.advance()
                value = self._reduce(value, _PARENTHESIS, 1)
            if c.word in PRECEDENCE:
                self._binary(self._reduce(value, PRECEDENCE[c.word]))
            elif c.word == "?":
                self._condition(self._reduce(value, 1))
            else:
                value = self._reduce(value, _CONDITIONAL)
                if not self.waiting:
                    return value
                if self.waiting[-1][0] == _PARENTHESIS:
                    c.expect(")", "to close the parenthesis")
                c.expect(":", "between the two results of `?:`")
                self._reduce(value, _CONDITION, 1)

    def _push(self, precedence: int, symbols: int, make: Callable[[Constant], Constant]) -> None:
        """An operator that waits for its last operand, to which `make` applies it."""
        self.waiting.append((precedence, symbols, make))
        self.symbols += symbols
        if self.symbols > SYMBOLS:
            message = "this constant expression is nested deeper than the assembler reads"
            raise self.c.mistake("nesting-too-deep", message, self.c.span)

    def _reduce(self, value: Constant, precedence: int, most: int | None = None) -> Constant:
        """Applies the waiting operators that bind at least this tightly to `value`, at most `most` of them."""
        while self.waiting and self.waiting[-1][0] >= precedence and most != 0:
            _, symbols, make = self.waiting.pop()
            self.symbols -= symbols
            value = make(value)
            most = most and most - 1
        return value

    def _prefix(self) -> bool:
        """Skips a sign, a cast or a `(`."""
        c, start = self.c, self.c.start
        if c.kind == "op" and c.word in ("+", "-", "!", "~"):
            operator = c.word
            c.advance()
            self._push(_UNARY, 2, lambda operand: _signed(c, operator, operand, (start, operand.span[1])))
        elif not c.take("("):
            return False
        elif c.kind == "dot" and c.word in (".s64", ".u64"):
            unsigned = c.word == ".u64"
            c.advance()
            c.expect(")", "after the type of a cast")
            self._push(_UNARY, 4, lambda operand: _cast(c, unsigned, operand, (start, operand.span[1])))
        else:
            self._push(_PARENTHESIS, 1, lambda value: _spanning(value, (start, c.last)))
        return True

    def _binary(self, left: Constant) -> None:
        c, operator, place = self.c, self.c.word, self.c.span
        c.advance()
        self._push(PRECEDENCE[operator], 2, lambda right: _apply(c, operator, place, left, right))

    def _condition(self, condition: Constant) -> None:
        c = self.c
        c.advance()
        if isinstance(condition, Float):
            raise _needs_integer(c, "?:", condition)

        def otherwise(first: Constant) -> Constant:
            self._push(_CONDITIONAL, 4, lambda second: _choose(c, condition, first, second))
            return first

        self._push(_CONDITION, 2, otherwise)


def primary(c: Cursor) -> Constant:
    """Parses a literal or `WARP_SZ`."""
    span = c.start, c.end
    if c.kind == "number":
        value = literal(c.word, span)
        if value is None:
            raise malformed(c)
        c.advance()
        return value
    if c.word == "WARP_SZ" and c.kind == "word":
        c.advance()
        return Integer(WARP_SIZE, False, "WARP_SZ", span)
    raise c.expected(CONSTANT, about="invalid-expression" if c.about == "syntax" else c.about)


def _choose(c: Cursor, condition: Integer, first: Constant, second: Constant) -> Constant:
    chosen = first if condition.value else second
    span = condition.span[0], second.span[1]
    if isinstance(chosen, Integer) and isinstance(first, Integer) and isinstance(second, Integer):
        return _integer(chosen.value, first.unsigned or second.unsigned, span)
    if isinstance(chosen, Float) and isinstance(first, Float) and isinstance(second, Float):
        return Float(chosen.bits, chosen.width, "", span, literal=False)
    raise _mixed_operands_error(c, "?:", first, second)


def _signed(c: Cursor, operator: str, operand: Constant, span: Span) -> Constant:
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


def _cast(c: Cursor, unsigned: bool, operand: Constant, span: Span) -> Constant:
    if isinstance(operand, Float):
        raise _needs_integer(c, "(.u64)" if unsigned else "(.s64)", operand)
    return _integer(operand.value, unsigned, span)


def _spanning(value: Constant, span: Span, text: str = "") -> Constant:
    """The value as an expression that covers the text."""
    if isinstance(value, Integer):
        return Integer(value.value, value.unsigned, text, span, literal=False)
    return Float(value.bits, value.width, text, span, literal=False)


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
        raise _mixed_operands_error(c, operator, left, right)
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
    return Float(double_bits(value), 64, "", span, literal=False)


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
    """Wraps to 64 bits."""
    value &= _MASK
    if not unsigned and value >> 63:
        value -= 1 << 64
    return Integer(value, unsigned, "", span, literal=False)


def _single(c: Cursor, operator: str, operand: Float, span: Span) -> Mistake:
    help = "write it as a decimal or a `0d` literal"
    if operator == "-":
        help = f"flip the sign bit instead: `0f{operand.bits ^ 1 << 31:08X}`"
    return c.mistake(
        "invalid-expression", f"`{operand.text or f'0f{operand.bits:08X}'}` can't be an operand of `{operator}`", span,
        rule="PTX ISA 4.5.2: 32-bit literals keep their exact value and may not be used in constant expressions",
        help=help,
    )  # fmt: skip


def _needs_integer(c: Cursor, operator: str, operand: Constant, place: Span | None = None) -> Mistake:
    return c.mistake(
        "invalid-expression",
        f"`{operator}` takes integers, and this is a floating-point constant",
        place or operand.span,
        rule="PTX ISA 4.5.6, Table 5",
    )


def _mixed_operands_error(c: Cursor, operator: str, left: Constant, right: Constant) -> Mistake:
    return c.mistake(
        "invalid-expression",
        f"the operands of `{operator}` are an integer and a floating-point constant",
        (left.span[0], right.span[1]),
        rule="PTX ISA 4.5.4: constant expressions do not support casts between integer and floating-point",
        help="write both as integers, or both with a decimal point",
    )
