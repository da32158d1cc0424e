"""The structure of a file: its symbols as a tree, and foldable ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from openptx.check.names.body import label_of
from openptx.lsp.document import Document
from openptx.lsp.known import Outline, Part
from openptx.source import Span
from openptx.syntax import tree
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import Section

_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|(/\*(?s:.*?)(?:\*/|\Z))')


def document_symbols(document: Document) -> list[types.DocumentSymbol]:
    """Functions with their labels and variables, and the variables of the module."""
    found: list[types.DocumentSymbol] = []
    for item, outline in _outlines(document):
        start = item.span[0]
        symbols = [_symbol(document, start, part) for part in outline.symbols]
        if isinstance(item, tree.Function):
            symbols[0].children = [_symbol(document, start, part) for part in outline.inside]
        found += symbols
    return found


def _symbol(document: Document, start: int, part: Part) -> types.DocumentSymbol:
    whole = document.at.range(_moved(part.span, start))
    named = whole if part.named == part.span else document.at.range(_moved(part.named, start))
    return types.DocumentSymbol(part.name, part.kind, whole, named, detail=part.detail)


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def folding_ranges(document: Document) -> list[types.FoldingRange]:
    """Functions, blocks, debug sections and comments of more than one line."""
    spans = [(_moved(span, item.span[0]), None) for item, outline in _outlines(document) for span in outline.blocks]
    comments = [(m.span(1), types.FoldingRangeKind.Comment) for m in _COMMENT.finditer(document.file.text) if m[1]]
    found: list[types.FoldingRange] = []
    for (start, end), kind in (*spans, *comments):
        first, last = document.file.location(start)[0] - 1, document.file.location(end)[0] - 1
        if first < last:
            found.append(types.FoldingRange(first, last, kind=kind))
    return found


def _outlines(document: Document) -> list[tuple[tree.Statement, Outline]]:
    """The items of a file with their outlines, of which most are known from an earlier version."""
    items = document.module.tree.items
    texts = [document.file.text[slice(*item.span)] for item in items]
    known = document.known.outlines
    document.known.outlines = present = {text: known[text] for text in texts if text in known}
    for item, text in zip(items, texts, strict=True):
        if text not in present:
            present[text] = _outline(document, item)
    return [(item, present[text]) for item, text in zip(items, texts, strict=True)]


def _outline(document: Document, item: tree.Statement) -> Outline:
    by = -item.span[0]
    if isinstance(item, Variable):
        return Outline(tuple(_variables(item, by)))
    if isinstance(item, Section):
        return Outline(blocks=(_moved(item.span, by),))
    if not isinstance(item, tree.Function):
        return Outline()
    inside: list[Part] = []
    blocks = [] if item.body is None else [_moved(item.body, by)]
    for statement in tree.walk(document.structure(item)):
        if (label := label_of(statement)) is not None:
            at = _moved(label.span, by)
            inside.append(Part(label.text, types.SymbolKind.Key, None, at, at))
        elif isinstance(statement, Variable) and statement.space != "reg":
            inside += _variables(statement, by)
        elif isinstance(statement, tree.Block):
            blocks.append(_moved(statement.span, by))
    name = item.name
    whole = _moved(item.span, by)
    named = _moved(name.span, by) if name.span[1] else whole  # one whose name is missing has none in the file
    own = Part(name.text, types.SymbolKind.Function, f".{item.kind}", whole, named)
    return Outline((own,), tuple(inside), tuple(blocks))


def _variables(declaration: Variable, by: int) -> Iterator[Part]:
    kind = types.SymbolKind.Constant if declaration.space == "const" else types.SymbolKind.Variable
    detail = " ".join(f".{word}" for word in (declaration.space, declaration.type) if word)
    for declarator in declaration.names:
        name = declarator.name
        yield Part(name.text, kind, detail, _moved(declaration.span, by), _moved(name.span, by))
