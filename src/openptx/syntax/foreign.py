"""Syntax of C, Python and other assemblers, with its PTX equivalent."""

from __future__ import annotations

import re

from openptx.diagnostics import SAFE, SUGGESTION, Fix
from openptx.diagnostics.kinds import CALL_OF_C, OPERAND
from openptx.patterns import pattern
from openptx.syntax.brace_matcher import closing
from openptx.syntax.lexical import IDENTIFIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.syntax.tokens import Cursor, Mistake

_HEX_POINT = pattern(r"0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][-+]?[0-9]+)?[fF]?")
SUM = pattern(
    rf"(?P<base>{IDENTIFIER})\s*+\+\s*+(?:(?P<before>\w+)\s*+\*\s*+)?(?P<index>{IDENTIFIER})"
    r"(?:\s*(?P<operator>\*|<<)\s*(?P<after>\w+))?(?:\s*\+\s*(?P<offset>-?\w+))?(?=\s*\])",
    re.A,
)
"""`base + index * 4 + 8`, as in an x86 or C address."""

_WORD = pattern(rf"{IDENTIFIER}(?:(?:\.|::)\w+)*", re.A)
_GUARD = "a guard is `@` or `@!` and one predicate register: `@%p bra L;`, `@!%p bra L;`"


def guard_reversed(c: Cursor) -> Mistake:
    """The error `!@p`, for `@!p`."""
    span = c.start, c.peek().end
    fix = Fix(span, "@!", "write `@!`", SAFE)
    return c.mistake("invalid-guard", "`!` stands after the `@` of a guard", span, "expected `@!`", fix=fix)


def comma_in_opcode(c: Cursor, mnemonic: str) -> Mistake:
    """The error `add,u32`: only a dot can directly follow a mnemonic."""
    fix = Fix(c.span, ".", "write a dot", SAFE)
    message = f"expected `.` or a blank after `{mnemonic}`, found `,`"
    return c.mistake("invalid-opcode", message, c.span, "a modifier begins with a dot", fix=fix)


def hexadecimal_point(c: Cursor) -> Mistake | None:
    """The error `0x1.8p3`: hexadecimal digits of an integer, followed by a point."""
    text = c.file.text
    start = c.last - 1
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    match = _HEX_POINT.match(text, start, c.limit)
    if match is None or match.end() <= c.last:
        return None
    literal = match[0]
    rule = "PTX ISA, Floating-Point Constants (4.5.2)"
    try:
        value = f", `{float.fromhex(literal.rstrip('fF') if 'p' in literal.lower() else literal)!r}`"
    except (ValueError, OverflowError):  # no digit at all, or out of range for a double
        value = ""
    help = f"PTX has no hexadecimal point: write the number in decimal{value}, or its bits after `0f` or `0d`"
    return c.mistake("invalid-float", f"`{literal}` is not a number", match.span(), rule=rule, help=help)


def unguarded(c: Cursor) -> Mistake:
    """The error that no predicate follows `@`: `@(%p)`, `@~%p`."""
    return c.expected("a predicate register", "after `@`", about="invalid-guard", help=_GUARD)


_MARKED = pattern(rf"\(\s*(!?)\s*({IDENTIFIER})\s*\)(?=\s*[a-z])|(?:if\s+)?(!?)(%{IDENTIFIER}|%\w+)(?=\s+[a-z])", re.A)


def unmarked_guard(c: Cursor) -> Mistake | None:
    """The errors `(%p) bra L` and `%p bra L`: a guard without its `@`."""
    match = _MARKED.match(c.file.text, c.start, c.limit)
    if match is None:
        return None
    meant = f"@{match[1] or match[3] or ''}{match[2] or match[4]}"
    fix = Fix(match.span(), meant, f"write `{meant}`", SUGGESTION)
    return c.mistake("invalid-guard", "a guard begins with `@`", match.span(), help=_GUARD, fix=fix)


def guarded_block(c: Cursor) -> Mistake:
    """The error that a guard is followed by a block. Parsing continues after the block."""
    help = "a guard is of one instruction: branch around the block, `@!%p bra end;`, or guard each instruction"
    mistake = c.mistake("invalid-guard", "a block can't be guarded", c.span, "begins here", help=help)
    close = closing(c.file.text, c.end, min(c.end + _LONGEST_BLOCK, c.limit))
    if close is not None:
        c.seek(close + 1)
        mistake.recovered = True
    return mistake


_LONGEST_BLOCK = 1 << 13
"""Characters of a guarded block: to look for its end in the whole body would be quadratic."""


def opcode_for_guard(c: Cursor, start: int) -> Mistake:
    """The error that an opcode follows `@`: `@!tex.2d`."""
    whole = _WORD.match(c.file.text, start, c.limit)
    end = whole.end() if whole else c.end
    message = f"expected a predicate register after `@`, found the opcode `{c.file.text[start:end]}`"
    return c.mistake("invalid-guard", message, (start, end), "no register", help=_GUARD)


