"""The precise reader of instructions: operands as a tree, with every mistake named at its place (manual chapter 6)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openptx.diagnostics import Diagnostic, Fix, Label
from openptx.syntax.constants import constant, primary
from openptx.syntax.operands import (
    Address,
    Arguments,
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
from openptx.syntax.tree import Guard, Instruction

if TYPE_CHECKING:
    from openptx.source import File, Span

# Blanks may stand before a dot, not behind it; a bank may follow `.const` (manual 5.1.3.1).
OPCODE = re.compile(r"[A-Za-z_]\w*+(?:\[[0-9]+\])?+(?:[ \t\r\n]*+\.[A-Za-z0-9][\w:]*+(?:\[[0-9]+\])?+)*+", re.A)
_ENDS = (";", ",", "]", "}", ")")


def read_operands(file: File, span: Span, mnemonic: str) -> tuple[tuple[Operand, ...], Diagnostic | None]:
    """The operands in a span of text that holds nothing else, or none and what is wrong with them."""
    c = Cursor(file, *span)
    try:
        found = operands(c, mnemonic)
        if c.kind != "end":
            raise after_operand(c)
    except Mistake as mistake:
        return (), mistake.diagnostic
    return found, None


def read_guard(file: File, span: Span) -> Guard:
    """The guard in a span that holds `@p` or `@!p`."""
    return guard(Cursor(file, *span))


def instruction(c: Cursor, problems: list[Diagnostic]) -> Instruction:
    """Read `@p opcode operands ;`. A forgotten semicolon is reported, and the instruction kept."""
    start = c.start
    if c.word == "@":
        guard(c)
    guard_span = start, c.last if c.last > start else start
    match = OPCODE.match(c.file.text, c.start, c.limit) if c.kind == "word" else None
    if match is None:
        raise c.expected("an opcode" if guard_span[1] > start else "a statement")
    c.seek(match.end())
    opened = c.start if c.kind != "end" else c.last
    mnemonic = match[0].partition(".")[0].strip()
    read = operands(c, mnemonic)
    operands_span = (opened, c.last) if read else (match.end(), match.end())
    if not c.take(";"):
        mistake = after_operand(c)
        if mistake.diagnostic.name != "missing-semicolon":
            raise mistake
        problems.append(mistake.diagnostic)
    found = Instruction(c.file, (start, c.last), guard_span, match.span(), operands_span)
    found.remember(read)
    return found


def guard(c: Cursor) -> Guard:
    """Read `@p` or `@!p`."""
    start = c.start
    c.expect("@", "before a guard predicate")
    negated = c.take("!")
    text, span = c.name("a predicate register", "behind `@`")
    return Guard(Name(text, span), negated, (start, c.last))


def operands(c: Cursor, mnemonic: str) -> tuple[Operand, ...]:
    """Read operands and the commas between them, up to a token that is no comma."""
    if c.kind == "end" or c.word in (";", "}") or (c.kind in ("word", "dot") and _opens_statement(c)):
        return ()
    read = _argument if mnemonic == "call" else operand
    found = [read(c)]
    while c.take(","):
        found.append(read(c))
    return tuple(found)


def _opens_statement(c: Cursor) -> bool:
    """Whether the current token is on a new line and begins a statement: the one before has no operands and no `;`."""
    text = c.file.text
    if "\n" not in text[c.last : c.start]:
        return False
    if c.kind == "dot":
        return True
    match = OPCODE.match(text, c.start, c.limit)
    ahead = Cursor(c.file, match.end() if match else c.end, c.limit)
    return ahead.word == ":" or (match is not None and (ahead.kind in ("word", "number") or ahead.at("[", "{", "(")))


def after_operand(c: Cursor) -> Mistake:
    """The mistake in what follows a whole operand: a comma or a semicolon is missing, or a bracket is too many."""
    place = c.last
    line_ends = "\n" in c.file.text[place : c.start]
    if c.kind == "end" or c.word in ("}", "{", "@") or (line_ends and c.kind in ("word", "dot")):
        return missing_semicolon(c, place)
    if c.word in ("]", ")"):
        return c.mistake("syntax", f"this `{c.word}` closes nothing", c.span, fix=Fix(c.span, "", "remove it"))
    if c.kind in ("word", "number") or c.word in ("[", "("):
        message = f"expected `,` or `;` behind the operand, found {c.described}"
        return c.mistake("syntax", message, c.span, "expected `,`", fix=Fix((place, place), ",", "insert a comma"))
    return c.expected("`,` or `;`", "behind the operand")


def missing_semicolon(c: Cursor, place: int) -> Mistake:
    """The mistake that a statement ends without its `;`, behind `place`."""
    span = max(place - 1, 0), place
    fix = Fix((place, place), ";", "end the statement")
    return c.mistake("missing-semicolon", "this statement has no `;`", span, "expected `;` behind this", fix=fix)


def operand(c: Cursor) -> Operand:
    """Read one operand."""
    if c.kind == "word" and c.word != "WARP_SZ":
        return _named(c)
    if c.kind == "number" or c.kind == "word":
        return constant(c)
    match c.word if c.kind == "op" else "":
        case "[":
            return _address(c)
        case "{":
            return _vector(c)
        case "!" | "-":
            return _signed(c)
        case "+" | "~" | "(":
            return constant(c)
        case _:
            raise c.expected("an operand")


def _argument(c: Cursor) -> Operand:
    """An operand of `call`, where parentheses hold lists (manual 9.7.12.5)."""
    start = c.start
    if not c.take("("):
        return operand(c)
    elements = _elements(c, ")")
    _close(c, ")", start)
    return Arguments(elements, c.file.text[start : c.last], (start, c.last))


def _named(c: Cursor) -> Operand:
    """A name and what may follow it: `.x`, `[i]`, `|q`, `+4`, `<4>`."""
    start = c.start
    base = _name(c)
    if c.word == "|":
        c.advance()
        if c.kind != "word":
            raise c.expected("a register or `_`", "behind `|`")
        second = _name(c)
        return Pair(base, second, *_text(c, start))
    if isinstance(base, Sink):
        return base
    if c.kind == "dot" and c.start == c.last:
        field = c.word[1:]
        c.advance()
        return Selector(base, field, *_text(c, start))
    if c.word == "[":
        return _subscript(c, base)
    if c.word == "+":
        c.advance()
        return Sum(base, _offset(c), *_text(c, start))
    if c.word == "-":
        raise _negative_offset(c, base)
    if c.word == "<" and c.kind == "op":
        c.advance()
        count = primary(c)
        c.expect(">", "behind the number of names")
        return Name(*_text(c, start), count.value if isinstance(count, Integer) else None)
    return base


def _name(c: Cursor) -> Name | Sink:
    text, span = c.word, c.span
    c.advance()
    return Sink(span) if text == "_" else Name(text, span)


def _text(c: Cursor, start: int) -> tuple[str, Span]:
    return c.file.text[start : c.last], (start, c.last)


def _offset(c: Cursor) -> Integer:
    found = constant(c)
    if isinstance(found, Integer):
        return found
    raise c.mistake("invalid-expression", "an offset is an integer", found.span, "this is a floating-point constant")


def _negative_offset(c: Cursor, base: Name) -> Mistake:
    """`[r-8]`: the grammar only adds (manual 6.4.1; the assembler refuses it too)."""
    start = c.start
    c.advance()
    if c.kind in ("number", "word") and c.word[0] not in "%$_":
        text = c.word
        fix = Fix((start, c.end), f"+-{text}", f"add the negative offset: `{base.text}+-{text}`")
        help = f"add the negative number instead: `{base.text}+-{text}`"
        span = start, c.end
    else:
        fix, span, help = None, (start, start + 1), "compute the address with `sub` first"
    message = f"nothing can be subtracted from `{base.text}` in an operand"
    return c.mistake("address-subtraction", message, span, "`+` is the only operator here", help=help, fix=fix)


def _subscript(c: Cursor, base: Name) -> Operand:
    start = c.start
    c.expect("[", "")
    index = operand(c)
    _close(c, "]", start)
    return Subscript(base, index, *_text(c, base.span[0]))


def _address(c: Cursor) -> Operand:
    start = c.start
    c.expect("[", "")
    base = operand(c)
    offset = None
    if isinstance(base, Sum):
        base, offset = base.base, base.offset
    parts: list[Operand] = []
    while c.take(","):
        parts.append(operand(c))
    _close(c, "]", start)
    suffix = ""
    if c.kind == "dot":
        suffix = c.word[1:]
        c.advance()
    return Address(base, offset, tuple(parts), suffix, *_text(c, start))


def _vector(c: Cursor) -> Operand:
    start = c.start
    c.expect("{", "")
    elements = _elements(c, "}")
    _close(c, "}", start)
    return Vector(elements, *_text(c, start))


def _elements(c: Cursor, close: str) -> tuple[Operand, ...]:
    if c.word == close:
        return ()
    c.deeper()
    found = [operand(c)]
    while c.take(","):
        found.append(operand(c))
    c.depth -= 1
    return tuple(found)


def _close(c: Cursor, close: str, opened: int) -> None:
    if c.word == close and c.kind == "op":
        c.advance()
        return
    if c.kind in ("word", "number") and "\n" not in c.file.text[c.last : c.start]:
        fix = Fix((c.last, c.last), ",", "insert a comma")
        raise c.mistake("syntax", f"expected `,` or `{close}`, found {c.described}", c.span, "expected `,`", fix=fix)
    if c.kind == "end" or c.kind == "dot" or c.word in _ENDS or "\n" in c.file.text[c.last : c.start]:
        open = c.file.text[opened]
        fix = Fix((c.last, c.last), close, f"close it with `{close}`")
        span = max(c.last - 1, 0), c.last
        label = Label((opened, opened + 1), "opened here")
        raise c.mistake(
            "unclosed-bracket", f"this `{open}` is never closed", (opened, opened + 1), fix=fix, labels=()
        ) if span[0] <= opened else c.mistake(
            "unclosed-bracket", f"expected `{close}`, found {c.described}", span, f"expected `{close}` behind this",
            labels=(label,), fix=fix,
        )  # fmt: skip
    raise c.expected(f"`,` or `{close}`")


def _signed(c: Cursor) -> Operand:
    """`!p`, `-a`, or a constant expression that begins with the sign."""
    start, sign = c.start, c.word
    ahead = Cursor(c.file, c.end, c.limit)
    if ahead.kind != "word" or ahead.word == "WARP_SZ":
        return constant(c)
    c.advance()
    inner = _named(c)
    kind = Negated if sign == "!" else Minus
    return kind(inner, *_text(c, start))
