"""Characters that PTX does not have (manual 4.1: a source file is ASCII), and what to write instead.

As measured on ptxas 13.5: bytes above 127 are allowed in comments, and in strings after a `//` or `/*`; control
characters in comments and strings, NUL nowhere; Ctrl-Z is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.diagnostics import SAFE, SUGGESTION, Diagnostic, Fix
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import COMMENT, STRING

COMMENTED, QUOTED, CODE = "comment", "string", "code"
_HIDDEN = "\0\v\x1c\x1d\x1e\x1f"
"""ASCII control characters that a comment or string could hide, or that are blanks to Python but not to PTX."""
_PIECE = pattern(
    rf"[\x01-\x0a\x0c-\x1b !#-.0-\x7f]*+"
    rf"(?:(?P<{COMMENTED}>{COMMENT})|(?P<{QUOTED}>{STRING})|[/\"]|\Z|(?P<{CODE}>[^\x01-\x0a\x0c-\x1b -\x7f]))"
)
_CONTROL = pattern(r"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f-\x9f\ufffd]")
_SAMPLE = 4096  # characters to examine; with one control character in fifty a file is taken for binary data

# fmt: off
_KINDS = (
    ("\x7fELF",         "an ELF file, perhaps a cubin: `openptx extract` takes out the PTX that it may hold"),
    ("\x1f\x8b",        "compressed by gzip"),
    ("PK\x03\x04",      "a zip archive"),
    ("BC\xc0\xde",      "LLVM bitcode"),
)
# fmt: on
_STRAY = pattern(r"[^\x01-\x7f](?:[^\n]*[^\x01-\x7f])?+")
_MARK = pattern(r"//|/\*")
"""What begins a comment, for the assembler's search for such characters in strings too."""
_FIRST = pattern(r"\0++|[^\0-\x7f]++|.", re.S)
_NULS = pattern(r"\0++")
_REST = pattern(r"[^\x20-\x7e\s](?:[^;\n\"]*[^\x20-\x7e\s])?", re.A)
_WRITTEN = {"\u2212": "-", **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')}
NOT_ASCII = "PTX is ASCII; other characters are allowed only in comments"


def not_text(file: File) -> Diagnostic | None:
    """Why a file cannot be PTX, or None."""
    head = file.text[:_SAMPLE].rstrip("\0") or file.text[:_SAMPLE]
    kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
    if kind is None and len(_CONTROL.findall(head)) * 50 <= len(head):
        return None
    message = f"this is {kind.partition(':')[0]}, not PTX" if kind else "this is binary data, not PTX"
    help = kind.partition(": ")[2] or None if kind else None
    return Diagnostic("not-text", message, file, (0, min(len(head), 1)), help=help)


def strays(text: str) -> Iterator[tuple[str, Span]]:
    """The positions of stray characters that the lexer does not reach: in comments, strings and blanks."""
    if text.isascii() and not any(character in text for character in _HIDDEN):
        return
    for piece in _PIECE.finditer(text):
        place = piece.lastgroup
        if place == CODE:
            yield place, piece.span(place)
        elif place:
            start, end = piece.span(place)
            mark = _MARK.search(text, start, end) if place == QUOTED else None
            commented = mark.start() if mark is not None else end if place == QUOTED else start
            for kind, span in ((QUOTED, (start, commented)), (COMMENTED, (commented, end))):
                if stray := _STRAY.search(text, *span):
                    yield kind, stray.span()


def problems(file: File, found: list[tuple[str, Span]]) -> list[Diagnostic]:
    """The errors among the characters that `strays` found, as the assembler judges them: all in strings, and NULs in
    comments. The lexer reports those in code."""
    wrong = [span for place, span in found if place == QUOTED]
    for place, (start, end) in found:
        if place == COMMENTED:
            wrong += (nuls.span() for nuls in _NULS.finditer(file.text, start, end))
    return [stray_character(file, span) for span in wrong]


def commented(file: File) -> list[Diagnostic]:
    """The errors in comments that only the manual has: it requires every character of a file to be ASCII."""
    found = (span for place, span in strays(file.text) if place == COMMENTED and "\0" not in file.text[slice(*span)])
    return [stray_character(file, span) for span in found]


def stray_character(file: File, span: Span) -> Diagnostic:
    """The error of a stray character in any place; the fix transliterates the whole span to ASCII."""
    text = file.text[slice(*span)]
    written, safe = _spelt(text)
    first = _FIRST.match(text)
    characters = first[0] if first else text
    help = "a NUL ends a string in C, and is not part of the text" if characters[0] == "\0" else None
    if characters[0] > "\x7f":
        help = NOT_ASCII
    what = f"write `{written}`" if written.strip() else "remove it" if not written else "write a blank"
    fix = Fix(span, written, what, SAFE if safe else SUGGESTION)
    message = f"PTX has no use for {describe_characters(characters)} here"
    place = span[0], span[0] + len(characters)
    return Diagnostic("invalid-character", message, file, place, help=help, fix=fix)


def in_code(file: File, start: int, limit: int) -> Diagnostic:
    """One diagnostic for all stray characters in the rest of a statement."""
    found = _REST.match(file.text, start, limit)
    return stray_character(file, found.span() if found else (start, start + 1))


def describe_characters(characters: str) -> str:
    """Characters for a message; bytes that are not UTF-8 are surrogates (PEP 383)."""
    if characters.isprintable():
        return f"`{characters[:8]}`"
    number = ord(characters[0])
    return f"the byte 0x{number - 0xDC00:02X}" if 0xDC80 <= number <= 0xDCFF else f"U+{number:04X}"


def _spelt(characters: str) -> tuple[str, bool]:
    """Characters in ASCII, and whether the replacement is unambiguous."""
    spelt = [_character(each) for each in characters]
    return "".join(each for each in spelt if each is not None), None not in spelt


def _character(character: str) -> str | None:
    """One character in ASCII: letters by their code point, so that distinct names stay distinct; marks of another width
    as their own; None without an equivalent."""
    from unicodedata import category, normalize

    if "\x20" <= character <= "\x7e" or character in "\t\n":
        return character
    if character in _WRITTEN:
        return _WRITTEN[character]
    kind = category(character)
    if character.isspace():
        return " "
    if kind == "Cs":
        return f"_x{ord(character) & 0xFF:02X}"
    if kind[0] == "C":
        return ""
    if kind[0] in "LMN":
        return f"_u{ord(character):04X}"
    plain = "-" if kind == "Pd" else normalize("NFKC", character)
    return plain if plain.isascii() else None
