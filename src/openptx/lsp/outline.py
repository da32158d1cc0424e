"""The structure of a file: its symbols as a tree, and foldable ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from openptx.check.names.body import label_of
from openptx.lsp.document import Document
from openptx.syntax import tree
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import Section

_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|(/\*(?s:.*?)(?:\*/|\Z))')


def document_symbols(document: Document) -> list[types.DocumentSymbol]:
    """Functions with their labels and variables, and the variables of the module."""
    found: list[types.DocumentSymbol] = []
    for item in document.module.tree.items:
        if isinstance(item, tree.Function):
            found.append(_function(document, item))
        elif isinstance(item, Variable):
            found += _variables(document, item)
    return found


def _function(document: Document, function: tree.Function) -> types.DocumentSymbol:
    inside: list[types.DocumentSymbol] = []
    for statement in tree.walk(document.structure(function)):
        if (label := label_of(statement)) is not None:
            at = document.at.range(label.span)
            inside.append(types.DocumentSymbol(label.text, types.SymbolKind.Key, at, at))
        elif isinstance(statement, Variable) and statement.space != "reg":
            inside += _variables(document, statement)
    return types.DocumentSymbol(
        function.name.text,
        types.SymbolKind.Function,
        document.at.range(function.span),
        document.at.range(function.name.span),
        detail=f".{function.kind}",
        children=inside,
    )


def _variables(document: Document, declaration: Variable) -> list[types.DocumentSymbol]:
    kind = types.SymbolKind.Constant if declaration.space == "const" else types.SymbolKind.Variable
    detail = " ".join(f".{word}" for word in (declaration.space, declaration.type) if word)
    return [
        types.DocumentSymbol(
            declarator.name.text,
            kind,
            document.at.range(declaration.span),
            document.at.range(declarator.name.span),
            detail=detail,
        )
        for declarator in declaration.names
    ]


def folding_ranges(document: Document) -> list[types.FoldingRange]:
    """Functions, blocks, debug sections and comments of more than one line."""
    spans = [(span, None) for span in _blocks(document)]
    comments = [(m.span(1), types.FoldingRangeKind.Comment) for m in _COMMENT.finditer(document.file.text) if m[1]]
    found: list[types.FoldingRange] = []
    for (start, end), kind in (*spans, *comments):
        first, last = document.file.location(start)[0] - 1, document.file.location(end)[0] - 1
        if first < last:
            found.append(types.FoldingRange(first, last, kind=kind))
    return found


def _blocks(document: Document) -> Iterator[tuple[int, int]]:
    for item in document.module.tree.items:
        if isinstance(item, tree.Function) and item.body is not None:
            yield item.body
            yield from (each.span for each in tree.walk(document.structure(item)) if isinstance(each, tree.Block))
        elif isinstance(item, Section):
            yield item.span
