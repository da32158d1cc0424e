"""Parses instructions: guard, opcode, operands and semicolon, with every error at its position (manual 4.3.2)."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.diagnostics.kinds import STATEMENT
from openptx.isa.types import FUNDAMENTAL
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.brace_matcher import OPERAND_END
from openptx.syntax.foreign import (
    assigned,
    c_block_error,
    c_call_error,
    call_for_operand,
    comma_in_opcode,
    commas_lost,
    guarded_block,
    hexadecimal_point,
    opcode_for_guard,
    unguarded,
    unmarked_guard,
)
from openptx.syntax.lexical import IDENTIFIER, TRIVIA
from openptx.syntax.operand_fast_parser import fast_operands
from openptx.syntax.operand_parser import argument, operand
from openptx.syntax.operands import Name, Operand
from openptx.syntax.statement_lexer import plain
from openptx.syntax.tokens import Cursor, Mistake
from openptx.syntax.tree import Guard, Instruction, Lazy

# Blanks and comments are allowed before a dot, not after it; a bank may follow `.const` (manual 5.1.3.1). `.5` is a
# number, and `bra$L` a name.
_MODIFIER = r"\.(?![0-9]+(?:[eE][-+]?[0-9]+)?(?!\w))[A-Za-z0-9][\w:]*+"
_BLANK = pattern(TRIVIA)
_GUARD = pattern(rf"@(!?)({IDENTIFIER})", re.A)
OPCODE = pattern(rf"[A-Za-z_]\w*+(?:\[[0-9]+\])?+(?:{TRIVIA}*+{_MODIFIER}(?:\[[0-9]+\])?+)*+(?!\$)", re.A)


def read_operands(file: File, span: Span, mnemonic: str) -> tuple[tuple[Operand, ...], Diagnostic | None]:
    """The operands in a span of text that contains nothing else, or none and the error in them."""
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
    match = _GUARD.fullmatch(file.text, *span)
    return guard(Cursor(file, *span)) if match is None else Guard(Name(match[2], match.span(2)), bool(match[1]), span)


def instruction(c: Cursor, problems: list[Diagnostic]) -> Instruction:
    """Parses `@p opcode operands ;`. A missing semicolon is reported, and the instruction kept."""
    start = c.start
    if c.word == "@":
        guard(c)
    guard_span = start, c.last if c.last > start else start
    opcode, span = _opcode(c, guarded=guard_span[1] > start)
    opened = c.start if c.kind != "end" else c.last
    read = _operands_of(c, opcode, span)
    operands_span = (opened, c.last) if read else (span[1], span[1])
    if not c.take(";"):
        alone = not read and "." not in opcode and guard_span[0] == guard_span[1]
        problems.append(_unended(c, may_be_label=alone))
        c.take(":")
    found = Instruction(c.file, (start, c.last), guard_span, span, operands_span, _BLANK.sub("", opcode))
    found.remember(read)
    return found


def begins_no_opcode(c: Cursor) -> bool:
    """Whether the current word cannot begin an instruction, like compiler-generated labels: `$L__BB0_1`."""
    return OPCODE.match(c.file.text, c.start, c.limit) is None


def without_colon(c: Cursor, word: Span) -> Mistake:
    """The error that a label has no colon."""
    name = c.file.text[slice(*word)]
    fix = Fix((word[1], word[1]), ":", "make it a label", SAFE)
    message = f"`{name}` stands alone: a label ends with a colon"
    return c.mistake("syntax", message, word, f"expected `{name}:`", rule="PTX ISA, Statements (4.3)", fix=fix)


_JOINED = "a guard is one predicate: combine them first, `and.pred %p, %p1, %p2;` or `or.pred`, then `@%p`"
_AFTER_GUARD = {
    **dict.fromkeys(("&&", "||", "&", "|", "@"), _JOINED),
    ";": "an instruction follows its guard, in the same statement: `@%p bra L;`",
}
"""By the token after a guard that has no opcode: what to write instead."""


def _opcode(c: Cursor, *, guarded: bool) -> tuple[str, Span]:
    """Skips the opcode."""
    match = OPCODE.match(c.file.text, c.start, c.limit) if c.kind == "word" else None
    if match is None:
        if guarded and c.word in (":", ","):
            fix = Fix(c.span, "", "remove it", SAFE)
            message = f"expected an opcode after the guard, found {c.described}"
            raise c.mistake("syntax", message, c.span, "expected the opcode", fix=fix)
        if guarded and c.word == "{":
            raise guarded_block(c)
        if not guarded and (mistake := unmarked_guard(c)):
            raise mistake
        help = _AFTER_GUARD.get(c.word) if guarded else None
        raise c.expected("an opcode" if guarded else STATEMENT, help=help)
    c.seek(match.end())
    if c.word == ":":
        raise c.mistake("syntax", "a label stands before the guard, not after it", match.span(), "this is a label")
    return match[0], match.span()


def _operands_of(c: Cursor, opcode: str, span: Span) -> tuple[Operand, ...]:
    """The operands after an opcode."""
    mnemonic = re.split(r"[^\w]", opcode, maxsplit=1)[0]
    if c.word == "," and c.start == span[1] and c.file.text[c.end : c.end + 1].isalpha():
        raise comma_in_opcode(c, opcode)
    if c.word in FUNDAMENTAL and c.kind == "word" and c.peek().kind in ("word", "number"):
        fix = Fix((span[1], c.start), ".", "write a dot", SAFE)
        message = f"`{c.word}` is a modifier: it begins with a dot"
        raise c.mistake("invalid-opcode", message, c.span, "expected a dot before this", fix=fix)
    if c.word == "{" and opcode == mnemonic and c.stands_alone:
        raise c_block_error(c, opcode, span)
    parenthesis = c.word == "(" and mnemonic != "call"  # `bar.sync (0);`, or a call in C syntax
    try:
        return operands(c, mnemonic)
    except Mistake:
        if parenthesis:
            raise c_call_error(c, opcode, span) from None
        raise


def _unended(c: Cursor, *, may_be_label: bool) -> Diagnostic:
    """The diagnostic that an instruction lacks its semicolon; raises other errors after its operands."""
    mistake = after_operand(c)
    found = mistake.diagnostic
    if found.name != "missing-semicolon":
        raise mistake
    if may_be_label and found.fix is not None:  # a single word may also be a label that lacks its colon
        found.fix.applicability = SUGGESTION
    return found


def guard(c: Cursor) -> Guard:
    """Parses `@p` or `@!p`."""
    start = c.start
    c.expect("@", "before a guard predicate")
    negated = c.take("!")
    if c.kind != "word":
        raise unguarded(c)
    name = Name(c.word, c.span)
    c.advance()
    if c.word[:1] == "." and c.start == c.last:
        raise opcode_for_guard(c, name.span[0])
    return Guard(name, negated, (start, c.last))


def operands(c: Cursor, mnemonic: str) -> tuple[Operand, ...]:
    """Parses operands and the commas between them, up to a token that is not a comma."""
    if c.kind == "end" or c.word in (";", "}") or (c.kind in ("word", "dot") and _opens_statement(c)):
        return ()
    if mnemonic == "call" and (mistake := commas_lost(c)):
        raise mistake
    read = argument if mnemonic == "call" else operand
    found = [read(c)]
    while c.take(","):
        if c.new_line and c.kind == "word" and (mistake := _comma_ends(c)):
            raise mistake
        found.append(read(c))
    return tuple(found)


def _comma_ends(c: Cursor) -> Mistake | None:
    """The error that a comma stands at the end of an instruction: another one, or a label, is on a later line."""
    if c.peek().word != ":":
        match = OPCODE.match(c.file.text, c.start, c.limit)
        if match is None or "." not in match[0]:
            return None
        ahead = Cursor(c.file, match.end(), c.limit)
        if ahead.kind not in ("word", "number") and not ahead.at("{", "["):
            return None
    comma = c.last - 1, c.last
    fix = Fix(comma, ";", "end the statement", SAFE)
    mistake = c.mistake("missing-semicolon", "this statement ends in a comma", comma, marks=";", fix=fix)
    mistake.recovered = True
    return mistake


def _opens_statement(c: Cursor) -> bool:
    """Whether the current token is on a new line and begins a statement: the previous one has no operands and no
    `;`."""
    if not c.new_line:
        return False
    if c.kind == "dot":
        return True
    match = OPCODE.match(c.file.text, c.start, c.limit)
    opcode = match is not None and match.end() >= c.end  # `f_$_1` is a name that starts like one
    ahead = Cursor(c.file, match.end() if match and opcode else c.end, c.limit)
    if match is None or not opcode or ahead.word == ":":
        return ahead.word == ":"
    return ahead.kind in ("word", "number") or ahead.at("{", "(") or (ahead.at("[") and "." in match[0])


def after_operand(c: Cursor) -> Mistake:
    """The error after a whole operand: a comma or a semicolon is missing, or a bracket is superfluous."""
    place = c.last
    if c.word in (")", "]") or (c.word == "}" and _OPERAND_END.match(c.file.text, c.start)):
        return _unopened(c, place)
    if c.word == ":" and c.peek().word == ";":
        fix = Fix(c.span, "", "remove it", SAFE)
        return c.mistake("syntax", "a colon ends a label only where it is defined", c.span, fix=fix)
    if _ends_statement(c):
        return missing_semicolon(c, place)
    if c.kind == "word" and c.word.isalpha() and c.peek().kind == "dot" and c.peek().start == c.end:
        return missing_semicolon(c, place)  # another instruction begins, in the same line
    if mistake := _of_another_language(c, place):
        return mistake
    if c.kind in ("word", "number") or c.word in ("[", "(", "{"):
        return _missing_comma(c, place)
    added = c.word in ("+", "-") and c.file.text[place - 1] == "]"
    return c.expected_mark(",;", "after the operand", help=_OFFSET if added else None)


def _of_another_language(c: Cursor, place: int) -> Mistake | None:
    """The error `a = b`, `0x1.8p3` or `max(a, b)` after the operand that ends at `place`."""
    if c.word == "=":
        return assigned(c)
    if c.kind == "number" and c.word[0] == "." and c.start == place:
        return hexadecimal_point(c)
    return call_for_operand(c, place) if c.word == "(" else None


def _unopened(c: Cursor, place: int) -> Mistake:
    """The error of a bracket, parenthesis or brace that closes nothing."""
    message = f"this `{c.word}` closes nothing"
    if c.word == "}":
        help = "the elements of a vector are enclosed in braces, `{a, b}`: put `{` before the first"
        return c.mistake("syntax", message, c.span, "no `{` before it", help=help)
    fix = Fix(c.span, "", "remove it", SAFE)
    if c.peek().kind in ("word", "number"):
        fix = Fix(c.span, ",", "write a comma", SUGGESTION)
    elif c.word == "]" and (opened := _NAMED.search(c.file.text, _after_space(c, place), place)):
        fix = Fix((opened.start(), opened.start()), "[", "open the bracket", SUGGESTION)
    return c.mistake("syntax", message, c.span, fix=fix)


def _after_space(c: Cursor, place: int) -> int:
    """Where the last characters before `place` that are neither space nor comma begin: a name may be of any length."""
    return max(c.file.text.rfind(mark, 0, place) for mark in " \t\n,") + 1


def _missing_comma(c: Cursor, place: int) -> Mistake:
    message = f"expected `,` or `;` after the operand, found {c.described}"
    fix = Fix((place, place), ",", "insert a comma", SAFE)
    indexed = c.word == "[" and c.file.text[place - 1] == "]"
    return c.mistake("syntax", message, c.span, marks=",", fix=fix, help=_INDEXED if indexed else None)


_INDEXED = "an operand has one index: add the other offsets in bytes, `[array+72]`"
_NAMED = pattern(rf"{IDENTIFIER}(?:\+-?\w+)?\Z", re.A)
_OFFSET = "an offset stands inside the brackets: `[%rd1+4]`"


_OPERAND_END = pattern(OPERAND_END)


def _ends_statement(c: Cursor) -> bool:
    """Whether the previous statement ends here: with its block, or because another one begins."""
    if c.kind == "end" or c.word in ("}", "@") or (c.word == ":" and c.stands_alone):
        return True
    return c.new_line and (c.kind in ("word", "dot") or c.word == "{")


def missing_semicolon(c: Cursor, place: int) -> Mistake:
    """The error that a statement ends without its `;`, after `place`."""
    span = max(place - 1, 0), place
    fix = Fix(c.span if c.word == ":" else (place, place), ";", "end the statement", SAFE)
    after = "expected `;` after this"
    return c.mistake("missing-semicolon", "this statement has no `;`", span, after, fix=fix, marks=";")


Lazy.guard, Lazy.operands = read_guard, read_operands
