"""Parses operands: names, addresses, vectors, lists, each with its errors at their positions (manual chapter 6)."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, Fix, Label
from openptx.diagnostics.kinds import CONSTANT, ELEMENT
from openptx.patterns import pattern
from openptx.syntax.constants import constant
from openptx.syntax.foreign import displaced, no_operand, offset_first, parenthesised, sum_of_registers
from openptx.syntax.operands import (
    Address,
    Arguments,
    Float,
    Integer,
    Minus,
    Name,
    Negated,
    Operand,
    Pair,
    Selector,
    Sink,
    Subscript,
    Sum,
    Vector,
)
from openptx.syntax.tokens import Cursor, Mistake

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.source import Span

    Reader = Callable[[Cursor], Operand]

_SELECTOR = pattern(r"\.(?:[xyzwrgba]{1,4}|[bh][0-7]{1,4})", re.A)
_CLOSES = {"[": "]", "(": ")", "{": "}"}


def operand(c: Cursor) -> Operand:
    """Parses one operand."""
    if c.kind == "word" and c.word != "WARP_SZ":
        return _name_operand(c)
    if c.kind == "number" or c.kind == "word":
        if mistake := displaced(c):
            raise mistake
        return constant(c)
    match c.word if c.kind == "op" else "":
        case "[":
            return _address(c)
        case "{":
            return _paired(c, _vector(c))
        case "!" | "-":
            return _signed(c)
        case "(" if mistake := parenthesised(c):
            raise mistake
        case "+" | "~" | "(":
            return constant(c)
        case _:
            raise no_operand(c)


def argument(c: Cursor) -> Operand:
    """An operand of `call`, where parentheses enclose lists (manual 9.7.12.5)."""
    start = c.start
    if not c.take("("):
        return operand(c)
    elements = () if c.word == ")" else _elements(c, operand)
    _close(c, start)
    return Arguments(elements, *_text(c, start))


def _name_operand(c: Cursor) -> Operand:
    """A name and what may follow it: `.x`, `[i]`, `|q`, `+4`."""
    start = c.start
    base = _simple(c)
    if c.word == "|" or not isinstance(base, Name):
        return _paired(c, base)
    if c.word == "[":
        opened = c.start
        c.advance()
        index = _place(c)
        _close(c, opened)
        return Subscript(base, index, *_text(c, start))
    return _sum(c, base)


def _paired(c: Cursor, first: Operand) -> Operand:
    """A register or a vector, and what may follow it after `|`."""
    if c.word != "|":
        return first
    c.advance()
    if c.kind != "word":
        raise c.expected("a register or `_`", "after `|`", about="invalid-operand", marks="_")
    return Pair(first, _name(c), *_text(c, first.span[0]))


def _simple(c: Cursor) -> Name | Sink | Selector:
    """A name, alone or with a selector: a possible element of a vector."""
    start = c.start
    base = _name(c)
    if c.kind != "dot" or not isinstance(base, Name) or (c.new_line and not _SELECTOR.fullmatch(c.word)):
        return base
    field = c.word[1:]
    c.advance()
    return Selector(base, field, *_text(c, start))


def _name(c: Cursor) -> Name | Sink:
    text, span = c.word, c.span
    c.advance()
    return Sink(span) if text == "_" else Name(text, span)


def _text(c: Cursor, start: int) -> tuple[str, Span]:
    return c.file.text[start : c.last], (start, c.last)


def _sum(c: Cursor, base: Name) -> Name | Sum:
    """A name, or a name and an offset: `var+4`. Subtraction is not allowed (manual 6.4.1; the assembler refuses it
    too)."""
    if c.word == "-":
        raise negative_offset(c, base)
    if c.word == "+" and (mistake := sum_of_registers(c, base.span[0])):
        raise mistake
    if not c.take("+"):
        return base
    if c.kind == "word" and c.word != "WARP_SZ":
        raise c.mistake(
            "invalid-expression", f"only a constant can be added to `{base.text}` here, not `{c.word}`", c.span,
            "expected a constant", kind=CONSTANT,
            rule="PTX ISA, Addresses as Operands (6.4.1): a constant is added, `[reg+immOff]`",
            help=f"compute the sum first: `add.s64 %x, {base.text}, {c.word};`",
        )  # fmt: skip
    offset = constant(c)
    if isinstance(offset, Integer):
        return Sum(base, offset, *_text(c, base.span[0]))
    raise fractional_offset(c, offset)


def fractional_offset(c: Cursor, offset: Float) -> Mistake:
    """The error that a floating-point number is added to an address."""
    return c.mistake(
        "invalid-expression", "an offset is an integer", offset.span, "this is a floating-point constant",
        help="an offset is a number of bytes: `[a+4]`",
    )  # fmt: skip


def negative_offset(c: Cursor, base: Name) -> Mistake:
    """The error `[r-8]`, with its fix `[r+-8]`."""
    start, ahead = c.start, c.peek()
    message = f"nothing can be subtracted from `{base.text}` here"
    rule = "PTX ISA, Addresses as Operands (6.4.1): a constant is added, `[reg+immOff]`"
    if ahead.kind != "number":
        help = "compute the difference with `sub` first"
        return c.mistake("address-subtraction", message, c.span, "`+` is the only operator here", rule=rule, help=help)
    repair = f"{base.text}+-{ahead.word}"
    fix = Fix((start, ahead.end), f"+-{ahead.word}", "add the negative number", SAFE)
    help = f"add the negative number instead: `{repair}`"
    span = start, ahead.end
    return c.mistake(
        "address-subtraction", message, span, "`+` is the only operator here", rule=rule, help=help, fix=fix
    )


def _place(c: Cursor) -> Operand:
    """The first part in brackets: a name, a name and an offset, or a constant."""
    if c.kind != "word" or c.word == "WARP_SZ":
        if mistake := offset_first(c):
            raise mistake
        if c.kind == "number" or c.kind == "word" or c.word in ("+", "-", "~", "!", "("):
            return constant(c)
        raise c.expected("an address", about="invalid-operand")
    base = _name(c)
    return _sum(c, base) if isinstance(base, Name) else base


def _address(c: Cursor) -> Operand:
    start = c.start
    c.expect("[", "")
    base, offset = _place(c), None
    if isinstance(base, Sum):
        base, offset = base.base, base.offset
    parts: list[Operand] = []
    while c.take(","):
        parts.append(operand(c))
    _close(c, start)
    suffix = ""
    if c.word == ".unified":
        suffix = "unified"
        c.advance()
    return Address(base, offset, tuple(parts), suffix, *_text(c, start))


def _vector(c: Cursor) -> Operand:
    start = c.start
    c.expect("{", "")
    elements = _elements(c, _element)
    _close(c, start)
    return Vector(elements, *_text(c, start))


def _element(c: Cursor) -> Operand:
    if c.kind == "word" and c.word != "WARP_SZ":
        return _simple(c)
    if c.kind == "number" or c.kind == "word" or c.word in ("+", "-", "~", "!", "("):
        return constant(c)
    raise c.expected(ELEMENT, about="invalid-operand")


def _elements(c: Cursor, read: Reader) -> tuple[Operand, ...]:
    found = [read(c)]
    while c.take(","):
        if c.word == "[":
            break
        found.append(read(c))
    return tuple(found)


def _close(c: Cursor, opened: int) -> None:
    """Skips the bracket that closes the one at `opened`."""
    bracket = c.file.text[opened]
    close = _CLOSES[bracket]
    if c.word == close and c.kind == "op":
        c.advance()
        return
    if c.kind in ("word", "number") and not c.new_line:
        message = f"expected `,` or `{close}`, found {c.described}"
        fix = Fix((c.last, c.last), ",", "insert a comma", SAFE)
        raise c.mistake("syntax", message, c.span, marks=",", fix=fix)
    if c.kind == "bad" or (c.kind == "op" and c.word not in (";", ",", "[", "]", "}", ")", "@", "{", ":", "|")):
        raise c.expected_mark(f",{close}")
    if c.word == "[" and bracket == "[":
        help = "an address has one offset, in bytes: `[array+72]`"
        raise c.mistake("syntax", "an address is no array element", c.span, "a second bracket", help=help)
    label = Label((opened, opened + 1), "opened here")
    place = _before_comma(c, opened) if bracket == "[" else c.last
    place -= c.file.text[place - 1 : place] == ","
    fix = Fix((place, place), close, f"close it with `{close}`", SAFE)
    message = f"this `{bracket}` is never closed" if c.kind == "end" else f"expected `{close}`, found {c.described}"
    last = max(place - 1, opened), place
    after = f"expected `{close}` after this"
    raise c.mistake("unclosed-bracket", message, last, after, labels=(label,), fix=fix, marks=close)


def _before_comma(c: Cursor, opened: int) -> int:
    """The position where the `]` of an address is missing: before its first comma, unless a list of coordinates
    follows."""
    comma = c.file.text.find(",", opened, c.last)
    return c.last if comma < 0 or c.file.text.find("{", opened, c.last) >= 0 else comma


def _signed(c: Cursor) -> Operand:
    """`!p`, `-a`, or a constant expression that begins with the sign."""
    start, sign = c.start, c.word
    ahead = c.peek()
    if ahead.kind != "word" or ahead.word == "WARP_SZ":
        return constant(c)
    c.advance()
    kind = Negated if sign == "!" else Minus
    return kind(_simple(c), *_text(c, start))
