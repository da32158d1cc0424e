"""Hover texts: an opcode's form, a modifier, a register's declaration, a literal's value."""

from __future__ import annotations

import re

from lsprotocol import types

from openptx.check.symbols import PREDEFINED
from openptx.errors import InputError
from openptx.explanations.modifiers import explain_modifier
from openptx.explanations.types import explain_type
from openptx.explanations.words import explain
from openptx.lsp.document import Document
from openptx.lsp.places import instruction_at, is_code
from openptx.source import Span
from openptx.syntax.lexical import NUMBER

_NUMBER = re.compile(NUMBER, re.A)
_MODIFIER = re.compile(r"\.\w+(?:::?\w+)*", re.A)
_WORD = re.compile(r"[.%]?[A-Za-z_$][\w$]*(?:::\w+)?(?:\.[xyzw]\b)?", re.A)


def hover(document: Document, position: types.Position) -> types.Hover | None:
    """The explanation of the word at a position; None if it has none."""
    offset = document.at.offset(position)
    if not is_code(document, offset):
        return None
    found = _of_opcode(document, offset) or _of_symbol(document, offset) or _of_word(document, offset)
    if found is None:
        return None
    span, text = found
    content = types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{text}\n```")
    return types.Hover(content, document.at.range(span))


def _of_opcode(document: Document, offset: int) -> tuple[Span, str] | None:
    """The mnemonic explains the whole opcode, a modifier itself."""
    instruction = instruction_at(document, offset)
    if instruction is None or not instruction.opcode_span[0] <= offset <= instruction.opcode_span[1]:
        return None
    start, end = instruction.opcode_span
    first_dot = document.file.text.find(".", start, end)
    if first_dot < 0 or offset <= first_dot:
        return _explained(instruction.opcode, instruction.opcode_span)
    at = document.file.text.rfind(".", start, offset + 1 if document.file.text.startswith(".", offset) else offset)
    match = _MODIFIER.match(document.file.text, at, end)
    if match is None:
        return None
    mnemonic = instruction.opcode.partition(".")[0]
    text = explain_type(match[0]) or explain_modifier(match[0], mnemonic)
    return (match.span(), text) if text else None


def _of_symbol(document: Document, offset: int) -> tuple[Span, str] | None:
    use = document.symbols.at(offset)
    if use is None or use[1].kind == PREDEFINED:
        return None
    span, symbol = use
    places = len(document.symbols.references(symbol))
    row = document.file.location(symbol.declared[0])[0] if symbol.declared is not None else 0
    return (
        span,
        f"{symbol.text}\n\n{symbol.kind}, declared in line {row}, named in {places} place{'s' if places != 1 else ''}",
    )


def _of_word(document: Document, offset: int) -> tuple[Span, str] | None:
    """A literal, a directive's type, a special register, a target."""
    start, text = document.file.starts[document.file.location(offset)[0] - 1], document.file.text
    for pattern in (_NUMBER, _WORD):
        for match in pattern.finditer(text, start, max(offset + 64, offset)):
            if match.start() > offset:
                break
            if offset <= match.end() and (found := _explained(match[0], match.span())) is not None:
                return found
    return None


def _explained(word: str, span: Span) -> tuple[Span, str] | None:
    try:
        return span, explain(word)
    except InputError:
        return None