ASSIGNMENT = pattern(
    rf"{IDENTIFIER}[ \t]*(?:\[[^\]\n;]*\][ \t]*)?((?:[-+*/|&^%]|<<|>>)?=(?!=)|(?:\+\+|--)(?=[ \t]*;))", re.A
)
"""The beginning of a statement of C or LLVM IR that assigns to a variable."""


def assigned(c: Cursor, operator: str = "=") -> Mistake:
    """The error `%r1 = %r2 + %r3`: the destination of an instruction is its first operand."""
    help = "an instruction names its destination first: `mov.u32 d, a;`, `add.u32 d, a, b;`"
    rule = "PTX ISA, Instruction Statements (4.3.2)"
    language = next((name for name, form in _ASSIGNED if form.match(c.file.text, c.start, c.limit)), None)
    if language is not None:
        help = f"this is {language}; {help}"
    fix = Fix(c.span, ",", "write a comma", SUGGESTION) if c.word == "=" else None
    return c.mistake(
        "syntax", f"PTX has no `{operator}` in statements", c.span, "assigned here", rule=rule, help=help, fix=fix
    )


_ASSIGNED = (
    ("SPIR-V", pattern(rf"{IDENTIFIER}\s*=\s*Op[A-Z]", re.A)),
    (
        "LLVM IR",
        pattern(
            rf"{IDENTIFIER}\s*=\s*[a-z]+ (?:(?:nsw|nuw|fast|inbounds|volatile) )*(?:i\d+|float|double|half|ptr)\b", re.A
        ),
    ),
    (
        "a call as C writes it: `call (result), name, (arguments);`",
        pattern(rf"{IDENTIFIER}\s*=\s*(?:call )?\s*{IDENTIFIER}\s*\(", re.A),
    ),
)
"""Statements of other languages that assign."""

_SHIFTED = pattern(rf"(-?\w+)\(({IDENTIFIER})\)", re.A)
_FIRST = pattern(rf"(\w+)\s*\+\s*({IDENTIFIER})(?=\s*\])", re.A)
_NESTED = pattern(rf"\[\s*({IDENTIFIER}(?:\s*\+\s*-?\w+)?)\s*\]", re.A)
_PARENTHESISED = pattern(rf"\(\s*({IDENTIFIER})\s*\)", re.A)
_PREFIXED = pattern(rf"([*&])\s*({IDENTIFIER})", re.A)
_MAGNITUDE = pattern(rf"\|\s*({IDENTIFIER})\s*\|", re.A)


def displaced(c: Cursor) -> Mistake | None:
    """The error `4(%r1)`: an address with its offset first, as in MIPS and AT&T assemblers."""
    match = _SHIFTED.match(c.file.text, c.start, c.limit)
    if match is None or c.kind != "number":
        return None
    meant = f"[{match[2]}+{match[1]}]"
    fix = Fix(match.span(), meant, f"write `{meant}`", SUGGESTION)
    return c.mistake("invalid-operand", "an address is in brackets, its offset last", match.span(), fix=fix)


def offset_first(c: Cursor) -> Mistake | None:
    """The errors `[4+%r1]` and `[[%r1]]`, at what follows the first bracket."""
    if (
        (match := _FIRST.match(c.file.text, c.start, c.limit)) is not None
        and c.kind == "number"
        and match[2] != "WARP_SZ"
    ):
        meant = f"{match[2]}+{match[1]}"
        fix = Fix(match.span(), meant, f"write `{meant}`", SAFE)
        return c.mistake("invalid-operand", "an offset stands after the register", match.span(), fix=fix)
    if (match := _NESTED.match(c.file.text, c.start, c.limit)) is not None:
        fix = Fix(match.span(), match[1], "remove one pair of brackets", SAFE)
        return c.mistake("invalid-operand", "an address is in one pair of brackets", match.span(), fix=fix)
    return None


def parenthesised(c: Cursor) -> Mistake | None:
    """The error `(%r1)` for a register or an address."""
    match = _PARENTHESISED.match(c.file.text, c.start, c.limit)
    if match is None or match[1] == "WARP_SZ":
        return None
    help = f"a register stands alone, `{match[1]}`; an address is in brackets, `[{match[1]}]`"
    message = "only constants and the lists of `call` are in parentheses"
    return c.mistake("invalid-operand", message, match.span(), help=help)


