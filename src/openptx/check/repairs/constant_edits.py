"""Numbers and named constants of other languages as those of PTX that they may stand for; a second check chooses."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.patterns import pattern

OF_CONSTANTS = frozenset(("invalid-integer", "invalid-float", "immediate-type", "invalid-expression", "unknown-name"))
"""The errors of constants, and of names that are none here."""

_NAMED = {
    "true": ("1",), "false": ("0",), "null": ("0",), "nullptr": ("0",), "none": ("0",),
    "inf": ("0f7F800000", "0d7FF0000000000000"), "infinity": ("0f7F800000", "0d7FF0000000000000"),
    "nan": ("0f7FFFFFFF", "0d7FFFFFFFFFFFFFFF"),
}  # fmt: skip
_DOUBLE = pattern(r"\.f64\b")
_SHAPES = {
    # a number of another language                                  what it may be
    pattern(r"(0[xX][0-9a-fA-F]++|[1-9][0-9]*|0)[lL]*[uU][lL]*"):    r"\1U",
    pattern(r"([0-9a-fA-F]+)[hH]"):                                 r"0x\1",
    pattern(r"(0[xX][0-9a-fA-F]+)[g-zG-Z]\w*"):                     r"\1",
    pattern(r"0[fFdD](0[fFdD][0-9a-fA-F]{8,16})"):                  r"\1",
    pattern(r"0+([1-9][0-9]*)|0[bBfFdDoO]([1-9][0-9]{0,2})"):       r"\1\2",
    pattern(r"(0|[1-9][0-9]*)(?:\.0*)?[a-zA-Z]*"):                  r"\1",
    pattern(r"([1-9][0-9]*)[a-zA-Z_]([0-9]+)"):                      r"\1\2",
}  # fmt: skip


def constant_edits(error: Diagnostic) -> Iterator[Fix]:
    """The constants that the text of an error may stand for, the likeliest first."""
    text = error.file.text[slice(*error.span)]
    named = _NAMED.get(text.lower(), ())
    if _DOUBLE.search(error.file.line(error.location[0])):
        named = named[::-1]  # an instruction on doubles takes the bits of a float for those of a small double
    numbers = (match.expand(meant) for shape, meant in _SHAPES.items() if (match := shape.fullmatch(text)) is not None)
    for meant in (*named, *numbers):
        yield Fix(error.span, meant, f"write `{meant}`", SUGGESTION)
