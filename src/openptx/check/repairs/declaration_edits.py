"""Edits of what stands where the parser expected something else, the likeliest first; a second check proves them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import starmap

from openptx.check.foreign_spellings import TYPES as FOREIGN_TYPES
from openptx.check.repairs.directive_shapes import as_directive, in_signature
from openptx.check.repairs.line_shapes import Rewritten, in_body, line_end
from openptx.check.repairs.tokens import PAIRS, exchanged, lacking_count
from openptx.check.spelling import nearest
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.diagnostics.kinds import OPERAND, STATEMENT, TYPE
from openptx.isa.directives import NAMES
from openptx.isa.types import TYPES
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.directives import nearest as directive
from openptx.syntax.lexical import IDENTIFIER, words

_DOTTED = pattern(rf"\.{IDENTIFIER}|(?<![\w.%$]){IDENTIFIER}(?=[ \t]*\.)", re.A)
_TYPELESS = pattern(r"\.reg\s+\Z")
_REGISTERS = pattern(r"\.reg\s[^;{}]*\Z")
_COUNT = pattern(r"<([0-9]{1,9})>")
_NUMBER = pattern(r"[0-9]+")
_KNOWN = frozenset((*NAMES, ".ptr", *(f".{name}" for name, type in TYPES.items() if type.fundamental), ".v2", ".v4"))
_PART = (
    r"\.(?:align\s+[0-9]+|attribute\s*\([^)]*\)\)?|ptr\b(?:\s*\.(?:global|const|local|shared)\b)?(?:\s*\.align\s+[0-9]+)?"
    r"|\w+)"
)
_SEPARATORS = (",", ";", "{", ")")
"""Tokens that are exchanged with a neighbour whatever else their error suggests."""
_PARTS = pattern(_PART, re.A)
_HEAD = pattern(rf"{_PART}(?:\s*{_PART})+", re.A)
_RANKS = {
    "visible": 0, "extern": 0, "weak": 0, "common": 0, "reg": 1, "local": 1, "shared": 1, "param": 1, "global": 1,
    "const": 1, "align": 2, "attribute": 2, "v2": 3, "v4": 3, "v8": 3, "ptr": 5,
}  # fmt: skip
"""The order of what precedes a name in a declaration; types are 4."""


def edits(found: Diagnostic, inside: bool, absent: Collection[str]) -> Iterator[Fix]:
    """Edits near a syntax error that may make its statement one that was meant; `inside`: in the body of a function;
    `absent`: names that the file uses but does not declare. Those of an instruction are left to `statement_edits`."""
    text, (start, end) = found.file.text, found.span
    last = len(text[:start].rstrip())
    line = text.rfind("\n", 0, start) + 1, line_end(text, end)
    if inside:
        for span, meant, cause in in_body(text, line):
            yield Rewritten(span, meant, cause)
    before = text.rfind("\n", 0, max(line[0] - 1, 0)) + 1
    if before < line[0] and text[before : line[0] - 1] == text[slice(*line)]:
        yield _removal(text, (line[0] - 1, line[1]))
    yield from _names(text, (start, end), absent)
    yield from _ranges(text, line)
    yield from _registers(text, line)
    yield from _by_expectation(found, line[0], last, inside)
    single = text[start:end] in _SEPARATORS
    around = line[0], line_end(text, line[1] + 1)
    orders = exchanged(text, (start, end), around) if found.help is None or single else ()
    if found.kind and not found.marks and last < line[0]:
        yield from _at_end(text, last)
    if inside and found.kind == STATEMENT:
        yield from _removals(text, (start, end), last, line, inside)
    if inside and _is_instruction(text, max(line[0], *(text.rfind(mark, line[0], start) + 1 for mark in ";{}"))):
        yield from (
            replacement(span, meant)
            for span, meant in orders
            if meant[-1] == ";" and (single or meant[:1] in PAIRS.values())
        )
        return
    for mark in found.marks:
        spaced = f" {mark} " if mark == "_" else mark
        yield replacement((last, last), spaced)
        yield replacement((start, end), mark)
    yield from starmap(replacement, orders)
    for span, meant in (*as_directive(text, line), *in_signature(text, line)):
        yield replacement(span, meant)
    yield from _words(text, line)
    yield from _ordered(text, line)
    yield from _marks(text, (start, end), line)
    yield from _brackets(text, start, line[1])
    yield from _strings(text, (start, end), line[1])
    yield from _removals(text, (start, end), last, line, inside)


def _names(text: str, span: Span, absent: Collection[str]) -> Iterator[Fix]:
    """Names that are not declared, where the name of a declaration is missing or cut off."""
    start, end = span
    plain = text[start:end].lstrip("0123456789")
    if (
        plain != text[start:end]
        and plain.isidentifier()
        and _REGISTERS.search(text, text.rfind("\n", 0, start) + 1, start)
    ):
        yield replacement(span, plain)
    for name in absent:
        if text[start:end] == name[:1]:
            yield _named(text, span, name)
        if text[start] == "." and name[:1] == "%":
            yield replacement((start, start + 1), "%")
        if text[start] == "<":
            yield replacement((start, start), name.rstrip("0123456789"))
        if text[start:end].isalnum():
            yield replacement(span, name)
        yield replacement((start, start), name if text[start - 1].isspace() else f" {name}")


_RANGE = pattern(r"(?<![%$\w])([%$\w]*?[^\W\d])([0-9]++)\s*+(?:-|\.\.+|:)\s*(?:\1)?([0-9]+)\b", re.A)
"""Registers from one to another: `%r1-%r8`."""
_TURNED = pattern(r"(?<![\w.%$])([busf])\.(8|16|32|64)\b", re.A)
_ENCLOSED = pattern(r"<\s*([%$\w]*?[^\W\d])([0-9]+)\s*>", re.A)
"""A range with its first bracket before the name: `<%r8>`."""
_BOUNDS = pattern(r"<\s*[0-9]+\s*(?:-|\.\.+|:)\s*([0-9]+)\s*>", re.A)


def _ranges(text: str, line: Span) -> Iterator[Fix]:
    """Several registers with their first and last number, as a count; a type with its dot after its letter."""
    for match in _TURNED.finditer(text, *line):
        yield replacement(match.span(), f".{match[1]}{match[2]}")
    for match in _RANGE.finditer(text, *line):
        yield replacement(match.span(), f"{match[1]}<{int(match[3][:9]) + 1}>")
    for match in _ENCLOSED.finditer(text, *line):
        yield replacement(match.span(), f"{match[1]}<{match[2]}>")
    for match in _BOUNDS.finditer(text, *line):
        yield replacement(match.span(), f"<{int(match[1][:9]) + 1}>")


_OF_PREDICATES = pattern(r"\.(?:global|shared|local|param|const)\b(?=[^;]*\.pred\b)")
_VECTOR = pattern(r"\.v[248]\s+")


def _registers(text: str, line: Span) -> Iterator[Fix]:
    """Predicates in memory as registers, and a vector as single registers."""
    for match in _OF_PREDICATES.finditer(text, *line):
        yield replacement(match.span(), ".reg")
    for match in _VECTOR.finditer(text, *line):
        yield _removal(text, match.span())


def _by_expectation(found: Diagnostic, line: int, last: int, inside: bool) -> Iterator[Fix]:
    """Edits that what an error says tells; `last`: the end of what stands before it, `line`: where its line begins."""
    text, (start, end) = found.file.text, found.span
    if found.name == "invalid-character" and text.count(text[start:end]) == 1:
        yield _removal(text, (start, end))
    if found.name == "unterminated-comment":
        yield _removal(text, (start, start + 2))
    if found.kind.startswith(TYPE) and _TYPELESS.search(text, line, start):
        for type in (".b32", ".b64", ".pred", ".f32", ".f64", ".b16"):
            yield replacement((start, start), f"{type} ")
    if found.kind == STATEMENT and text[start:end] in (")", "]"):
        yield Rewritten((start, end), "}", f"`{text[start]}` stands where the `}}` of a block belongs")
    if found.kind == STATEMENT and text[last - 1] == ";":
        yield Rewritten((last - 1, last), ",", "`;` stands where `,` belongs")
    if found.name == "unclosed-bracket" and text[end : end + 1] == ";":
        yield Rewritten((end, end + 1), ",", "`;` stands where `,` belongs")
    if inside and last < line and found.kind == OPERAND and text[last - 1] != ",":
        yield Rewritten((last, last), ";", "this statement has no `;`")


def _named(text: str, span: Span, name: str) -> Fix:
    """The declaration of a name, or of a range that has it, where only the first character of the name stands."""
    count = _COUNT.match(text, span[1])
    if count is None:
        return replacement(span, name)
    prefix = name.rstrip("0123456789")
    most = max(int(count[1]), int(name[len(prefix) :] or 0) + 1)
    return replacement((span[0], count.end()), f"{prefix}<{most}>")


def _at_end(text: str, last: int) -> Iterator[Fix]:
    """Edits of the line that ends at `last`, where its last part is missing."""
    line = text.rfind("\n", 0, last) + 1, last
    for span, meant in as_directive(text, line):
        yield replacement(span, meant)
    if text[last - 1 : last] == ",":
        yield replacement((last - 1, last), ";")
        yield _removal(text, (last - 1, last))
    if _LEFT_OUT.fullmatch(text, *line):
        yield _removal(text, line)


_BEGINNING = pattern(rf"\s*(@|{IDENTIFIER})(\s*:?\s+\.(?=[a-z]))?", re.A)


def _is_instruction(text: str, start: int) -> bool:
    """Whether an instruction begins there: a guard, or a word that is no directive without its dot and no label of
    one."""
    begins = _BEGINNING.match(text, start)
    return begins is not None and not begins[2] and f".{begins[1]}" not in NAMES and not begins[1].startswith("__")


def replacement(span: Span, meant: str) -> Fix:
    """The fix that writes another text."""
    return Fix(span, meant, f"write `{meant.strip()}`", SUGGESTION)


def _removal(text: str, span: Span) -> Fix:
    removed = text[slice(*span)].strip()
    return Fix(span, "", f"remove `{removed}`" if removed else "remove it", SUGGESTION)


def _words(text: str, line: Span) -> Iterator[Fix]:
    """Each word of a line that is no directive and no type as the one that it resembles."""
    for match in _DOTTED.finditer(text, *line):
        if match[0] in _KNOWN:
            continue
        plain = match[0].lstrip(".")
        letters = plain.rstrip("0123456789")
        if f".{letters}" in NAMES:
            yield replacement(match.span(), f".{letters} {plain[len(letters) :]}")
        guesses = (
            plain,
            directive(match[0]) or "",
            plain.lower(),
            FOREIGN_TYPES.get(plain.lower(), ""),
            nearest(f".{plain}", _KNOWN) or "",
            _begun(plain),
        )
        again = [each.span() for each in _DOTTED.finditer(text, *line) if each[0] == match[0]]
        for guess in dict.fromkeys(f".{each.lstrip('.')}" for each in guesses):
            if guess in _KNOWN and len(again) > 1:
                yield _together(text, [(span, guess) for span in again])
            if guess in _KNOWN:
                yield replacement(match.span(), guess)


def _in_order(head: str) -> str | None:
    """What precedes a name in the order of a declaration; None if it is in that order."""
    parts = _PARTS.findall(head)
    ranks = [_RANKS.get("".join(words(part)[:1]), 4) for part in parts]
    if ranks == sorted(ranks):
        return None
    return " ".join(part for _, part in sorted(zip(ranks, parts, strict=True), key=lambda each: each[0]))


def _together(text: str, found: list[tuple[Span, str]]) -> Fix:
    """Several replacements, in text order, as one."""
    start, end = found[0][0][0], found[-1][0][1]
    written, at = "", start
    for span, meant in found:
        written += text[at : span[0]] + meant
        at = span[1]
    return replacement((start, end), written)


def _begun(word: str) -> str:
    """The only word that begins as this one does: `.align` for `.alignment`, `.global` for `.glob`."""
    found = [each for each in _KNOWN if len(each) > 3 and (word.startswith(each[1:]) or each.startswith(f".{word}"))]
    return found[0] if len(found) == 1 else ""


def _ordered(text: str, line: Span) -> Iterator[Fix]:
    """The parts of a declaration in their order, and its number of elements after its name."""
    found = [(head.span(), ordered) for head in _HEAD.finditer(text, *line) if (ordered := _in_order(head[0]))]
    if len(found) > 1:
        yield _together(text, found)
    for span, ordered in found:
        yield replacement(span, ordered)
    for match in _SIZED.finditer(text, *line):
        yield replacement(match.span(), f" {match[2]}{match[1]}")
    for match in _LATE.finditer(text, *line):
        yield replacement(match.span(), f"{match[1]} {match[3]}{match[2]}")


_SIZED = pattern(rf"\s*(\[\s*[0-9]+\s*\]|<\s*[0-9]+\s*>)\s*({IDENTIFIER})", re.A)
_LATE = pattern(
    rf"(\.(?:reg|local|shared|param|global|const)\b)([^;=,]*?\s{IDENTIFIER})\s+(\.(?:align\s+[0-9]+|[busf][0-9]+|pred))\b",
    re.A,
)
_OPENED_LATE = pattern(r"(?<=[^\W\d])\s*([0-9]+)>", re.A)
_FUNCTION = pattern(rf"(?<![.%$\w]){IDENTIFIER}(?=\s*\()", re.A)
_FUNCTIONS = ("generic", "mask")
"""What initial values may apply to a name."""
_CALLED = pattern(rf"\b({IDENTIFIER})\s+({IDENTIFIER})(?=\s*[,}};])", re.A)


def _marks(text: str, span: Span, line: Span) -> Iterator[Fix]:
    """Other marks at an error: a `<` that is missing, commas between all values, parentheses after `generic`."""
    for match in _OPENED_LATE.finditer(text, *line):
        yield replacement(match.span(), f"<{match[1]}>")
    for span, count in lacking_count(text, line):
        yield replacement(span, count)
    for match in _CALLED.finditer(text, *line):
        yield replacement(match.span(), f"{match[1]}({match[2]})")
    for match in _FUNCTION.finditer(text, *line):
        if (guess := nearest(match[0], _FUNCTIONS)) is not None and guess != match[0]:
            yield replacement(match.span(), guess)
    word = text[slice(*span)]
    if word == "-":
        yield replacement(span, "_")
    for mark in (",", "="):
        if word != mark and not any(map(str.isalnum, word)):
            yield replacement(span, mark)
    close = text.rfind("}", *line)
    opened = text.rfind("{", line[0], max(close, line[0]))
    inner = text[opened + 1 : close]
    if opened >= 0 and ";" in inner:
        yield replacement((opened + 1, close), inner.replace(";", ","))


def _brackets(text: str, start: int, end: int) -> Iterator[Fix]:
    """A group at an error in brackets of another kind, or in none; or only its bracket."""
    mark = text[start : start + 1]
    if mark in PAIRS.values():
        for left in PAIRS:
            yield replacement((start, start + 1), left)
    if mark not in PAIRS:
        return
    close = text.find(PAIRS[mark], start, end)
    for left, right in PAIRS.items():
        if left != mark:
            yield (
                replacement((start, close + 1), f"{left}{text[start + 1 : close]}{right}")
                if close >= 0
                else replacement((start, start + 1), left)
            )
    if close >= 0:
        yield replacement((start, close + 1), text[start + 1 : close])
        yield _removal(text, (start, close + 1))


def _strings(text: str, span: Span, end: int) -> Iterator[Fix]:
    """What stands for a string at an error, in quotes; or a string without them."""
    rest = text[span[0] : end].split("//")[0].rstrip().rstrip(";")
    if text[span[0] : span[0] + 1] == '"':
        yield replacement(span, text[span[0] + 1 : span[1] - 1])
    if plain := rest.strip("'\"` ()"):
        yield replacement((span[0], span[0] + len(rest)), f'"{plain}"')


_LAST = pattern(rf"(?<![\w.%$]){IDENTIFIER}\s*\Z", re.A)
_LEFT_OUT = pattern(r"[ \t]*\.(?:max|min|req|loc|pragma|explicitcluster|blocksareclusters|noreturn)\w*[^{};]*;?")
"""A directive that changes no result."""


def _removals(text: str, span: Span, last: int, line: Span, inside: bool) -> Iterator[Fix]:
    """Edits that leave out what stands at an error, before it, or between it and the end of its statement; no block of
    a body."""
    start, end = span
    number = _NUMBER.search(text, start, end)
    if number is not None and number.span() != span and text[end - 1] != ")":
        yield replacement(span, number[0])
    before = text[line[0] : last]
    if not before.strip():
        if not inside or text[end : line[1]].strip():
            yield _removal(text, span)
        stops = ()  # there would be no statement left
    else:
        yield _removal(text, span)
        stops = sorted(at for mark in ";,){}" if (at := text.find(mark, end, line[1])) >= 0)[:1] or (line[1],)
    if before[-1:] in (",", ".", "="):
        yield _removal(text, (last - 1, last))
    elif (word := _LAST.search(before)) is not None:
        yield _removal(text, (line[0] + word.start(), start))
    for until in stops:
        if until > end and not (inside and "{" in text[end : until + 1]):
            yield _removal(text, (last, until))
    if _LEFT_OUT.fullmatch(text, *line):
        yield _removal(text, line)
