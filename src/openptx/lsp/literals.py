"""Inlay hints for literals that people cannot read: `0f3F800000` is 1.0."""

from __future__ import annotations

import re
from math import isfinite

from lsprotocol import types

from openptx.lsp.document import Document
from openptx.numerics.python_floats import f32_bits, f64_value
from openptx.patterns import pattern
from openptx.syntax.lexical import COMMENT, FLOAT_BITS, LETTER, OPEN_STRING
from openptx.syntax.literals import literal
from openptx.syntax.operands import Float

_LITERAL = pattern(f"{COMMENT}|{OPEN_STRING}|(?<!{LETTER})({FLOAT_BITS})(?!{LETTER})", re.A)


def inlay_hints(document: Document, range: types.Range) -> list[types.InlayHint]:
    """The decimal values of the float literals of a range that are written as bits.

    `0f...` where a double is wanted (PTX1019) has the value of the double.
    """
    short = {at for each in document.warnings if each.name == "short-float" for at, _ in (each.span, *each.also)}
    start, end = document.at.span(range)
    found: list[types.InlayHint] = []
    for match in _LITERAL.finditer(document.file.text, document.file.starts[range.start.line], end):
        if match[1] is None or match.start() < start:
            continue
        constant = literal(match[1], match.span(1))
        assert isinstance(constant, Float)
        decimal = repr(f64_value(constant.bits)) if match.start() in short else shortest_decimal(constant)
        found.append(types.InlayHint(document.at.position(match.end()), f"= {decimal}", padding_left=True))
    return found


def shortest_decimal(constant: Float) -> str:
    """The shortest decimal that is this value in its own width."""
    value = constant.value
    if constant.width == 64 or not isfinite(value):
        return repr(value)
    return next(text for digits in range(1, 10) if f32_bits(float(text := f"{value:.{digits}g}")) == constant.bits)