def no_operand(c: Cursor) -> Mistake:
    """The error that no operand begins here: a comma too many, or an operator of C."""
    text, about = c.file.text, "invalid-operand"
    if (match := _PREFIXED.match(text, c.start, c.limit)) is not None:
        starred = match[1] == "*"
        meant = f"[{match[2]}]" if starred else match[2]
        what = "what an address refers to is in brackets" if starred else "a variable's name is its address"
        fix = Fix(match.span(), meant, f"write `{meant}`", SUGGESTION)
        help = None if starred else f"`{match[2]}` is its address, `[{match[2]}]` is what is there"
        return c.mistake(about, f"PTX has no `{match[1]}` in operands: {what}", match.span(), help=help, fix=fix)
    if (match := _MAGNITUDE.match(text, c.start, c.limit)) is not None:
        help = f"compute it first: `abs.f32 %x, {match[1]};`"
        return c.mistake(about, "an operand has no absolute value of its own", match.span(), help=help)
    help = _STRING if c.kind == "string" else None
    mistake, found = c.expected(OPERAND, about=about, help=help), None
    if c.kind == "string":
        found = Fix(c.span, c.word[1:-1], "remove the quotes", SUGGESTION)
    elif c.word in (",", ";"):  # the fix is kept where the statement is right without the comma
        comma = (c.last - 1, c.last) if text[c.last - 1] == "," else c.span
        found = Fix(comma, "", "remove the comma", SUGGESTION)
    mistake.diagnostic.fix = found or mistake.diagnostic.fix
    return mistake


_STRING = "a string can't be an operand: declare its bytes as an array in `.global`, and use the name of the array"


def sum_of_registers(c: Cursor, start: int) -> Mistake | None:
    """The error `[base+index*4]`: an address adds only a constant to a register."""
    match = SUM.match(c.file.text, start, c.limit)
    if match is None or match["index"] == "WARP_SZ":
        return None
    base, index = match["base"], match["index"]
    message = f"only a constant can be added to `{base}` here, not `{index}`"
    rule = "PTX ISA, Addresses as Operands (6.4.1): a constant is added, `[reg+immOff]`"
    help = f"compute the address first, from `{base}` and `{index}`"
    return c.mistake("address-sum", message, match.span(), "not a register and a constant", rule=rule, help=help)


def c_call_error(c: Cursor, mnemonic: str, opcode: tuple[int, int]) -> Mistake:
    """The error `name(a, b)`, a C function call. The checker knows the PTX equivalent of the name."""
    rule = "PTX ISA, Instruction Statements (4.3.2)"
    message = f"`{mnemonic}(...)` is a call as C writes it"
    return c.mistake("unknown-instruction", message, opcode, "unknown", rule=rule, help=CALL, kind=CALL_OF_C)


def c_block_error(c: Cursor, word: str, span: tuple[int, int]) -> Mistake:
    """The error `do {` or `else {`, a block of C. Parsing continues in the block."""
    rule = "PTX ISA, Instruction Statements (4.3.2)"
    message = f"`{word} {{` begins a block as C writes it"
    mistake = c.mistake("unknown-instruction", message, span, "unknown", rule=rule, help=CALL, kind=CALL_OF_C)
    mistake.recovered = True
    return mistake


_CALL_END = pattern(rf"(?:({IDENTIFIER})[ \t]*)?\(([^()]*)\)", re.A)
_SIZES = {"bool": 1, "char": 1, "double": 8, "float": 4, "half": 2, "int": 4, "long": 8, "short": 2, "unsigned": 4}
"""Bytes of the types of C, where CUDA compiles for Linux."""


def call_for_operand(c: Cursor, place: int) -> Mistake | None:
    """The error `max(a, b)` or `sizeof(int)` for an operand, at the parenthesis after the name that ends at `place`."""
    text = c.file.text
    start = place
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_$%"):
        start -= 1
    match = _CALL_END.match(text, start, c.limit)
    if match is None or not match[1]:
        return None
    type = match[2].split()[-1:]
    size = 8 if "*" in match[2] else _SIZES.get(type[0]) if type else None
    known = size is not None and match[1] in ("sizeof", "alignof")
    fix = Fix(match.span(), str(size), f"write `{size}`", SUGGESTION) if known else None
    message = f"`{match[1]}(...)` of C can't be an operand"
    help = "an operand is one register, constant or variable: other instructions compute its value before"
    return c.mistake("invalid-operand", message, match.span(), "not an operand", help=help, fix=fix)


_CALLED = pattern(rf"(\([^()]*\))?(\s*,)?\s*({IDENTIFIER})(\s*,)?\s*(\([^()]*\))(?=\s*;)", re.A)


def commas_lost(c: Cursor) -> Mistake | None:
    """The error `call (r) f (a)`, or `call f(a)`: a call without the commas between its operands."""
    match = _CALLED.match(c.file.text, c.start, c.limit)
    if match is None or (match[4] and (match[2] or not match[1])):
        return None
    meant = ", ".join(part for part in (match[1], match[3], match[5]) if part)
    fix = Fix(match.span(), meant, f"write `{meant}`", SUGGESTION)
    message = "the results, the function and the arguments of `call` are separated by commas"
    help = "its form is `call (result), name, (arguments);`"
    return c.mistake("syntax", message, match.span(), "a comma is missing", help=help, fix=fix)


CALL = "an instruction's operands are not in parentheses; a function is called by `call (result), name, (arguments);`"
"""The text for a name without relation to PTX."""
