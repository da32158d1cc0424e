"""The precise reader of instructions: operands as a tree, with every mistake named at its place (manual chapter 6)."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix, Label
from openptx.syntax.constants import constant
from openptx.syntax.foreign import assigned, called, comma_in_opcode, hexadecimal_point, sum_of_registers, unguarded
from openptx.syntax.lexical import TRIVIA
from openptx.syntax.operand_fast_parser import fast_operands
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
from openptx.syntax.statement_lexer import plain
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Guard, Instruction, Lazy

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.source import File, Span

    Reader = Callable[[Cursor], Operand]

# Blanks and comments may stand before a dot, not after it; a bank may follow `.const` (manual 5.1.3.1).
# `.5` is a number, and `bra$L` a name.
_MODIFIER = r"\.(?![0-9]+(?:[eE][-+]?[0-9]+)?(?!\w))[A-Za-z0-9][\w:]*+"
OPCODE = re.compile(rf"[A-Za-z_]\w*+(?:\[[0-9]+\])?+(?:{TRIVIA}*+{_MODIFIER}(?:\[[0-9]+\])?+)*+(?!\$)", re.A)
_SELECTOR = re.compile(r"\.(?:[xyzwrgba]{1,4}|[bh][0-7]{1,4})", re.A)
_CLOSES = {"[": "]", "(": ")", "{": "}"}


def read_operands(file: File, span: Span, mnemonic: str) -> tuple[tuple[Operand, ...], Diagnostic | None]:
    """The operands in a span of text that holds nothing else, or none and what is wrong with them."""
    if mnemonic != "call" and plain(file.text[slice(*span)]):
        return fast_operands(file.text, *span), None
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
        if guard_span[1] > start and c.word in (":", ","):
            fix = Fix(c.span, "", "remove it", SAFE)
            message = f"expected an opcode after the guard, found {c.described}"
            raise c.mistake("syntax", message, c.span, "nothing stands between them", fix=fix)
        raise c.expected("an opcode" if guard_span[1] > start else "a statement")
    c.seek(match.end())
    if c.word == ":":
        raise c.mistake("syntax", "a label stands before the guard, not after it", match.span(), "this is a label")
    opened = c.start if c.kind != "end" else c.last
    mnemonic = re.split(r"[^\w]", match[0], maxsplit=1)[0]
    if c.word == "," and c.start == match.end() and c.file.text[c.end].isalpha():
        raise comma_in_opcode(c, match[0])
    parenthesis = c.word == "(" and mnemonic != "call"  # `bar.sync (0);`, or a call as C writes it
    try:
        read = operands(c, mnemonic)
    except Mistake:
        if parenthesis:
            raise called(c, match[0], match.span()) from None
        raise
    operands_span = (opened, c.last) if read else (match.end(), match.end())
    if not c.take(";"):
        mistake = after_operand(c)
        if mistake.diagnostic.name != "missing-semicolon":
            raise mistake
        found = mistake.diagnostic
        if not read and found.fix is not None and "." not in match[0] and guard_span[0] == guard_span[1]:
            found.fix.applicability = SUGGESTION  # a word alone may as well be a label that lacks its colon
        problems.append(found)
        c.take(":")
    found = Instruction(c.file, (start, c.last), guard_span, match.span(), operands_span)
    found.remember(read)
    return found


def guard(c: Cursor) -> Guard:
    """Read `@p` or `@!p`."""
    start = c.start
    c.expect("@", "before a guard predicate")
    negated = c.take("!")
    if c.kind != "word":
        raise unguarded(c)
    name = Name(c.word, c.span)
    c.advance()
    return Guard(name, negated, (start, c.last))


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
    if not _new_line(c):
        return False
    if c.kind == "dot":
        return True
    match = OPCODE.match(c.file.text, c.start, c.limit)
    opcode = match is not None and match.end() >= c.end  # `f_$_1` is a name that begins like one
    ahead = Cursor(c.file, match.end() if match and opcode else c.end, c.limit)
    if match is None or not opcode or ahead.word == ":":
        return ahead.word == ":"
    return ahead.kind in ("word", "number") or ahead.at("{", "(") or (ahead.at("[") and "." in match[0])


def _new_line(c: Cursor) -> bool:
    return "\n" in c.file.text[c.last : c.start]


def after_operand(c: Cursor) -> Mistake:
    """The mistake in what follows a whole operand: a comma or a semicolon is missing, or a bracket is too many."""
    place = c.last
    if c.word == "}" and c.file.text[c.end : c.end + 1] in (";", ",", "]"):
        help = "the elements of a vector stand in braces, `{a, b}`: put its `{` before the first"
        return c.mistake("syntax", "this `}` closes nothing", c.span, "no `{` before it", help=help)
    if (
        c.kind == "end"
        or c.word in ("}", "@", ":")
        or (c.word == "{" and _new_line(c))
        or (_new_line(c) and c.kind in ("word", "dot"))
    ):
        return missing_semicolon(c, place)
    if c.word == "=":
        return assigned(c)
    if c.word in ("]", ")"):
        return c.mistake("syntax", f"this `{c.word}` closes nothing", c.span, fix=Fix(c.span, "", "remove it", SAFE))
    if c.kind == "number" and c.word[0] == "." and c.start == place and (mistake := hexadecimal_point(c)):
        return mistake
    if c.kind in ("word", "number") or c.word in ("[", "(", "{"):
        message = f"expected `,` or `;` after the operand, found {c.described}"
        return c.mistake(
            "syntax", message, c.span, "expected `,`", fix=Fix((place, place), ",", "insert a comma", SAFE)
        )
    return c.expected("`,` or `;`", "after the operand")


def missing_semicolon(c: Cursor, place: int) -> Mistake:
    """The mistake that a statement ends without its `;`, after `place`."""
    span = max(place - 1, 0), place
    fix = Fix(c.span if c.word == ":" else (place, place), ";", "end the statement", SAFE)
    return c.mistake("missing-semicolon", "this statement has no `;`", span, "expected `;` after this", fix=fix)


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
            return _paired(c, _vector(c))
        case "!" | "-":
            return _signed(c)
        case "+" | "~" | "(":
            return constant(c)
        case _:
            raise c.expected("an operand", about="invalid-operand")


def _argument(c: Cursor) -> Operand:
    """An operand of `call`, where parentheses hold lists (manual 9.7.12.5)."""
    start = c.start
    if not c.take("("):
        return operand(c)
    elements = () if c.word == ")" else _elements(c, operand)
    _close(c, start)
    return Arguments(elements, *_text(c, start))


def _named(c: Cursor) -> Operand:
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
        raise c.expected("a register or `_`", "after `|`", about="invalid-operand")
    return Pair(first, _name(c), *_text(c, first.span[0]))


def _simple(c: Cursor) -> Name | Sink | Selector:
    """A name, alone or with a selector: what can stand in a vector."""
    start = c.start
    base = _name(c)
    if c.kind != "dot" or not isinstance(base, Name) or (_new_line(c) and not _SELECTOR.fullmatch(c.word)):
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
    """A name, or a name and an offset: `var+4`. Nothing is subtracted (manual 6.4.1; the assembler refuses it too)."""
    if c.word == "-":
        raise negative_offset(c, base)
    if c.word == "+" and (mistake := sum_of_registers(c, base.span[0])):
        raise mistake
    if not c.take("+"):
        return base
    if c.kind == "word" and c.word != "WARP_SZ":
        raise c.mistake(
            "invalid-expression",
            f"only a constant can be added to `{base.text}` here, not `{c.word}`",
            c.span,
            "expected a constant",
            rule="PTX ISA, Addresses as Operands (6.4.1): a constant is added, `[reg+immOff]`",
            help=f"compute the sum first: `add.s64 %x, {base.text}, {c.word};`",
        )
    offset = constant(c)
    if isinstance(offset, Integer):
        return Sum(base, offset, *_text(c, base.span[0]))
    raise c.mistake("invalid-expression", "an offset is an integer", offset.span, "this is a floating-point constant")


def negative_offset(c: Cursor, base: Name) -> Mistake:
    """The mistake `[r-8]`, with its repair `[r+-8]`."""
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
    """What stands in brackets first: a name, a name and an offset, or a constant."""
    if c.kind != "word" or c.word == "WARP_SZ":
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
    raise c.expected("a register or a constant", about="invalid-operand")


def _elements(c: Cursor, read: Reader) -> tuple[Operand, ...]:
    found = [read(c)]
    while c.take(","):
        if c.word == "[":
            break
        found.append(read(c))
    return tuple(found)


def _close(c: Cursor, opened: int) -> None:
    """Step over the bracket that closes the one at `opened`."""
    bracket = c.file.text[opened]
    close = _CLOSES[bracket]
    if c.word == close and c.kind == "op":
        c.advance()
        return
    if c.kind in ("word", "number") and not _new_line(c):
        message = f"expected `,` or `{close}`, found {c.described}"
        fix = Fix((c.last, c.last), ",", "insert a comma", SAFE)
        raise c.mistake("syntax", message, c.span, "expected `,`", fix=fix)
    if c.kind == "bad" or (c.kind == "op" and c.word not in (";", ",", "[", "]", "}", ")", "@", "{", ":", "|")):
        raise c.expected(f"`,` or `{close}`")
    label = Label((opened, opened + 1), "opened here")
    place = _before_comma(c, opened) if bracket == "[" else c.last
    place -= c.file.text[place - 1 : place] == ","
    fix = Fix((place, place), close, f"close it with `{close}`", SAFE)
    message = f"this `{bracket}` is never closed" if c.kind == "end" else f"expected `{close}`, found {c.described}"
    last = max(place - 1, opened), place
    raise c.mistake("unclosed-bracket", message, last, f"expected `{close}` after this", labels=(label,), fix=fix)


def _before_comma(c: Cursor, opened: int) -> int:
    """Where the `]` of an address is missing: before its first comma, unless what follows is a list of coordinates."""
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


Lazy.guard, Lazy.operands = read_guard, read_operands
